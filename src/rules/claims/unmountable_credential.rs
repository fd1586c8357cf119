//! An access credential whose Secret the guest's pod cannot mount.

use std::collections::BTreeMap;

use crate::resolve::named::{self, NamedObject, UsedFor};
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports a Secret of `accessCredentials` whose name has more than 51 characters or a dot, and a Secret that two access
    /// credentials name.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt calls the pod's volume for the Secret by the Secret's name and `-access-cred`
    /// ([`withAccessCredentials`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-controller/services/rendervolumes.go)).
    /// A pod's volumes have names of at most 63 characters, without dots, and no two are the same: the API server refuses
    /// the pod, and the guest never starts.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       domain: {devices: {}}
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source: {secret: {secretName: keys.of.the.team}}
    ///             propagationMethod: {qemuGuestAgent: {users: [admin]}}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.accessCredentials[0].sshPublicKey.source.secret.secretName: the pod's volume `keys.of.the.team-access-cred` has dots in its name: the API server refuses the pod
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       domain: {devices: {}}
    ///       accessCredentials:
    ///         - sshPublicKey:
    ///             source: {secret: {secretName: keys-of-the-team}}
    ///             propagationMethod: {qemuGuestAgent: {users: [admin]}}
    /// ```
    "unmountable-credential": "the guest's pod cannot mount the Secret of an access credential",
    level: Error,
    check: Catalog(check),
}

/// The longest name of a pod's volume, in characters.
const LONGEST: usize = 63;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        if guest.spec.items_at("accessCredentials").is_empty() {
            continue;
        }
        let named = named::of_guest(guest.spec, guest.path).into_iter();
        let named = named.filter(|name| matches!(name.used, UsedFor::Agent | UsedFor::Keys));
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in named {
            let times = seen.entry(name.name).or_default();
            *times += 1;
            if let Some((problem, help)) = problem(&name, *times) {
                let volume = volume_of(&name);
                let message = format!(
                    "the pod's volume `{volume}` {problem}: the API server refuses the pod"
                );
                findings
                    .report(guest.resource, name.field, message)
                    .help(help);
            }
        }
    }
}

fn volume_of(name: &NamedObject<'_>) -> String {
    format!("{}-access-cred", name.name)
}

/// Why the API server refuses the volume of a Secret that is named for this time, and what helps.
fn problem(name: &NamedObject<'_>, times: usize) -> Option<(&'static str, &'static str)> {
    if name.name.contains('.') {
        Some((
            "has dots in its name",
            "give the Secret a name without dots",
        ))
    } else if volume_of(name).len() > LONGEST {
        Some((
            "has more than 63 characters in its name",
            "give the Secret a name of at most 51 characters",
        ))
    } else if times > 1 {
        Some((
            "is there twice",
            "name another Secret, or one credential alone",
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use crate::config::{Config, Target};

    fn refused(secrets: &[&str]) -> usize {
        let credentials: Vec<String> = secrets
            .iter()
            .map(|secret| {
                format!("      - userPassword: {{source: {{secret: {{secretName: {secret}}}}}, propagationMethod: {{qemuGuestAgent: {{}}}}}}\n")
            })
            .collect();
        let credentials = credentials.concat();
        let vm = format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: a}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain: {{memory: {{guest: 1Gi}}, devices: {{}}}}\n      accessCredentials:\n{credentials}"
        );
        let (_, outcome) = check(
            &[("vm.yaml", vm.as_bytes())],
            &Target::default(),
            &Config::default(),
        );
        let findings = outcome.findings.iter();
        findings
            .filter(|finding| finding.rule.id == super::RULE.info.id)
            .count()
    }

    #[test]
    fn a_volume_of_a_pod_has_a_short_name_of_its_own() {
        let (fits, exceeds) = ("a".repeat(51), "a".repeat(52));
        assert_eq!(refused(&[&fits]), 0);
        assert_eq!(refused(&[&exceeds]), 1);
        assert_eq!(refused(&["a-b"]), 0);
        assert_eq!(refused(&["a.b"]), 1);
        assert_eq!(refused(&["a", "b"]), 0);
        assert_eq!(refused(&["a", "a"]), 1);
    }
}
