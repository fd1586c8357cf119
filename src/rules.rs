//! The checks: a rule is a value beside the function it runs, and [`ALL`] is the one list of them.

pub mod docs;
pub(crate) mod guests;
#[cfg(test)]
pub(crate) mod testing;
pub mod tree;

use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::finding::Finding;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::rule::RuleInfo;
use crate::schema::Decoded;
use crate::source::Sources;
use crate::yaml::Node;

use self::tree::Tree;

/// Declares a rule: its page as doc comment, then its id and summary, its level and what it runs.
///
/// `strict`, where given, is the level under `profile: strict`. A rule that says neither level nor check is an error that
/// the ordered review of the webhooks raises. The family is the folder's.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ $id:literal: $summary:literal) => {
        rule! { $(#[doc = $doc])+ $id: $summary, level: Error, check: Raised }
    };
    (
        $(#[doc = $doc:literal])+
        $id:literal: $summary:literal,
        level: $level:ident,
        $(strict: $strict:ident,)?
        check: $scope:ident $(($check:expr))? $(,)?
    ) => {
        #[doc = concat!("`", $id, "`: ", $summary, ".\n")]
        $(#[doc = $doc])+
        pub static RULE: $crate::rules::Rule = $crate::rules::Rule {
            info: $crate::rule::RuleInfo {
                id: $id,
                family: super::FAMILY,
                summary: $summary,
                level: $crate::rule::Level::$level,
                strict: rule!(@strict $level $($strict)?),
                status: $crate::rule::Status::Stable { since: "0.1.0" },
                docs: concat!($($doc, "\n"),+),
                file: file!(),
                line: line!(),
            },
            check: $crate::rules::Check::$scope $(($check))?,
        };
    };
    (@strict $level:ident $strict:ident) => { $crate::rule::Level::$strict };
    (@strict Off) => { $crate::rule::Level::Note };
    (@strict $level:ident) => { $crate::rule::Level::$level };
}

/// The one list: makes a module of every rule and of what stands beside the rules in a family's folder, and [`ALL`].
macro_rules! rules {
    ($(
        $(#[$doc:meta])+
        $variant:ident in $family:ident $(beside [$($vis:vis $beside:ident),+])?: [$($rule:ident),+ $(,)?]
    )+) => {
        $(
            $(#[$doc])+
            pub mod $family {
                const FAMILY: crate::rule::Family = crate::rule::Family::$variant;
                $($($vis mod $beside;)+)?
                $(pub mod $rule;)+
            }
        )+

        /// Every rule, by family and then by id.
        pub static ALL: &[&Rule] = &[$($(&$family::$rule::RULE),+),+];
    };
}

rules! {
    /// Can the sources be read, and does the API know what they say?
    Input in input beside [pub kinds, pub read, pub schema]: [
        depends_on_configuration, dropped_null, duplicate_key, duplicate_resource, forbidden_field, invalid_network_config, invalid_yaml, missing_field,
        not_utf8, repeated_list_item, templated_file, unknown_field, unsupported_field, unused_ignore, wrong_type,
    ]
    /// Does Git hold what the cluster writes?
    Drift in drift: [
        implicit_default_network, inferred_matcher, noncanonical_quantity, pinned_machine_type, revision_name_in_spec,
        runtime_data,
    ]
    /// Would KubeVirt's webhooks accept it? The checks run in KubeVirt's order and answer in its words.
    Admission in admission beside [pub causes, curable, pub(in crate::rules) giver, pub guest, kubernetes, pub(in crate::rules) names, pub(in crate::rules) order, patterns, prelude, pub report, pub review, pub structural]: [
        acpi_table_without_secret, binding_plugin_without_gate, boot_order_not_positive, bridge_on_pod_network, cloud_init_too_large,
        conflicting_default_networks, cpu_request_exceeds_limit, data_volume_template_source,
        data_volume_template_storage, data_volume_without_name, dedicated_cpu_count, dedicated_cpu_threads,
        dedicated_cpu_unequal_memory, dedicated_cpu_without_memory, default_binding_not_permitted,
        discontinued_binding, disk_without_volume, downward_metrics_disk, downward_metrics_without_gate,
        efi_with_bios, empty_cdrom_without_gate, foreign_architecture, foreign_data_volume_template,
        fractional_dedicated_cpu, grace_gpu_requirements, guest_memory_exceeds_limit, host_devices_without_gate,
        host_disk_without_gate, ignition_without_gate, inference_failed, interface_without_network,
        interface_without_one_binding, invalid_access_credential, invalid_affinity, invalid_block_size,
        invalid_claim_network, invalid_cloud_init, invalid_container_disk_path, invalid_device_claim,
        invalid_dhcp_option, invalid_disk_name, invalid_disk_pci_address, invalid_disk_serial, invalid_dns_config,
        invalid_eviction_strategy, invalid_firmware_serial, invalid_host_disk, invalid_hostname, invalid_hugepages, invalid_interface_name,
        invalid_interface_port, invalid_io_threads, invalid_kernel_boot, invalid_matcher, invalid_metadata, invalid_migration_threads,
        invalid_overcommit, invalid_panic_device, invalid_pool_strategy, invalid_port_range, invalid_preferred_topology,
        invalid_resource_claim, invalid_run_strategy, invalid_service_account, invalid_sound_device,
        invalid_start_strategy, invalid_subdomain, invalid_topology_spread, invalid_video_device,
        io_thread_without_virtio, isolated_emulator_without_dedicated_cpu, launch_security_requirements,
        launch_security_without_gate, lun_without_claim, macvtap_binding_requirements,
        malformed_interface_pci_address, malformed_mac_address, masquerade_off_pod_network,
        memory_hotplug_requirements, memory_not_aligned, memory_request_exceeds_limit, memory_request_out_of_range,
        missing_run_strategy, multus_network_without_name, negative_cpu_resource, negative_memory_limit,
        network_without_interface, network_without_one_source, numa_passthrough_requirements,
        passt_binding_requirements, persistent_reservation_without_gate, persistent_state_without_gate,
        probe_without_one_handler, probe_without_pod_network, realtime_requirements, reboot_policy_without_gate,
        repeated_boot_order, repeated_disk_name, repeated_interface_name, repeated_network_name,
        repeated_unique_volume, repeated_volume_name, reserved_guest_label, reserved_mac_address,
        reserved_overhead_without_gate, run_strategy_conflict, secure_boot_without_smm, selector_mismatch,
        several_disk_targets, several_ramfb_displays, sidecar_without_gate, sockets_exceed_maximum,
        unnamed_data_volume_template, unreferenced_data_volume_template, unsupported_cpu_feature_policy,
        unsupported_disk_bus, unsupported_disk_option, unsupported_input_device, unsupported_interface_model,
        unsupported_interface_state, unsupported_machine_type, utility_volumes_in_spec, virtiofs_without_gate,
        volume_source_without_name, volume_without_one_source, volumes_strategy_without_gate, vsock_without_gate,
    ]
    /// Would a guest that is stored ever start? The checks run in KubeVirt's order and answer in its words.
    Start in start beside [pub order, prelude, pub report, pub review, pub workloads]: [
        bios_on_arm64, conflicting_revision, container_path_without_filesystem, cpu_model_on_arm64, disk_bus_on_arm64,
        evmcs_without_vmx, guest_resource_version, guest_without_memory, hyperv_requirement_disabled,
        hyperv_with_passthrough, invalid_guest_annotation, invalid_guest_finalizer, invalid_guest_label,
        refused_expansion, reserved_container_path, revision_name_too_long, secure_boot_on_arm64, sound_on_arm64,
        unknown_architecture, unstartable_default, unsupported_video_type, unsupported_watchdog,
    ]
    /// Would the webhooks of CDI accept it, or the DataVolume that KubeVirt makes of it?
    Cdi in cdi beside [cron, prelude, pub report, pub(in crate::rules) review, url]: [
        import_without_one_source, import_without_target_claim, incomplete_source, invalid_access_mode, invalid_checksum,
        invalid_content_type, invalid_external_population, invalid_import_cron, invalid_object_transfer,
        invalid_registry_source, invalid_source_ref, invalid_source_url, invalid_volume_size, name_too_long,
        volume_without_one_storage,
    ]
    /// Do instance type and preference resolve, and do they fit?
    Instancetypes in instancetypes beside [pub(super) unresolved]: [
        deprecated_preference_field, instancetype_conflict, kubevirt_would_crash, preference_overrides_vm,
        preference_requirement_unmet, removed_common_instancetype, spread_not_divisible, unresolved_instancetype,
        unresolved_preference,
    ]
    /// Is it on its way out?
    Deprecation in deprecation: [
        deprecated_api_version, deprecated_running, removed_api_version, removed_field,
    ]
    /// Do stored revisions hold what is expected?
    Revisions in revisions beside [pub(super) pin]: [
        dangling_revision, mislabelled_revision, outdated_revision, pinned_revision_differs, revision_name_mismatch,
    ]
    /// Is a guest's identity its own?
    Identity in identity beside [shared]: [
        duplicate_firmware_serial, duplicate_firmware_uuid, duplicate_mac_address,
    ]
    /// Does each claim have one owner, and is what a guest names there?
    Claims in claims beside [references, used]: [
        claim_used_twice, data_volume_owned_twice, eviction_without_migration, missing_key, unmountable_credential,
        unresolved_reference,
    ]
    /// Will cloud-init read it, and does it hold secrets?
    CloudInit in cloud_init beside [user_data]: [
        cloud_init_header, inline_cloud_init_secret, invalid_answer_file, invalid_cloud_config, misspelt_cloud_config_key,
        sexagesimal_network_data,
    ]
}

/// A rule: what is said about it, and the check it runs.
#[derive(Debug)]
pub struct Rule {
    /// What is said about it.
    pub info: RuleInfo,
    /// What it runs.
    pub check: Check,
}

/// The scope a check runs over.
#[derive(Debug)]
pub enum Check {
    /// Once a VirtualMachine.
    Vm(fn(&Vm<'_>, &Context<'_>, &mut Findings)),
    /// Once a catalog, for what concerns several resources or another kind.
    Catalog(fn(&Context<'_>, &mut Findings)),
    /// Never by itself: what reads or decodes the sources raises it.
    Input,
    /// Never by itself: the ordered review of the webhooks, another rule or the end of the run raises it.
    Raised,
}

/// What a check may look at.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// The cluster the manifests are for.
    pub target: &'a Target,
    /// The resources of the root under judgement.
    pub catalog: &'a Catalog,
    /// What those resources name, found.
    pub resolver: &'a Resolver<'a>,
    /// Everything that goes to that cluster, of whatever root.
    pub tree: &'a Tree<'a>,
}

/// A VirtualMachine with everything that several rules need, computed once.
#[derive(Debug)]
pub struct Vm<'a> {
    /// The resource as written.
    pub resource: &'a Resource,
    /// The resource as the release's Go types hold it, and what reading it dropped.
    pub decoded: Decoded,
    /// Its namespace, or the assumed one.
    pub namespace: &'a str,
    /// What the check may look at besides.
    pub context: Context<'a>,
}

impl<'a> Vm<'a> {
    /// The VM of a resource of that kind and what it decodes to.
    pub fn new(resource: &'a Resource, decoded: Decoded, context: &Context<'a>) -> Self {
        Self {
            resource,
            decoded,
            namespace: resource.namespace_or(&context.target.namespace),
            context: *context,
        }
    }

    /// The tree as written.
    pub const fn written(&self) -> &'a Node {
        &self.resource.node
    }
}

/// Collects what a check finds.
#[derive(Debug)]
pub struct Findings {
    rule: &'static RuleInfo,
    items: Vec<Finding>,
}

impl Findings {
    /// A collector for the check of `rule`.
    pub const fn new(rule: &'static RuleInfo) -> Self {
        Self {
            rule,
            items: Vec::new(),
        }
    }

    /// Reports the running rule at a field of a resource; the field need not be there.
    pub fn report(
        &mut self,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::at(self.rule, resource, path, message))
    }

    /// Reports the running rule at the key of a field whose value is not to be shown.
    pub(crate) fn report_key(
        &mut self,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::at_key(self.rule, resource, path, message))
    }

    /// What was found.
    pub(crate) fn into_items(self) -> Vec<Finding> {
        self.items
    }

    fn push(&mut self, finding: Finding) -> &mut Finding {
        self.items.push(finding);
        self.items.last_mut().expect("just pushed")
    }
}

/// Every id, in the order of [`ALL`].
pub fn ids() -> impl Iterator<Item = &'static str> + Clone {
    ALL.iter().map(|rule| rule.info.id)
}

/// The rule of that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.info.id == id)
}

#[cfg(test)]
mod tests;
