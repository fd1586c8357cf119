//! An access credential is incomplete.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports `accessCredentials` that do not have exactly one type, one source and one propagation method, `noCloud`
    /// and `configDrive` without a cloud-init volume of that kind, and `qemuGuestAgent` without users.
    ///
    /// ## Why it matters
    ///
    /// Keys get into the guest through a cloud-init volume or the guest agent; each credential says how, once.
    ///
    /// KubeVirt's check: [`validateAccessCredentials`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source:
    ///               secret:
    ///                 secretName: keys
    ///             propagationMethod:
    ///               noCloud: {}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.accessCredentials[0].sshPublicKey.propagationMethod: spec.template.spec.accessCredentials[0] requires a noCloud volume to exist when the noCloud propagationMethod is in use.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source:
    ///               secret:
    ///                 secretName: keys
    ///             propagationMethod:
    ///               noCloud: {}
    ///       volumes:
    ///         - name: ci
    ///           cloudInitNoCloud:
    ///             userData: '#cloud-config
    ///
    ///               '
    /// ```
    "invalid-access-credential": "an access credential is incomplete"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    for credential in guest.each("accessCredentials") {
        let field = credential.place();
        let ssh = credential.get("sshPublicKey");
        let password = credential.get("userPassword");
        if let Some(ssh) = ssh {
            check_ssh(guest, &field, ssh, causes);
            let methods = ["noCloud", "configDrive", "qemuGuestAgent"];
            check_counts(&field, "sshPublicKey", ssh, &methods, causes);
        }
        if let Some(password) = password {
            let methods = ["qemuGuestAgent"];
            check_counts(&field, "userPassword", password, &methods, causes);
        }
        if ssh.is_some() == password.is_some() {
            RULE.refuse(causes, field)
                .because_it("must have exactly one access credential type set")
                .help("keep either `sshPublicKey` or `userPassword`");
        }
    }
}

fn check_ssh(guest: AdmittedGuest<'_>, field: &FieldPath, ssh: &Node, causes: &mut Causes) {
    for (method, volume) in [
        ("noCloud", "cloudInitNoCloud"),
        ("configDrive", "cloudInitConfigDrive"),
    ] {
        let has_volume = guest.volumes().iter().any(|v| v.get(volume).is_some());
        if ssh.path(&format!("propagationMethod.{method}")).is_some() && !has_volume {
            RULE.refuse(causes, field.then("sshPublicKey.propagationMethod"))
                .because(format!("{field} requires a {method} volume to exist when the {method} propagationMethod is in use."))
                .help(format!("add a `{volume}` volume"));
        }
    }
    let agent = ssh.path("propagationMethod.qemuGuestAgent");
    if agent.is_some_and(|agent| agent.items_at("users").is_empty()) {
        RULE.refuse(
            causes,
            field.then("sshPublicKey.propagationMethod.qemuGuestAgent.users"),
        )
        .because(format!(
            "{field} requires at least one user to be present in the users list"
        ));
    }
}

fn check_counts(
    field: &FieldPath,
    kind: &str,
    credential: &Node,
    methods: &[&str],
    causes: &mut Causes,
) {
    if credential.path("source.secret").is_none() {
        RULE.refuse(causes, field.field(kind).field("source"))
            .because(format!("{field} must have exactly one source set"))
            .help("name the Secret in `source.secret.secretName`");
    }
    let used = credential.get("propagationMethod");
    if used.map_or(0, |used| count(used, methods)) != 1 {
        RULE.refuse(causes, field.field(kind).field("propagationMethod"))
            .because(format!(
                "{field} must have exactly one propagationMethod set"
            ))
            .help(format!("keep one of `{}`", methods.join("`, `")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn types_sources_and_methods_are_counted() {
        let bad = json!({"spec": {"template": {"spec": {"accessCredentials": [
            {}, {"userPassword": {"source": {}, "propagationMethod": {}}}, {"sshPublicKey": {"source": {"secret": {"secretName": "a"}}, "propagationMethod": {"qemuGuestAgent": {"users": []}}}}
        ]}}}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| field.replace("spec.template.spec.accessCredentials", ""))
            .collect();
        assert_eq!(
            fields,
            [
                "[0]",
                "[1].userPassword.source",
                "[1].userPassword.propagationMethod",
                "[2].sshPublicKey.propagationMethod.qemuGuestAgent.users"
            ]
        );
    }
}
