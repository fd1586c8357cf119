//! Field groups of a preference.

use serde_json::{Value as Json, json};

use super::{expanded, sized, spec};
use crate::release::Release;

/// The expanded domain of a VM domain and a preference, without an instance type.
fn domain(domain: &Json, preference: Json) -> Json {
    spec(&json!({"domain": domain}), None, Some(preference))["domain"].clone()
}

#[test]
fn efi_is_preferred_only_without_a_boot_loader() {
    let preference = json!({"firmware": {"preferredEfi": {"secureBoot": true}}});
    let firmware = |vm: Json| domain(&vm, preference.clone())["firmware"].clone();
    assert_eq!(
        firmware(json!({})),
        json!({"bootloader": {"efi": {"secureBoot": true}}})
    );
    let bios = json!({"bootloader": {"bios": {}}});
    assert_eq!(firmware(json!({"firmware": bios})), bios);
    let efi = json!({"bootloader": {"efi": {}}});
    assert_eq!(firmware(json!({"firmware": efi})), efi);
}

#[test]
fn the_deprecated_secure_boot_reaches_an_efi_the_vm_wrote() {
    let preference = json!({"firmware": {"preferredUseEfi": true, "preferredUseSecureBoot": true}});
    let vm = json!({"firmware": {"bootloader": {"efi": {}}}});
    assert_eq!(
        domain(&vm, preference.clone())["firmware"],
        json!({"bootloader": {"efi": {"secureBoot": true}}})
    );
    assert_eq!(
        domain(&json!({}), preference)["firmware"],
        json!({"bootloader": {"efi": {"secureBoot": true}}})
    );
    let bios = json!({"firmware": {"preferredUseBios": true, "preferredUseBiosSerial": true}});
    assert_eq!(
        domain(&json!({}), bios)["firmware"],
        json!({"bootloader": {"bios": {"useSerial": true}}})
    );
}

#[test]
fn an_empty_firmware_preference_leaves_an_empty_boot_loader() {
    assert_eq!(
        domain(&json!({}), json!({"firmware": {}}))["firmware"],
        json!({"bootloader": {}})
    );
}

#[test]
fn acpi_and_hotplug_of_the_preference_override_the_vm() {
    let expanded = domain(
        &json!({"features": {"acpi": {"enabled": false}, "apic": {"enabled": false}}, "devices": {"disableHotplug": true}}),
        json!({"features": {"preferredAcpi": {}, "preferredApic": {}}, "devices": {"preferredDisableHotplug": false}}),
    );
    assert_eq!(expanded["features"], json!({"apic": {"enabled": false}}));
    assert!(expanded["devices"].get("disableHotplug").is_none());
}

#[test]
fn the_dedicated_io_thread_needs_the_virtio_bus_after_preferences() {
    let preference = |bus: &str| json!({"devices": {"preferredDiskBus": bus, "preferredDiskDedicatedIoThread": true}});
    let disks = json!({"devices": {"disks": [{"name": "a"}, {"name": "b", "disk": {"bus": "sata"}}, {"name": "c", "cdrom": {}}]}});
    assert_eq!(
        domain(&disks, preference("virtio"))["devices"]["disks"],
        json!([
            {"name": "a", "disk": {"bus": "virtio"}, "dedicatedIOThread": true},
            {"name": "b", "disk": {"bus": "sata"}},
            {"name": "c", "cdrom": {}}])
    );
    assert_eq!(
        domain(&disks, preference("scsi"))["devices"]["disks"][0],
        json!({"name": "a", "disk": {"bus": "scsi"}})
    );
}

#[test]
fn buses_go_by_the_device_of_the_disk() {
    let preference = json!({"devices": {"preferredDiskBus": "virtio", "preferredCdromBus": "sata", "preferredLunBus": "scsi",
        "preferredDiskCache": "none", "preferredDiskIO": "native", "preferredDiskBlockSize": {"matchVolume": {}}}});
    let disks = json!({"devices": {"disks": [{"name": "c", "cdrom": {}}, {"name": "l", "lun": {}}, {"name": "d", "disk": {}, "cache": "writeback"}]}});
    assert_eq!(
        domain(&disks, preference)["devices"]["disks"],
        json!([
            {"name": "c", "cdrom": {"bus": "sata"}},
            {"name": "l", "lun": {"bus": "scsi"}},
            {"name": "d", "disk": {"bus": "virtio"}, "cache": "writeback", "blockSize": {"matchVolume": {}}, "io": "native"}])
    );
}

#[test]
fn masquerade_is_preferred_for_an_unbound_interface_on_the_pod_network() {
    let vm = json!({
        "domain": {"devices": {"interfaces": [{"name": "pod"}, {"name": "bound", "bridge": {}}, {"name": "other"}, {"name": "none"}]}},
        "networks": [{"name": "pod", "pod": {}}, {"name": "bound", "pod": {}}, {"name": "other", "multus": {"networkName": "n"}}]});
    let preference = json!({"devices": {"preferredInterfaceMasquerade": {}}});
    assert_eq!(
        spec(&vm, None, Some(preference))["domain"]["devices"]["interfaces"],
        json!([{"name": "pod", "masquerade": {}}, {"name": "bound", "bridge": {}}, {"name": "other"}, {"name": "none"}])
    );
}

#[test]
fn a_clock_offset_is_taken_whole_or_not_at_all() {
    let preference = json!({"clock": {"preferredClockOffset": {"timezone": "CET"}, "preferredTimer": {"rtc": {}}}});
    assert_eq!(
        domain(&json!({}), preference.clone())["clock"],
        json!({"timezone": "CET", "timer": {"rtc": {}}})
    );
    assert_eq!(
        domain(
            &json!({"clock": {"utc": {}, "timer": {"pit": {}}}}),
            preference
        )["clock"],
        json!({"utc": {}, "timer": {"pit": {}}})
    );
    assert_eq!(domain(&json!({}), json!({"clock": {}}))["clock"], json!({}));
}

#[test]
fn annotations_of_a_preference_never_override() {
    let mut vm = super::vm(&json!({}), false, true);
    vm["spec"]["template"]["metadata"] = json!({"annotations": {"a": "mine"}});
    let preference = json!({"annotations": {"a": "theirs", "b": "theirs"}});
    let expanded = super::expanded_with(
        Release::V1_9,
        &super::ClusterConfig::default(),
        &vm,
        None,
        Some(preference),
    );
    assert_eq!(
        expanded
            .unwrap()
            .path("spec.template.metadata.annotations")
            .unwrap()
            .to_json(),
        json!({"a": "mine", "b": "theirs"})
    );
}

#[test]
fn hyperv_features_are_filled_one_by_one() {
    let preference = json!({"features": {"preferredHyperv": {"vapic": {}, "relaxed": {"enabled": false}, "spinlocks": {"spinlocks": 8191}},
        "preferredKvm": {"hidden": true}, "preferredPvspinlock": {}, "preferredSmm": {}}});
    assert_eq!(
        domain(
            &json!({"features": {"hyperv": {"relaxed": {}}}}),
            preference
        )["features"],
        json!({"hyperv": {"relaxed": {}, "vapic": {}, "spinlocks": {"spinlocks": 8191}},
            "kvm": {"hidden": true}, "pvspinlock": {}, "smm": {}})
    );
}

#[test]
fn cpu_features_are_added_where_the_vm_does_not_name_them() {
    let preference = json!({"cpu": {"preferredCPUFeatures": [{"name": "vmx", "policy": "require"}, {"name": "aes"}]}});
    let expanded = spec(
        &json!({"domain": {"cpu": {"features": [{"name": "vmx", "policy": "disable"}]}}}),
        Some(sized(1)),
        Some(preference.clone()),
    );
    assert_eq!(
        expanded["domain"]["cpu"]["features"],
        json!([{"name": "vmx", "policy": "disable"}, {"name": "aes"}])
    );
    let bare = spec(&json!({}), Some(sized(1)), Some(preference.clone()));
    assert_eq!(
        bare["domain"]["cpu"]["features"],
        preference["cpu"]["preferredCPUFeatures"]
    );
}

#[test]
fn a_panic_device_is_filled_from_1_6_and_added_from_1_9() {
    let preference = json!({"devices": {"preferredPanicDeviceModel": "isa"}});
    let devices = |release, vm: &Json| {
        let expanded = expanded(release, vm, None, Some(preference.clone())).unwrap();
        expanded
            .path("spec.template.spec.domain.devices.panicDevices")
            .map(crate::yaml::Node::to_json)
    };
    let has = json!({"domain": {"devices": {"panicDevices": [{}, {"model": "hyperv"}]}}});
    let filled = json!([{"model": "isa"}, {"model": "hyperv"}]);
    assert_eq!(devices(Release::V1_6, &has), Some(filled.clone()));
    assert_eq!(devices(Release::V1_9, &has), Some(filled));
    assert_eq!(devices(Release::V1_5, &has), None);
    assert_eq!(devices(Release::V1_8, &json!({})), None);
    assert_eq!(
        devices(Release::V1_9, &json!({})),
        Some(json!([{"model": "isa"}]))
    );
}

#[test]
fn devices_are_filled_where_the_vm_leaves_them_open() {
    let preference = json!({"devices": {"preferredUseVirtioTransitional": true, "preferredBlockMultiQueue": true,
        "preferredNetworkInterfaceMultiQueue": true, "preferredSoundModel": "ich9", "preferredRng": {}, "preferredTPM": {},
        "preferredVideoType": "virtio", "preferredAutoattachInputDevice": true, "preferredInputBus": "usb", "preferredInputType": "tablet"}});
    assert_eq!(
        domain(
            &json!({"devices": {"blockMultiQueue": false, "sound": {"name": "s"}, "tpm": {"persistent": true}, "inputs": [{"name": "i"}]}}),
            preference
        )["devices"],
        json!({"blockMultiQueue": false, "sound": {"name": "s", "model": "ich9"}, "tpm": {"persistent": true},
            "inputs": [{"name": "i", "bus": "usb", "type": "tablet"}],
            "interfaces": [{"name": "default", "bridge": {}}],
            "useVirtioTransitional": true, "networkInterfaceMultiqueue": true, "rng": {}, "video": {"type": "virtio"},
            "autoattachInputDevice": true})
    );
}

#[test]
fn the_rest_of_the_spec_is_filled_too() {
    let expanded = spec(
        &json!({}),
        None,
        Some(
            json!({"machine": {"preferredMachineType": "pc-q35-9.0"}, "preferredSubdomain": "sub",
            "preferredTerminationGracePeriodSeconds": 0, "preferredLaunchSecurity": {"sev": {}}}),
        ),
    );
    assert_eq!(expanded["domain"]["machine"]["type"], json!("pc-q35-9.0"));
    assert_eq!(expanded["subdomain"], json!("sub"));
    assert_eq!(expanded["terminationGracePeriodSeconds"], json!(0));
    assert_eq!(expanded["domain"]["launchSecurity"], json!({"sev": {}}));
}
