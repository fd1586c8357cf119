//! A shared file system needs a feature gate.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// From 1.5 on: reports `devices.filesystems` over claims where the feature gate `EnableVirtioFsStorageVolumes` is off,
    /// and up to 1.7 over ConfigMaps, Secrets, service accounts and the downward API where `EnableVirtioFsConfigVolumes` is off.
    /// `ExperimentalVirtiofsSupport` turns on both up to 1.7.
    ///
    /// ## Why it matters
    ///
    /// Sharing a file system with a guest runs a server in its pod, which a cluster has to allow.
    ///
    /// KubeVirt's check: [`validateFilesystemsWithVirtIOFSEnabled`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad,kubevirt=1.5..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           filesystems:
    ///             - name: shared
    ///               virtiofs: {}
    ///       volumes:
    ///         - name: shared
    ///           persistentVolumeClaim:
    ///             claimName: shared
    /// ```
    ///
    /// ```text
    /// spec.template.spec.domain.devices.filesystems: virtiofs is not allowed: virtiofs feature gate is not enabled for PVC
    /// ```
    ///
    /// ```yaml,good,kubevirt=1.8..
    /// spec:
    ///   template:
    ///     spec:
    ///       domain:
    ///         devices:
    ///           filesystems:
    ///             - name: config
    ///               virtiofs: {}
    ///       volumes:
    ///         - name: config
    ///           configMap:
    ///             name: web
    /// ```
    ///
    /// ## Limits
    ///
    /// Without a known configuration the finding is `depends-on-configuration`.
    "virtiofs-without-gate": "a shared file system needs a feature gate"
}

pub(super) fn check(guest: AdmittedGuest<'_>, causes: &mut Causes) {
    if !guest.does(Behaviour::FileSystemsNeedGate) {
        return;
    }
    let older = guest.does(Behaviour::ConfigVolumesNeedVirtiofsGate);
    let both = older && guest.gate("ExperimentalVirtiofsSupport");
    for filesystem in guest.each("domain.devices.filesystems") {
        let Some(volume) = guest.volume(filesystem.str_at("name")) else {
            continue;
        };
        let is = |sources: &[&str]| sources.iter().any(|source| volume.get(source).is_some());
        let config = older && is(&["configMap", "secret", "serviceAccount", "downwardAPI"]);
        let (gate, words) = if config && !both && !guest.gate("EnableVirtioFsConfigVolumes") {
            ("EnableVirtioFsConfigVolumes", "config volumes")
        } else if is(&["persistentVolumeClaim", "dataVolume"])
            && !both
            && !guest.gate("EnableVirtioFsStorageVolumes")
        {
            ("EnableVirtioFsStorageVolumes", "PVC")
        } else {
            continue;
        };
        RULE.refuse(causes, guest.at("domain.devices.filesystems"))
            .because(format!(
                "virtiofs is not allowed: virtiofs feature gate is not enabled for {words}"
            ))
            .at(filesystem.place())
            .gate(gate);
    }
}
