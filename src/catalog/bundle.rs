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
mod tests;
