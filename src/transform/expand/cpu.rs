//! vCPUs of an instance type as a guest topology, and its other CPU settings.

use super::{Application, crash, set_plain};
use crate::cause::Refusal;
use crate::resolve::preference::{Spread, Topology};
use crate::yaml::{Node, Origin, Value};

/// Mirrors applyCPU, pkg/instancetype/apply/cpu.go @ v1.9.0. All conflicts are reported.
pub(super) fn apply(to: &mut Application) {
    let before = to.conflicts.len();
    conflicts(to);
    if to.conflicts.len() > before {
        return;
    }
    let cpu = to.given("cpu");
    let given = |key: &str| cpu?.get(key).cloned();
    let plain = [
        ("model", given("model")),
        ("dedicatedCpuPlacement", given("dedicatedCPUPlacement")),
        ("isolateEmulatorThread", given("isolateEmulatorThread")),
        ("maxSockets", given("maxSockets")),
    ];
    let pointers = [("numa", given("numa")), ("realtime", given("realtime"))];
    let guest = given("guest");
    let origin = guest
        .as_ref()
        .map_or(to.instancetype.node.origin, |guest| guest.origin);
    let topology = match topology(guest.as_ref(), to.preference) {
        Ok(topology) => topology,
        Err(crash) => {
            to.crash = Some(crash);
            return;
        }
    };
    let spec = to.spec();
    let cpu = spec.ensure("domain.cpu", origin);
    for (key, value) in plain {
        if let Some(value) = value {
            set_plain(cpu, key, value);
        }
    }
    for (key, value) in pointers {
        if let Some(value) = value {
            cpu.set(key, value);
        }
    }
    for (key, count) in topology {
        set_plain(cpu, key, number(count, origin));
    }
}

fn number(count: u32, origin: Origin) -> Node {
    Node::new(Value::Int(i64::from(count))).with_origin(origin)
}

/// Cores, sockets and threads of a number of vCPUs. Ratios divide as unsigned integers: three vCPUs by four is none.
/// Mirrors applyGuestCPUTopology, pkg/instancetype/apply/cpu.go @ v1.9.0.
fn topology(
    guest: Option<&Node>,
    preference: Option<&Node>,
) -> Result<[(&'static str, u32); 3], Refusal> {
    let guest = guest.and_then(Node::as_i64).unwrap_or_default();
    let vcpus = u32::try_from(guest).unwrap_or(u32::MAX);
    let (mut cores, mut sockets, mut threads) = (1, 1, 1);
    if vcpus != 1 {
        match Topology::preferred(preference) {
            Topology::Cores => cores = vcpus,
            Topology::Sockets | Topology::Any => sockets = vcpus,
            Topology::Threads => threads = vcpus,
            Topology::Unknown => {}
            Topology::Spread => {
                let spread = preference.map(Spread::preferred);
                if let Some(Spread { ratio, across }) = spread {
                    let over = |count: u32| {
                        count
                            .checked_div(ratio)
                            .ok_or_else(|| crash("the preference spreads vCPUs by a ratio of zero"))
                    };
                    match across {
                        "SocketsCores" => (cores, sockets) = (ratio, over(vcpus)?),
                        "CoresThreads" => (threads, cores) = (ratio, over(vcpus)?),
                        "SocketsCoresThreads" => {
                            (threads, cores, sockets) = (2, ratio, over(vcpus / 2)?);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    Ok([("cores", cores), ("sockets", sockets), ("threads", threads)])
}

/// Mirrors validateCPU, pkg/instancetype/apply/cpu.go @ v1.9.0.
fn conflicts(to: &mut Application) {
    for path in [
        "domain.resources.requests.cpu",
        "domain.resources.limits.cpu",
        "domain.cpu.sockets",
        "domain.cpu.cores",
        "domain.cpu.threads",
    ] {
        to.conflict_if_set(path);
    }
    // In KubeVirt's order: the VM's key, and the instance type's key, which conflicts name.
    for (key, given) in [
        ("model", "model"),
        ("dedicatedCpuPlacement", "dedicatedCPUPlacement"),
        ("isolateEmulatorThread", "isolateEmulatorThread"),
        ("numa", "numa"),
        ("realtime", "realtime"),
    ] {
        let path = format!("domain.cpu.{key}");
        let gives = to.given("cpu").is_some_and(|cpu| cpu.get(given).is_some());
        if gives && let Some(origin) = to.held(&path) {
            to.conflict(&path, &format!("domain.cpu.{given}"), origin);
        }
    }
}
