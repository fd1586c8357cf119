//! Quantities: text, value, comparison and arithmetic.

use driftless::resource::quantity::{Quantity, QuantityFormat, reread};
use serde_json::{Value as Json, json};

use crate::Case;

/// Compares every field of the answer.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let text = |key: &str| case.input[key].as_str().unwrap_or_default();
    let mut answer = serde_json::Map::new();
    match reread(text("s")) {
        Some(text) => drop(answer.insert("unmarshalled".into(), json!(text.as_str()))),
        None => {
            if let Err(error) = Quantity::read(text("s")) {
                answer.insert("unmarshalError".into(), json!(error.to_string()));
            }
        }
    }
    match Quantity::parse(text("s")) {
        Err(error) => drop(answer.insert("error".into(), json!(error.to_string()))),
        Ok(quantity) => {
            let format = match quantity.format() {
                QuantityFormat::BinarySI => "BinarySI",
                QuantityFormat::DecimalSI => "DecimalSI",
                QuantityFormat::DecimalExponent => "DecimalExponent",
            };
            answer.insert("format".into(), json!(format));
            answer.insert("isZero".into(), json!(quantity.is_zero()));
            answer.insert("sign".into(), json!(quantity.sign()));
            answer.insert("json".into(), json!(quantity.to_string()));
            answer.insert("string".into(), json!(quantity.to_string()));
            answer.insert("value".into(), json!(quantity.value()));
            answer.insert("milliValue".into(), json!(quantity.milli_value()));
            match Quantity::parse(text("other")) {
                Err(error) => drop(answer.insert("otherError".into(), json!(error.to_string()))),
                Ok(other) => {
                    answer.insert("cmp".into(), json!(quantity.cmp(&other) as i32));
                    answer.insert("equal".into(), json!(quantity == other));
                    answer.insert("sum".into(), json!(quantity.add(&other).to_string()));
                    answer.insert("sub".into(), json!(quantity.sub(&other).to_string()));
                }
            }
        }
    }
    let answer = Json::Object(answer);
    if answer == case.expected {
        Ok(())
    } else {
        Err(format!(
            "{}\n  ours  {answer}\n  wants {}",
            case.input, case.expected
        ))
    }
}
