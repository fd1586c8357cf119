//! Holds objects of other kinds to their JSON Schemas.

use serde_json::Value as Json;

use super::{invalid_network_config, missing_field, schema, unknown_field, wrong_type};
use crate::catalog::processed;
use crate::config::did_you_mean;
use crate::field_path::{FieldPath, Segment};
use crate::finding::Finding;
use crate::release::Release;
use crate::resource::Resource;
use crate::schema::kinds::{Kinds, Misfit, MisfitKind};

/// What the schema of a resource's kind does not allow; nothing where the kind has none. The user's schemas win.
pub fn check(resource: &Resource, user: &Kinds) -> Vec<Finding> {
    let Some(kinds) = holding(resource, user) else {
        return Vec::new();
    };
    let misfits = kinds.misfits(&resource.api_version, &resource.id.kind, &resource.node);
    let misfits = misfits.unwrap_or_default();
    let mut found: Vec<Finding> = misfits
        .iter()
        .map(|misfit| finding(resource, misfit))
        .collect();
    if resource.is(NETWORKS, "NetworkAttachmentDefinition") {
        found.extend(network(resource));
    }
    found
}

/// Whether a finding is of a field that the API server drops, and takes the rest.
pub fn is_dropped(finding: &Finding) -> bool {
    finding.rule.id == unknown_field::RULE.info.id
}

/// Whether anything judges a resource: the field table, a schema, or a rule that reads the kind.
pub fn is_judged(resource: &Resource, release: Release, user: &Kinds) -> bool {
    schema::type_of(resource, release).is_some()
        || is_read(resource)
        || processed::is_template(resource)
        || holding(resource, user).is_some()
}

const NETWORKS: &str = "k8s.cni.cncf.io";

/// Whether rules look into objects of the kind without a schema.
fn is_read(resource: &Resource) -> bool {
    matches!(
        (resource.id.group.as_str(), resource.id.kind.as_str()),
        ("", "PersistentVolumeClaim" | "Secret" | "ConfigMap")
            | ("apps", "ControllerRevision")
            | ("cdi.kubevirt.io", "DataVolume")
            | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// The schemas that have the resource's kind. The built-in ones are looked into for their own groups only.
fn holding<'k>(resource: &Resource, user: &'k Kinds) -> Option<&'k Kinds> {
    let (version, kind) = (&resource.api_version, &resource.id.kind);
    if !user.is_empty() && user.has(version, kind) {
        return Some(user);
    }
    let group = resource.id.group.as_str();
    let is_ours = group == NETWORKS || group == "kubevirt.io" || group.ends_with(".kubevirt.io");
    let builtin = || Kinds::builtin();
    let is_volume = resource.is("cdi.kubevirt.io", "DataVolume");
    (is_ours && !is_volume && builtin().has(version, kind)).then(builtin)
}

fn finding(resource: &Resource, misfit: &Misfit) -> Finding {
    let path = misfit.path.clone();
    let name = match path.segments() {
        [.., Segment::Field(name), Segment::Index(index)] => format!("{name}[{index}]"),
        [.., Segment::Field(name)] => name.to_string(),
        _ => path.to_string(),
    };
    match &misfit.kind {
        MisfitKind::UnknownField { known } => {
            let message = format!("unknown field `{name}`: the API server drops it");
            let info = &unknown_field::RULE.info;
            let mut finding = Finding::at_key(info, resource, path, message);
            if let Some(meant) = did_you_mean(&name, known.iter().map(String::as_str)) {
                finding.help(format!("did you mean `{meant}`?"));
            }
            finding
        }
        MisfitKind::Missing => {
            let message = format!("`{path}` is required and missing");
            Finding::at(&missing_field::RULE.info, resource, path, message)
        }
        MisfitKind::WrongType { expected } => {
            let what = path.find(&resource.node).map_or("missing", schema::what);
            let message = format!("`{name}` is {what}, not {expected}");
            Finding::at_key(&wrong_type::RULE.info, resource, path, message)
        }
        MisfitKind::NotListed { allowed } => {
            let node = path.find(&resource.node);
            let word = node.and_then(crate::yaml::Node::as_str).unwrap_or_default();
            let message = format!("`{word}` is not a value of `{name}`");
            let near = did_you_mean(word, allowed.iter().map(String::as_str));
            let help = near.map_or_else(
                || format!("it takes {}", allowed.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let mut finding = Finding::at(&wrong_type::RULE.info, resource, path, message);
            finding.help(help);
            finding
        }
        MisfitKind::BeyondLimit { demand } => {
            let message = format!("the API server refuses the value of `{name}`");
            let mut finding = Finding::at_key(&wrong_type::RULE.info, resource, path, message);
            finding.help(format!("the schema of its kind says: {demand}"));
            finding
        }
    }
}

/// What Multus cannot read in a network's configuration.
fn network(resource: &Resource) -> Option<Finding> {
    let path = FieldPath::parse("spec.config");
    let config = path.find(&resource.node)?.as_str()?;
    let (message, help) = invalid_network_config::wrong(config)?;
    let info = &invalid_network_config::RULE.info;
    let mut finding = Finding::at_key(info, resource, path, format!("{}: {message}", info.summary));
    finding.help(help);
    Some(finding)
}

/// Whether a text is JSON with that field, not empty.
pub(super) fn names(json: &Json, field: &str) -> bool {
    json.get(field)
        .and_then(Json::as_str)
        .is_some_and(|text| !text.is_empty())
}
