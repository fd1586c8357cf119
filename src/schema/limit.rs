//! What a CRD requires of a value besides its type and presence.

use serde::Deserialize;
use smol_str::SmolStr;

use crate::yaml::{Node, Value};

/// One demand of the CRD.
#[derive(Debug, PartialEq, Eq)]
pub enum Limit {
    /// The only values allowed, in the CRD's order.
    Enum(Vec<SmolStr>),
    /// The most items of a list.
    MaxItems(usize),
    /// The most characters of a text.
    MaxLength(usize),
    /// The fewest characters of a text.
    MinLength(usize),
    /// The largest number.
    Maximum(i64),
    /// The smallest number.
    Minimum(i64),
    /// A rule in the Common Expression Language.
    Rule {
        /// What it asks.
        test: Test,
        /// What the API server says where it does not hold.
        message: SmolStr,
    },
}

/// What a rule asks of a value: the forms that occur.
#[derive(Debug, PartialEq, Eq)]
pub enum Test {
    /// `self.startsWith('…')`.
    StartsWith(SmolStr),
    /// `!self.contains('…')`.
    Lacks(SmolStr),
    /// `self == true`.
    IsTrue,
}

impl Limit {
    /// Whether a value keeps within the limit; one of another type does.
    pub fn allows(&self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::Enum(known), Value::String(word)) => known.contains(word),
            (Self::MaxItems(most), Value::Seq(items)) => items.len() <= *most,
            (Self::MaxLength(most), Value::String(text)) => text.chars().count() <= *most,
            (Self::MinLength(fewest), Value::String(text)) => text.chars().count() >= *fewest,
            (Self::Maximum(most), Value::Int(number)) => number <= most,
            (Self::Minimum(least), Value::Int(number)) => number >= least,
            (Self::Rule { test, .. }, _) => test.holds(node),
            _ => true,
        }
    }
}

impl Test {
    fn holds(&self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::StartsWith(start), Value::String(text)) => text.starts_with(start.as_str()),
            (Self::Lacks(part), Value::String(text)) => !text.contains(part.as_str()),
            (Self::IsTrue, Value::Bool(value)) => *value,
            _ => true,
        }
    }

    fn parse(rule: &str) -> Option<Self> {
        let argument = |call: &str| rule.strip_prefix(call)?.strip_suffix("')");
        if rule == "self == true" {
            Some(Self::IsTrue)
        } else if let Some(start) = argument("self.startsWith('") {
            Some(Self::StartsWith(start.into()))
        } else {
            argument("!self.contains('").map(|part| Self::Lacks(part.into()))
        }
    }
}

/// The limits as `schemas/fields.json` writes them: the CRD's own keys.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RawLimits {
    r#enum: Option<Vec<SmolStr>>,
    max_items: Option<usize>,
    max_length: Option<usize>,
    min_length: Option<usize>,
    maximum: Option<i64>,
    minimum: Option<i64>,
    #[serde(default)]
    rules: Vec<RawRule>,
}

#[derive(Deserialize)]
struct RawRule {
    rule: SmolStr,
    message: SmolStr,
}

impl RawLimits {
    pub(super) fn build(self) -> Vec<Limit> {
        let rules = self.rules.into_iter().map(|RawRule { rule, message }| {
            let test = Test::parse(&rule).unwrap_or_else(|| {
                panic!("src/schema/limit.rs reads the rule `{rule}` of schemas/fields.json")
            });
            Limit::Rule { test, message }
        });
        [
            self.r#enum.map(Limit::Enum),
            self.max_items.map(Limit::MaxItems),
            self.max_length.map(Limit::MaxLength),
            self.min_length.map(Limit::MinLength),
            self.maximum.map(Limit::Maximum),
            self.minimum.map(Limit::Minimum),
        ]
        .into_iter()
        .flatten()
        .chain(rules)
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn allows(limits: &serde_json::Value, value: &serde_json::Value) -> bool {
        let raw: RawLimits = serde_json::from_value(limits.clone()).unwrap();
        let node = Node::from_json(value);
        raw.build().iter().all(|limit| limit.allows(&node))
    }

    #[test]
    fn both_sides_of_every_limit() {
        for (limits, inside, outside) in [
            (json!({"enum": ["a", "b"]}), json!("b"), json!("c")),
            (json!({"maxItems": 2}), json!([1, 2]), json!([1, 2, 3])),
            (json!({"maxLength": 2}), json!("äö"), json!("abc")),
            (json!({"minLength": 1}), json!("a"), json!("")),
            (json!({"maximum": 100}), json!(100), json!(101)),
            (json!({"minimum": 0}), json!(0), json!(-1)),
            (
                json!({"rules": [{"rule": "self.startsWith('/')", "message": "m"}]}),
                json!("/a"),
                json!("a/"),
            ),
            (
                json!({"rules": [{"rule": "!self.contains('..')", "message": "m"}]}),
                json!("/a.b"),
                json!("/a/.."),
            ),
            (
                json!({"rules": [{"rule": "self == true", "message": "m"}]}),
                json!(true),
                json!(false),
            ),
        ] {
            assert!(allows(&limits, &inside), "{limits} {inside}");
            assert!(!allows(&limits, &outside), "{limits} {outside}");
            assert!(allows(&limits, &json!(null)), "{limits} of another type");
        }
    }
}
