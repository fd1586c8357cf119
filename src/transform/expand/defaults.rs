//! The defaults `KubeVirt` writes into a VMI spec: at expand, at admission and at start.

use std::collections::HashSet;

use super::{part, set_plain};
use crate::cause::Refusal;
use crate::release::{Behaviour, Release};
use crate::resource::cluster::ClusterConfig;
use crate::resource::quantity::Quantity;
use crate::yaml::{Node, Value};

/// Every default of a VMI spec, in order; `spec` is in Go-normal form.
/// Mirrors SetDefaultVirtualMachineInstanceSpec, pkg/defaults/defaults.go @ v1.9.0 and v1.5.3.
pub(crate) fn vmi_spec(
    release: Release,
    configuration: &ClusterConfig,
    spec: &mut Node,
) -> Result<(), Refusal> {
    architecture(configuration, spec);
    machine_type(release, configuration, spec);
    resource_requests(release, configuration, spec);
    guest_memory(spec);
    guest_cpu_topology(spec);
    pull_policies(spec);
    eviction_strategy(configuration, spec);
    network_interface(configuration, spec)?;
    volume_disks(spec);
    Ok(())
}

/// The cluster's architecture, where the VM names none.
pub(crate) fn architecture(configuration: &ClusterConfig, spec: &mut Node) {
    if spec.get("architecture").is_none() {
        let default = configuration.default_architecture();
        let default = Node::written_text(default, &"setDefaultArchitecture");
        set_plain(spec, "architecture", default);
    }
}

/// The machine type configured for the VM's architecture, where the VM names none.
pub(crate) fn machine_type(release: Release, configuration: &ClusterConfig, spec: &mut Node) {
    if spec.path("domain.machine.type").is_none() {
        let default = configuration.machine_type(spec.str_at("architecture"), release);
        let default = Node::written_text(default, &"setDefaultMachineType");
        spec.ensure_map("domain.machine", default.origin);
        set_plain(spec, "domain.machine.type", default);
    }
}

/// Requests that follow from limits and from the cluster's configuration; up to 1.5 also the memory request.
/// Mirrors setDefaultResourceRequests.
pub(crate) fn resource_requests(release: Release, configuration: &ClusterConfig, spec: &mut Node) {
    const WRITER: &&str = &"setDefaultResourceRequests";
    request_from_limit(spec, "cpu", WRITER);
    if release.has(Behaviour::DefaultsRequestsMemory) {
        request_from_limit(spec, "memory", WRITER);
        memory_request(configuration, spec, WRITER);
    }
    let request = configuration.cpu_request();
    if request == ClusterConfig::default_cpu_request() {
        return;
    }
    let requested = spec.path("domain.resources.requests.cpu").is_some();
    if !requested && !spec.bool_at("domain.cpu.dedicatedCpuPlacement") {
        let request = Node::written_text(request.to_string(), WRITER);
        spec.set("domain.resources.requests.cpu", request);
    }
}

/// A request that is absent or zero takes the limit.
fn request_from_limit(spec: &mut Node, name: &str, writer: &'static &'static str) {
    let amount = |list: &str| {
        let node = spec.path("domain.resources")?.get(list)?.get(name)?;
        let quantity = Quantity::from_node(node).filter(|quantity| !quantity.is_zero());
        quantity.map(|_| node.value.clone())
    };
    if amount("requests").is_none()
        && let Some(limit) = amount("limits")
    {
        let limit = Node::written(limit, writer);
        spec.ensure_map("domain.resources.requests", limit.origin)
            .insert(name, limit);
    }
}

/// The memory request of a VM without one: its guest memory or hugepage, divided by the cluster's overcommit.
fn memory_request(configuration: &ClusterConfig, spec: &mut Node, writer: &'static &'static str) {
    if spec.path("domain.resources.requests.memory").is_some() {
        return;
    }
    let Some(memory) = spec
        .path("domain.memory.guest")
        .or_else(|| spec.path("domain.memory.hugepages.pageSize"))
        .and_then(Quantity::from_node)
        .filter(|memory| memory.value() > 0)
    else {
        return;
    };
    let request = match configuration.memory_overcommit() {
        100 => memory,
        overcommit => Quantity::from_value(
            memory
                .value()
                .wrapping_mul(100)
                .checked_div(overcommit)
                .unwrap_or_default(),
            memory.format(),
        ),
    };
    let request = Node::written_text(request.to_string(), writer);
    spec.set("domain.resources.requests.memory", request);
}

/// Guest memory from the request, the limit or the hugepage size, where the VM gives none. A VM without any memory is left
/// with an empty mapping. Mirrors setGuestMemory.
pub(crate) fn guest_memory(spec: &mut Node) {
    if spec.path("domain.memory.guest").is_some() {
        return;
    }
    let amount = |path: &str| {
        let node = spec.path(path)?;
        Quantity::from_node(node)
            .is_some_and(|quantity| !quantity.is_zero())
            .then(|| node.value.clone())
    };
    let guest = amount("domain.resources.requests.memory")
        .or_else(|| amount("domain.resources.limits.memory"))
        .or_else(|| {
            let size = spec.str_at("domain.memory.hugepages.pageSize");
            let size = Quantity::parse(size).ok()?;
            Some(Value::String(size.to_string().into()))
        });
    let guest = Node::written(guest.unwrap_or(Value::Null), &"setGuestMemory");
    let memory = spec.ensure_map("domain.memory", guest.origin);
    if !guest.is_null() {
        memory.insert("guest", guest);
    }
}

/// One of each, or as many sockets as the CPU limit or request rounds up to, where the VM gives no topology.
/// Mirrors SetDefaultGuestCPUTopology.
pub(crate) fn guest_cpu_topology(spec: &mut Node) {
    let counts = ["cores", "sockets", "threads"];
    if let Some(cpu) = spec.path("domain.cpu")
        && counts.iter().any(|count| cpu.get(count).is_some())
    {
        return;
    }
    let sockets = spec
        .path("domain.resources.limits.cpu")
        .or_else(|| spec.path("domain.resources.requests.cpu"))
        .and_then(Quantity::from_node)
        .map_or(1, |amount| {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "KubeVirt truncates to an unsigned 32-bit number too"
            )]
            let sockets = amount.value() as u32;
            i64::from(sockets)
        });
    let written = |count| Node::written(Value::Int(count), &"SetDefaultGuestCPUTopology");
    let cpu = spec.ensure("domain.cpu", written(0).origin);
    set_plain(cpu, "sockets", written(sockets));
    set_plain(cpu, "cores", written(1));
    set_plain(cpu, "threads", written(1));
}

/// The pull policy of container disks: `Always` for `:latest`, and for images with neither tag nor digest (by the look of
/// the text: a registry with a port counts as tagged). Mirrors setDefaultPullPoliciesOnContainerDisks.
pub(crate) fn pull_policies(spec: &mut Node) {
    let Some(volumes) = spec.get_mut("volumes").and_then(Node::items_mut) else {
        return;
    };
    for disk in volumes
        .iter_mut()
        .filter_map(|volume| volume.get_mut("containerDisk"))
    {
        if disk.get("imagePullPolicy").is_some() {
            continue;
        }
        let image = disk.str_at("image");
        let policy = if image.ends_with(":latest") || !image.contains([':', '@']) {
            "Always"
        } else {
            "IfNotPresent"
        };
        let policy = Node::written_text(policy, &"setDefaultPullPoliciesOnContainerDisks");
        disk.set("imagePullPolicy", policy);
    }
}

/// The cluster's eviction strategy, where the VM names none. Mirrors setDefaultEvictionStrategy.
pub(crate) fn eviction_strategy(configuration: &ClusterConfig, spec: &mut Node) {
    if spec.get("evictionStrategy").is_none() {
        let default = configuration.eviction_strategy();
        let default = Node::written_text(default, &"setDefaultEvictionStrategy");
        spec.set("evictionStrategy", default);
    }
}

/// The default interface on the pod network, where the VM has neither interface nor network and does not decline.
/// Mirrors SetDefaultNetworkInterface, pkg/network/vmispec/defaults.go @ v1.9.0.
pub(crate) fn network_interface(
    configuration: &ClusterConfig,
    spec: &mut Node,
) -> Result<(), Refusal> {
    const WRITER: &&str = &"SetDefaultNetworkInterface";
    let declined = spec
        .path("domain.devices.autoattachPodInterface")
        .and_then(Node::as_bool)
        == Some(false);
    if declined
        || !spec.items_at("networks").is_empty()
        || !spec.items_at("domain.devices.interfaces").is_empty()
    {
        return Ok(());
    }
    let refused = |message: &str| {
        Err(Refusal::Refused {
            message: message.to_owned(),
            causes: Vec::new(),
        })
    };
    let named = |part: &str| {
        let mut node = Node::written(Value::Map(crate::yaml::Map::new()), WRITER);
        node.set("name", Node::written_text("default", WRITER));
        node.ensure_map(part, node.origin);
        Node::written(Value::Seq(vec![node]), WRITER)
    };
    match configuration.default_network_interface() {
        "bridge" if !configuration.permits_bridge_on_pod_network() => {
            return refused("bridge interface is not enabled in kubevirt-config");
        }
        "slirp" => return refused("slirp interface is deprecated as of v1.3"),
        binding @ ("bridge" | "masquerade") => {
            spec.set("domain.devices.interfaces", named(binding));
        }
        _ => {}
    }
    spec.set("networks", named("pod"));
    Ok(())
}

/// A disk for every volume that is neither a disk nor a file system yet.
/// Mirrors SetDefaultVolumeDisk, pkg/util/util.go @ v1.9.0.
pub(crate) fn volume_disks(spec: &mut Node) {
    const WRITER: &&str = &"SetDefaultVolumeDisk";
    let used: HashSet<&str> = spec
        .items_at("domain.devices.disks")
        .iter()
        .chain(spec.items_at("domain.devices.filesystems"))
        .map(|device| device.str_at("name"))
        .collect();
    let missing: Vec<Node> = spec
        .items_at("volumes")
        .iter()
        .map(|volume| volume.get("name"))
        .filter(|name| !used.contains(name.and_then(Node::as_str).unwrap_or_default()))
        .map(|name| {
            let mut disk = Node::written(Value::Map(crate::yaml::Map::new()), WRITER);
            if let Some(name) = name {
                disk.set("name", Node::written(name.value.clone(), WRITER));
            }
            disk
        })
        .collect();
    if missing.is_empty() {
        return;
    }
    let devices = part(part(spec, "domain"), "devices");
    match devices.get_mut("disks").and_then(Node::items_mut) {
        Some(disks) => disks.extend(missing),
        None => devices.set("disks", Node::written(Value::Seq(missing), WRITER)),
    }
}
