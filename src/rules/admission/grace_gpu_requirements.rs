//! The VM lacks what an NVIDIA Grace GPU needs.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports GPUs and host devices that the cluster's `permittedHostDevices` maps to NVIDIA Grace GPUs (1.9 and later)
    /// without the feature gates `GraceIOVirtualization`, `PCINUMAAwareTopology` and `IOMMUFD`, an arm64 guest with a
    /// `virt` machine, and dedicated CPUs; with annotations that move PCI devices; and resources mapped to any NVIDIA
    /// device, which the gate does not allow.
    ///
    /// ## Why it matters
    ///
    /// These GPUs share memory with the CPU, so KubeVirt passes them to a guest only under these conditions.
    ///
    /// KubeVirt's check: [`validateGraceIOVirtualization`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/grace_io_virtualization.go).
    ///
    /// ## Example
    ///
    /// ```yaml,configuration
    /// permittedHostDevices:
    ///   pciHostDevices:
    ///     - pciVendorSelector: 10DE:2941
    ///       resourceName: nvidia.com/GB200
    /// ```
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: gpu
    ///               deviceName: nvidia.com/GB200
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.gpus[0].deviceName: GraceIOVirtualization feature gate must be enabled for NVIDIA Grace GPU passthrough resource "nvidia.com/GB200"
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           gpus:
    ///             - name: gpu
    ///               deviceName: nvidia.com/A100
    /// ```
    ///
    /// ## Limits
    ///
    /// Looks at the configuration's `permittedHostDevices`; without one nothing is found.
    "grace-gpu-requirements": "the VM lacks what an NVIDIA Grace GPU needs"
}

const GATE: &str = "GraceIOVirtualization";

/// Device ids of the GPUs.
const GRACE: [&str; 3] = ["2342", "2348", "2941"];

enum Nvidia {
    Grace,
    Any,
}

/// What `vendor:device` selects, where it is NVIDIA's.
fn selects(selector: &str) -> Option<Nvidia> {
    let bare = |id: &str| {
        let id = id.trim().to_ascii_uppercase();
        id.strip_prefix("0X").map(str::to_owned).unwrap_or(id)
    };
    let (vendor, device) = selector.split_once(':')?;
    if device.contains(':') || bare(vendor) != "10DE" {
        return None;
    }
    let device = bare(device);
    if device == "*" {
        return Some(Nvidia::Any);
    }
    GRACE.contains(&device.as_str()).then_some(Nvidia::Grace)
}

/// A device asked for: its field and its resource name.
type AskedFor<'a> = (FieldPath, &'a str);

/// The devices asked for that the cluster maps to NVIDIA hardware of concern: field and resource name.
fn requests(guest: AdmittedGuest<'_>) -> (Vec<AskedFor<'_>>, Vec<AskedFor<'_>>) {
    let permitted = guest
        .config
        .permitted_host_devices()
        .map(|devices| devices.items_at("pciHostDevices"))
        .unwrap_or_default();
    let (mut grace, mut any) = (Vec::new(), Vec::new());
    let gpus = guest.each("domain.devices.gpus");
    for device in gpus.chain(guest.each("domain.devices.hostDevices")) {
        let name = device.node.str_at("deviceName");
        let entry = permitted.iter().rfind(|entry| {
            !name.is_empty()
                && entry.str_at("resourceName") == name
                && !entry.str_at("pciVendorSelector").is_empty()
        });
        let asked_for = (device.at("deviceName"), name);
        match entry.and_then(|entry| selects(entry.str_at("pciVendorSelector"))) {
            Some(Nvidia::Grace) => grace.push(asked_for),
            Some(Nvidia::Any) => any.push(asked_for),
            None => {}
        }
    }
    (grace, any)
}

pub(in crate::rules) fn check_annotations(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksGraceGpus) || requests(guest).0.is_empty() {
        return;
    }
    for (key, words) in [
        (
            "kubevirt.io/placePCIDevicesOnRootComplex",
            "GraceIOVirtualization is not compatible with placing PCI devices on the root complex",
        ),
        (
            "kubevirt.io/disablePCIHole64",
            "GraceIOVirtualization requires the 64-bit PCI hole",
        ),
    ] {
        if guest.annotation(key) == "true" {
            let annotations = guest.metadata_at("annotations");
            RULE.refuse(causes, annotations.field(key))
                .because(words)
                .named(format!("{annotations}[{key}]"))
                .setting("`permittedHostDevices`");
        }
    }
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::ChecksGraceGpus) {
        return;
    }
    let (grace, any) = requests(guest);
    let on = guest.gate(GATE);
    for (field, name) in any.into_iter().filter(|_| on) {
        RULE.refuse(causes, field)
            .because(format!("GraceIOVirtualization requires an exact pciVendorSelector for NVIDIA PCI host device resource {name:?}"))
            .setting("`permittedHostDevices`");
    }
    if grace.is_empty() {
        return;
    }
    if !on {
        for (field, name) in grace {
            RULE.refuse(causes, field)
                .because(format!("{GATE} feature gate must be enabled for NVIDIA Grace GPU passthrough resource {name:?}")).gate(GATE);
        }
        return;
    }
    let machine = match guest.str("domain.machine.type") {
        "" => guest
            .config
            .machine_type(guest.architecture(), guest.release),
        machine => machine,
    };
    let placement = "domain.cpu.dedicatedCpuPlacement";
    for (fits, path, what) in [
        (
            guest.architecture() == "arm64",
            "architecture",
            "arm64 architecture",
        ),
        (
            machine.starts_with("virt"),
            "domain.machine.type",
            "\"virt\" machine type",
        ),
        (guest.is(placement), placement, "dedicated CPU placement"),
    ] {
        if !fits {
            RULE.refuse(causes, guest.at(path))
                .because(format!("{GATE} requires {what}"))
                .setting("`permittedHostDevices`");
        }
    }
    for gate in ["PCINUMAAwareTopology", "IOMMUFD"] {
        if !guest.gate(gate) {
            RULE.refuse(causes, guest.at("domain.devices"))
                .because(format!(
                    "{gate} feature gate must be enabled when {GATE} is used"
                ))
                .setting("`permittedHostDevices`");
        }
    }
}
