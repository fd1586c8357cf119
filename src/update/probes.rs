//! Hand-made probes of the controller's chain, per release and rollout strategy, with the answers recorded from KubeVirt.
//!
//! A cell is `restart/live`. restart: `R` by the comparison of the template, `r` by a handler, `-` none. live: the steps
//! that change the guest. `!` where the cluster refuses the step. `S a; L b` where strategies differ.

mod nics;
mod volumes;

use serde_json::{Value as Json, json};

use super::claims::CatalogClaims;
use super::guest::RunningGuest;
use super::types::Types;
use super::{Situation, Step, live};
use crate::release::Release;
use crate::resource::cluster::ClusterConfig;
use crate::schema::decode;
use crate::yaml::Node;

/// Every release that is probed, oldest first, and the one to come.
fn releases() -> impl Iterator<Item = Release> {
    Release::all_proved().chain([Release::Next])
}

/// The answers from the oldest release on; the last one holds for the releases after it.
fn held<'a>(answers: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let last = answers.last().copied();
    answers.iter().copied().chain(last.into_iter().cycle())
}

#[derive(Clone, Copy, Default)]
struct Setting<'a> {
    gates: &'a [&'a str],
    disabled: &'a [&'a str],
    ordinal: bool,
}

fn run(release: Release, strategy: &str, setting: Setting, old: &Json, new: &Json) -> String {
    let configuration = ClusterConfig::known(Node::from_json(&json!({
        "vmRolloutStrategy": strategy,
        "developerConfiguration": {"featureGates": setting.gates, "disabledFeatureGates": setting.disabled},
    })));
    let vm = |json: &Json| decode(release, "v1.VirtualMachine", &Node::from_json(json)).node;
    let (old, new) = (vm(old), vm(new));
    let mut guest =
        RunningGuest::start(release, &configuration, &old, &Types::default()).expect("starts");
    guest.has_ordinal_interfaces = setting.ordinal;
    let claims = CatalogClaims::new(&[], "default", "default", false);
    let (flow, handled) = live::flow(&Situation {
        release,
        configuration: &configuration,
        old: &old,
        last_seen: Ok(&old),
        vm: &new,
        current: Ok(&new),
        guest: &guest,
        next: None,
        claims: &claims,
        owed: None,
    });
    if flow.crash.is_some() {
        return "PANIC".to_owned();
    }
    let restart = match (flow.template_differs, flow.restart_required) {
        (true, _) => "R",
        (false, true) => "r",
        (false, false) => "-",
    };
    let mut live: Vec<&str> = flow
        .live
        .iter()
        .map(|step| match step {
            Step::Network => "net",
            Step::Hotplug => "hp",
            step => step.as_str(),
        })
        .collect();
    if !handled.migrates.is_empty() {
        live.push("volmig");
    }
    let live = if live.is_empty() {
        "-".to_owned()
    } else {
        live.join("+")
    };
    let refused = if flow.denied.is_empty() { "" } else { "!" };
    format!("{restart}/{live}{refused}")
}

/// The answer of a cell for a strategy.
fn cell(text: &str, strategy: &str) -> String {
    let Some((stage, live)) = text.split_once("; ") else {
        return text.to_owned();
    };
    let part = if strategy == "Stage" { stage } else { live };
    part.trim_start_matches("S ")
        .trim_start_matches("L ")
        .to_owned()
}

fn vm(spec: &Json) -> Json {
    json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "vm", "namespace": "default"},
        "spec": {"runStrategy": "Always", "template": {"spec": spec}}})
}

fn with(mut vm: Json, pointer: &str, value: Json) -> Json {
    *vm.pointer_mut(&format!("/spec/template/spec{pointer}"))
        .expect("the field exists") = value;
    vm
}
