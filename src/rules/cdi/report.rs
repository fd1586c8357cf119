//! Turns the answers of CDI's webhooks into findings.

use super::review::{self, Cdi, Volume};
use crate::field_path::FieldPath;
use crate::finding::Finding;
use crate::resource::Resource;
use crate::rules::admission::causes::{Causes, Hit};
use crate::rules::admission::guest::AdmittedGuest;
use crate::rules::admission::{data_volume_template_source, data_volume_template_storage};
use crate::rules::input::depends_on_configuration;
use crate::rules::{Context, Vm};
use crate::schema;

/// What CDI answers to an object of its own.
pub fn object(resource: &Resource, context: &Context<'_>) -> Vec<Finding> {
    if resource.id.group != "cdi.kubevirt.io" {
        return Vec::new();
    }
    let cdi = Cdi::new(context.target.cdi);
    let hits = review::object(
        &resource.id.kind,
        &resource.node,
        cdi,
        context.target.release,
    );
    let hits = hits.unwrap_or_default();
    hits.iter().map(|hit| finding(resource, hit, "")).collect()
}

/// What CDI answers to the DataVolumes that KubeVirt makes of a virtual machine's templates. What KubeVirt's webhook
/// refuses itself is left to it.
pub fn templates(vm: &Vm<'_>, context: &Context<'_>) -> Vec<Finding> {
    let node = &vm.decoded.node;
    if node.items_at("spec.dataVolumeTemplates").is_empty()
        || schema::invalid(&vm.decoded.problems).is_some()
    {
        return Vec::new();
    }
    let target = context.target;
    let guest = AdmittedGuest::new(node, target.release, &target.configuration);
    let mut found = Vec::new();
    for template in guest.templates() {
        let mut refused = Causes::default();
        if !data_volume_template_storage::check(template, &mut refused)
            || !data_volume_template_source::check(template, &mut refused)
        {
            continue;
        }
        let Some(spec) = template.get("spec") else {
            continue;
        };
        let at = template.at("spec");
        let mut causes = Causes::default();
        let volume = Volume {
            node: spec,
            field: "spec",
            at: &at,
            cdi: Cdi::new(target.cdi),
        };
        volume.check(&mut causes);
        let stored = ": KubeVirt stores the virtual machine, which then waits for its disk";
        let hits = causes.into_hits();
        found.extend(hits.iter().map(|hit| finding(vm.resource, hit, stored)));
    }
    found
}

fn finding(resource: &Resource, hit: &Hit, and: &str) -> Finding {
    let info = &hit.rule.info;
    let field: FieldPath = hit.field.clone();
    let mut finding = match &hit.setting {
        Some(setting) => Finding::at(
            &depends_on_configuration::RULE.info,
            resource,
            field,
            format!("whether CDI accepts this depends on {setting}"),
        ),
        None => Finding::at(info, resource, field, format!("{}{and}", info.summary)),
    };
    finding.kubevirt(hit.cause.clone());
    if let Some(help) = &hit.help {
        finding.help(help.clone());
    }
    finding
}
