//! A DataImportCron says in no clear way what to import and when.

use super::prelude::*;
use super::{cron, name_too_long};

rule! {
    /// ## What it does
    ///
    /// Reports a DataImportCron whose template has neither a `registry` nor, from CDI 1.62 on, a `pvc` source, or sets `sourceRef`,
    /// `contentType`, `checkpoints` or `finalCheckpoint`; whose `schedule` is no cron expression; whose `importsToKeep` is negative;
    /// whose `garbageCollect` is neither `Never` nor `Outdated`; or whose `managedDataSource` is empty.
    ///
    /// ## Why it matters
    ///
    /// CDI polls the source by the schedule and makes a DataVolume of the template for each new image.
    ///
    /// CDI's check: [`validateDataImportCronSpec`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/apiserver/webhooks/dataimportcron-validate.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataImportCron
    /// metadata:
    ///   name: fedora
    /// spec:
    ///   schedule: "every night"
    ///   managedDataSource: fedora
    ///   template:
    ///     spec:
    ///       source:
    ///         registry:
    ///           url: docker://quay.io/containerdisks/fedora:42
    ///       storage:
    ///         resources:
    ///           requests:
    ///             storage: 30Gi
    /// ```
    ///
    /// ```text
    /// spec.Schedule: Illegal cron schedule
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataImportCron
    /// metadata:
    ///   name: fedora
    /// spec:
    ///   schedule: "0 3 * * *"
    ///   managedDataSource: fedora
    ///   template:
    ///     spec:
    ///       source:
    ///         registry:
    ///           url: docker://quay.io/containerdisks/fedora:42
    ///       storage:
    ///         resources:
    ///           requests:
    ///             storage: 30Gi
    /// ```
    "invalid-import-cron": "a DataImportCron says in no clear way what to import and when"
}

/// Whether the template of a DataImportCron, whose fields are at `at`, is one that it takes.
pub(super) fn template(volume: &Volume<'_>, causes: &mut Causes) -> bool {
    let watches_claims = volume.cdi.has(CdiBehaviour::CronOfClaim);
    let has = |kind: &str| volume.source(kind).is_some();
    let mut refuse = |place: &str, message: &str, help: &str| {
        let place = volume.at(place);
        RULE.refuse(causes, place)
            .because(message)
            .named("spec.Template")
            .help(help);
        false
    };
    let has_source = has("registry") || watches_claims && has("pvc");
    if !has_source {
        let message = if watches_claims {
            "Missing source"
        } else {
            "Missing registry source"
        };
        return refuse("source", message, "name a `registry` source");
    }
    let node = volume.node;
    let unsettable = if node.get("sourceRef").is_some() {
        "sourceRef"
    } else if !node.str_at("contentType").is_empty() {
        "contentType"
    } else if !node.items_at("checkpoints").is_empty() {
        "checkpoints"
    } else if node.bool_at("finalCheckpoint") {
        "finalCheckpoint"
    } else {
        return true;
    };
    let message = "Unsettable fields: SourceRef, ContentType, Checkpoints, FinalCheckpoint";
    refuse(unsettable, message, "leave the field out")
}

/// What a DataImportCron says beside its template.
pub(super) fn check(spec: &Node, cdi: Cdi, causes: &mut Causes) {
    let (schedule, managed) = (spec.str_at("schedule"), spec.str_at("managedDataSource"));
    let collect = spec.get("garbageCollect").and_then(Node::as_str);
    let illegal_schedule =
        !schedule.is_empty() && cdi.has(CdiBehaviour::StandardCron) && !cron::is_standard(schedule);
    let (name, place, message, help) = if illegal_schedule {
        (
            "Schedule",
            "schedule",
            "Illegal cron schedule",
            "write five fields, as `0 3 * * *`, or `@daily`",
        )
    } else if spec.int_at("importsToKeep") < 0 {
        (
            "ImportsToKeep",
            "importsToKeep",
            "Illegal ImportsToKeep value",
            "keep some, or none: `0`",
        )
    } else if collect.is_some_and(|word| !["Never", "Outdated"].contains(&word)) {
        (
            "GarbageCollect",
            "garbageCollect",
            "Illegal GarbageCollect value",
            "write `Never` or `Outdated`",
        )
    } else if managed.is_empty() {
        (
            "ManagedDataSource",
            "managedDataSource",
            "Illegal ManagedDataSource value",
            "name the DataSource that is to point to the newest import",
        )
    } else {
        let place = FieldPath::from("spec.managedDataSource");
        name_too_long::check(managed, name_too_long::LABEL, place, causes);
        return;
    };
    RULE.refuse(causes, FieldPath::from("spec").field(place))
        .because(message)
        .named(format!("spec.{name}"))
        .help(help);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::review::tests::object_said;

    fn said(cdi: &str, change: &Json) -> String {
        let claim = json!({"resources": {"requests": {"storage": "1Gi"}}});
        let source = json!({"registry": {"url": "docker://a"}});
        let mut spec = json!({"schedule": "0 3 * * *", "managedDataSource": "a",
            "template": {"spec": {"source": source, "storage": claim}}});
        for (key, value) in change.as_object().unwrap() {
            match key.strip_prefix("template.") {
                Some(key) => spec["template"]["spec"][key] = value.clone(),
                None => spec[key] = value.clone(),
            }
        }
        object_said(
            cdi,
            "DataImportCron",
            &json!({"metadata": {"name": "a"}, "spec": spec}),
        )
        .join("")
    }

    #[test]
    fn a_cron_says_what_and_when() {
        assert_eq!(said("1.66", &json!({})), "");
        for (change, words) in [
            (json!({"schedule": "x"}), "Illegal cron schedule"),
            (json!({"importsToKeep": -1}), "Illegal ImportsToKeep value"),
            (
                json!({"garbageCollect": "Old"}),
                "Illegal GarbageCollect value",
            ),
            (
                json!({"managedDataSource": ""}),
                "Illegal ManagedDataSource value",
            ),
            (
                json!({"managedDataSource": "a".repeat(64)}),
                "Name cannot be longer than 63 characters",
            ),
            (json!({"template.source": {"blank": {}}}), "Missing source"),
            (
                json!({"template.finalCheckpoint": true}),
                "Unsettable fields: SourceRef, ContentType, Checkpoints, FinalCheckpoint",
            ),
            (json!({"template.storage": {}}), "Storage size is missing"),
        ] {
            assert_eq!(said("1.66", &change), words);
        }
        for fine in [
            json!({"importsToKeep": 0}),
            json!({"garbageCollect": "Never"}),
            json!({"schedule": ""}),
        ] {
            assert_eq!(said("1.66", &fine), "");
        }
    }

    #[test]
    fn a_claim_is_watched_since_a_release() {
        let claim = json!({"template.source": {"pvc": {"name": "a", "namespace": "b"}}});
        assert_eq!(said("1.62", &claim), "");
        assert_eq!(said("1.61", &claim), "Missing registry source");
    }
}
