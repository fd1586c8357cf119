//! The instance types and preferences that each release installs: `catalog/common-instancetypes.json`.
//! `catalog/README.md` describes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::ranges::{Range, Released, ranges};
use crate::release::{Release, ReleaseTree};
use crate::yaml;

/// Where the bundles lie in a source tree, at any depth.
const FOLDER: &str = "pkg/virt-operator/resource/generate/components/data";

/// The label that holds the version of common-instancetypes, on every object.
const VERSION: &str = "instancetype.kubevirt.io/common-instancetypes-version";

/// Labels that every object has with one value; the catalog leaves them out.
const LEFT_OUT: [&str; 2] = [VERSION, "instancetype.kubevirt.io/vendor"];

/// The sections of the file and the kind of their objects.
const SECTIONS: [(&str, &str); 2] = [
    ("instancetypes", "VirtualMachineClusterInstancetype"),
    ("preferences", "VirtualMachineClusterPreference"),
];

/// What the catalog keeps of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    spec: Value,
    labels: Value,
}

/// The catalog: objects by section, name and release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    comment: String,
    releases: Released,
    sections: BTreeMap<&'static str, BTreeMap<String, BTreeMap<Release, Object>>>,
}

#[derive(Deserialize)]
struct Manifest {
    kind: String,
    metadata: Metadata,
    #[serde(default)]
    spec: Value,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
}

impl Catalog {
    /// Reads the file.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut file: Map<String, Value> = serde_json::from_str(text)?;
        let mut take = |key: &str| file.remove(key).with_context(|| format!("no {key}"));
        let mut catalog = Self {
            comment: serde_json::from_value(take("comment")?)?,
            releases: serde_json::from_value(take("releases")?)?,
            sections: BTreeMap::new(),
        };
        for (section, _) in SECTIONS {
            let objects: BTreeMap<String, Vec<Map<String, Value>>> =
                serde_json::from_value(take(section)?)?;
            let of = catalog.sections.entry(section).or_default();
            for (name, forms) in objects {
                let by_release = of.entry(name.clone()).or_default();
                for form in forms {
                    let (range, mut rest) = Range::take(&form)?;
                    let mut part = |key: &str| rest.remove(key).unwrap_or_else(|| json!({}));
                    let object = Object {
                        spec: part("spec"),
                        labels: part("labels"),
                    };
                    for release in catalog.releases.within(range) {
                        if by_release.insert(release, object.clone()).is_some() {
                            bail!("{name} has two forms in {release}");
                        }
                    }
                }
            }
        }
        Ok(catalog)
    }

    /// Puts what a source tree holds in the place of what the catalog says of its release.
    pub fn replace(&mut self, tree: &ReleaseTree) -> anyhow::Result<()> {
        let release = tree.release;
        for objects in self.sections.values_mut() {
            for forms in objects.values_mut() {
                forms.remove(&release);
            }
        }
        let files = tree.files(FOLDER, &|file| {
            file.ends_with("-bundle.yaml") && file.contains("/common-cluster")
        })?;
        let mut versions = BTreeSet::new();
        for file in files {
            let manifests: Vec<Option<Manifest>> =
                yaml::all(&tree.read(&file)?).with_context(|| file.clone())?;
            for mut manifest in manifests.into_iter().flatten() {
                let name = manifest.metadata.name;
                let Some((section, _)) = SECTIONS.iter().find(|(_, kind)| *kind == manifest.kind)
                else {
                    bail!("{file}: {name} is a {}", manifest.kind);
                };
                let labels = &mut manifest.metadata.labels;
                versions.extend(labels.get(VERSION).cloned());
                labels.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
                let object = Object {
                    spec: manifest.spec,
                    labels: json!(labels),
                };
                let by_release = self
                    .sections
                    .entry(section)
                    .or_default()
                    .entry(name.clone())
                    .or_default();
                if by_release.insert(release, object).is_some() {
                    bail!("{file}: {name} is there twice");
                }
            }
        }
        let mut versions = versions.into_iter();
        let (Some(version), None) = (versions.next(), versions.next()) else {
            bail!(
                "{}/{FOLDER} does not hold the bundles of one version of common-instancetypes",
                tree.path().display()
            );
        };
        let more = [("commonInstancetypes", version)];
        self.releases.add(release, tree.tag.as_deref(), more);
        for objects in self.sections.values_mut() {
            objects.retain(|_, forms| !forms.is_empty());
        }
        Ok(())
    }

    /// The file: one line an object, ranges where spec and labels are the same.
    pub fn write(&self) -> String {
        let mut out = format!(
            "{{\"comment\":{},{}",
            Value::from(self.comment.as_str()),
            self.releases.write()
        );
        for (section, _) in SECTIONS {
            let _ = writeln!(out, ",\"{section}\":{{");
            let objects = self.sections.get(section);
            let mut lines = Vec::new();
            for (name, forms) in objects.into_iter().flatten() {
                let forms = ranges(forms.iter().map(|(release, object)| (*release, object)));
                let forms: Vec<_> = forms
                    .into_iter()
                    .map(|(range, object)| self.form(range, object))
                    .collect();
                lines.push(format!(
                    "{}:[{}]",
                    Value::from(name.as_str()),
                    forms.join(",")
                ));
            }
            out += &lines.join(",\n");
            out += "\n}";
        }
        out + "}\n"
    }

    /// A form, its bounds before what it holds.
    fn form(&self, range: Range, object: &Object) -> String {
        let mut bounds = Map::new();
        range.write(&self.releases, &mut bounds);
        let mut out = String::from("{");
        for key in ["since", "until"] {
            if let Some(bound) = bounds.get(key) {
                let _ = write!(out, "\"{key}\":{bound},");
            }
        }
        let _ = write!(
            out,
            "\"spec\":{},\"labels\":{}}}",
            object.spec, object.labels
        );
        out
    }

    /// What another catalog says otherwise, one line an object and range: `self` is what stands.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.releases != other.releases {
            lines.push(format!(
                "releases: committed {}, given {}",
                self.releases, other.releases
            ));
        }
        for (section, _) in SECTIONS {
            let of = |catalog: &Self| catalog.sections.get(section).cloned().unwrap_or_default();
            let (ours, theirs) = (of(self), of(other));
            let names: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
            for name in names {
                let at = |of: &BTreeMap<String, BTreeMap<Release, Object>>, release: Release| {
                    of.get(name).and_then(|forms| forms.get(&release)).cloned()
                };
                let differing = other.releases.lines().filter_map(|release| {
                    let pair = (at(&ours, release), at(&theirs, release));
                    (pair.0 != pair.1).then_some((release, pair))
                });
                for (range, (ours, theirs)) in ranges(differing) {
                    lines.push(format!(
                        "{section} {name} ({range}): committed {}, the sources say {}",
                        said(ours.as_ref()),
                        said(theirs.as_ref())
                    ));
                }
            }
        }
        lines
    }
}

fn said(object: Option<&Object>) -> String {
    object.map_or_else(
        || "nothing".to_owned(),
        |object| json!({"labels": object.labels, "spec": object.spec}).to_string(),
    )
}
