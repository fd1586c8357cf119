//! Where every field of an expanded VM came from.

use crate::field_path::FieldPath;
use crate::resolve::Resolved;
use crate::resource::{Resource, ResourceId};
use crate::shown::secret;
use crate::source::Span;
use crate::yaml::{BundleEntry, Node, Origin, Writer};

/// One field of an expanded VM: a scalar, or an empty list or mapping.
#[derive(Clone, Debug)]
pub struct Explained<'a> {
    /// The field.
    pub path: FieldPath,
    /// Its value as one line of JSON, but for secrets.
    pub value: String,
    /// Where it came from.
    pub giver: Giver<'a>,
}

/// What gave a field its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Giver<'a> {
    /// The VM itself, at this place.
    Vm(Option<Span>),
    /// The instance type, or the revision that stores it, at this place.
    Instancetype(&'a ResourceId, Option<Span>),
    /// The preference, or the revision that stores it, at this place.
    Preference(&'a ResourceId, Option<Span>),
    /// An object of the built-in bundle.
    Bundle(&'static BundleEntry),
    /// A default; the name is that of the function in `KubeVirt` that sets it.
    Default(Writer),
    /// A place in no resource the VM was expanded from.
    Elsewhere(Span),
}

/// Every field of `expanded` with what gave it, in document order. The resources are those the VM was expanded from; their
/// spans decide.
pub fn explain<'a>(
    expanded: &Node,
    vm: &'a Resource,
    instancetype: Option<&Resolved<'a>>,
    preference: Option<&Resolved<'a>>,
) -> Vec<Explained<'a>> {
    let from = VmSources {
        vm,
        instancetype: instancetype.map(|resolved| resolved.resource),
        preference: preference.map(|resolved| resolved.resource),
    };
    let mut out = Vec::new();
    expanded.leaves(&mut |path, node| {
        out.push(Explained {
            path: path.clone(),
            value: secret::redacted_at(path, node).to_json().to_string(),
            giver: from.giver(node.origin),
        });
    });
    out
}

/// The resources that a VM was expanded from.
struct VmSources<'a> {
    vm: &'a Resource,
    instancetype: Option<&'a Resource>,
    preference: Option<&'a Resource>,
}

impl<'a> VmSources<'a> {
    fn giver(&self, origin: Origin) -> Giver<'a> {
        match origin {
            Origin::Written(writer) => Giver::Default(writer),
            Origin::Bundle(entry) => Giver::Bundle(entry),
            Origin::Source(span) => {
                if holds(self.vm, span) {
                    Giver::Vm(Some(span))
                } else if let Some(resource) = self.instancetype.filter(|of| holds(of, span)) {
                    Giver::Instancetype(&resource.id, Some(span))
                } else if let Some(resource) = self.preference.filter(|of| holds(of, span)) {
                    Giver::Preference(&resource.id, Some(span))
                } else {
                    Giver::Elsewhere(span)
                }
            }
            // A value without a place: of a spec that a revision stores encoded, or made in memory.
            Origin::None => Giver::Vm(None),
        }
    }
}

/// Whether a resource includes a place.
fn holds(resource: &Resource, span: Span) -> bool {
    resource
        .node
        .origin
        .span()
        .is_some_and(|of| of.file == span.file && of.start <= span.start && span.end <= of.end)
}
