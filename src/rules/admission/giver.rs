//! Where a value of a guest comes from, if the guest's own manifest does not give it.

use crate::field_path::FieldPath;
use crate::finding::{Finding, Location};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::stored::Matcher;
use crate::yaml::{Node, Origin, Value};

/// A resource whose guest is judged, with what tells its instance type and preference.
pub(in crate::rules) struct JudgedGuest<'a> {
    /// The resource.
    pub(in crate::rules) resource: &'a Resource,
    /// The tree with its matchers.
    pub(in crate::rules) named: &'a Node,
    /// Its namespace, or the assumed one.
    pub(in crate::rules) namespace: &'a str,
    /// What finds the two.
    pub(in crate::rules) resolver: &'a Resolver<'a>,
}

/// What gives a value.
pub(in crate::rules) struct Giver<'a> {
    /// It in words: ``the preference `web` ``.
    pub(in crate::rules) name: String,
    /// Its field, where it is not built in.
    place: Option<(&'a Resource, FieldPath, Location)>,
}

impl<'a> JudgedGuest<'a> {
    /// What gives a value, if the resource does not.
    pub(in crate::rules) fn giver(&self, value: &Node) -> Option<Giver<'a>> {
        let span = match value.origin {
            Origin::Bundle(entry) => {
                return Some(Giver {
                    name: format!("the built-in {} `{}`", entry.kind, entry.name),
                    place: None,
                });
            }
            // What holds a default is not one itself.
            Origin::Written(_) if matches!(value.value, Value::Map(_) | Value::Seq(_)) => {
                return None;
            }
            Origin::Written(_) => {
                return Some(Giver {
                    name: "KubeVirt's defaults".to_owned(),
                    place: None,
                });
            }
            Origin::Source(span) => span,
            Origin::None => return None,
        };
        let holds = |resource: &Resource| {
            let of = resource.node.origin.span();
            of.is_some_and(|of| {
                of.file == span.file && of.start <= span.start && span.end <= of.end
            })
        };
        if holds(self.resource) {
            return None;
        }
        Matcher::ALL.into_iter().find_map(|matcher| {
            let found = self
                .resolver
                .resolve(matcher, self.named, self.namespace)
                .ok()??;
            let resource = found.resource;
            let path = holds(resource).then(|| path_of(&resource.node, value.origin))?;
            let place = Location::span(span, resource.document);
            Some(Giver {
                name: format!("the {matcher} `{}`", resource.id.name),
                place: Some((
                    resource,
                    path.unwrap_or_else(|| FieldPath::from("spec")),
                    place.note(format!("the {matcher} gives it")),
                )),
            })
        })
    }
}

impl Giver<'_> {
    /// Says in a finding where the value comes from, and keeps the same problem at the giver's field. `words` lead up to
    /// the guests that it hits: they end in a verb.
    pub(in crate::rules) fn explain(self, finding: &mut Finding, words: String) {
        let Some((resource, path, place)) = self.place else {
            return;
        };
        let mut there = Finding::at(finding.rule, resource, path, words);
        there.help.clone_from(&finding.help);
        there.kubevirt.clone_from(&finding.kubevirt);
        finding.related(place);
        finding.given(there);
    }
}

/// The path of the node of that origin.
fn path_of(root: &Node, origin: Origin) -> Option<FieldPath> {
    if root.origin == origin {
        return Some(FieldPath::root());
    }
    match &root.value {
        Value::Map(map) => map.entries().iter().find_map(|entry| {
            let below = path_of(&entry.node, origin)?;
            Some(FieldPath::root().field(&entry.key).join(&below))
        }),
        Value::Seq(items) => items.iter().enumerate().find_map(|(index, item)| {
            Some(FieldPath::root().index(index).join(&path_of(item, origin)?))
        }),
        _ => None,
    }
}
