//! The plan as JSON, described by `schemas/plan.json`.

use serde_json::{Map, Value as Json, json};

use crate::plan::{
    FieldChange, Group, Loss, Plan, Reason, Releases, Summary, Unjudged, VmPlan, VolumeChange,
};

/// The JSON Schema of [`report`].
pub const SCHEMA: &str = include_str!("../../schemas/plan.json");

/// The plan as JSON text, ending in a line feed.
pub fn report(plan: &Plan) -> String {
    let mut text = serde_json::to_string_pretty(&value(plan)).unwrap_or_default();
    text.push('\n');
    text
}

/// The plan as a JSON value.
pub fn value(plan: &Plan) -> Json {
    let mut out = json!({
        "version": 1,
        "kubevirt": {
            "base": Releases::words(&plan.kubevirt.base),
            "head": Releases::words(&plan.kubevirt.head),
        },
        "base": plan.base,
        "head": plan.head,
        "targets": plan.targets,
    });
    if !plan.kubevirt.hides.is_empty() {
        let hides = plan.kubevirt.hides.iter();
        out["kubevirt"]["hides"] = hides
            .map(|(base, head)| json!({"base": base.as_str(), "head": head.as_str()}))
            .collect();
    }
    if !plan.notes.is_empty() {
        out["notes"] = json!(plan.notes);
    }
    out["groups"] = plan.groups.iter().map(|one| group(plan, one)).collect();
    out["virtualMachines"] = plan.virtual_machines.iter().map(vm).collect();
    out["unjudged"] = plan.unjudged.iter().map(unjudged).collect();
    out["summary"] = summary(&plan.summary());
    out
}

fn summary(summary: &Summary) -> Json {
    let actions: Map<String, Json> = summary
        .actions
        .iter()
        .map(|(action, count)| (action.as_str().to_owned(), Json::from(*count)))
        .collect();
    json!({
        "action": actions,
        "down": summary.down,
        "restarts": summary.restarts,
        "conditionOnly": summary.condition_only,
        "startRefused": summary.start_refused,
        "unjudged": summary.unjudged,
        "accepted": summary.accepted,
        "sentence": summary.sentence,
    })
}

fn group(plan: &Plan, group: &Group) -> Json {
    let vms: Vec<Json> = plan.in_group(group).map(identity).collect();
    json!({
        "cause": group.cause,
        "action": group.action.as_str(),
        "effects": group.effects,
        "vms": vms,
    })
}

/// What names a row.
fn identity(vm: &VmPlan) -> Json {
    let mut out = Map::new();
    if let Some(target) = &vm.target {
        out.insert("target".to_owned(), json!(target));
    }
    out.insert("kind".to_owned(), json!(vm.kind));
    out.insert("namespace".to_owned(), json!(vm.namespace));
    out.insert("name".to_owned(), json!(vm.name));
    Json::Object(out)
}

fn unjudged(unjudged: &Unjudged) -> Json {
    let mut out = json!({ "file": unjudged.file });
    if let Some(kind) = &unjudged.kind {
        out["kind"] = json!(kind);
    }
    out["reason"] = json!(unjudged.reason);
    if let Some(accepted) = &unjudged.accepted {
        out["accepted"] = json!({ "by": accepted.by });
    }
    out
}

fn vm(vm: &VmPlan) -> Json {
    let mut out = identity(vm);
    out["change"] = json!(vm.change.as_str());
    out["action"] = json!(vm.action.as_str());
    out["power"] = json!(vm.power.as_str());
    if vm.condition_only {
        out["conditionOnly"] = json!(true);
    }
    if vm.start_refused {
        out["startRefused"] = json!(true);
    }
    if !vm.also.is_empty() {
        let also: Vec<&str> = vm.also.iter().map(|action| action.as_str()).collect();
        out["also"] = json!(also);
    }
    if let Some(rejected) = vm.rejected {
        out["rejected"] = json!(rejected.as_str());
    }
    if let Some(accepted) = &vm.accepted {
        out["accepted"] = json!({ "by": accepted.by });
    }
    out["reasons"] = vm.reasons.iter().map(reason).collect();
    let mut list = |key: &str, items: Vec<Json>| {
        if !items.is_empty() {
            out[key] = Json::Array(items);
        }
    };
    list("loses", vm.loses.iter().map(loss).collect());
    list(
        "assumptions",
        vm.assumptions.iter().map(|text| json!(text)).collect(),
    );
    list("volumes", vm.volumes.iter().map(volume).collect());
    list("fields", vm.fields.iter().map(field).collect());
    out["causes"] = json!(vm.causes);
    out
}

fn reason(reason: &Reason) -> Json {
    let mut out = Map::new();
    let mut set = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), Json::from(value));
        }
    };
    set("field", reason.field.as_ref().map(ToString::to_string));
    set("from", reason.from.clone());
    set("to", reason.to.clone());
    set("message", Some(reason.message.clone()));
    if let Some(cause) = &reason.kubevirt {
        let mut said = json!({ "message": cause.message });
        if !cause.field.is_empty() {
            said["field"] = json!(cause.field);
        }
        out.insert("kubevirt".to_owned(), said);
    }
    Json::Object(out)
}

fn loss(loss: &Loss) -> Json {
    json!({ "what": loss.what.as_str(), "name": loss.name })
}

fn volume(volume: &VolumeChange) -> Json {
    json!({ "name": volume.name, "from": volume.from, "to": volume.to, "verdict": volume.verdict.as_str() })
}

fn field(field: &FieldChange) -> Json {
    let mut out = json!({ "path": field.path.to_string() });
    if let Some(from) = &field.from {
        out["from"] = json!(from);
    }
    if let Some(to) = &field.to {
        out["to"] = json!(to);
    }
    out["effect"] = json!(field.effect.as_str());
    out
}
