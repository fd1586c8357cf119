//! An interface has no binding, or several.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports an interface that does not have exactly one of `bridge`, `masquerade`, `sriov`, `passtBinding` and
    /// `binding`. Up to 1.8 only a binding plugin (`binding`) beside another method is refused.
    ///
    /// ## Why it matters
    ///
    /// The binding says how the guest's interface is connected to the pod's. Before 1.9 an interface without one was
    /// accepted and failed when the guest started.
    ///
    /// KubeVirt's check: [`validateInterfaceBindingExists`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/network/admitter/binding.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.9..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           interfaces:
    ///             - name: default
    ///       networks:
    ///         - name: default
    ///           pod: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.interfaces[0]: logical default interface must have exactly one binding method or binding plugin
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
    "interface-without-one-binding": "an interface has no binding, or several"
}

pub(super) fn check(guest: AdmittedGuest<'_>, interface: Item<'_>, causes: &mut Causes) {
    let name = interface.str_at("name");
    if guest.does(Behaviour::RequiresOneBinding) {
        let methods = ["bridge", "masquerade", "sriov", "passtBinding", "binding"];
        if count(&interface, &methods) != 1 {
            RULE.refuse(causes, interface.place())
                .because(format!("logical {name} interface must have exactly one binding method or binding plugin"))
                .help("give it one binding, such as `masquerade: {}` or `bridge: {}`");
        }
        return;
    }
    let methods: &[&str] = if guest.does(Behaviour::DiscontinuesOldBindings) {
        &["bridge", "masquerade", "sriov", "passtBinding"]
    } else {
        &["bridge", "slirp", "masquerade", "sriov", "macvtap", "passt"]
    };
    if interface.get("binding").is_some() && count(&interface, methods) > 0 {
        RULE.refuse(causes, interface.at("binding"))
            .because(format!("logical {name} interface cannot have both binding plugin and interface binding method"))
            .help("keep either `binding` or the binding method");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn before_1_9_only_a_plugin_beside_a_method_is_refused() {
        let none = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default"}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        assert!(words(&RULE, Release::V1_8, &none, &json!({})).is_empty());
        let both = json!({"spec": {"template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "default", "bridge": {}, "binding": {"name": "x"}}]}}, "networks": [{"name": "default", "pod": {}}]}}}});
        assert_eq!(
            words(&RULE, Release::V1_8, &both, &json!({})),
            [(
                "spec.template.spec.domain.devices.interfaces[0].binding",
                "logical default interface cannot have both binding plugin and interface binding method"
            )]
        );
    }
}
