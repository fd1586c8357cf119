//! Turns the webhooks' answer to an object into findings.

use super::causes::Hit;
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

/// What the webhooks answer to a VM on creation. What the API server says is found elsewhere.
pub fn vm(vm: &Vm<'_>, context: &Context<'_>) -> Vec<Finding> {
    let decoded = &vm.decoded;
    let mut review = review::review_decoded(
        vm.written(),
        decoded.node.clone(),
        &decoded.problems,
        None,
        context.resolver,
    );
    let mut found = findings(vm.resource, &review);
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

/// What the webhook of instance types and preferences answers.
pub fn object(resource: &Resource, context: &Context<'_>) -> Vec<Finding> {
    let review = review::review_object(&resource.id.kind, &resource.node, context.target.release);
    findings(resource, &review)
}

fn findings(resource: &Resource, review: &Review) -> Vec<Finding> {
    let mut found: Vec<Finding> = review
        .hits
        .iter()
        .map(|hit| of_hit(resource, hit))
        .collect();
    if let Some(message) = &review.crash {
        let message = format!("KubeVirt would crash: {message}");
        let mut finding = Finding::at(&kubevirt_would_crash::RULE.info, resource, "spec", message);
        finding.help("change the object so that KubeVirt finds what it looks for");
        found.push(finding);
    }
    found
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
