//! Turns a cluster's answer to a start into findings.

use super::review::{self, StartReview};
use super::workloads;
use crate::finding::{Finding, Location};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::rules::admission::causes::Hit;
use crate::rules::admission::review::Review;
use crate::rules::input::depends_on_configuration;
use crate::rules::instancetypes::kubevirt_would_crash;
use crate::rules::{Context, Vm, admission};
use crate::stored::Matcher;
use crate::yaml::{Node, Origin};

/// What a cluster answers to the start of a VM, by its `answer` to the VM itself.
pub(in crate::rules) fn vm(vm: &Vm<'_>, answer: &mut Review) -> Vec<Finding> {
    let resolver = vm.context.resolver;
    let review = review::review(vm.written(), answer, vm.namespace, resolver);
    let subject = Starting {
        resource: vm.resource,
        named: &vm.decoded.node,
        namespace: vm.namespace,
        resolver,
    };
    subject.findings(&review)
}

/// What a cluster answers to a resource of a kind that makes guests and is no VM.
pub(crate) fn workload(resource: &Resource, decoded: &Node, context: &Context<'_>) -> Vec<Finding> {
    let namespace = resource.namespace_or(&context.target.namespace);
    let id = &resource.id;
    let resolver = context.resolver;
    let review = workloads::review(&id.group, &id.kind, decoded, namespace, resolver);
    let subject = Starting {
        resource,
        named: decoded
            .path("spec.virtualMachineTemplate")
            .unwrap_or(decoded),
        namespace,
        resolver,
    };
    review.map_or_else(Vec::new, |review| subject.findings(&review))
}

/// The resource whose guest is started.
struct Starting<'a> {
    resource: &'a Resource,
    /// The tree with its matchers.
    named: &'a Node,
    namespace: &'a str,
    resolver: &'a Resolver<'a>,
}

impl Starting<'_> {
    fn findings(&self, review: &StartReview) -> Vec<Finding> {
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
        let from = giver
            .as_ref()
            .map_or_else(String::new, |(name, _)| format!(" (from {name})"));
        let info = &hit.rule.info;
        let mut finding = match hit.setting.as_ref().filter(|_| !hit.certain) {
            Some(setting) => Finding::at(
                &depends_on_configuration::RULE.info,
                self.resource,
                hit.field.clone(),
                format!("whether KubeVirt starts this{from} depends on {setting}"),
            ),
            None => Finding::at(
                info,
                self.resource,
                hit.field.clone(),
                format!(
                    "{}{from}: KubeVirt stores this {} and refuses every start",
                    info.summary, self.resource.id.kind
                ),
            ),
        };
        finding.kubevirt(hit.cause.clone());
        if let Some(help) = &hit.help {
            finding.help(help.clone());
        }
        if let Some((_, Some(place))) = giver {
            finding.related(place);
        }
        finding
    }

    /// The instance type or preference that gave a value, and where, unless it is built in.
    fn giver(&self, value: &Node) -> Option<(String, Option<Location>)> {
        let span = match value.origin {
            Origin::Bundle(entry) => {
                return Some((
                    format!("the built-in {} `{}`", entry.kind, entry.name),
                    None,
                ));
            }
            Origin::Source(span) => span,
            _ => return None,
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
            holds(resource).then(|| {
                let name = format!("the {matcher} `{}`", resource.id.name);
                let place = Location::span(span, resource.document);
                (name, Some(place.note(format!("the {matcher} gives it"))))
            })
        })
    }
}
