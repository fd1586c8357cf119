//! The start of a guest: the VMI that the VM controller makes of a stored VM, and what the VMI's mutating webhook adds.

mod architecture;
pub(crate) mod hotplug;
pub(crate) mod hyperv;
mod objects;
#[cfg(test)]
mod tests;

use crate::release::{Behaviour, Release};
use crate::resolve::{Resolver, Spec};
use crate::resource::cluster::{ClusterConfig, EMULATOR_PARITY, ReferencePolicy};
use crate::schema;
use crate::stored::Matcher;
use crate::transform::admit::{self, NotAdmitted};
use crate::transform::expand::{self, ExpandError, TemplateBase, defaults, part, preference};
use crate::yaml::{Map, Node, Value};

/// The type of what is made.
pub const VMI: &str = "v1.VirtualMachineInstance";

/// The instance type and the preference that a start applies.
#[derive(Clone, Copy, Debug, Default)]
pub struct StartTypes<'a> {
    /// The instance type's spec.
    pub instancetype: Option<&'a Spec>,
    /// The preference's spec.
    pub preference: Option<&'a Spec>,
}

/// What a start makes of a stored VM.
#[derive(Clone, Debug)]
pub struct Started {
    /// The VMI that the cluster stores, in Go-normal form.
    pub vmi: Node,
    /// The VM that its controller writes back before the start, where the cluster expands references.
    pub expanded: Option<Node>,
}

/// Why a stored VM gets no VMI.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The controller gives up on its instance type or preference.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// The VM that the controller expands is refused by the webhook.
    #[error(transparent)]
    Admit(#[from] NotAdmitted),
}

/// Starts a stored VM of `namespace` as its controller does, with the types it names; `vm` is in Go-normal form.
///
/// Mirrors Sync, pkg/instancetype/controller/vm/controller.go @ v1.9.0, then [`make`] and [`store`].
pub fn start(vm: Node, namespace: &str, resolver: &Resolver<'_>) -> Result<Started, StartError> {
    let found = Matcher::ALL.map(|matcher| resolver.resolve(matcher, &vm, namespace));
    let [instancetype, preference] = found;
    let instancetype = instancetype.map_err(ExpandError::from)?;
    let preference = preference.map_err(ExpandError::from)?;
    let types = StartTypes {
        instancetype: instancetype.as_ref().map(|found| &*found.spec),
        preference: preference.as_ref().map(|found| &*found.spec),
    };
    start_with(vm, namespace, types, resolver)
}

/// As [`start`], with types that are found already.
pub fn start_with(
    vm: Node,
    namespace: &str,
    types: StartTypes<'_>,
    resolver: &Resolver<'_>,
) -> Result<Started, StartError> {
    let release = resolver.release();
    let configuration = &resolver.target().configuration;
    let (vm, types, expanded) = match expand_in_place(&vm, namespace, types, resolver)? {
        Some((expanded, stored)) => (stored, StartTypes::default(), Some(expanded)),
        None => (vm, types, None),
    };
    let mut vmi = make(release, configuration, vm, namespace, types)?;
    store(release, configuration, &mut vmi)?;
    Ok(Started { vmi, expanded })
}

/// Takes out of a VM's status each revision that its matcher no longer leads to: the controller captures the type anew.
///
/// Mirrors syncStatusWithMatcher, pkg/instancetype/revision/store.go @ v1.9.0.
pub(crate) fn forget_stale_revisions(vm: &mut Node) {
    for matcher in Matcher::ALL {
        let path = format!("status.{}", matcher.status_field());
        let named = vm.path(&format!("spec.{}", matcher.field()));
        let is_stale = named.zip(vm.path(&path)).is_some_and(|(named, held)| {
            ["name", "kind", "inferFromVolume"].iter().any(|field| {
                let said = named.str_at(field);
                !said.is_empty() && said != held.str_at(field)
            })
        });
        if is_stale {
            vm.remove(&path);
        }
    }
}

/// What the controller writes over a stored VM of `namespace` where the cluster expands references, and the VM that the
/// webhook makes of it; `None` where it writes nothing.
///
/// Mirrors handleExpand, pkg/instancetype/controller/vm/controller.go @ v1.9.0.
pub(crate) fn expand_in_place(
    vm: &Node,
    namespace: &str,
    types: StartTypes<'_>,
    resolver: &Resolver<'_>,
) -> Result<Option<(Node, Node)>, StartError> {
    if !is_expanded(vm, types, resolver) {
        return Ok(None);
    }
    let mut expanded = expand::expand_stored(vm, namespace, resolver)?;
    schema::encode(resolver.release(), "v1.VirtualMachine", &mut expanded);
    let admitted = admit::mutate(&expanded, Some(vm), resolver)?;
    Ok(Some((expanded, admitted.vm)))
}

/// Whether the controller writes the VM back with its instance type and preference applied.
pub(crate) fn is_expanded(vm: &Node, types: StartTypes<'_>, resolver: &Resolver<'_>) -> bool {
    if types.instancetype.is_none() && types.preference.is_none() {
        return false;
    }
    let in_spec = resolver.release().keeps_revisions_in_spec();
    let has_revision = |matcher: Matcher| {
        if in_spec {
            let path = format!("spec.{}.revisionName", matcher.field());
            return !vm.str_at(&path).is_empty();
        }
        let path = format!("status.{}.controllerRevisionRef", matcher.status_field());
        vm.path(&path).is_some()
    };
    match resolver
        .target()
        .configuration
        .reference_policy(resolver.release())
    {
        ReferencePolicy::Reference => false,
        ReferencePolicy::Expand => !Matcher::ALL.into_iter().any(has_revision),
        ReferencePolicy::ExpandAll => true,
    }
}

/// The VMI that the controller makes of a stored VM of `namespace`, in Go-normal form, without what only a cluster knows:
/// owner, finalizers of KubeVirt's, generation.
///
/// Mirrors startVMI and SetupVMIFromVM, pkg/virt-controller/watch/vm/vm.go @ v1.9.0 and v1.5.3. Fails as an expansion does.
pub fn make(
    release: Release,
    configuration: &ClusterConfig,
    mut vm: Node,
    namespace: &str,
    types: StartTypes<'_>,
) -> Result<Node, ExpandError> {
    let mut vmi = vm.remove("spec.template").unwrap_or_else(Node::map);
    name(&vm, namespace, &mut vmi);
    let spec = part(&mut vmi, "spec");
    if spec.str_at("domain.firmware.uuid").is_empty() {
        let uuid = legacy_uuid(vm.str_at("metadata.name"));
        let uuid = Node::written_text(uuid, &"setupStableFirmwareUUID");
        spec.set("domain.firmware.uuid", uuid);
    }
    if vm.str_at("spec.runStrategy") == "WaitAsReceiver" {
        annotate(
            &mut vmi,
            "kubevirt.io/create-migration-target",
            "true",
            &"startVMI",
        );
    }
    let spec = part(&mut vmi, "spec");
    let preferred = types.preference.map(|preference| &preference.node);
    if release.has(Behaviour::StartAppliesDevicesFirst) {
        if let Some(preferred) = preferred {
            preference::apply_devices(release, preferred, spec);
        }
        defaults::volume_disks(spec);
    } else {
        defaults::volume_disks(spec);
        if let Some(preferred) = preferred {
            preference::apply_autoattach(preferred, spec);
        }
    }
    attach_input(spec);
    defaults::network_interface(configuration, spec)?;
    if types.instancetype.is_some() || types.preference.is_some() {
        for matcher in Matcher::ALL {
            annotate_matcher(&vm, matcher, &mut vmi);
        }
        expand::apply(
            release,
            TemplateBase::APPLIED,
            types.instancetype,
            types.preference,
            &mut vmi,
        )?;
    }
    Ok(vmi)
}

/// Makes of a VMI what the cluster stores; it is in Go-normal form and stays so. What is random there is
/// [`admit::RANDOM_UUID`] here.
///
/// Mirrors `ApplyNewVMIMutations`, pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go, and
/// `SetDefaultVirtualMachineInstance`, pkg/defaults/defaults.go @ v1.9.0 and v1.5.3. Fails where the default interface is
/// not allowed.
pub fn store(
    release: Release,
    configuration: &ClusterConfig,
    vmi: &mut Node,
) -> Result<(), ExpandError> {
    let spec = part(vmi, "spec");
    part(spec, "domain");
    objects::set_schema_defaults(spec);
    defaults::vmi_spec(release, configuration, spec)?;
    objects::set_defaults(spec);
    hyperv::set_requirements(spec);
    architecture::set_defaults(release, spec);
    let model = Node::written_text(configuration.cpu_model(), &"setDefaultCPUModel");
    or_default(part(part(spec, "domain"), "cpu"), "model", model);
    let is_plugged =
        spec.str_at("architecture") != "arm64" || release.has(Behaviour::PlugsIntoArmGuests);
    if is_plugged && configuration.rolls_out_live(release) {
        hotplug::set_most_sockets(configuration, spec);
        hotplug::set_most_memory(release, configuration, spec);
    }
    if release.has(Behaviour::SelectsNodesByFeature) {
        select_nodes(spec);
    }
    admit::defaults::pci_topology(release, vmi);
    annotate_cluster(release, configuration, vmi);
    Ok(())
}

/// What a cluster would answer to somebody who asks for the VMI: what Go always writes is added, the status is left out.
pub fn written(release: Release, vmi: &mut Node) {
    if release.has(Behaviour::PlainGuestFinalizer) {
        let finalizer = Node::written_text("foregroundDeleteVirtualMachine", &"VMIsMutator");
        let metadata = part(vmi, "metadata");
        let held = metadata.get_mut("finalizers").and_then(Node::items_mut);
        if let Some(finalizers) = held {
            finalizers.push(finalizer);
        } else {
            let origin = finalizer.origin;
            let finalizers = Node::new(Value::Seq(vec![finalizer])).with_origin(origin);
            metadata.set("finalizers", finalizers);
        }
    }
    let mut map = Map::new();
    map.insert("apiVersion", Node::from("kubevirt.io/v1"));
    map.insert("kind", Node::from("VirtualMachineInstance"));
    for key in ["metadata", "spec"] {
        if let Some(node) = vmi.remove(key) {
            map.insert(key, node);
        }
    }
    vmi.value = Value::Map(map);
    schema::encode(release, VMI, vmi);
    vmi.remove("status");
    name_references(vmi);
}

/// Gives the references of volumes that say no name the empty one, which is the default of the CRD.
///
/// Mirrors `virtualmachineinstance` of pkg/virt-operator/resource/generate/components/validations_generated.go @ v1.9.0.
fn name_references(vmi: &mut Node) {
    const REFERENCES: [&str; 7] = [
        "cloudInitConfigDrive.networkDataSecretRef",
        "cloudInitConfigDrive.secretRef",
        "cloudInitNoCloud.networkDataSecretRef",
        "cloudInitNoCloud.secretRef",
        "configMap",
        "sysprep.configMap",
        "sysprep.secret",
    ];
    let volumes = vmi.path_mut("spec.volumes").and_then(Node::items_mut);
    for volume in volumes.into_iter().flatten() {
        for reference in REFERENCES {
            if let Some(reference) = volume.path_mut(reference).and_then(Node::as_map_mut)
                && reference.get("name").is_none()
            {
                reference.insert("name", Node::written_text("", &"CRD"));
            }
        }
    }
}

/// Name and namespace are the VM's, whatever the template says.
fn name(vm: &Node, namespace: &str, vmi: &mut Node) {
    let metadata = part(vmi, "metadata");
    for key in ["generateName", "creationTimestamp", "ownerReferences"] {
        metadata.remove(key);
    }
    let name = vm.path("metadata.name").cloned();
    metadata.set("name", name.unwrap_or_else(|| Node::string("")));
    metadata.set("namespace", Node::string(namespace));
}

/// An input device for a VM that asks for one and has none. Mirrors `AutoAttachInputDevice`.
fn attach_input(spec: &mut Node) {
    const WRITER: &&str = &"AutoAttachInputDevice";
    let Some(devices) = spec.path_mut("domain.devices") else {
        return;
    };
    if !devices.bool_at("autoattachInputDevice") || !devices.items_at("inputs").is_empty() {
        return;
    }
    let mut input = Node::written(Value::Map(Map::new()), WRITER);
    input.set("name", Node::written_text("default-0", WRITER));
    devices.set("inputs", Node::written(Value::Seq(vec![input]), WRITER));
}

/// Names the instance type or preference on the VMI.
/// Mirrors Set, pkg/instancetype/annotations and pkg/instancetype/preference/annotations @ v1.9.0.
fn annotate_matcher(vm: &Node, matcher: Matcher, vmi: &mut Node) {
    let Some(named) = vm.path("spec").and_then(|spec| spec.get(matcher.field())) else {
        return;
    };
    let Some(kind) = matcher.kind_meant(named.str_at("kind")) else {
        return;
    };
    let scope = if kind == matcher.kind() {
        ""
    } else {
        "cluster-"
    };
    let key = format!("kubevirt.io/{scope}{}-name", matcher.field());
    annotate(vmi, &key, named.str_at("name"), &"annotations.Set");
}

/// Keeps a guest on nodes that have what it needs. Mirrors addNodeSelector, vmi-mutator.go @ v1.4.1.
fn select_nodes(spec: &mut Node) {
    let sev = spec.path("domain.launchSecurity.sev");
    let labels = [
        (
            spec.path("domain.cpu.realtime").is_some(),
            "kubevirt.io/realtime",
        ),
        (sev.is_some(), "kubevirt.io/sev"),
        (
            sev.is_some_and(|sev| sev.bool_at("policy.encryptedState")),
            "kubevirt.io/sev-es",
        ),
    ];
    for (_, label) in labels.into_iter().filter(|(needed, _)| *needed) {
        let value = Node::written_text("", &"addNodeSelector");
        spec.ensure_map("nodeSelector", value.origin)
            .insert(label, value);
    }
}

/// What the webhook copies from the cluster into annotations.
fn annotate_cluster(release: Release, configuration: &ClusterConfig, vmi: &mut Node) {
    let (isolates, has_tdx) = {
        let spec = part(vmi, "spec");
        (
            spec.bool_at("domain.cpu.isolateEmulatorThread"),
            spec.path("domain.launchSecurity.tdx").is_some(),
        )
    };
    if isolates
        && configuration.completes_emulator_parity()
        && configuration.gate_enabled("AlignCPUs", release)
    {
        annotate(vmi, EMULATOR_PARITY, "", &"ApplyNewVMIMutations");
    }
    let socket = configuration.tdx_socket();
    if has_tdx && release.has(Behaviour::AnnotatesTdxSocket) && !socket.is_empty() {
        annotate(
            vmi,
            "kubevirt.io/qgs-socket-path",
            socket,
            &"ApplyNewVMIMutations",
        );
    }
}

fn annotate(vmi: &mut Node, key: &str, value: &str, writer: &'static &'static str) {
    let value = Node::written_text(value, writer);
    vmi.ensure_map("metadata.annotations", value.origin)
        .insert(key, value);
}

/// Sets a key where it is absent; an empty text is absent.
fn or_default(node: &mut Node, key: &str, default: Node) {
    if node.get(key).is_none_or(|held| held.as_str() == Some("")) {
        node.set(key, default);
    }
}

/// The firmware UUID that KubeVirt derives from a VM's name: version 5 in its own namespace.
pub fn legacy_uuid(name: &str) -> String {
    use std::fmt::Write as _;

    use sha1::{Digest, Sha1};
    const NAMESPACE: [u8; 16] = [
        0x6a, 0x1a, 0x24, 0xa1, 0x40, 0x61, 0x46, 0x07, 0x8b, 0xf4, 0xa3, 0x96, 0x3d, 0x0c, 0x58,
        0x95,
    ];
    let mut hash = Sha1::new();
    hash.update(NAMESPACE);
    hash.update(name.as_bytes());
    let mut bytes: Vec<u8> = hash.finalize().iter().copied().take(16).collect();
    bytes[6] = (bytes[6] & 0x0f) | 0x50;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        write!(text, "{byte:02x}").expect("a string takes all text");
    }
    text
}
