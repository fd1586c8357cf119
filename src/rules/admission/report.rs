//! Turns the webhooks' answer to an object into findings.

use super::causes::Hit;
use super::giver::JudgedGuest;
use super::review::{self, Review};
use crate::field_path::FieldPath;
use crate::finding::{Finding, Location};
use crate::resolve::infer::InferError;
use crate::resource::Resource;
use crate::rule::{Family, Severity};
use crate::rules::drift::inferred_matcher;
use crate::rules::input::depends_on_configuration;
use crate::rules::instancetypes::{
    kubevirt_would_crash, unresolved_instancetype, unresolved_preference,
};
use crate::rules::{Context, Vm, start};
use crate::stored::Matcher;
use crate::yaml::Node;

/// What the webhooks answer to a VM on creation. What the API server says is found elsewhere.
pub fn vm(mut vm: Vm<'_>, context: &Context<'_>) -> Vec<Finding> {
    let types = types_of(&vm.decoded.node);
    let decoded = std::mem::replace(&mut vm.decoded.node, types);
    let vm = &vm;
    let problems = &vm.decoded.problems;
    let mut review =
        review::review_decoded(vm.written(), decoded, problems, None, context.resolver);
    let subject = JudgedGuest {
        resource: vm.resource,
        named: &vm.decoded.node,
        namespace: vm.namespace,
        resolver: context.resolver,
    };
    let mut found = findings(&review, |hit| subject.of_hit_in(hit, &review));
    found.extend(crashed(vm.resource, &review));
    // Other rules say these, on every release and with what may have been meant.
    found.retain(|finding| {
        finding.rule.id != unresolved_instancetype::RULE.info.id
            && finding.rule.id != unresolved_preference::RULE.info.id
    });
    for finding in &mut found {
        if finding.rule.family == Family::Instancetypes
            && let Some(place) = instancetype(vm, context)
        {
            finding.related(place);
        }
    }
    if let Some(missing) = &review.missing {
        found.extend(not_inferred(vm, missing));
    }
    found.extend(start::report::vm(vm, &mut review));
    found
}

/// What of a VM tells its instance type and preference.
fn types_of(vm: &Node) -> Node {
    let mut types = Node::map();
    for matcher in Matcher::ALL {
        for (part, key) in [
            ("spec", matcher.field()),
            ("status", matcher.status_field()),
        ] {
            if let Some(node) = vm.get(part).and_then(|part| part.get(key)) {
                types.set(&format!("{part}.{key}"), node.clone());
            }
        }
    }
    types
}

/// What the webhook of instance types and preferences answers.
pub fn object(resource: &Resource, context: &Context<'_>) -> Vec<Finding> {
    let review = review::review_object(&resource.id.kind, &resource.node, context.target.release);
    let mut found = findings(&review, |hit| of_hit(resource, hit));
    found.extend(crashed(resource, &review));
    found
}

fn findings(review: &Review, of: impl Fn(&Hit) -> Finding) -> Vec<Finding> {
    review.hits.iter().map(of).collect()
}

fn crashed(resource: &Resource, review: &Review) -> Option<Finding> {
    let message = format!("KubeVirt would crash: {}", review.crash.as_ref()?);
    let mut finding = Finding::at(&kubevirt_would_crash::RULE.info, resource, "spec", message);
    finding.help("change the object so that KubeVirt finds what it looks for");
    Some(finding)
}

impl JudgedGuest<'_> {
    /// A cause of the webhook of virtual machines, with what gives the value that it is about.
    fn of_hit_in(&self, hit: &Hit, review: &Review) -> Finding {
        let mut finding = of_hit(self.resource, hit);
        let applied = review.applied.as_ref();
        let value = applied.and_then(|applied| hit.field.find(applied));
        let Some(giver) = value.and_then(|value| self.giver(value)) else {
            return finding;
        };
        let words = match hit.setting.as_ref().filter(|_| !hit.certain) {
            Some(setting) => format!("it depends on {setting} whether KubeVirt accepts"),
            None => format!("{}: KubeVirt refuses", hit.rule.info.summary),
        };
        finding.message = format!("{} (from {})", finding.message, giver.name);
        giver.explain(&mut finding, words);
        finding
    }
}

/// A cause of a webhook.
pub(in crate::rules) fn of_hit(resource: &Resource, hit: &Hit) -> Finding {
    let info = &hit.rule.info;
    let mut finding = match hit.setting.as_ref().filter(|_| !hit.certain) {
        Some(setting) => Finding::at(
            &depends_on_configuration::RULE.info,
            resource,
            hit.field.clone(),
            format!("whether KubeVirt accepts this depends on {setting}"),
        ),
        None => Finding::at(info, resource, hit.field.clone(), info.summary),
    };
    finding.kubevirt(hit.cause.clone());
    if let Some(help) = &hit.help {
        finding.help(help.clone());
    }
    finding
}

fn instancetype(vm: &Vm<'_>, context: &Context<'_>) -> Option<Location> {
    let node = &vm.decoded.node;
    let resolved = context
        .resolver
        .resolve_instancetype(node, vm.namespace)
        .ok()??;
    resolved.resource.file?;
    Some(
        Location::at(resolved.resource, &FieldPath::parse("metadata.name"))
            .note("the instance type"),
    )
}

/// Says which object inference needs and the tree does not have.
fn not_inferred(vm: &Vm<'_>, error: &InferError) -> Option<Finding> {
    let missing = error.missing().first()?;
    let spec = vm.decoded.node.get("spec")?;
    let matcher = ["instancetype", "preference"].into_iter().find(|matcher| {
        spec.get(matcher)
            .is_some_and(|matcher| !matcher.str_at("inferFromVolume").is_empty())
    })?;
    let field = FieldPath::from("spec")
        .field(matcher)
        .then("inferFromVolume");
    let mut finding = Finding::at(
        &inferred_matcher::RULE.info,
        vm.resource,
        field,
        format!("what is inferred is not known: {missing} is not in the tree"),
    );
    finding
        .severity(Severity::Note)
        .help("add it, name its place with --context, or state the answer under `infer:` in driftless.yaml");
    Some(finding)
}
