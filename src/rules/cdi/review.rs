//! CDI's validating webhooks, in their order: what they look at, and which check follows which.

use super::{
    import_without_one_source, import_without_target_claim, incomplete_source, invalid_access_mode,
    invalid_checksum, invalid_content_type, invalid_external_population, invalid_import_cron,
    invalid_object_transfer, invalid_registry_source, invalid_source_ref, invalid_source_url,
    invalid_volume_size, name_too_long, volume_without_one_storage,
};
use crate::field_path::FieldPath;
use crate::release::Release;
use crate::release::cdi::{CdiBehaviour, CdiRelease};
use crate::rules::Rule;
use crate::rules::admission::causes::{Causes, Hit};
use crate::schema::{self, Decoded};
use crate::yaml::Node;

/// The release of CDI that judges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cdi {
    release: CdiRelease,
    is_known: bool,
}

impl Cdi {
    /// The release that the tree shows, else the newest known.
    pub(super) fn new(shown: Option<CdiRelease>) -> Self {
        Self {
            release: shown.unwrap_or(CdiRelease::NEWEST),
            is_known: shown.is_some(),
        }
    }

    pub(super) const fn has(self, behaviour: CdiBehaviour) -> bool {
        self.release.has(behaviour)
    }

    /// Says of a refusal that it begins with a behaviour: where the release is not known, the refusal depends on it.
    pub(super) fn since(self, hit: &mut Hit, behaviour: CdiBehaviour) {
        if !self.is_known {
            let since = behaviour.since();
            hit.setting(format!("its release: {since} and later refuse it"));
            hit.certain = false;
        }
    }
}

/// The spec of a DataVolume, or of what is filled like one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Volume<'a> {
    /// Its fields, as Go holds them.
    pub(super) node: &'a Node,
    /// What CDI calls it: `spec`.
    pub(super) field: &'static str,
    /// Where it is in the document.
    pub(super) at: &'a FieldPath,
    /// The release that judges.
    pub(super) cdi: Cdi,
}

impl<'a> Volume<'a> {
    /// A source of that kind.
    pub(super) fn source(&self, kind: &str) -> Option<&'a Node> {
        self.node.get("source")?.get(kind)
    }

    /// The claim, with its key: `pvc` or `storage`.
    pub(super) fn claim(&self) -> Option<(&'static str, &'a Node)> {
        ["pvc", "storage"]
            .into_iter()
            .find_map(|key| Some((key, self.node.get(key)?)))
    }

    /// The place of one of its fields in the document: the keys, plain and dotted.
    pub(super) fn at(&self, keys: &str) -> FieldPath {
        self.at.join(&FieldPath::parse(keys))
    }

    /// Refuses it by a field, by CDI's name for that and by its place.
    pub(super) fn refuse<'c>(
        &self,
        rule: &'static Rule,
        causes: &'c mut Causes,
        name: &str,
        place: &str,
        message: impl Into<String>,
    ) -> &'c mut Hit {
        rule.refuse(causes, self.at(place))
            .because(message)
            .named(format!("{}.{name}", self.field))
    }

    /// Mirrors `validateDataVolumeSpec`, pkg/apiserver/webhooks/datavolume-validate.go @ v1.66.0.
    pub(super) fn check(&self, causes: &mut Causes) {
        if !volume_without_one_storage::check(self, causes) {
            return;
        }
        invalid_volume_size::check(self, causes);
        if !causes.is_empty() {
            return;
        }
        if let Some((key, claim)) = self.claim() {
            let class = claim.str_at("storageClassName");
            let place = self.at(key).field("storageClassName");
            if !name_too_long::check(class, name_too_long::SUBDOMAIN, place, causes) {
                return;
            }
        }
        invalid_access_mode::check(self, causes);
        if !causes.is_empty() || invalid_external_population::check(self, causes) {
            return;
        }
        if !import_without_one_source::check(self, causes) {
            return;
        }
        if self.node.get("sourceRef").is_some() {
            invalid_source_ref::check(self, causes);
            return;
        }
        if import_without_one_source::one(self, "Data volume", causes) {
            self.source_of(causes);
        }
    }

    /// What the webhooks of DataVolumes and of VolumeImportSources ask of the one source.
    fn source_of(&self, causes: &mut Causes) {
        if !invalid_content_type::check(self, causes) {
            return;
        }
        for kind in ["http", "s3", "gcs"] {
            invalid_source_url::check(self, kind, causes);
        }
        invalid_checksum::check(self, causes);
        invalid_registry_source::check(self, causes);
        for kind in ["imageio", "vddk"] {
            if incomplete_source::check(self, kind, causes) {
                invalid_source_url::check(self, kind, causes);
            }
        }
        for kind in ["pvc", "snapshot"] {
            incomplete_source::check(self, kind, causes);
        }
    }
}

/// What the webhooks answer to an object of CDI's, in order; `None` for kinds that no webhook asks about on creation.
/// An object that the API server refuses before never comes there.
pub(super) fn object(kind: &str, object: &Node, cdi: Cdi, release: Release) -> Option<Vec<Hit>> {
    let mut causes = Causes::default();
    let nothing = Node::map();
    let spec = object.get("spec").unwrap_or(&nothing);
    let (at, name) = (FieldPath::from("spec"), object.str_at("metadata.name"));
    let has_short_name = |most, causes: &mut Causes| {
        name_too_long::check(name, most, FieldPath::from("metadata.name"), causes)
    };
    match kind {
        "DataVolume" => {
            let read = read(release, "v1beta1.DataVolumeSpec", spec)?;
            let volume = Volume {
                node: &read,
                field: "spec",
                at: &at,
                cdi,
            };
            if has_short_name(name_too_long::SUBDOMAIN, &mut causes) {
                volume.check(&mut causes);
            }
        }
        "DataImportCron" => {
            let at = at.then("template.spec");
            let template = spec.path("template.spec").unwrap_or(&nothing);
            let read = read(release, "v1beta1.DataVolumeSpec", template)?;
            let volume = Volume {
                node: &read,
                field: "Template",
                at: &at,
                cdi,
            };
            if has_short_name(name_too_long::LABEL, &mut causes)
                && invalid_import_cron::template(&volume, &mut causes)
            {
                volume.check(&mut causes);
                if causes.is_empty() {
                    invalid_import_cron::check(spec, cdi, &mut causes);
                }
            }
        }
        "VolumeImportSource" => {
            let source = spec.get("source").unwrap_or(&nothing);
            let mut held = spec.clone();
            held.set("source", read(release, "v1beta1.DataVolumeSource", source)?);
            let volume = Volume {
                node: &held,
                field: "spec",
                at: &at,
                cdi,
            };
            if has_short_name(name_too_long::LABEL, &mut causes)
                && import_without_one_source::one(&volume, "VolumeImport", &mut causes)
                && import_without_target_claim::check(&volume, &mut causes)
            {
                volume.source_of(&mut causes);
            }
        }
        "VolumeUploadSource" => {
            has_short_name(name_too_long::LABEL, &mut causes);
        }
        "ObjectTransfer" => invalid_object_transfer::check(spec, &mut causes),
        _ => return None,
    }
    Some(causes.into_hits())
}

/// A part of an object as Go holds it, unless the API server refuses it. An unknown access mode passes there. The table
/// has what KubeVirt knows of CDI's types: it lacks the checksum.
fn read(release: Release, type_name: &str, node: &Node) -> Option<Node> {
    let checksum = ["source.http.checksum", "http.checksum"]
        .into_iter()
        .find_map(|path| Some((path, node.path(path)?)));
    let Decoded {
        node: mut held,
        mut problems,
    } = schema::decode(release, type_name, node);
    problems.retain(|problem| !is_left_to_webhook(problem));
    if let Some((path, checksum)) = checksum {
        held.set(path, checksum.clone());
    }
    schema::invalid(&problems).is_none().then_some(held)
}

/// Whether the CRD lets pass what the table has from KubeVirt's own OpenAPI: the words of an access mode.
pub(in crate::rules) fn is_left_to_webhook(problem: &schema::Problem) -> bool {
    matches!(problem.kind, schema::ProblemKind::NotListed { .. })
        && problem.path.to_string().contains("accessModes[")
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::Value as Json;

    use super::*;

    /// What CDI of a release says of an object.
    pub(in crate::rules::cdi) fn object_said(cdi: &str, kind: &str, json: &Json) -> Vec<String> {
        let cdi = Cdi::new(Some(cdi.parse().unwrap()));
        let hits = object(kind, &Node::from_json(json), cdi, Release::NEWEST);
        hits.unwrap()
            .into_iter()
            .map(|hit| hit.cause.message)
            .collect()
    }

    /// What CDI of a release says of a DataVolume's spec.
    pub(in crate::rules::cdi) fn said(cdi: &str, spec: &Json) -> Vec<String> {
        let volume = serde_json::json!({"metadata": {"name": "a"}, "spec": spec});
        object_said(cdi, "DataVolume", &volume)
    }
}
