//! For the rules' unit tests: what a plain VM with a change meets.

use serde_json::{Value as Json, json};

use super::admission::causes::{Causes, Hit};
use super::admission::review::{Review, Verdict, review};
use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::rules::start::review::StartReview;
use crate::rules::{Rule, start};
use crate::source::FileId;
use crate::yaml::Node;

/// A VM every release accepts.
pub(crate) fn plain() -> Node {
    Node::from_json(&json!({
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}}
    }))
}

/// Lays `above` over `below`: mappings are merged, null takes a key out, everything else replaces.
pub(crate) fn lay_over(below: &mut Node, above: &Node) {
    let (Some(map), Some(entries)) = (below.as_map_mut(), above.as_map()) else {
        *below = above.clone();
        return;
    };
    for entry in entries.entries() {
        match map.get_mut(&entry.key) {
            Some(_) if entry.node.is_null() => {
                map.remove(&entry.key);
            }
            Some(node) => lay_over(node, &entry.node),
            None => map.insert(&entry.key, entry.node.clone()),
        }
    }
}

/// A cluster of that release and configuration, with nothing beside what is given.
fn known(release: Release, config: Node) -> Target {
    Target {
        release,
        release_known: true,
        configuration: ClusterConfig::known(config),
        complete: true,
        ..Target::default()
    }
}

/// What the plain VM with `change` meets in a cluster of that release and configuration.
pub(crate) fn reviewed(release: Release, change: &Json, config: &Json) -> Review {
    let mut vm = plain();
    lay_over(&mut vm, &Node::from_json(change));
    let catalog = Catalog::new(Vec::new());
    let target = known(release, Node::from_json(config));
    review(&vm, None, &Resolver::new(&target, vec![&catalog]))
}

/// The rules it hits, in order.
pub(crate) fn rules(release: Release, change: &Json, config: &Json) -> Vec<&'static str> {
    let review = reviewed(release, change, config);
    review.hits.iter().map(|hit| hit.rule.info.id).collect()
}

/// Field and words of what it meets; every cause is to be of that rule.
pub(crate) fn words(
    rule: &Rule,
    release: Release,
    change: &Json,
    config: &Json,
) -> Vec<(&'static str, &'static str)> {
    listed(rule, reviewed(release, change, config).hits)
}

/// Field and words of causes, every one of that rule.
pub(crate) fn listed(rule: &Rule, hits: Vec<Hit>) -> Vec<(&'static str, &'static str)> {
    hits.into_iter()
        .map(|hit| {
            assert_eq!(hit.rule.info.id, rule.info.id, "{:?}", hit.cause);
            let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            (keep(hit.cause.field), keep(hit.cause.message))
        })
        .collect()
}

/// Field and words of what a check of a bare spec says.
pub(crate) fn spec_words(
    rule: &Rule,
    check: fn(&Node, &mut Causes),
    spec: &Json,
) -> Vec<(&'static str, &'static str)> {
    let mut causes = Causes::default();
    check(&Node::from_json(spec), &mut causes);
    listed(rule, causes.into_hits())
}

/// What the plain VM with `change` meets beside the instance type `it` and the preference `pr`, which it names.
pub(crate) fn reviewed_with(
    release: Release,
    change: &Json,
    instancetype: Json,
    preference: Json,
) -> Review {
    let mut vm = plain();
    let matcher = json!({"name": "pr", "kind": "VirtualMachinePreference"});
    lay_over(
        &mut vm,
        &Node::from_json(&json!({"spec": {"preference": matcher}})),
    );
    lay_over(&mut vm, &Node::from_json(change));
    if vm.path("spec.instancetype").is_some() {
        let bare = json!({"spec": {"template": {"spec": {"domain": {"memory": null}}}}});
        lay_over(&mut vm, &Node::from_json(&bare));
    }
    let object = |kind: &str, name: &str, spec: Json| {
        let object = json!({
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": kind,
            "metadata": {"name": name},
            "spec": spec
        });
        Resource::from_node(Node::from_json(&object), None, 0, FieldPath::root()).unwrap()
    };
    let catalog = Catalog::new(vec![
        object("VirtualMachineInstancetype", "it", instancetype),
        object("VirtualMachinePreference", "pr", preference),
    ]);
    let target = known(release, Node::map());
    review(&vm, None, &Resolver::new(&target, vec![&catalog]))
}

/// Holds both sides of a rule's limits: each value is put in the place of `$` in the guest's spec, as YAML, and the rule
/// refuses it or the whole VM is accepted.
pub(crate) fn edges(rule: &Rule, spec: &str, cases: &[(&str, bool)]) {
    edges_on(rule, Release::NEWEST, &json!({}), spec, cases);
}

/// [`edges`] on a release, in a cluster of that configuration.
pub(crate) fn edges_on(
    rule: &Rule,
    release: Release,
    config: &Json,
    spec: &str,
    cases: &[(&str, bool)],
) {
    for (value, refused) in cases {
        let spec = yaml(&spec.replace('$', value));
        let change = json!({"spec": {"template": {"spec": spec}}});
        let review = reviewed(release, &change, config);
        let hit = review.hits.iter().any(|hit| hit.rule.info == rule.info);
        assert_eq!(hit, *refused, "{} {value}: {review:?}", rule.info.id);
        let accepted = review.verdict() == Verdict::Accepted;
        assert_eq!(accepted, !refused, "{} {value}: {review:?}", rule.info.id);
    }
}

/// What the start of a VM with that guest meets in a cluster of that release and configuration; the VM is stored.
pub(crate) fn started(release: Release, template: &Json, config: &Json) -> StartReview {
    let mut vm = plain();
    vm.set("spec.template", Node::from_json(template));
    let catalog = Catalog::new(Vec::new());
    let target = known(release, Node::from_json(config));
    let resolver = Resolver::new(&target, vec![&catalog]);
    let mut answer = review(&vm, None, &resolver);
    assert_eq!(answer.verdict(), Verdict::Accepted, "{answer:?}");
    start::review::review(&vm, &mut answer, "default", &resolver)
}

fn yaml(text: &str) -> Json {
    let parsed = crate::yaml::reader::parse_first(FileId(0), text.as_bytes());
    parsed.unwrap().unwrap().root.to_json()
}

/// The rules that the start of a guest hits, in order.
pub(crate) fn start_rules(spec: &str) -> Vec<&'static str> {
    let template = json!({"spec": yaml(spec)});
    let review = started(Release::NEWEST, &template, &json!({}));
    review.hits.iter().map(|hit| hit.rule.info.id).collect()
}

/// As [`edges`], for the start: the VM is stored in either case.
pub(crate) fn start_edges(rule: &Rule, spec: &str, cases: &[(&str, bool)]) {
    start_edges_on(rule, Release::NEWEST, &json!({}), spec, cases);
}

/// [`start_edges`] on a release, in a cluster of that configuration.
pub(crate) fn start_edges_on(
    rule: &Rule,
    release: Release,
    config: &Json,
    spec: &str,
    cases: &[(&str, bool)],
) {
    for (value, refused) in cases {
        let template = json!({"spec": yaml(&spec.replace('$', value))});
        start_edge(rule, release, config, &template, value, *refused);
    }
}

/// As [`start_edges`], with the value in the place of `$` in the template's metadata.
pub(crate) fn start_metadata_edges(rule: &Rule, metadata: &str, cases: &[(&str, bool)]) {
    for (value, refused) in cases {
        let metadata = yaml(&metadata.replace('$', value));
        let spec = json!({"domain": {"memory": {"guest": "1Gi"}, "devices": {}}});
        let template = json!({"metadata": metadata, "spec": spec});
        start_edge(
            rule,
            Release::NEWEST,
            &json!({}),
            &template,
            value,
            *refused,
        );
    }
}

fn start_edge(
    rule: &Rule,
    release: Release,
    config: &Json,
    template: &Json,
    value: &str,
    refused: bool,
) {
    let review = started(release, template, config);
    let rules: Vec<&str> = review.hits.iter().map(|hit| hit.rule.info.id).collect();
    let hit = rules.contains(&rule.info.id);
    assert_eq!(hit, refused, "{} {value}: {rules:?}", rule.info.id);
    assert_eq!(
        review.is_refused(),
        refused,
        "{} {value}: {rules:?}",
        rule.info.id
    );
}
