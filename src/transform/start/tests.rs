//! What a start makes of a VM.

use super::hotplug::set_most_sockets;
use super::*;

#[test]
fn the_legacy_uuid_is_of_version_5_in_the_namespace_of_kubevirt() {
    // Known vectors: another implementation of version 5, over the namespace in pkg/virt-controller/watch/vm/firmware.go.
    for (name, uuid) in [
        ("testvm", "5a9fc181-957e-5c32-9e5a-2de5e9673531"),
        ("web", "d32ff544-f682-571b-8677-3762f07ab8a4"),
    ] {
        assert_eq!(legacy_uuid(name), uuid);
    }
}

#[test]
fn a_default_maximum_of_sockets_stops_at_512_vcpus() {
    let most = |sockets: i64, cores: i64| {
        let mut spec = Node::map();
        spec.set("domain.cpu.sockets", Node::from(sockets));
        spec.set("domain.cpu.cores", Node::from(cores));
        spec.set("domain.cpu.threads", Node::from(1));
        set_most_sockets(&ClusterConfig::default(), &mut spec);
        spec.int_at("domain.cpu.maxSockets")
    };
    assert_eq!(most(127, 1), 508);
    assert_eq!(most(128, 1), 512, "exactly the limit");
    assert_eq!(most(129, 1), 512, "one step beyond it");
    assert_eq!(most(64, 2), 256);
    assert_eq!(most(65, 2), 256);
    assert_eq!(most(300, 2), 300, "never less than the sockets it has");
}

fn vm(spec: &serde_json::Value) -> Node {
    let vm = serde_json::json!({
        "metadata": {"name": "web", "namespace": "vms"},
        "spec": {"runStrategy": "Always", "template": {"metadata": {"name": "other", "labels": {"app": "web"}}, "spec": spec}}
    });
    schema::decode(Release::NEWEST, "v1.VirtualMachine", &Node::from_json(&vm)).node
}

fn stored(release: Release, spec: &serde_json::Value) -> Node {
    let configuration = ClusterConfig::known(Node::map());
    let types = StartTypes::default();
    let mut vmi = make(release, &configuration, vm(spec), "vms", types).unwrap();
    store(release, &configuration, &mut vmi).unwrap();
    let read = schema::decode(release, VMI, &vmi).node;
    assert!(
        vmi.same_value(&read),
        "not in Go-normal form: {}",
        vmi.to_json()
    );
    vmi
}

#[test]
fn name_and_namespace_are_the_vms() {
    let vmi = stored(
        Release::NEWEST,
        &serde_json::json!({"domain": {"devices": {}}}),
    );
    assert_eq!(
        vmi.path("metadata").map(Node::to_json),
        Some(serde_json::json!({
            "name": "web", "namespace": "vms", "labels": {"app": "web"},
            "annotations": {"kubevirt.io/pci-topology-version": "v3"}
        }))
    );
}

#[test]
fn an_architecture_has_its_bus_and_its_devices() {
    for (architecture, bus, watchdog) in [
        ("amd64", "sata", "i6300esb"),
        ("riscv64", "sata", "i6300esb"),
        ("s390x", "virtio", "diag288"),
        ("arm64", "virtio", ""),
    ] {
        let vmi = stored(
            Release::NEWEST,
            &serde_json::json!({
                "architecture": architecture,
                "domain": {"devices": {"disks": [{"name": "a"}, {"name": "b", "lun": {}}], "watchdog": {"name": "w"}}}
            }),
        );
        let devices = vmi.path("spec.domain.devices").unwrap();
        let disks = devices.items_at("disks");
        assert_eq!(disks[0].str_at("disk.bus"), bus, "{architecture}");
        assert_eq!(disks[1].str_at("lun.bus"), bus, "{architecture}");
        let held = ["i6300esb", "diag288"]
            .into_iter()
            .find(|of| devices.path("watchdog").unwrap().get(of).is_some());
        assert_eq!(held.unwrap_or_default(), watchdog, "{architecture}");
    }
}

#[test]
fn efi_of_arm64_loses_secure_boot_from_1_8_on() {
    let spec = serde_json::json!({"architecture": "arm64", "domain": {"devices": {}, "firmware": {"bootloader": {"efi": {}}}}});
    let secure = |release| {
        stored(release, &spec)
            .path("spec.domain.firmware.bootloader.efi.secureBoot")
            .and_then(Node::as_bool)
    };
    assert_eq!(secure(Release::V1_7), None);
    assert_eq!(secure(Release::V1_8), Some(false));
    let bare = serde_json::json!({"architecture": "arm64", "domain": {"devices": {}}});
    let vmi = stored(Release::V1_5, &bare);
    assert!(
        vmi.path("spec.domain.firmware.bootloader.efi.secureBoot")
            .is_some()
    );
}

#[test]
fn what_hyperv_features_need_is_switched_on_until_a_need_is_off() {
    let hyperv = |given: serde_json::Value| {
        let vmi = stored(
            Release::NEWEST,
            &serde_json::json!({"domain": {"devices": {}, "features": {"hyperv": given}}}),
        );
        let on: Vec<&str> = ["vapic", "vpindex", "synic"]
            .into_iter()
            .filter(|of| {
                vmi.path(&format!("spec.domain.features.hyperv.{of}.enabled"))
                    .and_then(Node::as_bool)
                    == Some(true)
            })
            .collect();
        let vmx = vmi.items_at("spec.domain.cpu.features").len();
        (on.join(" "), vmx)
    };
    assert_eq!(
        hyperv(serde_json::json!({"synictimer": {}})),
        ("vpindex synic".to_owned(), 0)
    );
    assert_eq!(
        hyperv(serde_json::json!({"evmcs": {}})),
        ("vapic".to_owned(), 1)
    );
    let stopped = serde_json::json!({"ipi": {}, "vpindex": {"enabled": false}, "synictimer": {}, "evmcs": {}});
    assert_eq!(hyperv(stopped), ("vapic".to_owned(), 0));
}

#[test]
fn a_guest_grows_where_its_memory_allows() {
    let most = |guest: &str| {
        let vmi = stored(
            Release::NEWEST,
            &serde_json::json!({"domain": {"devices": {}, "memory": {"guest": guest}}}),
        );
        vmi.str_at("spec.domain.memory.maxGuest").to_owned()
    };
    assert_eq!(most("1Gi"), "4Gi");
    assert_eq!(most("1023Mi"), "", "not a multiple of 2Mi");
    assert_eq!(most("1022Mi"), "", "less than 1Gi");
    assert_eq!(most("1026Mi"), "4104Mi");
}

#[test]
fn guests_of_1_4_are_kept_on_nodes_with_what_they_need() {
    let selector = |release, domain: serde_json::Value| {
        let vmi = stored(release, &serde_json::json!({ "domain": domain }));
        vmi.path("spec.nodeSelector").map(Node::to_json)
    };
    let realtime = serde_json::json!({"devices": {}, "cpu": {"realtime": {}}});
    let sev = |policy| serde_json::json!({"devices": {}, "launchSecurity": {"sev": {"policy": {"encryptedState": policy}}}});
    assert_eq!(
        selector(Release::V1_4, realtime.clone()),
        Some(serde_json::json!({"kubevirt.io/realtime": ""}))
    );
    assert_eq!(selector(Release::V1_5, realtime), None);
    assert_eq!(
        selector(Release::V1_4, sev(false)),
        Some(serde_json::json!({"kubevirt.io/sev": ""}))
    );
    assert_eq!(
        selector(Release::V1_4, sev(true)),
        Some(serde_json::json!({"kubevirt.io/sev": "", "kubevirt.io/sev-es": ""}))
    );
}

#[test]
fn every_watchdog_of_1_4_is_an_i6300esb() {
    for (architecture, of_1_5) in [("amd64", true), ("arm64", false), ("s390x", false)] {
        let spec = serde_json::json!({"architecture": architecture, "domain": {"devices": {"watchdog": {"name": "w"}}}});
        for (release, has) in [(Release::V1_4, true), (Release::V1_5, of_1_5)] {
            let vmi = stored(release, &spec);
            let action = vmi.str_at("spec.domain.devices.watchdog.i6300esb.action");
            assert_eq!(action == "reset", has, "{architecture} {release}");
        }
    }
}

#[test]
fn guests_of_arm64_grow_in_1_4_alone() {
    let spec = serde_json::json!({"architecture": "arm64", "domain": {
        "devices": {}, "cpu": {"sockets": 1, "cores": 1, "threads": 1}, "memory": {"guest": "1Gi"}}});
    for (release, grows) in [(Release::V1_4, true), (Release::V1_5, false)] {
        let configuration = ClusterConfig::known(Node::from_json(&serde_json::json!({
            "vmRolloutStrategy": "LiveUpdate",
            "developerConfiguration": {"featureGates": ["VMLiveUpdateFeatures"]}})));
        let mut vmi = make(
            release,
            &configuration,
            vm(&spec),
            "vms",
            StartTypes::default(),
        )
        .unwrap();
        store(release, &configuration, &mut vmi).unwrap();
        assert_eq!(
            vmi.int_at("spec.domain.cpu.maxSockets") == 4,
            grows,
            "{release}"
        );
        assert_eq!(
            vmi.str_at("spec.domain.memory.maxGuest") == "4Gi",
            grows,
            "{release}"
        );
    }
}

#[test]
fn a_reference_of_a_volume_that_says_no_name_has_the_empty_one() {
    let printed = |volume: serde_json::Value| {
        let spec = serde_json::json!({"domain": {"devices": {}}, "volumes": [volume]});
        let mut vmi = stored(Release::NEWEST, &spec);
        written(Release::NEWEST, &mut vmi);
        vmi.items_at("spec.volumes")[0].to_json()
    };
    for (kind, reference) in [
        ("sysprep", "configMap"),
        ("sysprep", "secret"),
        ("cloudInitNoCloud", "secretRef"),
    ] {
        let volume = printed(serde_json::json!({"name": "v", kind: {reference: {}}}));
        assert_eq!(
            volume[kind][reference],
            serde_json::json!({"name": ""}),
            "{kind}"
        );
        let volume = printed(serde_json::json!({"name": "v", kind: {reference: {"name": "n"}}}));
        assert_eq!(
            volume[kind][reference],
            serde_json::json!({"name": "n"}),
            "{kind}"
        );
    }
    let claim = printed(serde_json::json!({"name": "v", "emptyDisk": {"capacity": "1Gi"}}));
    assert_eq!(
        claim,
        serde_json::json!({"name": "v", "emptyDisk": {"capacity": "1Gi"}})
    );
}
