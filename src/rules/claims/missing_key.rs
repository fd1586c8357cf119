//! A Secret or ConfigMap without the key that KubeVirt reads.

use crate::cause::Cause;
use crate::config::did_you_mean;
use crate::resolve::named::UsedFor;
use crate::rule::Severity;
use crate::rules::guests::guests;
use crate::rules::guests::mounted::MountedObject;
use crate::rules::{Context, Findings};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports a Secret or ConfigMap of the tree that lacks the key for which a virtual machine names it: `userdata` or
    /// `userData` for cloud-init's user data, `networkdata` or `networkData` for its network data, `autounattend.xml` or
    /// `unattend.xml` for Windows' setup, in whatever case.
    ///
    /// ## Why it matters
    ///
    /// The guest's pod looks for exactly these keys. Without the answer file, and without any cloud-init data, it fails at
    /// every start; where there is other cloud-init data, the guest starts without what is missing.
    ///
    /// KubeVirt reads the keys in [`resolveNoCloudSecrets`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/cloud-init/cloud-init.go)
    /// and [`validateUnattendPresence`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/config/sysprep.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: init, disk: {bus: virtio}}]}, memory: {guest: 1Gi}}
    ///       volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: web-init}}}]
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: web-init}
    /// stringData: {user-data: "#cloud-config"}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.secretRef.name: the Secret `web-init` has no key `userdata` or `userData`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: web}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: init, disk: {bus: virtio}}]}, memory: {guest: 1Gi}}
    ///       volumes: [{name: init, cloudInitNoCloud: {secretRef: {name: web-init}}}]
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: web-init}
    /// stringData: {userdata: "#cloud-config"}
    /// ```
    ///
    /// ## Limits
    ///
    /// An object that SOPS encrypts, that an operator makes (SealedSecret, ExternalSecret), or that has no key at all in Git
    /// is not looked into.
    "missing-key": "a Secret or ConfigMap lacks the key that KubeVirt reads",
    level: Error,
    check: Catalog(check),
}

/// What the user data of cloud-init stands under, then its network data, then the answers of Windows' setup.
const USER_DATA: [&str; 2] = ["userdata", "userData"];
const NETWORK_DATA: [&str; 2] = ["networkdata", "networkData"];
const ANSWERS: [&str; 2] = ["autounattend.xml", "unattend.xml"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        let uses = [UsedFor::CloudInit, UsedFor::Sysprep];
        for mounted in MountedObject::of_guest(&guest, context, &uses) {
            let field = mounted.named.field.to_string();
            let is_sysprep = mounted.named.used == UsedFor::Sysprep;
            let wanted = if is_sysprep {
                ANSWERS
            } else if field.contains("networkDataSecretRef") {
                NETWORK_DATA
            } else {
                USER_DATA
            };
            let serves = |key: &str| {
                let key = if is_sysprep { &key.to_lowercase() } else { key };
                wanted.contains(&key)
            };
            if mounted.keys().any(serves) {
                continue;
            }
            let id = &mounted.object.id;
            let [first, second] = wanted;
            let message = format!(
                "the {} `{}` has no key `{first}` or `{second}`",
                id.kind, id.name
            );
            let has_other_data = !is_sysprep
                && mounted
                    .named
                    .field
                    .prefix(guest.path.segments().len() + 3)
                    .find(&guest.resource.node)
                    .is_some_and(|source| has_other_data(source, wanted == NETWORK_DATA));
            let finding = findings.report(guest.resource, mounted.named.field.clone(), message);
            finding.related(mounted.place());
            let meant = mounted
                .keys()
                .find(|key| did_you_mean(key, wanted.into_iter()).is_some());
            finding.help(meant.map_or_else(
                || format!("put the data under `{first}`"),
                |key| format!("rename `{key}` to `{first}`"),
            ));
            if is_sysprep {
                let words = "Sysprep drive should contain autounattend.xml or unattend.xml but neither were found.";
                finding.kubevirt(Cause::new("", words));
            } else if has_other_data {
                finding.severity(Severity::Warning);
            }
        }
    }
}

/// Whether a source of cloud-init data has data besides the user data, or besides the network data.
fn has_other_data(source: &Node, besides_networks: bool) -> bool {
    let inline = [
        "userData",
        "userDataBase64",
        "networkData",
        "networkDataBase64",
    ];
    let other = if besides_networks {
        "secretRef"
    } else {
        "networkDataSecretRef"
    };
    let has = |key: &str| source.get(key).is_some_and(|node| !node.is_zero());
    inline.into_iter().any(has) || has(other)
}
