//! What a guest names beside its instance type and preference: claims, Secrets, ConfigMaps and network attachments.

use crate::field_path::FieldPath;
use crate::yaml::Node;

/// A kind of object that a guest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A disk: a PersistentVolumeClaim, or the DataVolume of that name that makes one.
    Claim,
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
    /// A NetworkAttachmentDefinition.
    Network,
}

impl Kind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Secret => "Secret",
            Self::ConfigMap => "ConfigMap",
            Self::Network => "network attachment",
        }
    }

    /// Group and kind of the objects that may bear the name.
    pub const fn objects(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Claim => &[
                ("", "PersistentVolumeClaim"),
                ("cdi.kubevirt.io", "DataVolume"),
            ],
            Self::Secret => &[("", "Secret")],
            Self::ConfigMap => &[("", "ConfigMap")],
            Self::Network => &[("k8s.cni.cncf.io", "NetworkAttachmentDefinition")],
        }
    }
}

/// What a guest uses an object for, which says when its guest sees a change of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedFor {
    /// Its disk is the object itself, or made of it when the guest starts.
    Disk,
    /// A directory that the guest shares while it runs.
    Directory,
    /// cloud-init data.
    CloudInit,
    /// The answers of Windows' setup.
    Sysprep,
    /// Keys and passwords that the guest agent sets.
    Agent,
    /// Keys that cloud-init brings.
    Keys,
    /// A network interface.
    Interface,
}

/// An object that a guest names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedObject<'a> {
    /// What it names.
    pub kind: Kind,
    /// Its namespace, where it is not the guest's own.
    pub namespace: Option<&'a str>,
    /// Its name.
    pub name: &'a str,
    /// The field that names it, from where the spec lies.
    pub field: FieldPath,
    /// What for.
    pub used: UsedFor,
    /// Whether the guest starts without it.
    pub is_optional: bool,
}

const VOLUMES: [(&str, Kind, UsedFor); 12] = [
    (
        "persistentVolumeClaim.claimName",
        Kind::Claim,
        UsedFor::Disk,
    ),
    ("dataVolume.name", Kind::Claim, UsedFor::Disk),
    (
        "ephemeral.persistentVolumeClaim.claimName",
        Kind::Claim,
        UsedFor::Disk,
    ),
    ("memoryDump.claimName", Kind::Claim, UsedFor::Disk),
    ("secret.secretName", Kind::Secret, UsedFor::Disk),
    ("configMap.name", Kind::ConfigMap, UsedFor::Disk),
    (
        "cloudInitNoCloud.secretRef.name",
        Kind::Secret,
        UsedFor::CloudInit,
    ),
    (
        "cloudInitNoCloud.networkDataSecretRef.name",
        Kind::Secret,
        UsedFor::CloudInit,
    ),
    (
        "cloudInitConfigDrive.secretRef.name",
        Kind::Secret,
        UsedFor::CloudInit,
    ),
    (
        "cloudInitConfigDrive.networkDataSecretRef.name",
        Kind::Secret,
        UsedFor::CloudInit,
    ),
    ("sysprep.secret.name", Kind::Secret, UsedFor::Sysprep),
    ("sysprep.configMap.name", Kind::ConfigMap, UsedFor::Sysprep),
];

/// Everything that a guest names whose spec lies at `place`.
pub fn of_guest<'a>(spec: &'a Node, place: &FieldPath) -> Vec<NamedObject<'a>> {
    let mut out = Vec::new();
    for (at, volume) in spec.items_at("volumes").iter().enumerate() {
        for (field, kind, used) in VOLUMES {
            let name = volume.str_at(field);
            if name.is_empty() {
                continue;
            }
            let source = field.split('.').next().unwrap_or_default();
            let is_shared = matches!(source, "secret" | "configMap")
                && spec
                    .items_at("domain.devices.filesystems")
                    .iter()
                    .any(|shared| shared.str_at("name") == volume.str_at("name"));
            out.push(NamedObject {
                kind,
                namespace: None,
                name,
                field: place.field("volumes").index(at).then(field),
                used: if is_shared { UsedFor::Directory } else { used },
                is_optional: volume.bool_at(&format!("{source}.optional")),
            });
        }
    }
    for (at, credential) in spec.items_at("accessCredentials").iter().enumerate() {
        for kind in ["sshPublicKey", "userPassword"] {
            let field = format!("{kind}.source.secret.secretName");
            let name = credential.str_at(&field);
            if name.is_empty() {
                continue;
            }
            let by_agent = credential
                .path(&format!("{kind}.propagationMethod.qemuGuestAgent"))
                .is_some();
            out.push(NamedObject {
                kind: Kind::Secret,
                namespace: None,
                name,
                field: place.field("accessCredentials").index(at).then(&field),
                used: if by_agent {
                    UsedFor::Agent
                } else {
                    UsedFor::Keys
                },
                is_optional: false,
            });
        }
    }
    for (at, network) in spec.items_at("networks").iter().enumerate() {
        let written = network.str_at("multus.networkName");
        if written.is_empty() {
            continue;
        }
        let (namespace, name) = match written.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (None, written),
        };
        out.push(NamedObject {
            kind: Kind::Network,
            namespace,
            name,
            field: place.field("networks").index(at).then("multus.networkName"),
            used: UsedFor::Interface,
            is_optional: false,
        });
    }
    out
}
