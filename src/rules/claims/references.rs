//! Every name in a manifest that has to lead to an object, beside instance types, preferences and revisions.

use crate::field_path::{FieldPath, Segment};
use crate::resolve::named::{self, Kind};
use crate::resource::Resource;
use crate::rules::guests::{GuestSpec, guest_of};
use crate::yaml::Node;

/// A kind by group and name.
pub(super) type GroupKind = (&'static str, &'static str);

const CLAIM: GroupKind = ("", "PersistentVolumeClaim");
const CONFIG_MAP: GroupKind = ("", "ConfigMap");
const DATA_SOURCE: GroupKind = ("cdi.kubevirt.io", "DataSource");
const DATA_VOLUME: GroupKind = ("cdi.kubevirt.io", "DataVolume");
const MACHINE: GroupKind = ("kubevirt.io", "VirtualMachine");
const MACHINE_SNAPSHOT: GroupKind = ("snapshot.kubevirt.io", "VirtualMachineSnapshot");
const PRIORITY: GroupKind = ("scheduling.k8s.io", "PriorityClass");
const RESOURCE_CLAIM: GroupKind = ("resource.k8s.io", "ResourceClaim");
const RESOURCE_TEMPLATE: GroupKind = ("resource.k8s.io", "ResourceClaimTemplate");
const SECRET: GroupKind = ("", "Secret");
const SERVICE_ACCOUNT: GroupKind = ("", "ServiceAccount");
const SNAPSHOT: GroupKind = ("snapshot.storage.k8s.io", "VolumeSnapshot");
const STORAGE: GroupKind = ("storage.k8s.io", "StorageClass");

/// A name in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// The field that holds it.
    pub(super) field: FieldPath,
    /// The kinds that would do, the usual one first.
    pub(super) kinds: &'static [GroupKind],
    /// The namespace; `None` where it is that of the resource.
    pub(super) namespace: Option<&'a str>,
    /// The name.
    pub(super) name: &'a str,
}

impl Reference<'_> {
    /// Whether it names an object of no namespace.
    pub(super) fn is_cluster_scoped(&self) -> bool {
        matches!(self.kinds, [PRIORITY | STORAGE])
    }
}

/// Whether a field is the name of a DataVolume that is a disk.
fn is_data_volume(field: &FieldPath) -> bool {
    let mut segments = field.segments().iter().rev().skip(1);
    matches!(segments.next(), Some(Segment::Field(key)) if key == "dataVolume")
}

/// Collects the names of one resource.
struct Names<'a> {
    found: Vec<Reference<'a>>,
}

impl<'a> Names<'a> {
    fn add(&mut self, node: &'a Node, at: &FieldPath, keys: &str, kinds: &'static [GroupKind]) {
        self.add_in(None, node, at, keys, kinds);
    }

    fn add_in(
        &mut self,
        namespace: Option<&'a str>,
        node: &'a Node,
        at: &FieldPath,
        keys: &str,
        kinds: &'static [GroupKind],
    ) {
        let name = node.str_at(keys);
        if !name.is_empty() {
            self.found.push(Reference {
                field: at.then(keys),
                kinds,
                namespace: namespace.filter(|namespace| !namespace.is_empty()),
                name,
            });
        }
    }

    fn guest(&mut self, guest: &GuestSpec<'a>, own: &[&str]) {
        let (spec, at) = (guest.spec, guest.path);
        for name in named::of_guest(spec, at) {
            if name.is_optional || name.kind == Kind::Claim && own.contains(&name.name) {
                continue;
            }
            let kinds: &'static [GroupKind] = match name.kind {
                Kind::Claim if is_data_volume(&name.field) => &[DATA_VOLUME, CLAIM],
                kind => kind.objects(),
            };
            self.found.push(Reference {
                field: name.field,
                kinds,
                namespace: name.namespace,
                name: name.name,
            });
        }
        for (index, volume) in spec.items_at("volumes").iter().enumerate() {
            let at = at.field("volumes").index(index);
            // Every namespace has this one.
            if volume.str_at("serviceAccount.serviceAccountName") != "default" {
                self.add(
                    volume,
                    &at,
                    "serviceAccount.serviceAccountName",
                    &[SERVICE_ACCOUNT],
                );
            }
            self.add(volume, &at, "containerDisk.imagePullSecret", &[SECRET]);
        }
        let kernel = "domain.firmware.kernelBoot.container.imagePullSecret";
        self.add(spec, at, kernel, &[SECRET]);
        // Every cluster has those of the system.
        if !spec.str_at("priorityClassName").starts_with("system-") {
            self.add(spec, at, "priorityClassName", &[PRIORITY]);
        }
        for (index, claim) in spec.items_at("resourceClaims").iter().enumerate() {
            let at = at.field("resourceClaims").index(index);
            self.add(claim, &at, "resourceClaimName", &[RESOURCE_CLAIM]);
            self.add(
                claim,
                &at,
                "resourceClaimTemplateName",
                &[RESOURCE_TEMPLATE],
            );
        }
    }

    /// What a DataVolume is filled from, and where it is stored.
    fn data_volume(&mut self, spec: &'a Node, at: &FieldPath) {
        if let Some(source) = spec.get("sourceRef")
            && matches!(source.str_at("kind"), "" | "DataSource")
        {
            let at = at.field("sourceRef");
            let namespace = Some(source.str_at("namespace"));
            self.add_in(namespace, source, &at, "name", &[DATA_SOURCE]);
        }
        if let Some(source) = spec.get("source") {
            self.source(source, &at.field("source"));
        }
        for of in ["storage", "pvc"] {
            if let Some(claim) = spec.get(of) {
                self.add(claim, &at.field(of), "storageClassName", &[STORAGE]);
            }
        }
    }

    fn source(&mut self, source: &'a Node, at: &FieldPath) {
        for (of, kinds) in [
            ("pvc", &[CLAIM, DATA_VOLUME][..]),
            ("snapshot", &[SNAPSHOT]),
            ("dataSource", &[DATA_SOURCE]),
        ] {
            if let Some(source) = source.get(of) {
                let namespace = Some(source.str_at("namespace"));
                self.add_in(namespace, source, &at.field(of), "name", kinds);
            }
        }
        for of in ["http", "s3", "gcs", "registry", "imageio", "vddk"] {
            let Some(source) = source.get(of) else {
                continue;
            };
            let at = at.field(of);
            self.add(source, &at, "secretRef", &[SECRET]);
            self.add(source, &at, "certConfigMap", &[CONFIG_MAP]);
            let headers = source.items_at("secretExtraHeaders").iter().enumerate();
            for (index, header) in headers {
                if let Some(name) = header.as_str().filter(|name| !name.is_empty()) {
                    self.found.push(Reference {
                        field: at.field("secretExtraHeaders").index(index),
                        kinds: &[SECRET],
                        namespace: None,
                        name,
                    });
                }
            }
        }
    }

    /// A reference that says its kind.
    fn kinded(&mut self, node: &'a Node, keys: &str, kinds: &[&'static [GroupKind]]) {
        let at = FieldPath::parse(keys);
        let Some(named) = node.path(keys) else { return };
        let of = named.str_at("kind");
        let meant = kinds.iter().find(|kinds| kinds[0].1 == of);
        if let Some(kinds) = meant {
            self.add(named, &at, "name", kinds);
        }
    }
}

/// Every name in a resource that has to lead to an object.
pub(super) fn references(resource: &Resource) -> Vec<Reference<'_>> {
    let mut names = Names { found: Vec::new() };
    let node = &resource.node;
    if let Some(guest) = guest_of(resource) {
        let machine = match guest.resource.id.kind.as_str() {
            "VirtualMachinePool" => node.path("spec.virtualMachineTemplate"),
            "VirtualMachine" => Some(node),
            _ => None,
        };
        let list = "spec.dataVolumeTemplates";
        let templates = machine.map_or(&[][..], |machine| machine.items_at(list));
        let own: Vec<&str> = templates
            .iter()
            .map(|template| template.str_at("metadata.name"))
            .collect();
        names.guest(&guest, &own);
        let place = match guest.resource.id.kind.as_str() {
            "VirtualMachinePool" => FieldPath::parse("spec.virtualMachineTemplate").then(list),
            _ => FieldPath::parse(list),
        };
        for (index, template) in templates.iter().enumerate() {
            if let Some(spec) = template.get("spec") {
                names.data_volume(spec, &place.index(index).field("spec"));
            }
        }
        return names.found;
    }
    let root = FieldPath::root();
    let spec = (node.get("spec"), root.field("spec"));
    match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("cdi.kubevirt.io", "DataVolume") => {
            if let (Some(spec), at) = spec {
                names.data_volume(spec, &at);
            }
        }
        ("cdi.kubevirt.io", "DataSource") => {
            if let Some(source) = node.path("spec.source") {
                names.source(source, &FieldPath::parse("spec.source"));
            }
        }
        ("", "PersistentVolumeClaim") => {
            names.add(node, &root, "spec.storageClassName", &[STORAGE]);
        }
        ("snapshot.kubevirt.io", "VirtualMachineSnapshot") => {
            names.kinded(node, "spec.source", &[&[MACHINE]]);
        }
        ("snapshot.kubevirt.io", "VirtualMachineRestore") => {
            names.add(
                node,
                &root,
                "spec.virtualMachineSnapshotName",
                &[MACHINE_SNAPSHOT],
            );
        }
        ("clone.kubevirt.io", "VirtualMachineClone") => {
            names.kinded(node, "spec.source", &[&[MACHINE], &[MACHINE_SNAPSHOT]]);
        }
        ("export.kubevirt.io", "VirtualMachineExport") => {
            let kinds: [&'static [GroupKind]; 3] =
                [&[MACHINE], &[MACHINE_SNAPSHOT], &[CLAIM, DATA_VOLUME]];
            names.kinded(node, "spec.source", &kinds);
        }
        _ => {}
    }
    names.found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn fields(api_version: &str, kind: &str, spec: &Json) -> Vec<String> {
        let object = json!({
            "apiVersion": api_version, "kind": kind, "metadata": {"name": "own"}, "spec": spec
        });
        let node = Node::from_json(&object);
        let resource = Resource::from_node(node, None, 0, FieldPath::root()).unwrap();
        let found = references(&resource);
        let told = |reference: &Reference<'_>| {
            let kinds: Vec<&str> = reference.kinds.iter().map(|(_, kind)| *kind).collect();
            let namespace = reference.namespace.unwrap_or("-");
            format!(
                "{} {} {namespace}/{}",
                reference.field,
                kinds.join("|"),
                reference.name
            )
        };
        found.iter().map(told).collect()
    }

    #[test]
    fn a_virtual_machine_names_what_its_pod_mounts_and_its_templates_are_filled_from() {
        let spec = json!({
            "dataVolumeTemplates": [
                {"metadata": {"name": "root"}, "spec": {
                    "sourceRef": {"kind": "DataSource", "namespace": "golden", "name": "fedora"},
                    "storage": {"storageClassName": "fast"}}},
                {"metadata": {"name": "data"}, "spec": {
                    "source": {"http": {"url": "https://a/b", "secretRef": "login", "certConfigMap": "ca", "secretExtraHeaders": ["token"]}},
                    "pvc": {}}}
            ],
            "template": {"spec": {
                "priorityClassName": "vms",
                "domain": {"firmware": {"kernelBoot": {"container": {"imagePullSecret": "pull"}}}},
                "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}],
                "networks": [{"name": "a", "multus": {"networkName": "net/a"}}, {"name": "pod", "pod": {}}],
                "accessCredentials": [{"sshPublicKey": {"source": {"secret": {"secretName": "keys"}}}}],
                "volumes": [
                    {"name": "root", "dataVolume": {"name": "root"}},
                    {"name": "b", "dataVolume": {"name": "b"}},
                    {"name": "c", "persistentVolumeClaim": {"claimName": "c"}},
                    {"name": "d", "cloudInitNoCloud": {"secretRef": {"name": "d"}}},
                    {"name": "e", "configMap": {"name": "e"}},
                    {"name": "f", "configMap": {"name": "f", "optional": true}},
                    {"name": "g", "serviceAccount": {"serviceAccountName": "g"}},
                    {"name": "h", "serviceAccount": {"serviceAccountName": "default"}},
                    {"name": "i", "containerDisk": {"image": "i", "imagePullSecret": "i"}},
                ],
            }}
        });
        let at = "spec.template.spec";
        assert_eq!(
            fields("kubevirt.io/v1", "VirtualMachine", &spec),
            [
                format!("{at}.volumes[1].dataVolume.name DataVolume|PersistentVolumeClaim -/b"),
                format!(
                    "{at}.volumes[2].persistentVolumeClaim.claimName PersistentVolumeClaim|DataVolume -/c"
                ),
                format!("{at}.volumes[3].cloudInitNoCloud.secretRef.name Secret -/d"),
                format!("{at}.volumes[4].configMap.name ConfigMap -/e"),
                format!(
                    "{at}.accessCredentials[0].sshPublicKey.source.secret.secretName Secret -/keys"
                ),
                format!("{at}.networks[0].multus.networkName NetworkAttachmentDefinition net/a"),
                format!("{at}.volumes[6].serviceAccount.serviceAccountName ServiceAccount -/g"),
                format!("{at}.volumes[8].containerDisk.imagePullSecret Secret -/i"),
                format!("{at}.domain.firmware.kernelBoot.container.imagePullSecret Secret -/pull"),
                format!("{at}.priorityClassName PriorityClass -/vms"),
                format!(
                    "{at}.resourceClaims[0].resourceClaimTemplateName ResourceClaimTemplate -/gpus"
                ),
                "spec.dataVolumeTemplates[0].spec.sourceRef.name DataSource golden/fedora"
                    .to_owned(),
                "spec.dataVolumeTemplates[0].spec.storage.storageClassName StorageClass -/fast"
                    .to_owned(),
                "spec.dataVolumeTemplates[1].spec.source.http.secretRef Secret -/login".to_owned(),
                "spec.dataVolumeTemplates[1].spec.source.http.certConfigMap ConfigMap -/ca"
                    .to_owned(),
                "spec.dataVolumeTemplates[1].spec.source.http.secretExtraHeaders[0] Secret -/token"
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn other_kinds_name_objects_too() {
        for (api_version, kind, spec, expected) in [
            (
                "cdi.kubevirt.io/v1beta1",
                "DataVolume",
                json!({"source": {"pvc": {"namespace": "golden", "name": "a"}}}),
                vec!["spec.source.pvc.name PersistentVolumeClaim|DataVolume golden/a"],
            ),
            (
                "cdi.kubevirt.io/v1beta1",
                "DataSource",
                json!({"source": {"snapshot": {"namespace": "golden", "name": "a"}}}),
                vec!["spec.source.snapshot.name VolumeSnapshot golden/a"],
            ),
            (
                "v1",
                "PersistentVolumeClaim",
                json!({"storageClassName": ""}),
                vec![],
            ),
            (
                "v1",
                "PersistentVolumeClaim",
                json!({"storageClassName": "fast"}),
                vec!["spec.storageClassName StorageClass -/fast"],
            ),
            (
                "snapshot.kubevirt.io/v1beta1",
                "VirtualMachineSnapshot",
                json!({"source": {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "a"}}),
                vec!["spec.source.name VirtualMachine -/a"],
            ),
            (
                "snapshot.kubevirt.io/v1beta1",
                "VirtualMachineRestore",
                json!({"virtualMachineSnapshotName": "a"}),
                vec!["spec.virtualMachineSnapshotName VirtualMachineSnapshot -/a"],
            ),
            (
                "export.kubevirt.io/v1beta1",
                "VirtualMachineExport",
                json!({"source": {"kind": "PersistentVolumeClaim", "name": "a"}}),
                vec!["spec.source.name PersistentVolumeClaim|DataVolume -/a"],
            ),
        ] {
            assert_eq!(fields(api_version, kind, &spec), expected, "{kind}");
        }
    }
}
