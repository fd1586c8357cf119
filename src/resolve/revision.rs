//! Stored revisions: the instance type or preference inside a ControllerRevision.

use super::{ResolveError, Spec};
use crate::field_path::FieldPath;
use crate::release::{Behaviour, Release};
use crate::resource::{Resource, group_version};
use crate::stored::{self, GROUP, Matcher};
use crate::yaml::Node;

/// The label of a revision that names the object it stores.
pub(crate) const OBJECT_NAME_LABEL: &str = "instancetype.kubevirt.io/object-name";

/// The spec stored in a revision, when it stores what the matcher asks for.
/// Mirrors GetInstancetypeSpec and GetPreferenceSpec, pkg/instancetype/compatibility/compatibility.go @ v1.9.0.
pub(crate) fn decode(
    release: Release,
    matcher: Matcher,
    revision: &Resource,
) -> Result<Spec, ResolveError> {
    let unexpected = |found: String| ResolveError::UnexpectedType {
        id: Box::new(revision.id.clone()),
        found,
    };
    let undecodable = |message: String| ResolveError::Undecodable {
        id: Box::new(revision.id.clone()),
        message,
    };
    let Some(data) = revision.node.get("data").filter(|data| !data.is_null()) else {
        return Err(unexpected("<nil>".to_owned()));
    };
    if release.has(Behaviour::DecodesOldRevisions)
        && let Some(decoded) = decode_old(release, data)
    {
        let (kind, spec) = decoded.map_err(undecodable)?;
        if Matcher::of_kind(&kind) != Some(matcher) {
            return Err(unexpected(format!("*v1beta1.{kind}")));
        }
        let prefix = FieldPath::root().field("data");
        return Spec::read(release, revision.id.clone(), &kind, Some(&spec), prefix);
    }
    let kind = data.str_at("kind");
    let api_version = data.str_at("apiVersion");
    // KubeVirt quotes the data, which may be a VM with its secrets.
    let missing = |word: &str| format!("Object '{word}' is missing in its data");
    if kind.is_empty() {
        return Err(undecodable(missing("Kind")));
    }
    if api_version.is_empty() {
        return Err(undecodable(missing("apiVersion")));
    }
    let (group, version) = group_version(api_version);
    if group == GROUP && version == "v1beta1" {
        if Matcher::of_kind(kind) == Some(matcher) {
            let prefix = FieldPath::root().field("data").field("spec");
            return Spec::read(release, revision.id.clone(), kind, data.get("spec"), prefix);
        }
        if crate::schema::type_of(GROUP, kind).is_some() {
            return Err(unexpected(format!("*v1beta1.{kind}")));
        }
    } else if crate::schema::type_of(group, kind).is_some() && group != GROUP {
        return Err(unexpected(format!("*{version}.{kind}")));
    }
    Err(undecodable(format!(
        "no kind \"{kind}\" is registered for version \"{api_version}\""
    )))
}

/// Decodes the forms of older releases (a bare spec revision, v1alpha1, v1alpha2) into the v1beta1 kind and spec, as
/// those releases convert them; `None` where the data is none of them. Only releases with
/// [`Behaviour::DecodesOldRevisions`] ask.
pub(crate) fn decode_old(release: Release, data: &Node) -> Option<Result<(String, Node), String>> {
    if data.str_at("apiVersion") == "instancetype.kubevirt.io/v1beta1" {
        return None;
    }
    match stored::decode(release, data) {
        Ok(mut object) => {
            let spec = object.remove("spec").unwrap_or_else(Node::map);
            Some(Ok((object.str_at("kind").to_owned(), spec)))
        }
        Err(stored::StoredError::WrongType { path, expected }) => {
            Some(Err(format!("{path} is not {expected}")))
        }
        Err(_) => None,
    }
}
