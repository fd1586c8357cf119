//! The instance types and preferences that each KubeVirt release installs, built in and read on first use.

pub mod compare;

use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::field_path::FieldPath;
use crate::release::{Release, ReleaseRange};
use crate::resource::Resource;
use crate::yaml::{BundleEntry, Node, Origin};

/// The API version of every object of the bundle.
pub(crate) const API_VERSION: &str = "instancetype.kubevirt.io/v1beta1";
/// The kind of its instance types.
pub const INSTANCETYPE: &str = "VirtualMachineClusterInstancetype";
/// The kind of its preferences.
pub const PREFERENCE: &str = "VirtualMachineClusterPreference";

/// Which version of common-instancetypes a KubeVirt release installs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleRelease {
    /// The KubeVirt release line.
    pub kubevirt: Release,
    /// The patch release that was read.
    pub tag: &'static str,
    /// The version of common-instancetypes.
    pub common_instancetypes: &'static str,
}

/// An object of the bundle in all its forms.
#[derive(Debug)]
struct Object {
    entry: BundleEntry,
    forms: Vec<ObjectForm>,
}

/// One form of an object, over a range of releases.
#[derive(Debug)]
struct ObjectForm {
    releases: ReleaseRange,
    labels: &'static RawValue,
    spec: &'static RawValue,
    resource: OnceLock<Resource>,
}

#[derive(Debug)]
struct Bundle {
    releases: Vec<BundleRelease>,
    /// Sorted by kind, then name.
    objects: Vec<Object>,
}

static BUNDLE: LazyLock<Bundle> =
    LazyLock::new(|| Bundle::parse(include_str!("../../catalog/common-instancetypes.json")));

/// Every release with a bundle, oldest first.
pub fn releases() -> &'static [BundleRelease] {
    &BUNDLE.releases
}

/// The object of that kind and name in the bundle of a release.
pub fn find(release: Release, kind: &str, name: &str) -> Option<&'static Resource> {
    let object = object(kind, name)?;
    let form = object.form(release)?;
    Some(form.resource(&object.entry))
}

/// Every object of a release's bundle: instance types, then preferences, by name.
pub fn list(release: Release) -> impl Iterator<Item = &'static Resource> {
    BUNDLE.objects.iter().filter_map(move |object| {
        object
            .form(release)
            .map(|form| form.resource(&object.entry))
    })
}

/// Whether a resource belongs to the bundle.
pub const fn holds(resource: &Resource) -> bool {
    matches!(resource.node.origin, Origin::Bundle(_))
}

/// The releases whose bundles have the object, where any has.
pub fn lifetime(kind: &str, name: &str) -> Option<ReleaseRange> {
    let forms = object(kind, name)?.forms.iter();
    forms.map(|form| form.releases).reduce(ReleaseRange::with)
}

/// The first release after `release` whose bundle has the object anew.
pub(crate) fn coming(release: Release, kind: &str, name: &str) -> Option<Release> {
    let mut forms = object(kind, name)?.forms.iter();
    let form = forms.find(|form| form.releases.first() > release)?;
    Some(form.releases.first())
}

fn object(kind: &str, name: &str) -> Option<&'static Object> {
    let at = BUNDLE
        .objects
        .binary_search_by(|object| (object.entry.kind, object.entry.name).cmp(&(kind, name)))
        .ok()?;
    Some(&BUNDLE.objects[at])
}

impl Object {
    fn form(&self, release: Release) -> Option<&ObjectForm> {
        self.forms
            .iter()
            .find(|form| form.releases.contains(release))
    }
}

impl ObjectForm {
    fn resource(&'static self, entry: &'static BundleEntry) -> &'static Resource {
        self.resource.get_or_init(|| {
            let tree = |raw: &RawValue| {
                let json = serde_json::from_str(raw.get()).expect("checked while parsing");
                Node::from_json(&json)
            };
            let mut node = Node::map();
            node.set("apiVersion", Node::string(API_VERSION));
            node.set("kind", Node::string(entry.kind));
            node.set("metadata.name", Node::string(entry.name));
            node.set("metadata.labels", tree(self.labels));
            node.set("spec", tree(self.spec));
            let node = node.with_origins(Origin::Bundle(entry));
            Resource::from_node(node, None, 0, FieldPath::root())
                .expect("made with the three fields that make a resource")
        })
    }
}

#[derive(Deserialize)]
struct RawBundle {
    releases: Vec<BundleRelease>,
    #[serde(borrow)]
    instancetypes: std::collections::BTreeMap<&'static str, Vec<RawForm>>,
    #[serde(borrow)]
    preferences: std::collections::BTreeMap<&'static str, Vec<RawForm>>,
}

#[derive(Deserialize)]
struct RawForm {
    since: Option<Release>,
    until: Option<Release>,
    #[serde(borrow)]
    labels: &'static RawValue,
    #[serde(borrow)]
    spec: &'static RawValue,
}

impl Bundle {
    fn parse(text: &'static str) -> Self {
        let raw: RawBundle =
            serde_json::from_str(text).expect("catalog/common-instancetypes.json is valid");
        let object = |kind: &'static str| {
            move |(name, forms): (&'static str, Vec<RawForm>)| Object {
                entry: BundleEntry { kind, name },
                forms: forms
                    .into_iter()
                    .map(|form| ObjectForm {
                        releases: ReleaseRange::between(form.since, form.until),
                        labels: form.labels,
                        spec: form.spec,
                        resource: OnceLock::new(),
                    })
                    .collect(),
            }
        };
        Self {
            releases: raw.releases,
            objects: raw
                .instancetypes
                .into_iter()
                .map(object(INSTANCETYPE))
                .chain(raw.preferences.into_iter().map(object(PREFERENCE)))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compare::{Absence, BundleChange, absence, diff, nearest};
    use super::*;

    #[test]
    fn every_form_of_every_object_fits_its_release() {
        for of in releases() {
            let mut objects = 0;
            for resource in list(of.kubevirt) {
                objects += 1;
                let type_name =
                    crate::schema::type_of("instancetype.kubevirt.io", &resource.id.kind);
                let decoded = crate::schema::decode(
                    of.kubevirt,
                    type_name.expect("a kind of the group"),
                    &resource.node,
                );
                assert!(
                    decoded.problems.is_empty(),
                    "{}: {:?}",
                    resource.id,
                    decoded.problems
                );
                assert!(holds(resource));
                assert!(find(of.kubevirt, &resource.id.kind, &resource.id.name).is_some());
            }
            assert!(objects > 60, "{}: {objects}", of.kubevirt);
        }
        let read: Vec<Release> = releases().iter().map(|of| of.kubevirt).collect();
        assert_eq!(
            read,
            Release::TARGETS,
            "add the release's bundle to catalog/common-instancetypes.json: docs/adding-a-release.md"
        );
        assert!(diff(Release::NEWEST, Release::Next).is_empty());
    }

    #[test]
    fn nodes_of_the_bundle_name_their_object() {
        let resource = find(Release::V1_9, INSTANCETYPE, "u1.small").unwrap();
        let guest = resource.node.path("spec.memory.guest").unwrap();
        let Origin::Bundle(entry) = guest.origin else {
            panic!("{:?}", guest.origin)
        };
        assert_eq!((entry.kind, entry.name), (INSTANCETYPE, "u1.small"));
    }

    #[test]
    fn a_removed_instance_type_has_a_nearest_one_of_the_same_size() {
        let last = lifetime(INSTANCETYPE, "server.medium")
            .unwrap()
            .last()
            .unwrap();
        let Some(Absence::Removed {
            last: said,
            nearest: Some(nearest),
        }) = absence(Release::V1_9, INSTANCETYPE, "server.medium")
        else {
            panic!("server.medium is not removed")
        };
        assert_eq!(said, last);
        let old = find(last, INSTANCETYPE, "server.medium").unwrap();
        for path in ["spec.cpu.guest", "spec.memory.guest"] {
            assert!(
                old.node
                    .path(path)
                    .unwrap()
                    .same_value(nearest.node.path(path).unwrap()),
                "{path}"
            );
        }
        assert!(absence(Release::V1_9, INSTANCETYPE, "u1.small").is_none());
        assert!(absence(Release::V1_9, INSTANCETYPE, "never.was").is_none());
    }

    #[test]
    fn an_object_of_a_newer_bundle_is_not_there_yet() {
        let newest = list(Release::V1_9)
            .find(|resource| find(Release::V1_1, &resource.id.kind, &resource.id.name).is_none())
            .unwrap();
        assert!(matches!(
            absence(Release::V1_1, &newest.id.kind, &newest.id.name),
            Some(Absence::NotYet { .. })
        ));
    }

    #[test]
    fn a_preference_is_nearest_to_one_of_its_system() {
        let old = find(Release::V1_1, PREFERENCE, "centos.7").unwrap();
        let near = nearest(old, Release::V1_9).unwrap();
        assert!(near.id.name.starts_with("centos."), "{}", near.id);
    }

    #[test]
    fn two_bundles_differ_by_what_was_added_removed_and_changed() {
        assert!(diff(Release::V1_9, Release::V1_9).is_empty());
        let differences = diff(Release::V1_1, Release::V1_9);
        let change = |name: &str| {
            let found = differences
                .iter()
                .find(|difference| difference.entry.name == name);
            found.map(|difference| &difference.change)
        };
        assert!(matches!(
            change("server.medium"),
            Some(BundleChange::Removed { nearest: Some(_) })
        ));
        let Some(BundleChange::Changed(fields)) = change("cx1.2xlarge") else {
            panic!("cx1.2xlarge did not change")
        };
        assert!(
            fields
                .iter()
                .any(|field| field.path.to_string() == "spec.cpu.maxSockets")
        );
        assert!(
            differences
                .iter()
                .any(|difference| matches!(difference.change, BundleChange::Added))
        );
    }
}
