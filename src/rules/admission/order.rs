//! Every check of a VM's template and spec, in the order KubeVirt runs them.

use super::causes::Causes;
use super::guest::AdmittedGuest;
#[allow(
    clippy::wildcard_imports,
    reason = "every rule of the family has its place here"
)]
use super::*;
use crate::yaml::Node;

/// What the webhook checks of a VM with instance type, preference and defaults applied.
/// Mirrors `ValidateVirtualMachineSpec`, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go @ v1.9.0.
pub(in crate::rules) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    reserved_guest_label::check(guest, causes);
    ignition_without_gate::check(guest, causes);
    sidecar_without_gate::check(guest, causes);
    invalid_migration_threads::check(guest, causes);
    grace_gpu_requirements::check_annotations(guest, causes);
    check_guest(guest, causes);
    for template in guest.templates() {
        if unnamed_data_volume_template::check(template, causes)
            && data_volume_template_storage::check(template, causes)
            && data_volume_template_source::check(template, causes)
        {
            unreferenced_data_volume_template::check(guest, template, causes);
        }
    }
    run_strategy_conflict::check(guest, causes);
    missing_run_strategy::check(guest, causes);
    invalid_run_strategy::check(guest, causes);
    sockets_exceed_maximum::check_live_update(guest, causes);
    memory_hotplug_requirements::check(guest, causes);
    volumes_strategy_without_gate::check(guest, causes);
}

/// Which checks of a guest's spec run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Part {
    /// All.
    Whole,
    /// Those that look at more than [`LISTS`] and the devices.
    Machine,
}

/// What most checks look at, beside the devices: each of them looks at nothing else.
const LISTS: [&str; 14] = [
    "accessCredentials",
    "affinity",
    "dnsConfig",
    "dnsPolicy",
    "evictionStrategy",
    "hostname",
    "livenessProbe",
    "networks",
    "readinessProbe",
    "resourceClaims",
    "startStrategy",
    "subdomain",
    "topologySpreadConstraints",
    "volumes",
];

impl Part {
    /// What is still to be asked of a guest's spec where `passed`, which came before it, had no refusal.
    pub(in crate::rules) fn left_after(passed: &Node, spec: &Node) -> Self {
        let is_same = |one: Option<&Node>, other: Option<&Node>| match (one, other) {
            (None, None) => true,
            (Some(one), Some(other)) => one.same_value(other),
            _ => false,
        };
        let is_passed = is_same(passed.path("domain.devices"), spec.path("domain.devices"))
            && LISTS
                .iter()
                .all(|key| is_same(passed.get(key), spec.get(key)));
        if is_passed {
            Self::Machine
        } else {
            Self::Whole
        }
    }
}

/// What the webhook checks of a guest's spec.
/// Mirrors `ValidateVirtualMachineInstanceSpec`, vmi-create-admitter.go @ v1.9.0.
pub(in crate::rules) fn check_guest(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    check_guest_and(guest, Part::Whole, check_networks, causes);
}

/// As [`check_guest`], with what is asked of its networks.
pub(in crate::rules) fn check_guest_and(
    guest: AdmittedGuest<'_>,
    part: Part,
    networks: fn(AdmittedGuest<'_>, &mut Causes),
    causes: &mut Causes,
) {
    let whole = part == Part::Whole;
    if whole {
        invalid_hostname::check(guest, causes);
        invalid_subdomain::check(guest, causes);
    }
    memory_request_out_of_range::check(guest, causes);
    negative_memory_limit::check(guest, causes);
    memory_request_exceeds_limit::check(guest, causes);
    invalid_hugepages::check(guest, causes);
    guest_memory_exceeds_limit::check(guest, causes);
    unsupported_machine_type::check(guest, causes);
    invalid_firmware_serial::check(guest, causes);
    acpi_table_without_secret::check(guest, causes);
    negative_cpu_resource::check(guest, causes);
    cpu_request_exceeds_limit::check(guest, causes);
    if guest.is("domain.cpu.dedicatedCpuPlacement") {
        dedicated_cpu_without_memory::check(guest, causes);
        fractional_dedicated_cpu::check(guest, causes);
        dedicated_cpu_unequal_memory::check(guest, causes);
        dedicated_cpu_count::check(guest, causes);
        dedicated_cpu_threads::check(guest, causes);
    }
    numa_passthrough_requirements::check(guest, causes);
    isolated_emulator_without_dedicated_cpu::check(guest, causes);
    unsupported_cpu_feature_policy::check(guest, causes);
    sockets_exceed_maximum::check(guest, causes);
    if whole {
        invalid_start_strategy::check(guest, causes);
    }
    realtime_requirements::check(guest, causes);
    if whole {
        invalid_affinity::check(guest, causes);
        invalid_topology_spread::check(guest, causes);
    }
    foreign_architecture::check(guest, causes);
    if whole {
        networks(guest, causes);
        invalid_resource_claim::check(guest, causes);
        invalid_device_claim::check(guest, causes);
        check_disk_volumes(guest, causes);
        unsupported_input_device::check(guest, causes);
    }
    invalid_io_threads::check(guest, causes);
    if whole {
        probe_without_one_handler::check(guest, causes);
        probe_without_pod_network::check(guest, causes);
        check_disks(guest, causes);
    }
    efi_with_bios::check(guest, causes);
    invalid_kernel_boot::check(guest, causes);
    secure_boot_without_smm::check(guest, causes);
    if whole {
        check_volumes(guest, causes);
        invalid_container_disk_path::check(guest, causes);
    }
    utility_volumes_in_spec::check(guest, causes);
    if whole {
        invalid_access_credential::check(guest, causes);
        invalid_dns_config::check(guest, causes);
        invalid_eviction_strategy::check(guest, causes);
        several_ramfb_displays::check(guest, causes);
        host_devices_without_gate::check(guest, causes);
    }
    grace_gpu_requirements::check(guest, causes);
    if whole {
        invalid_sound_device::check(guest, causes);
    }
    launch_security_requirements::check(guest, causes);
    if whole {
        vsock_without_gate::check(guest, causes);
        persistent_reservation_without_gate::check(guest, causes);
    }
    persistent_state_without_gate::check(guest, causes);
    if whole {
        downward_metrics_without_gate::check_device(guest, causes);
        virtiofs_without_gate::check(guest, causes);
        invalid_video_device::check(guest, causes);
    }
    invalid_panic_device::check(guest, causes);
    reboot_policy_without_gate::check(guest, causes);
    reserved_overhead_without_gate::check(guest, causes);
    invalid_service_account::check(guest, causes);
}

/// Mirrors Validator.Validate, pkg/network/admitter/validator.go @ v1.9.0.
pub(in crate::rules) fn check_networks(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    conflicting_default_networks::check(guest, causes);
    network_without_one_source::check(guest, causes);
    multus_network_without_name::check(guest, causes);
    unsupported_interface_state::check(guest, causes);
    for interface in guest.each("domain.devices.interfaces") {
        interface_without_one_binding::check(guest, interface, causes);
        masquerade_off_pod_network::check(guest, interface, causes);
        reserved_mac_address::check(interface, causes);
        bridge_on_pod_network::check(guest, interface, causes);
        binding_plugin_without_gate::check(guest, interface, causes);
        macvtap_binding_requirements::check(guest, interface, causes);
        passt_binding_requirements::check(guest, interface, causes);
    }
    discontinued_binding::check_slirp(guest, causes);
    repeated_network_name::check(guest, causes);
    invalid_claim_network::check(guest, causes);
    network_without_interface::check(guest, causes);
    repeated_interface_name::check(guest, causes);
    interface_without_network::check(guest, causes);
    for interface in guest.each("domain.devices.interfaces") {
        invalid_interface_name::check(interface, causes);
        unsupported_interface_model::check(interface, causes);
        malformed_mac_address::check(interface, causes);
        malformed_interface_pci_address::check(interface, causes);
        invalid_interface_port::check(guest, interface, causes);
        invalid_port_range::check(guest, interface, causes);
        invalid_dhcp_option::check(interface, causes);
    }
}

/// Mirrors validateBootOrder, vmi-create-admitter.go @ v1.9.0.
fn check_disk_volumes(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    let mut seen = repeated_boot_order::Seen::new();
    for disk in guest.each("domain.devices.disks") {
        disk_without_volume::check(guest, disk, causes);
        empty_cdrom_without_gate::check(guest, disk, causes);
        lun_without_claim::check(guest, disk, causes);
        downward_metrics_disk::check(guest, disk, causes);
        repeated_boot_order::check(disk, &mut seen, causes);
    }
    for interface in guest.each("domain.devices.interfaces") {
        if !boot_order_not_positive::check_interface(interface, causes) {
            repeated_boot_order::check(interface, &mut seen, causes);
        }
    }
}

/// Mirrors `ValidateDisks`, pkg/storage/admitters/disks.go @ v1.9.0.
fn check_disks(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for disk in guest.each("domain.devices.disks") {
        repeated_disk_name::check(guest, disk, causes);
        several_disk_targets::check(disk, causes);
        invalid_disk_pci_address::check(guest, disk, causes);
        boot_order_not_positive::check_disk(disk, causes);
        unsupported_disk_bus::check(disk, causes);
        io_thread_without_virtio::check(disk, causes);
        invalid_disk_serial::check(disk, causes);
        unsupported_disk_option::check(guest, disk, causes);
        invalid_disk_name::check(disk, causes);
        invalid_block_size::check(guest, disk, causes);
    }
}

/// Mirrors validateVolumes, vmi-create-admitter.go @ v1.9.0.
fn check_volumes(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for volume in guest.each("volumes") {
        repeated_volume_name::check(guest, volume, causes);
        data_volume_without_name::check(volume, causes);
        volume_without_one_source::check(volume, causes);
        invalid_cloud_init::check(volume, causes);
        downward_metrics_without_gate::check_volume(guest, volume, causes);
        host_disk_without_gate::check(guest, volume, causes);
        invalid_host_disk::check(volume, causes);
        volume_source_without_name::check(volume, causes);
    }
    repeated_unique_volume::check(guest, causes);
}
