//! Two guests with one firmware serial.

use crate::rules::identity::shared;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports VMs of one root that set the same `firmware.serial`.
    ///
    /// ## Why it matters
    ///
    /// The guest sees the serial number in its firmware tables: licences and inventories take two guests for one.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory: {guest: 1Gi}
    ///         firmware: {serial: vm-0001}
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory: {guest: 1Gi}
    ///         firmware: {serial: vm-0001}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.firmware.serial: VirtualMachine a has the same firmware serial
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: a}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory: {guest: 1Gi}
    ///         firmware: {serial: vm-0001}
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices: {}
    ///         memory: {guest: 1Gi}
    ///         firmware: {serial: vm-0002}
    /// ```
    ///
    /// ## Limits
    ///
    /// Roots are not compared with each other: overlays and clusters may hold one VM each. There is no fix: only you
    /// know which of the two is the original.
    "duplicate-firmware-serial": "two VMs have the same firmware serial",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    shared::report_firmware(
        context,
        findings,
        "serial",
        "firmware serial",
        str::to_owned,
    );
}
