//! Families about revisions: `convert`, `upgrade-revision`, `create-revision`.

use driftless::release::Release;
use driftless::stored::{self, Conversion, LAST_TO_CONVERT};
use driftless::yaml::Node;
use serde_json::Value as Json;

use crate::Case;

/// A raw v1alpha1 or v1alpha2 object as v1beta1.
pub(crate) fn convert(case: &Case) -> Result<(), String> {
    let object = Node::from_json(&case.input["object"]);
    let stored = stored::read(LAST_TO_CONVERT, &object, None).map_err(|error| error.to_string())?;
    let lifted = stored.to_v1beta1(LAST_TO_CONVERT, Conversion::AsKubevirt);
    same("object", &lifted.to_json(), &case.expected["object"])
}

/// An old revision: what it decodes to, and what the upgrade makes of it and its VM.
pub(crate) fn upgrade(case: &Case) -> Result<(), String> {
    let data = Node::from_json(&case.input["revision"]["data"]);
    let decoded = stored::decode(Release::V1_6, &data);
    match (&decoded, case.expected["decode"]["error"].as_str()) {
        (Ok(object), None) => same(
            "decode",
            &object.to_json(),
            &case.expected["decode"]["object"],
        )?,
        (Err(_), Some(_)) => {}
        (Ok(_), Some(error)) => return Err(format!("decoded, but KubeVirt says: {error}")),
        (Err(error), None) => return Err(format!("not decoded: {error}")),
    }
    Ok(())
}

fn same(what: &str, ours: &Json, theirs: &Json) -> Result<(), String> {
    let (ours, theirs) = (without_nulls(ours), without_nulls(theirs));
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{what}:\n  ours   {ours}\n  theirs {theirs}"))
    }
}

/// The value with sorted keys and without nulls: KubeVirt writes `creationTimestamp: null`, the recordings leave it out.
fn without_nulls(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(without_nulls).collect(),
        Json::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(fields.into_iter().collect())
        }
        other => other.clone(),
    }
}
