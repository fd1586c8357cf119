//! What the webhook writes into a VM: from its preference, from its data sources, from the cluster.

use super::{RANDOM_UUID, Unknown};
use crate::field_path::FieldPath;
use crate::release::{Behaviour, Release};
use crate::resolve::{Resolution, Resolver};
use crate::transform::expand::{defaults, part, preference};
use crate::yaml::Node;

const SPEC: &str = "spec.template.spec";
const PCI_TOPOLOGY: &str = "kubevirt.io/pci-topology-version";

/// Architecture, machine type and storage class the preference prefers, where the VM says nothing.
/// Mirrors mutateArch, mutateMachineType and mutateDataVolumeTemplates, pkg/instancetype/webhooks/vm/mutator.go @ v1.9.0;
/// up to 1.6 the same is done in pkg/defaults.
pub(super) fn apply_preference(preferred: &Node, vm: &mut Node) {
    let spec = template_spec(vm);
    preference::apply_architecture(preferred, spec);
    preference::apply_machine_type(preferred, spec);
    let Some(class) = preferred
        .path("volumes.preferredStorageClassName")
        .filter(|class| class.as_str().is_some_and(|class| !class.is_empty()))
    else {
        return;
    };
    let templates = vm
        .path_mut("spec.dataVolumeTemplates")
        .and_then(Node::items_mut);
    for template in templates.into_iter().flatten() {
        for claim in ["spec.pvc", "spec.storage"] {
            if let Some(claim) = template.path_mut(claim).and_then(Node::as_map_mut)
                && claim.get("storageClassName").is_none()
            {
                claim.insert("storageClassName", class.clone());
            }
        }
    }
}

/// Serial number and UUID of a new VM, where it has none; names the fields that are random in a cluster.
/// Mirrors setFirmwareDefaultsIfEmpty.
pub(super) fn firmware(release: Release, vm: &mut Node) -> Vec<FieldPath> {
    const WRITER: &&str = &"setFirmwareDefaultsIfEmpty";
    let mut random = Vec::new();
    for (field, written) in [
        ("domain.firmware.uuid", Behaviour::WritesFirmwareUuid),
        ("domain.firmware.serial", Behaviour::WritesFirmwareSerial),
    ] {
        if release.has(written) && template_spec(vm).path(field).is_none() {
            template_spec(vm).set(field, Node::written_text(RANDOM_UUID, WRITER));
            random.push(FieldPath::parse(&format!("{SPEC}.{field}")));
        }
    }
    random
}

/// The cluster-scoped kind for a matcher without one, up to 1.6.
/// Mirrors setDefaultInstancetypeKind and setDefaultPreferenceKind, pkg/defaults/defaults.go @ v1.6.6.
pub(super) fn matcher_kinds(release: Release, vm: &mut Node) {
    if !release.has(Behaviour::WritesMatcherKind) {
        return;
    }
    let kinds: [(&str, &str, &'static &'static str); 2] = [
        (
            "spec.instancetype",
            "virtualmachineclusterinstancetype",
            &"setDefaultInstancetypeKind",
        ),
        (
            "spec.preference",
            "virtualmachineclusterpreference",
            &"setDefaultPreferenceKind",
        ),
    ];
    for (matcher, kind, writer) in kinds {
        if let Some(matcher) = vm.path_mut(matcher)
            && matcher.str_at("kind").is_empty()
        {
            matcher.set("kind", Node::written_text(kind, writer));
        }
    }
}

/// The architecture a data source is labelled with, else the cluster's. Gives back the data sources no catalog has.
/// Mirrors setDefaultArchitectureFromDataSource and setDefaultArchitecture.
pub(super) fn architecture(
    resolver: &Resolver<'_>,
    namespace: &str,
    vm: &mut Node,
) -> Vec<Unknown> {
    let mut unknown = Vec::new();
    if template_spec(vm).get("architecture").is_some() {
        return unknown;
    }
    if resolver
        .release()
        .has(Behaviour::ReadsDataSourceArchitecture)
        && let Some(label) = labelled_architecture(resolver, namespace, vm, &mut unknown)
    {
        template_spec(vm).set("architecture", label);
    }
    defaults::architecture(&resolver.target().configuration, template_spec(vm));
    unknown
}

fn labelled_architecture(
    resolver: &Resolver<'_>,
    namespace: &str,
    vm: &Node,
    unknown: &mut Vec<Unknown>,
) -> Option<Node> {
    for template in vm.items_at("spec.dataVolumeTemplates") {
        let Some(reference) = template.path("spec.sourceRef") else {
            continue;
        };
        if !reference.str_at("kind").eq_ignore_ascii_case("DataSource") {
            continue;
        }
        let namespace = match reference.str_at("namespace") {
            "" => namespace,
            own => own,
        };
        let mut find = |namespace: &str, name: &str| {
            let found = resolver.find("cdi.kubevirt.io", "DataSource", Some(namespace), name);
            if let Resolution::Found(source) = found {
                return Some(&source.node);
            }
            unknown.push(Unknown::DataSource {
                namespace: namespace.into(),
                name: name.into(),
            });
            None
        };
        let Some(mut source) = find(namespace, reference.str_at("name")) else {
            continue;
        };
        if let Some(next) = source
            .path("spec.source.dataSource")
            .filter(|next| !next.is_null())
        {
            match find(next.str_at("namespace"), next.str_at("name")) {
                Some(next) => source = next,
                None => continue,
            }
        }
        let label = source
            .path("metadata.labels")
            .and_then(|labels| labels.get("template.kubevirt.io/architecture"));
        if let Some(label) = label
            && matches!(label.as_str(), Some("amd64" | "arm64" | "s390x"))
        {
            return Some(label.clone());
        }
    }
    None
}

/// The annotation that fixes the PCI topology of a new guest whose machine has PCIe root ports; `target` has `metadata`
/// and `spec`: a VM's template or a VMI. Mirrors SupportsPCIeHotplug and setDefaultPciTopologyVersion.
pub(in crate::transform) fn pci_topology(release: Release, target: &mut Node) {
    if !release.has(Behaviour::WritesPciTopology) {
        return;
    }
    let spec = part(target, "spec");
    let machine = spec.str_at("domain.machine.type");
    let architecture = spec.str_at("architecture");
    if !matches!(architecture, "" | "amd64" | "arm64")
        || !(machine.contains("q35") || machine.starts_with("virt"))
    {
        return;
    }
    let node = Node::written_text("v3", &"setDefaultPciTopologyVersion");
    let annotations = target.ensure_map("metadata.annotations", node.origin);
    if annotations.get(PCI_TOPOLOGY).is_none() {
        annotations.insert(PCI_TOPOLOGY, node);
    }
}

/// The template's spec; made where Go-normal form has dropped it for being empty.
pub(super) fn template_spec(vm: &mut Node) -> &mut Node {
    part(part(part(vm, "spec"), "template"), "spec")
}
