//! The places where a VM names a revision.

use crate::field_path::FieldPath;
use crate::stored::Matcher;
use crate::yaml::Node;

/// One place where a VM names a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionReference {
    /// The matcher it belongs to.
    pub matcher: Matcher,
    /// Where: `spec.instancetype.revisionName` or `status.instancetypeRef.controllerRevisionRef.name`.
    pub field: FieldPath,
    /// The revision's name.
    pub name: String,
    /// Whether it is in `spec`, where it wins.
    pub in_spec: bool,
}

/// Every place where the VM names a revision, instance type first, spec before status. A status reference without its
/// matcher is a leftover that KubeVirt ignores.
pub fn references(vm: &Node) -> Vec<RevisionReference> {
    let mut found = Vec::new();
    for matcher in Matcher::ALL {
        let Some(written) = vm
            .path("spec")
            .and_then(|spec| spec.get(matcher.field()))
            .filter(|written| !written.is_null())
        else {
            continue;
        };
        let spec = FieldPath::root()
            .field("spec")
            .field(matcher.field())
            .field("revisionName");
        let status = FieldPath::root()
            .field("status")
            .field(matcher.status_field())
            .field("controllerRevisionRef")
            .field("name");
        let in_status = status.find(vm).and_then(Node::as_str).unwrap_or_default();
        for (field, name, in_spec) in [
            (spec, written.str_at("revisionName"), true),
            (status, in_status, false),
        ] {
            if !name.is_empty() {
                found.push(RevisionReference {
                    matcher,
                    field,
                    name: name.to_owned(),
                    in_spec,
                });
            }
        }
    }
    found
}
