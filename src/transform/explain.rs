//! Where every field of an expanded VM came from.

use crate::field_path::{FieldPath, Segment};
use crate::resolve::Resolved;
use crate::resource::{Resource, ResourceId};
use crate::shown::secret;
use crate::source::Span;
use crate::yaml::{BundleEntry, Node, Origin, Value, Writer};

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
    let mut walk = Explainer {
        vm,
        instancetype: instancetype.map(|resolved| resolved.resource),
        preference: preference.map(|resolved| resolved.resource),
        path: FieldPath::root(),
        out: Vec::new(),
    };
    walk.node(expanded);
    walk.out
}

struct Explainer<'a> {
    vm: &'a Resource,
    instancetype: Option<&'a Resource>,
    preference: Option<&'a Resource>,
    path: FieldPath,
    out: Vec<Explained<'a>>,
}

impl<'a> Explainer<'a> {
    fn node(&mut self, node: &Node) {
        match &node.value {
            Value::Map(map) if !map.is_empty() => {
                for entry in map.entries() {
                    self.path.push(Segment::Field(entry.key.clone()));
                    self.node(&entry.node);
                    self.path.pop();
                }
            }
            Value::Seq(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(at));
                    self.node(item);
                    self.path.pop();
                }
            }
            _ => self.out.push(Explained {
                path: self.path.clone(),
                value: secret::redacted_at(&self.path, node).to_json().to_string(),
                giver: self.giver(node.origin),
            }),
        }
    }

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

/// Whether a place lies in a resource.
fn holds(resource: &Resource, span: Span) -> bool {
    resource
        .node
        .origin
        .span()
        .is_some_and(|of| of.file == span.file && of.start <= span.start && span.end <= of.end)
}
