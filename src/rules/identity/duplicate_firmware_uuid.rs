//! Two guests with one firmware UUID.

use crate::rules::identity::shared;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports VMs of one root that set the same `firmware.uuid`.
    ///
    /// ## Why it matters
    ///
    /// The guest sees the UUID as its machine's serial identity: licences, cloud-init's instance and management agents take two
    /// guests for one. It comes with a copied example; the one of the Windows guide is the most copied.
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
    ///         firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}
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
    ///         firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.firmware.uuid: VirtualMachine a has the same firmware UUID
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
    ///         firmware: {uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}
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
    ///         firmware: {uuid: 6e2c1a0e-5a9e-4a37-9f4a-2d6f4c8b7d10}
    /// ```
    ///
    /// ## Limits
    ///
    /// Roots are not compared with each other: overlays and clusters may hold one VM each. There is no fix: only you
    /// know which of the two is the original.
    "duplicate-firmware-uuid": "two VMs have the same firmware UUID",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    shared::report_firmware(
        context,
        findings,
        "uuid",
        "firmware UUID",
        str::to_ascii_lowercase,
    );
}
