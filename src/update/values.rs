//! The values that a change gives the guest: one list, made from the guest that runs and the guest that the new VM would
//! start. What KubeVirt compares is something else: it explains why a condition appears, not which value the guest has.

use super::{Effect, Flow, Situation, Step, hotplug, named, network, template_spec};
use crate::diff::{self, Difference, Lists};
use crate::field_path::{FieldPath, Segment};
use crate::release::Behaviour;
use crate::transform::admit::RANDOM_UUID;
use crate::yaml::Node;

const SPEC: &str = "spec.template.spec";
/// Template annotations KubeVirt copies to the running guest.
pub(super) const DYNAMIC_ANNOTATIONS: [&str; 2] = [
    "descheduler.alpha.kubernetes.io/evict",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction",
];
/// Lists in which the place of an item is the guest's order of devices.
const ORDERED: [&str; 2] = ["domain.devices.disks", "domain.devices.interfaces"];

/// A value that changes, and what becomes of it.
#[derive(Clone, Debug)]
pub struct ValueChange {
    /// Where, from the VM's root, and what stood and stands there.
    pub difference: Difference,
    /// What the change of this value does.
    pub effect: Effect,
    /// The step that brings it to the running guest.
    pub step: Option<Step>,
}

/// Every value that changes, with its effect. `migrates` says whether claims move while the guest runs.
pub fn list(situation: &Situation, flow: &Flow, migrates: bool) -> Vec<ValueChange> {
    between(situation, flow.restart_required)
        .into_iter()
        .map(|difference| {
            let step = step(situation, flow, &difference);
            let effect = effect(situation, flow, &difference, step, migrates);
            ValueChange {
                difference,
                effect,
                step: step.filter(|_| effect == Effect::Live),
            }
        })
        .collect()
}

/// What differs between the guest that runs and the one that the new VM starts, and between the templates' metadata.
fn between(situation: &Situation, restarts: bool) -> Vec<Difference> {
    let mut out = match situation.next {
        Some(next) => {
            let mut found = rebased(
                diff::differences(
                    situation.release,
                    "v1.VirtualMachineInstanceSpec",
                    &situation.guest.spec,
                    next,
                    Lists::ByKey,
                ),
                SPEC,
            );
            found.retain(|difference| {
                !is_computed(situation, &difference.path) && !is_one_for_zero(difference)
            });
            // KubeVirt asks for no restart where only the order of devices differs.
            if restarts {
                found.extend(orders(situation, next));
            }
            found
        }
        None => rebased(
            diff::differences(
                situation.release,
                "v1.VirtualMachineInstanceSpec",
                template_spec(situation.old),
                template_spec(situation.vm),
                Lists::ByKey,
            ),
            SPEC,
        ),
    };
    let empty = Node::map();
    let metadata = |vm: &Node| {
        let found = vm.path("spec.template.metadata");
        found.cloned().unwrap_or_else(|| empty.clone())
    };
    out.extend(rebased(
        diff::differences(
            situation.release,
            "meta.ObjectMeta",
            &metadata(situation.old),
            &metadata(situation.vm),
            Lists::ByKey,
        ),
        "spec.template.metadata",
    ));
    for difference in &mut out {
        for value in [&mut difference.from, &mut difference.to] {
            if value.as_ref().and_then(Node::as_str) == Some(RANDOM_UUID) {
                *value = Some(Node::string("made at random when the VM was created"));
            }
        }
    }
    out
}

fn rebased(found: Vec<Difference>, base: &str) -> Vec<Difference> {
    let base = FieldPath::parse(base);
    found
        .into_iter()
        .map(|mut difference| {
            difference.path = base.join(&difference.path);
            difference
        })
        .collect()
}

/// Whether KubeVirt computes the value at start, and neither VM, instance type nor preference says it.
fn is_computed(situation: &Situation, path: &FieldPath) -> bool {
    let text = path.to_string();
    let computed = ["domain.cpu.maxSockets", "domain.memory.maxGuest"]
        .iter()
        .any(|field| {
            text.strip_prefix(SPEC)
                .is_some_and(|rest| rest.get(1..) == Some(field))
        });
    computed
        && [situation.last_seen, situation.current]
            .into_iter()
            .all(|vm| vm.is_ok_and(|vm| vm.path(&text).is_none()))
}

/// Whether a part of the CPU topology goes from unset to 1, or back: the guest has one in either case.
fn is_one_for_zero(difference: &Difference) -> bool {
    let path = difference.path.to_string();
    let count = |value: &Option<Node>| value.as_ref().map_or(Some(0), Node::as_i64);
    ["sockets", "cores", "threads"]
        .iter()
        .any(|part| path == format!("{SPEC}.domain.cpu.{part}"))
        && matches!(
            (count(&difference.from), count(&difference.to)),
            (Some(0 | 1), Some(0 | 1))
        )
}

/// Lists whose items stand in another order.
fn orders(situation: &Situation, next: &Node) -> Vec<Difference> {
    let mut out = Vec::new();
    for field in ORDERED {
        let names = |spec: &Node, other: &Node| -> Vec<String> {
            spec.items_at(field)
                .iter()
                .map(|item| item.str_at("name"))
                .filter(|name| named(other.items_at(field), name).is_some())
                .map(str::to_owned)
                .collect()
        };
        let (before, after) = (
            names(&situation.guest.spec, next),
            names(next, &situation.guest.spec),
        );
        if before != after {
            let text = |names: &[String]| Some(Node::string(names.join(", ")));
            out.push(Difference {
                path: FieldPath::parse(&format!("{SPEC}.{field}")),
                from: text(&before),
                to: text(&after),
            });
        }
    }
    out
}

fn effect(
    situation: &Situation,
    flow: &Flow,
    difference: &Difference,
    step: Option<Step>,
    migrates: bool,
) -> Effect {
    let path = &difference.path;
    let text = path.to_string();
    if flow.error.is_some() || flow.crash.is_some() {
        return Effect::None;
    }
    if text.starts_with("spec.template.metadata") {
        let copied = situation.release.has(Behaviour::SyncsAnnotations)
            && DYNAMIC_ANNOTATIONS.iter().any(|key| {
                *path == FieldPath::parse("spec.template.metadata.annotations").field(key)
            });
        return if copied {
            Effect::Live
        } else {
            Effect::NextStart
        };
    }
    if step.is_some_and(|step| flow.denied.iter().any(|(denied, _)| *denied == step)) {
        return Effect::None;
    }
    if step.is_some() {
        return Effect::Live;
    }
    let moves = migrates && text.starts_with("spec.template.spec.volumes");
    if moves && !flow.restart_required {
        return Effect::Live;
    }
    if flow.restart_required {
        Effect::Restart
    } else {
        Effect::NextStart
    }
}

/// The step that brings a value to the running guest, if any does.
fn step(situation: &Situation, flow: &Flow, difference: &Difference) -> Option<Step> {
    let path = &difference.path;
    let text = path.to_string();
    let rest = text.strip_prefix("spec.template.spec.")?;
    let is = |field: &str| {
        rest.strip_prefix(field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let step = if rest == "domain.cpu.sockets" {
        Step::Cpu
    } else if rest == "domain.memory.guest" {
        Step::Memory
    } else if is("nodeSelector") || is("affinity") {
        Step::Affinity
    } else if is("tolerations") {
        Step::Tolerations
    } else if is("domain.devices.interfaces") || is("networks") {
        Step::Network
    } else if is("domain.devices.disks") || is("volumes") {
        Step::Hotplug
    } else {
        return None;
    };
    if !flow.live.contains(&step) {
        return None;
    }
    let reaches = match step {
        Step::Network => reaches_network(situation, difference, rest),
        Step::Hotplug => reaches_storage(situation, difference, rest),
        _ => true,
    };
    reaches.then_some(step)
}

/// Only bridge and SR-IOV interfaces are plugged, and of one that runs only state and network name are copied.
fn reaches_network(situation: &Situation, difference: &Difference, rest: &str) -> bool {
    let wanted = template_spec(situation.vm);
    let list = if rest.starts_with("networks") {
        "networks"
    } else {
        "domain.devices.interfaces"
    };
    let plugged = |name: &str| {
        named(network::interfaces(wanted), name)
            .is_some_and(|interface| network::is_plugged(&situation.guest.spec, interface))
    };
    match place(situation, difference, list) {
        Place::Lists(names) => names.iter().all(|name| plugged(name)),
        Place::Item(name) => plugged(&name),
        Place::Field(_, field) => {
            field == "state"
                || field == "multus.networkName" && network::renames_attachments_live(situation)
        }
    }
}

/// Only volumes declared hotpluggable are plugged, with their disks.
fn reaches_storage(situation: &Situation, difference: &Difference, rest: &str) -> bool {
    let list = if rest.starts_with("volumes") {
        "volumes"
    } else {
        "domain.devices.disks"
    };
    let declared = |name: &str| {
        [&situation.guest.spec, template_spec(situation.vm)]
            .into_iter()
            .any(|spec| named(hotplug::volumes(spec), name).is_some_and(hotplug::is_declarative))
    };
    match place(situation, difference, list) {
        Place::Lists(names) => names.iter().all(|name| declared(name)),
        Place::Item(name) => declared(&name),
        Place::Field(name, _) => {
            // Of a disk that stays nothing is changed.
            list == "volumes" && declared(&name)
        }
    }
}

/// Where in a list of named items a difference lies.
enum Place {
    /// The whole list: the names on either side.
    Lists(Vec<String>),
    /// An item that is added or removed.
    Item(String),
    /// A field of an item.
    Field(String, String),
}

fn place(situation: &Situation, difference: &Difference, list: &str) -> Place {
    let base = FieldPath::parse(&format!("{SPEC}.{list}"));
    let inside = &difference.path.segments()[base.segments().len()..];
    let name_of = |node: &Option<Node>| {
        node.as_ref()
            .map(|node| node.str_at("name").to_owned())
            .filter(|name| !name.is_empty())
    };
    let Some((Segment::Index(at), field)) = inside.split_first() else {
        let names = [&difference.from, &difference.to]
            .into_iter()
            .flatten()
            .flat_map(Node::items)
            .map(|item| item.str_at("name").to_owned())
            .collect();
        return Place::Lists(names);
    };
    if field.is_empty() {
        let name = name_of(&difference.to).or_else(|| name_of(&difference.from));
        return Place::Item(name.unwrap_or_default());
    }
    let after = situation
        .next
        .unwrap_or_else(|| template_spec(situation.vm));
    let name = after
        .items_at(list)
        .get(*at)
        .map(|item| item.str_at("name").to_owned())
        .unwrap_or_default();
    let field: Vec<String> = field
        .iter()
        .map(|segment| match segment {
            Segment::Field(name) => name.to_string(),
            Segment::Index(at) => format!("[{at}]"),
        })
        .collect();
    Place::Field(name, field.join("."))
}
