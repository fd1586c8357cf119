//! Two interfaces with one MAC address.

use crate::rules::identity::shared;
use crate::rules::{Context, Findings};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports interfaces of one root that set the same `macAddress`, however it is spelled.
    ///
    /// ## Why it matters
    ///
    /// On one network segment the two guests take each other's packets; where kubemacpool runs, it refuses the second VM.
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
    ///         devices:
    ///           interfaces: [{name: default, masquerade: {}, macAddress: "02:00:00:aa:bb:01"}]
    ///         memory: {guest: 1Gi}
    ///       networks: [{name: default, pod: {}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces: [{name: default, masquerade: {}, macAddress: "02-00-00-AA-BB-01"}]
    ///         memory: {guest: 1Gi}
    ///       networks: [{name: default, pod: {}}]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].macAddress: VirtualMachine a has the same MAC address
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
    ///         devices:
    ///           interfaces: [{name: default, masquerade: {}, macAddress: "02:00:00:aa:bb:01"}]
    ///         memory: {guest: 1Gi}
    ///       networks: [{name: default, pod: {}}]
    /// ---
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: b}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces: [{name: default, masquerade: {}, macAddress: "02:00:00:aa:bb:02"}]
    ///         memory: {guest: 1Gi}
    ///       networks: [{name: default, pod: {}}]
    /// ```
    ///
    /// ## Limits
    ///
    /// Networks are not told apart, and roots are not compared with each other.
    "duplicate-mac-address": "two interfaces have the same MAC address",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    shared::report(context, findings, "MAC address", |guest| {
        let list = "domain.devices.interfaces";
        let (at, interfaces) = (guest.path.then(list), guest.spec.items_at(list));
        interfaces
            .iter()
            .enumerate()
            .filter_map(|(index, interface)| {
                let address = interface.get("macAddress").and_then(Node::as_str)?;
                let plain = address.to_ascii_lowercase().replace('-', ":");
                (!plain.is_empty()).then(|| (at.index(index).field("macAddress"), plain))
            })
            .collect()
    });
}
