//! Old revisions that nothing needs any more.

use std::collections::HashMap;

use super::Judged;
use super::revisions::{Plan, address, in_sight, version_label};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::stored::{self, Conversion, Form, Matcher, Stored};
use crate::yaml::{Node, Value};

/// Takes out, where asked, the old revisions whose every reference was moved, and those that an earlier upgrade left.
pub(super) fn run(plan: &mut Plan) {
    if !plan.options.prune {
        return;
    }
    let mut removed: Vec<&Resource> = Vec::new();
    for (resolver, old) in plan.own() {
        if !old.is("apps", "ControllerRevision") {
            continue;
        }
        let moved = match plan.uses.get(&address(old)) {
            Some(uses) => uses.moved == uses.named,
            None => plan.replaced.contains(&address(old)) || is_left_over(plan, resolver, old),
        };
        if moved {
            removed.push(old);
        }
    }
    plan.out.removed = removed;
}

fn is_left_over(plan: &Plan, resolver: &Resolver, old: &Resource) -> bool {
    let Some(data) = old.node.get("data").filter(|data| stored::is_ours(data)) else {
        return false;
    };
    Matcher::ALL.into_iter().any(|matcher| {
        stored::read(resolver.release(), data, Some(matcher)).is_ok_and(|stored| {
            stored.form != Form::V1beta1 && plan.stored.supersedes(resolver, old, &stored)
        })
    })
}

/// The revisions that are up to date, by namespace and by what they store.
pub(super) struct Stock<'a>(HashMap<(String, String), Vec<&'a Resource>>);

impl<'a> Stock<'a> {
    pub(super) fn new(judged: &[Judged<'a, '_>]) -> Self {
        let mut stock: HashMap<_, Vec<&'a Resource>> = HashMap::new();
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
                stock.entry(key).or_default().push(resource);
            }
        }
        Self(stock)
    }

    /// Whether the upgraded form of a revision that nothing names is here already, for a VM of the same namespace.
    pub(super) fn supersedes(&self, resolver: &Resolver, old: &Resource, stored: &Stored) -> bool {
        let release = resolver.release();
        let namespace = old.namespace_or(&resolver.target().namespace);
        [Conversion::KeepMeaning, Conversion::AsKubevirt]
            .into_iter()
            .filter_map(|conversion| {
                let object = stored.to_v1beta1(release, conversion);
                stored::decode_spec(release, &object, stored.matcher).ok()
            })
            .filter_map(|spec| {
                let key = (namespace.to_owned(), text(stored.matcher, &spec));
                self.0.get(&key)
            })
            .flatten()
            .any(|other| !std::ptr::eq(*other, old) && same_object(&other.node, stored))
    }
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

/// Whether a revision stores the object an older one stored; a bare spec says not which that was.
fn same_object(upgraded: &Node, stored: &Stored) -> bool {
    let data = upgraded.path("data");
    ["metadata.name", "metadata.uid"].into_iter().all(|path| {
        stored.form == Form::BareSpec
            || data.map_or("", |data| data.str_at(path)) == stored.object.str_at(path)
    })
}
