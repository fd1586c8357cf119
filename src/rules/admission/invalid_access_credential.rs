//! An access credential is incomplete.

use crate::field_path::FieldPath;
use crate::rules::admission::causes::Causes;
use crate::rules::admission::guest::AdmittedGuest;
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports `accessCredentials` that have not exactly one type, one source and one propagation method, `noCloud` and
    /// `configDrive` without a cloud-init volume of that kind, and `qemuGuestAgent` without users.
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
    for (at, credential) in guest.items("accessCredentials").iter().enumerate() {
        let field = guest.at("accessCredentials").index(at);
        let (ssh, password) = (
            credential.get("sshPublicKey"),
            credential.get("userPassword"),
        );
        if let Some(ssh) = ssh {
            check_ssh(guest, &field, ssh, causes);
            let methods = ["noCloud", "configDrive", "qemuGuestAgent"];
            check_counts(&field, "sshPublicKey", ssh, &methods, causes);
        }
        if let Some(password) = password {
            check_counts(
                &field,
                "userPassword",
                password,
                &["qemuGuestAgent"],
                causes,
            );
        }
        if ssh.is_some() == password.is_some() {
            let message = format!("{field} must have exactly one access credential type set");
            causes
                .push(&RULE, &field, message)
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
            let message = format!(
                "{field} requires a {method} volume to exist when the {method} propagationMethod is in use."
            );
            causes
                .push(&RULE, field.then("sshPublicKey.propagationMethod"), message)
                .help(format!("add a `{volume}` volume"));
        }
    }
    let agent = ssh.path("propagationMethod.qemuGuestAgent");
    if agent.is_some_and(|agent| agent.items_at("users").is_empty()) {
        let message = format!("{field} requires at least one user to be present in the users list");
        causes.push(
            &RULE,
            field.then("sshPublicKey.propagationMethod.qemuGuestAgent.users"),
            message,
        );
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
        let message = format!("{field} must have exactly one source set");
        causes
            .push(&RULE, field.field(kind).field("source"), message)
            .help("name the Secret in `source.secret.secretName`");
    }
    let used = methods.iter().filter(|method| {
        credential
            .path(&format!("propagationMethod.{method}"))
            .is_some()
    });
    if used.count() != 1 {
        let message = format!("{field} must have exactly one propagationMethod set");
        causes
            .push(&RULE, field.field(kind).field("propagationMethod"), message)
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
