//! What the API server and KubeVirt's own OpenAPI validation refuse, with the stage that does and in its words.

use smol_str::SmolStr;

use super::review::AdmissionStage;
use crate::cause::Cause;
use crate::field_path::{FieldPath, Segment};
use crate::schema::{Limit, Problem, ProblemKind};
use crate::yaml::{Node, Value};

/// Something refused before any check of KubeVirt's own runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralRefusal {
    /// The stage that refuses it.
    pub stage: AdmissionStage,
    /// Where.
    pub path: FieldPath,
    /// The words of the stage.
    pub cause: Cause,
}

/// What is refused in a tree, by the `problems` of decoding it as the type of that name, stage by stage; each stage in
/// the problems' order.
pub(crate) fn check(
    type_name: &str,
    written: &Node,
    problems: &[Problem],
) -> Vec<StructuralRefusal> {
    let mut refused: Vec<StructuralRefusal> = problems
        .iter()
        .filter_map(|problem| of(type_name, written, problem))
        .collect();
    refused.sort_by_key(|refused| refused.stage);
    refused
}

/// The refusal of one problem; `None` where nobody refuses it.
pub(crate) fn of(type_name: &str, written: &Node, problem: &Problem) -> Option<StructuralRefusal> {
    let Problem { path, kind } = problem;
    let first = path.segments().first();
    let is_below = |key: &str| matches!(first, Some(Segment::Field(name)) if name == key);
    if is_below("status") {
        return None;
    }
    // The mutating webhook comes before the CRD, where there is one.
    let schema = if is_below("metadata") {
        AdmissionStage::Decode
    } else if is_mutated(type_name) {
        AdmissionStage::Mutate
    } else {
        AdmissionStage::Schema
    };
    let found = path.find(written);
    let (stage, cause) = match kind {
        ProblemKind::WrongType { expected } => (
            schema,
            Cause::new(
                path.to_string(),
                format!("Invalid value: must be {expected}"),
            ),
        ),
        ProblemKind::Missing => {
            let message = if schema == AdmissionStage::Schema {
                "Required value".to_owned()
            } else {
                format!("{} in body is required", in_body(path))
            };
            (schema, Cause::new(path.to_string(), message))
        }
        ProblemKind::Forbidden { .. } => {
            let place = in_body(path);
            let message = format!("{place} in body is a forbidden property");
            (AdmissionStage::Mutate, Cause::new("", message))
        }
        ProblemKind::OutOfRange { number } => {
            let message = format!("{path}: cannot unmarshal number {number}");
            (schema, Cause::new("", message))
        }
        ProblemKind::NotListed { allowed } => {
            let known = allowed.join(" ");
            let message = format!("{} in body should be one of [{known}]", in_body(path));
            (AdmissionStage::Mutate, Cause::new("", message))
        }
        // The validating webhook reads the object against the OpenAPI again, as the mutating one has written it.
        ProblemKind::LeftEmpty { allowed } => {
            if allowed.is_empty() {
                return None;
            }
            let known = allowed.join(" ");
            let message = format!("{} in body should be one of [{known}]", in_body(path));
            (AdmissionStage::Validate, Cause::new("", message))
        }
        ProblemKind::BeyondLimit { limit } => {
            let message = beyond(limit, found?)?;
            (
                AdmissionStage::Schema,
                Cause::new(path.to_string(), message),
            )
        }
        ProblemKind::Repeated { keys } => {
            let message = repeated(keys, found?);
            (
                AdmissionStage::Schema,
                Cause::new(path.to_string(), message),
            )
        }
        ProblemKind::UnknownField { .. }
        | ProblemKind::UnsupportedField { .. }
        | ProblemKind::DroppedNull
        | ProblemKind::EmptyNull => return None,
    };
    let path = path.clone();
    Some(StructuralRefusal { stage, path, cause })
}

/// Whether KubeVirt's mutating webhook reads a kind against its own OpenAPI and writes it back.
fn is_mutated(type_name: &str) -> bool {
    matches!(type_name, "v1.VirtualMachine" | "v1.VirtualMachineInstance")
}

/// A path as KubeVirt's OpenAPI validation writes it: without the places in lists.
fn in_body(path: &FieldPath) -> String {
    let names = path.segments().iter().filter_map(|segment| match segment {
        Segment::Field(name) => Some(name.as_str()),
        Segment::Index(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// What the API server says to an item that the list has already.
fn repeated(keys: &[SmolStr], item: &Node) -> String {
    if keys.is_empty() {
        return "Duplicate value".to_owned();
    }
    let keys: Vec<String> = keys
        .iter()
        .map(|key| format!("{key}: {:?}", item.str_at(key)))
        .collect();
    format!("Duplicate value: {{{}}}", keys.join(", "))
}

/// What the API server says to a value beyond a limit. `None` where the webhook that comes after it says the same in words
/// of its own, which are the ones reported.
pub(crate) fn beyond(limit: &Limit, node: &Node) -> Option<String> {
    Some(match (limit, &node.value) {
        (Limit::Enum(known), Value::String(word)) => {
            format!("Unsupported value: \"{word}\": supported values: {known:?}")
        }
        (Limit::MaxItems(most), Value::Seq(items)) => {
            format!("Too many: {}: must have at most {most} items", items.len())
        }
        (Limit::MaxLength(most), _) => format!("Too long: may not be more than {most} bytes"),
        (Limit::Rule { message, .. }, _) => format!("Invalid value: {message}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::release::Release;

    fn refused(vm: &Json) -> Vec<StructuralRefusal> {
        let vm = Node::from_json(vm);
        let decoded = crate::schema::decode(Release::NEWEST, "v1.VirtualMachine", &vm);
        check("v1.VirtualMachine", &vm, &decoded.problems)
    }

    fn places(vm: &Json) -> Vec<(AdmissionStage, String)> {
        let refused = refused(vm).into_iter();
        refused
            .map(|refused| (refused.stage, refused.path.to_string()))
            .collect()
    }

    fn at(stage: AdmissionStage, places: &[&str]) -> Vec<(AdmissionStage, String)> {
        let places = places.iter();
        places.map(|place| (stage, (*place).to_owned())).collect()
    }

    fn guest(spec: &Json) -> Json {
        let mut vm = json!({"spec": {"template": {"spec": {"domain": {"devices": {}}}}}});
        let all = &mut vm["spec"]["template"]["spec"];
        for (key, value) in spec.as_object().unwrap() {
            all[key] = value.clone();
        }
        vm
    }

    #[test]
    fn missing_and_mistyped_fields_are_refused() {
        assert_eq!(places(&json!({})), at(AdmissionStage::Mutate, &["spec"]));
        assert_eq!(
            places(&json!({"spec": {"runStrategy": "Always"}})),
            at(AdmissionStage::Mutate, &["spec.template"])
        );
        let vm = json!({"spec": {"running": "yes", "template": {"spec": {"domain": {"devices": {"filesystems": [{"name": "a"}]}}}}}});
        assert_eq!(
            places(&vm),
            at(
                AdmissionStage::Mutate,
                &[
                    "spec.running",
                    "spec.template.spec.domain.devices.filesystems[0].virtiofs"
                ]
            )
        );
    }

    /// AD01: the webhook's Go struct writes what is missing as an empty text before the CRD asks for it.
    #[test]
    fn what_the_webhook_writes_empty_is_not_missing() {
        let devices = json!({"domain": {"devices": {
            "disks": [{}], "watchdog": {}, "filesystems": [{"virtiofs": {}}], "inputs": [{"type": "tablet"}]},
            "cpu": {"features": [{}]}},
            "volumes": [{"containerDisk": {}}, {"persistentVolumeClaim": {}}]});
        assert_eq!(places(&guest(&devices)), []);
        let types =
            json!({"spec": {"gpus": [{}], "cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}});
        let types = Node::from_json(&types);
        let name = "v1beta1.VirtualMachineInstancetype";
        let decoded = crate::schema::decode(Release::NEWEST, name, &types);
        assert_eq!(
            check(name, &types, &decoded.problems)[0].path.to_string(),
            "spec.gpus[0].name"
        );
    }

    #[test]
    fn a_number_beyond_gos_type_or_the_openapis_floats_is_refused() {
        for (spec, is_refused) in [
            (
                json!({"domain": {"devices": {}, "cpu": {"cores": -1}}}),
                true,
            ),
            (
                json!({"domain": {"devices": {}, "cpu": {"cores": 4_294_967_295_i64}}}),
                false,
            ),
            (
                json!({"domain": {"devices": {}, "cpu": {"cores": 4_294_967_296_i64}}}),
                true,
            ),
            (
                json!({"domain": {"devices": {"disks": [{"name": "a", "bootOrder": 4_294_967_296_i64}]}}}),
                false,
            ),
            (
                json!({"tolerations": [{"tolerationSeconds": 9_007_199_254_740_991_i64}]}),
                false,
            ),
            (
                json!({"tolerations": [{"tolerationSeconds": 9_007_199_254_740_992_i64}]}),
                true,
            ),
            (
                json!({"livenessProbe": {"successThreshold": 2_147_483_647}}),
                false,
            ),
            (
                json!({"livenessProbe": {"successThreshold": 2_147_483_648_i64}}),
                true,
            ),
            (
                json!({"livenessProbe": {"httpGet": {"port": 2_147_483_648_i64}}}),
                true,
            ),
        ] {
            assert_eq!(!refused(&guest(&spec)).is_empty(), is_refused, "{spec}");
        }
    }

    #[test]
    fn words_outside_the_list_are_refused_the_empty_one_too() {
        let causes = refused(&guest(&json!({"dnsPolicy": "Maybe"})));
        assert_eq!(
            causes[0].cause.message,
            "spec.template.spec.dnsPolicy in body should be one of [ClusterFirst ClusterFirstWithHostNet Default None]"
        );
        for spec in [
            json!({"dnsPolicy": ""}),
            json!({"tolerations": [{"effect": ""}]}),
            json!({"livenessProbe": {"httpGet": {"port": 80, "scheme": ""}}}),
        ] {
            assert_eq!(refused(&guest(&spec)).len(), 1, "{spec}");
        }
    }

    #[test]
    fn the_schemas_own_limits_are_kept() {
        let many: Vec<_> = (0..257)
            .map(|at| json!({"name": format!("d{at}")}))
            .collect();
        let vm = guest(&json!({
            "domain": {"devices": {"disks": many}, "rebootPolicy": "Never"},
            "volumes": [{"name": "a", "containerPath": {"path": "a/..", "readOnly": false}}]
        }));
        assert_eq!(
            places(&vm),
            at(
                AdmissionStage::Schema,
                &[
                    "spec.template.spec.domain.devices.disks",
                    "spec.template.spec.domain.rebootPolicy",
                    "spec.template.spec.volumes[0].containerPath.path",
                    "spec.template.spec.volumes[0].containerPath.path",
                    "spec.template.spec.volumes[0].containerPath.readOnly",
                ]
            )
        );
        let template = |spec: Json| json!({"spec": {"dataVolumeTemplates": [{"spec": spec}], "template": {"spec": {"domain": {"devices": {}}}}}});
        let modes = template(json!({"storage": {"accessModes": ["RWX"]}}));
        assert_eq!(refused(&modes).len(), 1);
        // Go leaves an empty text out before the CRD sees it.
        assert_eq!(refused(&template(json!({"contentType": ""}))), []);
        assert_eq!(refused(&template(json!({"contentType": "iso"}))).len(), 1);
    }

    /// AD03 and AD04, CK03: where the CRD keeps what it does not know, KubeVirt's OpenAPI refuses it.
    #[test]
    fn what_the_api_server_keeps_the_openapi_refuses() {
        let template = |metadata: Json| json!({"spec": {"template": {"metadata": metadata, "spec": {"domain": {"devices": {}}}}}});
        for (metadata, message) in [
            (
                json!({"app": "web"}),
                "spec.template.metadata.app in body is a forbidden property",
            ),
            (json!({"labels": null}), "Invalid value: must be a mapping"),
            (
                json!({"labels": {"a": null}}),
                "Invalid value: must be a string",
            ),
            (
                json!({"finalizers": [null]}),
                "Invalid value: must be a string",
            ),
            (json!(null), "Invalid value: must be a mapping"),
        ] {
            let found = refused(&template(metadata.clone()));
            assert_eq!(found.len(), 1, "{metadata}");
            assert_eq!(found[0].cause.message, message);
        }
        assert_eq!(refused(&template(json!({"creationTimestamp": null}))), []);
        let clock = |clock: Json| guest(&json!({"domain": {"devices": {}, "clock": clock}}));
        assert_eq!(refused(&clock(json!({"Utc": {}}))).len(), 1);
        assert_eq!(refused(&clock(json!({"timer": {"Rtc": {}}}))), []);
        assert_eq!(refused(&clock(json!(null))), []);
        let templates = |one: Json| json!({"spec": {"dataVolumeTemplates": [one], "template": {"spec": {"domain": {"devices": {}}}}}});
        assert_eq!(
            refused(&templates(json!({"metadata": {"foo": 1}, "spec": {}}))).len(),
            1
        );
        assert_eq!(refused(&templates(json!(null))).len(), 1);
        assert_eq!(refused(&guest(&json!({"volumes": [null]}))).len(), 1);
        assert_eq!(refused(&guest(&json!({"volumes": null}))), []);
    }

    /// AD11: no two items of a list map have the same keys.
    #[test]
    fn items_of_a_list_map_are_told_apart() {
        let claims = |names: &[&str]| {
            let claims: Vec<_> = names.iter().map(|name| json!({"name": name})).collect();
            guest(&json!({"resourceClaims": claims}))
        };
        assert_eq!(places(&claims(&["a", "b"])), []);
        assert_eq!(
            places(&claims(&["a", "b", "a"])),
            at(
                AdmissionStage::Schema,
                &["spec.template.spec.resourceClaims[2]"]
            )
        );
        let spread = |second: &str| {
            guest(&json!({"topologySpreadConstraints": [
                {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1},
                {"topologyKey": "zone", "whenUnsatisfiable": second, "maxSkew": 1}]}))
        };
        assert_eq!(places(&spread("ScheduleAnyway")), []);
        assert_eq!(places(&spread("DoNotSchedule")).len(), 1);
        let users = |users: &[&str]| {
            let agent = json!({"sshPublicKey": {"source": {"secret": {"secretName": "s"}}, "propagationMethod": {"qemuGuestAgent": {"users": users}}}});
            guest(&json!({"accessCredentials": [agent]}))
        };
        assert_eq!(places(&users(&["a", "b"])), []);
        assert_eq!(places(&users(&["a", "a"])).len(), 1);
    }

    /// AD10: the CRD of an instance type holds a quantity as it is written.
    #[test]
    fn an_instance_types_quantity_is_held_as_written() {
        let name = "v1beta1.VirtualMachineInstancetype";
        for (guest, is_refused) in [
            (json!("1Gi"), false),
            (json!(1_073_741_824), false),
            (json!(1.5), true),
            (json!(" 1Gi"), true),
            (json!(""), true),
            (json!(true), true),
        ] {
            let node = json!({"spec": {"cpu": {"guest": 1}, "memory": {"guest": guest}}});
            let node = Node::from_json(&node);
            let decoded = crate::schema::decode(Release::NEWEST, name, &node);
            let found = check(name, &node, &decoded.problems);
            assert_eq!(!found.is_empty(), is_refused, "{guest}");
        }
        // A VM's is written back by the webhook first.
        assert_eq!(
            refused(&guest(
                &json!({"domain": {"devices": {}, "memory": {"guest": " 1Gi"}}})
            )),
            []
        );
    }
}
