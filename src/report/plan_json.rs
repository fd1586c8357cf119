//! The plan as JSON, described by `schemas/plan.json`.

use serde_json::{Map, Value as Json, json};

use crate::plan::{Accepted, Plan, Reason, Rejection, Releases, VmPlan};
use crate::shown;

/// The JSON Schema of [`report`].
pub const SCHEMA: &str = include_str!("../../schemas/plan.json");

/// The plan as JSON text, ending in a line feed.
pub fn report(plan: &Plan) -> String {
    format!("{:#}\n", shown::json(value(plan)))
}

/// The plan as a JSON value.
pub fn value(plan: &Plan) -> Json {
    let summary = plan.summary();
    let actions = summary.actions.iter();
    let actions = actions.map(|(action, count)| (action.to_string(), json!(count)));
    let mut out = sparse(json!({
        "version": 1,
        "kubevirt": sparse(json!({
            "base": Releases::words(&plan.kubevirt.base),
            "head": Releases::words(&plan.kubevirt.head),
            "openshift": openshift(&plan.kubevirt),
            "hides": list(&plan.kubevirt.hides, |(base, head)| json!({
                "base": base.as_str(), "head": head.as_str(),
            })),
        })),
        "base": plan.base,
        "head": plan.head,
        "notes": plan.notes,
    }));
    out["targets"] = json!(plan.targets);
    out["groups"] = list(&plan.groups, |group| {
        json!({
            "cause": group.cause,
            "action": group.action.as_str(),
            "effects": group.effects,
            "vms": plan.in_group(group).map(identity).collect::<Vec<_>>(),
        })
    });
    out["virtualMachines"] = list(&plan.virtual_machines, vm);
    out["unjudged"] = list(&plan.unjudged, |one| {
        sparse(json!({
            "file": one.file,
            "kind": one.kind,
            "reason": one.reason,
            "accepted": one.accepted.as_ref().map(accepted),
        }))
    });
    out["summary"] = json!({
        "action": actions.collect::<Map<_, _>>(),
        "down": summary.down,
        "restarts": summary.restarts,
        "conditionOnly": summary.condition_only,
        "startRefused": summary.start_refused,
        "unjudged": summary.unjudged,
        "accepted": summary.accepted,
        "sentence": summary.sentence,
    });
    out
}

/// What names a row.
fn identity(vm: &VmPlan) -> Json {
    sparse(json!({
        "target": vm.target, "kind": vm.kind, "namespace": vm.namespace, "name": vm.name,
    }))
}

fn vm(vm: &VmPlan) -> Json {
    let also = vm.also.iter().map(|action| action.as_str());
    let causes = vm.causes.iter().map(|cause| cause.file.as_str());
    let mut out = sparse(json!({
        "target": vm.target,
        "kind": vm.kind,
        "namespace": vm.namespace,
        "name": vm.name,
        "change": vm.change.as_str(),
        "action": vm.action.as_str(),
        "power": vm.power.as_str(),
        "conditionOnly": vm.condition_only,
        "startRefused": vm.start_refused,
        "also": also.collect::<Vec<_>>(),
        "rejected": vm.rejected.map(Rejection::as_str),
        "accepted": vm.accepted.as_ref().map(accepted),
        "loses": list(&vm.loses, |loss| json!({ "what": loss.what.as_str(), "name": loss.name })),
        "assumptions": vm.assumptions,
        "volumes": list(&vm.volumes, |volume| json!({
            "name": volume.name, "from": volume.from, "to": volume.to, "verdict": volume.verdict.as_str(),
        })),
        "fields": list(&vm.fields, |field| sparse(json!({
            "path": field.path.to_string(), "from": field.from, "to": field.to, "effect": field.effect.as_str(),
        }))),
    }));
    out["reasons"] = list(&vm.reasons, reason);
    out["causes"] = causes.collect();
    out
}

fn reason(reason: &Reason) -> Json {
    let said = reason.kubevirt.as_ref().map(|said| {
        let field = Some(&said.field).filter(|field| !field.is_empty());
        sparse(json!({ "message": said.message, "field": field }))
    });
    sparse(json!({
        "field": reason.field.as_ref().map(ToString::to_string),
        "from": reason.from,
        "to": reason.to,
        "message": reason.message,
        "kubevirt": said,
    }))
}

fn accepted(accepted: &Accepted) -> Json {
    json!({ "by": accepted.by })
}

fn list<T>(items: &[T], one: impl Fn(&T) -> Json) -> Json {
    items.iter().map(one).collect()
}

/// An object without what is null, false or an empty list.
/// The OpenShift releases of both sides; null where none is known.
fn openshift(releases: &Releases) -> Json {
    let [base, head] = [&releases.base, &releases.head].map(|side| Releases::openshift(side));
    if base.is_empty() && head.is_empty() {
        return Json::Null;
    }
    json!({"base": base, "head": head})
}

fn sparse(mut value: Json) -> Json {
    if let Json::Object(map) = &mut value {
        let is_said = |value: &Json| match value {
            Json::Null | Json::Bool(false) => false,
            Json::Array(items) => !items.is_empty(),
            _ => true,
        };
        map.retain(|_, value| is_said(value));
    }
    value
}
