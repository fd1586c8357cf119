//! The defaults that KubeVirt's types carry for a VMI.

use super::or_default;
use crate::transform::admit::RANDOM_UUID;
use crate::transform::expand::part;
use crate::yaml::{Node, Value};

const WRITER: &&str = &"SetObjectDefaults_VirtualMachineInstance";

/// What the API server fills in by the schema of the CRD, and no zero value of Go's stands for.
pub(super) fn set_schema_defaults(spec: &mut Node) {
    let volumes = spec.get_mut("volumes").and_then(Node::items_mut);
    for volume in volumes.into_iter().flatten() {
        if let Some(path) = volume.get_mut("containerPath") {
            or_default(path, "readOnly", Node::written(Value::Bool(true), &"CRD"));
        }
    }
}

/// Mirrors `SetObjectDefaults_VirtualMachineInstance`, staging/src/kubevirt.io/api/core/v1/defaults.go and
/// zz_generated.defaults.go @ v1.9.0, and setS390xDefaultFeatures before it.
pub(super) fn set_defaults(spec: &mut Node) {
    let has_acpi = spec.str_at("architecture") != "s390x";
    let domain = part(spec, "domain");
    let uuid = Node::written_text(RANDOM_UUID, WRITER);
    or_default(domain.ensure("firmware", uuid.origin), "uuid", uuid);
    if let Some(timers) = domain.path_mut("clock.timer") {
        for timer in ["hpet", "kvm", "pit", "rtc", "hyperv"] {
            switch_on(timers, timer, "present");
        }
    }
    features(domain.ensure("features", on().origin), has_acpi);
    let disks = domain.path_mut("devices.disks").and_then(Node::items_mut);
    for disk in disks.into_iter().flatten() {
        self::disk(disk);
    }
    let inputs = domain.path_mut("devices.inputs").and_then(Node::items_mut);
    for input in inputs.into_iter().flatten() {
        or_default(input, "bus", Node::written_text("usb", WRITER));
        or_default(input, "type", Node::written_text("tablet", WRITER));
    }
    let gpus = domain.path_mut("devices.gpus").and_then(Node::items_mut);
    for gpu in gpus.into_iter().flatten() {
        if let Some(display) = gpu.path_mut("virtualGPUOptions.display") {
            switch_on(display, "ramFB", "enabled");
        }
    }
    for probe in ["readinessProbe", "livenessProbe"] {
        if let Some(probe) = spec.get_mut(probe) {
            self::probe(probe);
        }
    }
}

/// A feature that says nothing of itself is on; ACPI is on where the architecture has it.
fn features(features: &mut Node, has_acpi: bool) {
    let acpi = Node::written(Value::Bool(has_acpi), WRITER);
    or_default(features.ensure("acpi", acpi.origin), "enabled", acpi);
    for feature in ["apic", "smm", "pvspinlock"] {
        switch_on(features, feature, "enabled");
    }
    let Some(hyperv) = features.get_mut("hyperv") else {
        return;
    };
    for feature in [
        "relaxed",
        "vapic",
        "spinlocks",
        "vpindex",
        "runtime",
        "synic",
        "synictimer",
        "reset",
        "vendorid",
        "frequencies",
        "reenlightenment",
        "tlbflush",
        "ipi",
        "evmcs",
    ] {
        switch_on(hyperv, feature, "enabled");
    }
    if let Some(spinlocks) = hyperv.get_mut("spinlocks")
        && spinlocks.bool_at("enabled")
    {
        or_default(
            spinlocks,
            "spinlocks",
            Node::written(Value::Int(4096), WRITER),
        );
    }
    for (feature, parts) in [
        ("synictimer", &["direct"][..]),
        ("tlbflush", &["direct", "extended"]),
    ] {
        if let Some(feature) = hyperv.get_mut(feature) {
            for part in parts {
                switch_on(feature, part, "enabled");
            }
        }
    }
}

fn disk(disk: &mut Node) {
    if ["disk", "cdrom", "lun"]
        .iter()
        .all(|target| disk.get(target).is_none())
    {
        disk.ensure_map("disk", on().origin);
    }
    if let Some(cdrom) = disk.get_mut("cdrom") {
        or_default(cdrom, "readonly", on());
        or_default(cdrom, "tray", Node::written_text("closed", WRITER));
    }
    if let Some(block_size) = disk.get_mut("blockSize") {
        switch_on(block_size, "matchVolume", "enabled");
    }
}

fn probe(probe: &mut Node) {
    for (key, default) in [
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ] {
        if probe.int_at(key) < 1 {
            probe.set(key, Node::written(Value::Int(default), WRITER));
        }
    }
}

/// Switches a part on that is there and does not say whether it is.
fn switch_on(node: &mut Node, part: &str, switch: &str) {
    if let Some(part) = node.get_mut(part) {
        or_default(part, switch, on());
    }
}

const fn on() -> Node {
    Node::written(Value::Bool(true), WRITER)
}
