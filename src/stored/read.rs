//! Reading stored data: the bare spec first, strictly, then the typed object.

use smol_str::SmolStr;

use super::{Form, GROUP, LAST_TO_CONVERT, Matcher, Stored, StoredError, dropped};
use crate::release::Release;
use crate::resource::group_version;
use crate::schema;
use crate::source::FileId;
use crate::yaml::{self, Node};

/// Which reading of an ambiguous bare spec is taken.
#[derive(Clone, Copy)]
pub(super) enum Preferred {
    /// The first that fits, preference before instance type, as KubeVirt tries them.
    First,
    /// The one of the matcher that names the revision.
    This(Matcher),
}

pub(super) fn any_form(
    release: Release,
    data: &Node,
    preferred: Option<Preferred>,
) -> Result<Stored, StoredError> {
    let types = if Form::V1alpha1.decodable(release) {
        release
    } else {
        LAST_TO_CONVERT
    };
    if let Some(spec) = bare_spec(data) {
        let preference = bare(types, &spec, Matcher::Preference);
        let instancetype = bare(types, &spec, Matcher::Instancetype);
        match (preference, instancetype) {
            (Some(preference), Some(instancetype)) => {
                let mut stored = match preferred {
                    None => return Err(StoredError::Ambiguous),
                    Some(Preferred::This(Matcher::Instancetype)) => instancetype,
                    Some(_) => preference,
                };
                stored.ambiguous = true;
                return Ok(stored);
            }
            (Some(stored), None) | (None, Some(stored)) => return Ok(stored),
            (None, None) => {}
        }
    }
    let alpha = data.str_at("apiVersion") != "instancetype.kubevirt.io/v1beta1";
    object(if alpha { types } else { release }, data, true)
}

/// Reads the typed object; `old` says whether v1alpha1 and v1alpha2 are known.
pub(super) fn object(release: Release, data: &Node, old: bool) -> Result<Stored, StoredError> {
    if data.is_null() {
        return Err(StoredError::Empty);
    }
    let (kind, api_version) = (data.str_at("kind"), data.str_at("apiVersion"));
    if kind.is_empty() {
        return Err(StoredError::Untyped("Kind"));
    }
    if api_version.is_empty() {
        return Err(StoredError::Untyped("apiVersion"));
    }
    let (group, version) = group_version(api_version);
    let form = Form::of_version(version)
        .filter(|form| group == GROUP && (old || *form == Form::V1beta1))
        .zip(Matcher::of_kind(kind));
    let Some((form, matcher)) = form else {
        return Err(
            if schema::type_of(group, kind).is_some() && group != GROUP {
                StoredError::Unexpected(format!("{version}.{kind}").into())
            } else {
                StoredError::Unregistered {
                    kind: kind.into(),
                    api_version: api_version.into(),
                }
            },
        );
    };
    let read = schema::decode(release, &format!("{version}.{kind}"), data);
    if let Some((path, expected)) = schema::wrong_type(&read.problems) {
        let path = path.clone();
        return Err(StoredError::WrongType { path, expected });
    }
    Ok(Stored {
        form,
        matcher,
        kind: kind.into(),
        dropped: dropped(&read.problems),
        object: read.node,
        ambiguous: false,
    })
}

/// The text of `{apiVersion, spec: base64}`; any other key makes the data something else.
fn bare_spec(data: &Node) -> Option<Node> {
    let map = data.as_map()?;
    let known = |entry: &yaml::Entry| match entry.key.as_str() {
        "apiVersion" => entry.node.as_str().is_some() || entry.node.is_null(),
        "spec" => true,
        _ => false,
    };
    if !map.entries().iter().all(known) {
        return None;
    }
    let spec = map.get("spec")?;
    let bytes = yaml::decode_base64(spec.as_str()?)?;
    let node = strict_json(&bytes)?;
    let node = if node.is_null() { Node::map() } else { node };
    Some(node.with_origins(spec.origin))
}

fn bare(release: Release, spec: &Node, matcher: Matcher) -> Option<Stored> {
    let read = schema::decode(release, &format!("v1alpha1.{}Spec", matcher.kind()), spec);
    let fits = spec.as_map().is_some()
        && !read
            .problems
            .iter()
            .any(|problem| problem.kind.loses_the_value());
    fits.then(|| {
        let mut object = Node::map().with_origin(spec.origin);
        object.set("spec", read.node);
        Stored {
            form: Form::BareSpec,
            matcher,
            kind: SmolStr::new_static(matcher.kind()),
            object,
            dropped: Vec::new(),
            ambiguous: false,
        }
    })
}

/// JSON in which no object has a key twice.
fn strict_json(bytes: &[u8]) -> Option<Node> {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).ok()?;
    // The place does not matter: the caller gives every node the one of the encoded text.
    let document = yaml::parse(FileId(0), bytes).documents.pop()?.ok()?;
    document.strict.is_empty().then_some(document.root)
}
