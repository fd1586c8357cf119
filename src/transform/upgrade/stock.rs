//! What the revisions that are up to date store, to recognize an old one whose upgraded form exists already.

use std::collections::HashSet;

use super::ToUpgrade;
use super::sight::in_sight;
use super::stored_revision::version_label;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::stored::{self, Conversion, Form, Matcher, Stored};
use crate::yaml::{Node, Value};

/// Name and uid of a stored object.
type StoredIdentity = (String, String);

/// What the revisions that are up to date store: namespace, spec, and the object's name and uid, once with these two and
/// once without, for a bare spec does not say them.
pub(super) struct Stock(HashSet<(String, String, Option<StoredIdentity>)>);

impl Stock {
    pub(super) fn new(judged: &[ToUpgrade<'_, '_>]) -> Self {
        let mut stock = HashSet::new();
        for (resolver, resource) in in_sight(judged) {
            if !resource.is("apps", "ControllerRevision")
                || version_label(&resource.node) != Some(stored::LATEST)
            {
                continue;
            }
            let Some(data) = resource.node.get("data") else {
                continue;
            };
            if let Some(matcher) = Matcher::of_kind(data.str_at("kind"))
                && let Ok(spec) = stored::decode_spec(resolver.release(), data, matcher)
            {
                let namespace = resource.namespace_or(&resolver.target().namespace);
                let key = (namespace.to_owned(), text(matcher, &spec));
                stock.insert((key.0.clone(), key.1.clone(), None));
                stock.insert((key.0, key.1, Some(identity(data))));
            }
        }
        Self(stock)
    }

    /// Whether the upgraded form of a revision that nothing names is here already, for a VM of the same namespace.
    pub(super) fn supersedes(&self, resolver: &Resolver, old: &Resource, stored: &Stored) -> bool {
        let release = resolver.release();
        let namespace = old.namespace_or(&resolver.target().namespace);
        let object = (stored.form != Form::BareSpec).then(|| identity(&stored.object));
        [Conversion::KeepMeaning, Conversion::AsKubevirt]
            .into_iter()
            .filter_map(|conversion| {
                let object = stored.to_v1beta1(release, conversion);
                stored::decode_spec(release, &object, stored.matcher).ok()
            })
            .any(|spec| {
                let spec = text(stored.matcher, &spec);
                self.0
                    .contains(&(namespace.to_owned(), spec, object.clone()))
            })
    }
}

/// Name and uid of an object.
fn identity(object: &Node) -> StoredIdentity {
    let text = |path| object.str_at(path).to_owned();
    (text("metadata.name"), text("metadata.uid"))
}

/// A spec as one text, whatever the order of its keys.
fn text(matcher: Matcher, spec: &Node) -> String {
    fn sorted(node: &Node) -> serde_json::Value {
        match &node.value {
            Value::Map(map) => {
                let mut entries: Vec<_> = map.entries().iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                entries
                    .into_iter()
                    .map(|entry| (entry.key.to_string(), sorted(&entry.node)))
                    .collect()
            }
            Value::Seq(items) => items.iter().map(sorted).collect(),
            _ => node.to_json(),
        }
    }
    format!("{matcher} {}", sorted(spec))
}
