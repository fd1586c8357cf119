//! The plan as JSON, described by `schemas/plan.json`.

use serde_json::{Map, Value as Json, json};

use crate::plan::{FieldChange, Loss, Plan, Power, Reason, VmPlan, VolumeChange};

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
    let counts: Map<String, Json> = plan
        .counts()
        .into_iter()
        .map(|(action, count)| (action.as_str().to_owned(), Json::from(count)))
        .collect();
    let mut summary = json!({ "action": counts });
    for power in [Power::Start, Power::Stop] {
        let count = plan.powered(power);
        if count > 0 {
            summary["power"][power.as_str()] = Json::from(count);
        }
    }
    let mut out = json!({
        "version": 1,
        "kubevirt": plan.release.as_str(),
        "base": plan.base,
        "head": plan.head,
    });
    if !plan.notes.is_empty() {
        out["notes"] = json!(plan.notes);
    }
    out["virtualMachines"] = plan.virtual_machines.iter().map(vm).collect();
    out["summary"] = summary;
    out
}

fn vm(vm: &VmPlan) -> Json {
    let mut out = json!({
        "namespace": vm.namespace,
        "name": vm.name,
        "change": vm.change.as_str(),
        "action": vm.action.as_str(),
        "power": vm.power.as_str(),
        "reasons": vm.reasons.iter().map(reason).collect::<Vec<_>>(),
    });
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
    json!({ "what": loss.what, "name": loss.name })
}

fn volume(volume: &VolumeChange) -> Json {
    json!({ "name": volume.name, "from": volume.from, "to": volume.to, "verdict": volume.verdict })
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
