//! Network binding plugins need a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an interface with `binding` on 1.4 where the feature gate `NetworkBindingPlugins` is off.
    ///
    /// ## Why it matters
    ///
    /// Without the gate the webhook refuses the VM; from 1.5 on plugins need none.
    ///
    /// KubeVirt's check: [`validateBindingPlugin`](https://github.com/kubevirt/kubevirt/blob/v1.4.1/pkg/network/admitter/binding.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=..=1.4
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               binding:
    ///                 name: passt
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0].name: Binding plugins feature gate is not enabled
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///               masquerade: {}
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ## Limits
    ///
    /// Targets up to 1.4 only. Without a known configuration the finding is `depends-on-configuration`.
    "binding-plugin-without-gate": "network binding plugins need a feature gate"
}

const GATE: &str = "NetworkBindingPlugins";

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    if interface.get("binding").is_some() && !guest.gate(GATE) {
        let field = interface.place();
        RULE.refuse(causes, field.field("name"))
            .because("Binding plugins feature gate is not enabled")
            .at(field.field("binding"))
            .gate(GATE);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{GATE, RULE};
    use crate::release::Release;
    use crate::rules::testing::edges_on;

    #[test]
    fn only_1_4_asks_for_the_gate() {
        let listed = json!({"developerConfiguration": {"featureGates": [GATE]}});
        for (release, config, refused) in [
            (Release::V1_4, json!({}), true),
            (Release::V1_4, listed, false),
            (Release::V1_5, json!({}), false),
        ] {
            edges_on(
                &RULE,
                release,
                &config,
                "{domain: {devices: {interfaces: [{name: default, $}]}}, networks: [{name: default, pod: {}}]}",
                &[
                    ("binding: {name: passt}", refused),
                    ("masquerade: {}", false),
                ],
            );
        }
    }
}
