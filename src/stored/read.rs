//! Reading stored data: the bare spec first, strictly, then the typed object.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use smol_str::SmolStr;

use super::{Error, Form, GROUP, LAST_TO_CONVERT, Matcher, Stored, dropped};
use crate::release::Release;
use crate::schema::{self, ProblemKind};
use crate::yaml::{Node, Origin, Value};

/// Which reading of an ambiguous bare spec is taken.
#[derive(Clone, Copy)]
pub(super) enum Preferred {
    /// The first that fits, preference before instance type, as KubeVirt tries them.
    First,
    /// The one of the matcher that names the revision.
    This(Matcher),
}

/// Go's base64: padding required, line breaks and loose trailing bits allowed.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

pub(super) fn any_form(
    release: Release,
    data: &Node,
    preferred: Option<Preferred>,
) -> Result<Stored, Error> {
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
                    None => return Err(Error::Ambiguous),
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
pub(super) fn object(release: Release, data: &Node, old: bool) -> Result<Stored, Error> {
    if data.is_null() {
        return Err(Error::Empty);
    }
    let (kind, api_version) = (data.str_at("kind"), data.str_at("apiVersion"));
    if kind.is_empty() {
        return Err(Error::Untyped("Kind"));
    }
    if api_version.is_empty() {
        return Err(Error::Untyped("apiVersion"));
    }
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let form = Form::of_version(version)
        .filter(|form| group == GROUP && (old || *form == Form::V1beta1))
        .zip(Matcher::of_kind(kind));
    let Some((form, matcher)) = form else {
        return Err(
            if schema::type_of(group, kind).is_some() && group != GROUP {
                Error::Unexpected(format!("{version}.{kind}").into())
            } else {
                Error::Unregistered {
                    kind: kind.into(),
                    api_version: api_version.into(),
                }
            },
        );
    };
    let read = schema::decode(release, &format!("{version}.{kind}"), data);
    check_types(&read.problems)?;
    Ok(Stored {
        form,
        matcher,
        kind: kind.into(),
        dropped: dropped(&read.problems),
        object: read.node,
        ambiguous: false,
    })
}

fn check_types(problems: &[schema::Problem]) -> Result<(), Error> {
    for problem in problems {
        if let ProblemKind::WrongType { expected } = problem.kind {
            return Err(Error::WrongType {
                path: problem.path.clone(),
                expected,
            });
        }
    }
    Ok(())
}

/// The text of `{apiVersion, spec: base64}`; any other key makes the data something else.
fn bare_spec(data: &Node) -> Option<Node> {
    let map = data.as_map()?;
    let known = |entry: &crate::yaml::Entry| match entry.key.as_str() {
        "apiVersion" => entry.node.as_str().is_some() || entry.node.is_null(),
        "spec" => true,
        _ => false,
    };
    if !map.entries().iter().all(known) {
        return None;
    }
    let spec = map.get("spec")?;
    let text: String = spec
        .as_str()?
        .chars()
        .filter(|c| !matches!(c, '\r' | '\n'))
        .collect();
    let bytes = BASE64.decode(text).ok()?;
    let mut node = strict_json(&bytes)?;
    if node.is_null() {
        node = Node::map();
    }
    set_origin(&mut node, spec.origin);
    Some(node)
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

fn set_origin(node: &mut Node, origin: Origin) {
    node.origin = origin;
    match &mut node.value {
        Value::Seq(items) => items.iter_mut().for_each(|item| set_origin(item, origin)),
        Value::Map(map) => {
            for entry in map.entries_mut() {
                entry.key_origin = origin;
                set_origin(&mut entry.node, origin);
            }
        }
        _ => {}
    }
}

/// JSON in which no object has a key twice.
fn strict_json(bytes: &[u8]) -> Option<Node> {
    let strict: Strict = serde_json::from_slice(bytes).ok()?;
    Some(Node::from_json(&strict.0))
}

struct Strict(serde_json::Value);

impl<'de> serde::Deserialize<'de> for Strict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> serde::de::Visitor<'de> for StrictVisitor {
    type Value = serde_json::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON without duplicate keys")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Self::Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Self::Value::Array(items))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = serde_json::Map::new();
        while let Some((key, Strict(value))) = map.next_entry::<String, Strict>()? {
            if fields.insert(key, value).is_some() {
                return Err(serde::de::Error::custom("duplicate key"));
            }
        }
        Ok(Self::Value::Object(fields))
    }
}
