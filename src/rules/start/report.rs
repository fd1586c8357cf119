//! Turns a cluster's answer to a start into findings.

use super::review::{self, StartReview};
use super::workloads;
use crate::finding::Finding;
use crate::resource::Resource;
use crate::rules::admission::causes::Hit;
use crate::rules::admission::giver::JudgedGuest;
use crate::rules::admission::review::Review;
use crate::rules::input::depends_on_configuration;
use crate::rules::instancetypes::kubevirt_would_crash;
use crate::rules::{Context, Vm, admission};
use crate::yaml::Node;

/// What a cluster answers to the start of a VM, by its `answer` to the VM itself.
pub(in crate::rules) fn vm(vm: &Vm<'_>, answer: &mut Review) -> Vec<Finding> {
    let resolver = vm.context.resolver;
    let review = review::review(vm.written(), answer, vm.namespace, resolver);
    let subject = JudgedGuest {
        resource: vm.resource,
        named: &vm.decoded.node,
        namespace: vm.namespace,
        resolver,
    };
    subject.started(&review)
}

/// What a cluster answers to a resource of a kind that makes guests and is no VM.
pub(crate) fn workload(resource: &Resource, decoded: &Node, context: &Context<'_>) -> Vec<Finding> {
    let namespace = resource.namespace_or(&context.target.namespace);
    let id = &resource.id;
    let resolver = context.resolver;
    let review = workloads::review(&id.group, &id.kind, decoded, namespace, resolver);
    let subject = JudgedGuest {
        resource,
        named: decoded
            .path("spec.virtualMachineTemplate")
            .unwrap_or(decoded),
        namespace,
        resolver,
    };
    review.map_or_else(Vec::new, |review| subject.started(&review))
}

impl JudgedGuest<'_> {
    /// What is said of a start.
    fn started(&self, review: &StartReview) -> Vec<Finding> {
        let own = review
            .own
            .iter()
            .map(|hit| admission::report::of_hit(self.resource, hit));
        let machines = review.machines.iter().map(|hit| self.of_machine(hit));
        let mut found: Vec<Finding> = review
            .hits
            .iter()
            .map(|hit| self.of_hit(hit, review))
            .collect();
        found.extend(own.chain(machines));
        if let Some(message) = &review.crash {
            let message = format!("KubeVirt would crash at the start: {message}");
            let info = &kubevirt_would_crash::RULE.info;
            found.push(Finding::at(info, self.resource, "spec", message));
        }
        found
    }

    /// What the webhook of virtual machines refuses of those that a pool creates.
    fn of_machine(&self, hit: &Hit) -> Finding {
        let mut finding = admission::report::of_hit(self.resource, hit);
        if hit.certain {
            let kind = &self.resource.id.kind;
            finding.message = format!(
                "{}: KubeVirt stores this {kind} and refuses every machine of it",
                hit.rule.info.summary
            );
        }
        finding
    }

    fn of_hit(&self, hit: &Hit, review: &StartReview) -> Finding {
        let giver = review.value_of(hit).and_then(|value| self.giver(value));
        let info = &hit.rule.info;
        let kind = &self.resource.id.kind;
        let setting = hit.setting.as_ref().filter(|_| !hit.certain);
        let rule = setting.map_or(info, |_| &depends_on_configuration::RULE.info);
        let from = giver
            .as_ref()
            .map_or_else(String::new, |giver| format!(" (from {})", giver.name));
        let summary = info.summary;
        let (here, there) = match setting {
            Some(setting) => (
                format!("whether KubeVirt starts this{from} depends on {setting}"),
                format!("it depends on {setting} whether KubeVirt starts"),
            ),
            None => (
                format!("{summary}{from}: KubeVirt stores this {kind} and refuses every start"),
                format!("{summary}: KubeVirt stores and never starts"),
            ),
        };
        let mut finding = Finding::at(rule, self.resource, hit.field.clone(), here);
        finding.kubevirt(hit.cause.clone());
        if let Some(help) = &hit.help {
            finding.help(help.clone());
        }
        if let Some(giver) = giver {
            giver.explain(&mut finding, there);
        }
        finding
    }
}
