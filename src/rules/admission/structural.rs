//! What the API server refuses before KubeVirt is asked: wrong types, missing fields, numbers and words out of range.

use crate::cause::Cause;
use crate::field_path::{FieldPath, Segment};
use crate::release::Release;
use crate::schema::{self, ProblemKind, Schema, Shape, Type, Variant};
use crate::yaml::{Node, Value};

/// Fields Go holds in unsigned numbers of 32 bits; a negative one cannot be read.
const UNSIGNED: [(&str, &str); 16] = [
    ("v1.CPU", "cores"),
    ("v1.CPU", "sockets"),
    ("v1.CPU", "threads"),
    ("v1.CPU", "maxSockets"),
    ("v1.Disk", "bootOrder"),
    ("v1.Interface", "bootOrder"),
    ("v1.CustomBlockSize", "logical"),
    ("v1.CustomBlockSize", "physical"),
    ("v1.CustomBlockSize", "discardGranularity"),
    ("v1.DiskIOThreads", "supplementalPoolThreadCount"),
    ("v1.FeatureSpinlocks", "spinlocks"),
    ("v1beta1.CPUInstancetype", "guest"),
    ("v1beta1.CPUInstancetype", "maxSockets"),
    ("v1beta1.SpreadOptions", "ratio"),
    (
        "v1beta1.VirtualMachinePreferenceSpec",
        "preferSpreadSocketToCoreRatio",
    ),
    ("v1beta1.CPUPreferenceRequirement", "guest"),
];

/// What the API server refuses in a tree of that type, in the order of the tree.
pub(super) fn refusals(release: Release, type_name: &str, written: &Node) -> Vec<Cause> {
    let schema = Schema::builtin();
    let Some(of) = schema.type_named(type_name) else {
        return Vec::new();
    };
    let mut causes: Vec<Cause> = schema::decode(release, type_name, written)
        .problems
        .into_iter()
        .filter(|problem| !is_servers(&problem.path))
        .filter_map(|problem| match problem.kind {
            ProblemKind::WrongType { expected } => Some(Cause::new(
                problem.path.to_string(),
                format!("Invalid value: must be {expected}"),
            )),
            _ => None,
        })
        .collect();
    let mut walk = Walk {
        schema,
        release,
        path: FieldPath::root(),
        visit: &mut |path, of, variant, name, value| {
            let field = || path.field(name).to_string();
            match value {
                None if is_required(variant, release) => {
                    causes.push(Cause::new(field(), "Required value"));
                }
                Some(Value::Int(number)) if is_out_of_range(of, variant, name, *number) => {
                    causes.push(Cause::new(
                        "",
                        format!(
                            "{}: {number} cannot be read as a number of that field",
                            field()
                        ),
                    ));
                }
                _ => {}
            }
        },
    };
    walk.types(of, written);
    causes
}

/// Words outside the list a field allows, which KubeVirt's own schema refuses once its mutating webhook is through.
pub(super) fn wrong_words(release: Release, type_name: &str, vm: &Node) -> Vec<Cause> {
    let schema = Schema::builtin();
    let mut causes = Vec::new();
    let Some(of) = schema.type_named(type_name) else {
        return causes;
    };
    let mut walk = Walk {
        schema,
        release,
        path: FieldPath::root(),
        visit: &mut |path, _, variant, name, value| {
            if let Some(Value::String(word)) = value
                && !variant.values.is_empty()
                && !variant.values.contains(word)
            {
                let field = path.field(name);
                let known = variant.values.join(" ");
                causes.push(Cause::new(
                    "",
                    format!("{field} in body should be one of [{known}]"),
                ));
            }
        },
    };
    walk.types(of, vm);
    causes
}

/// Whether the path lies in what the API server owns.
fn is_servers(path: &FieldPath) -> bool {
    matches!(path.segments().first(), Some(Segment::Field(name)) if name == "status")
}

fn is_required(variant: &Variant, release: Release) -> bool {
    variant
        .required
        .is_some_and(|(since, until)| since <= release && release <= until)
}

fn is_out_of_range(of: &Type, variant: &Variant, name: &str, number: i64) -> bool {
    if !matches!(variant.shape, Shape::Integer) {
        return false;
    }
    UNSIGNED.contains(&(of.name(), name)) && !(0..=i64::from(u32::MAX)).contains(&number)
}

/// Visits every field a tree's types have, present or not.
struct Walk<'a> {
    schema: &'static Schema,
    release: Release,
    path: FieldPath,
    #[allow(clippy::type_complexity, reason = "one visitor, declared here")]
    visit: &'a mut dyn FnMut(&FieldPath, &Type, &Variant, &str, Option<&Value>),
}

impl Walk<'_> {
    fn types(&mut self, of: &'static Type, node: &Node) {
        if node.as_map().is_none() {
            return;
        }
        for field in of.fields() {
            let Some(variant) = field.variant(self.release) else {
                continue;
            };
            let name = field.name();
            if self.path.is_root() && matches!(name, "status" | "metadata") {
                continue;
            }
            let value = node.get(name).filter(|node| !node.is_null());
            (self.visit)(&self.path, of, variant, name, value.map(|node| &node.value));
            if let Some(value) = value {
                self.path.push(Segment::Field(name.into()));
                self.shapes(&variant.shape, value);
                self.path.pop();
            }
        }
    }

    fn shapes(&mut self, shape: &'static Shape, node: &Node) {
        match (shape, &node.value) {
            (Shape::Struct(index), _) => {
                let of = self.schema.type_at(*index);
                self.types(of, node);
            }
            (Shape::List(inner), Value::Seq(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(at));
                    self.shapes(inner, item);
                    self.path.pop();
                }
            }
            (Shape::Map(inner), Value::Map(map)) => {
                for entry in map.entries() {
                    self.path.push(Segment::Field(entry.key.clone()));
                    self.shapes(inner, &entry.node);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(vm: &serde_json::Value) -> Vec<String> {
        refusals(Release::V1_9, "v1.VirtualMachine", &Node::from_json(vm))
            .into_iter()
            .map(|cause| cause.field)
            .collect()
    }

    #[test]
    fn missing_and_mistyped_fields_are_refused() {
        assert_eq!(fields(&json!({})), ["spec"]);
        assert_eq!(
            fields(&json!({"spec": {"runStrategy": "Always"}})),
            ["spec.template"]
        );
        assert_eq!(
            fields(
                &json!({"spec": {"running": "yes", "template": {"spec": {"domain": {"devices": {"disks": [{}]}}}}}})
            ),
            [
                "spec.running",
                "spec.template.spec.domain.devices.disks[0].name"
            ]
        );
    }

    #[test]
    fn negative_numbers_cannot_be_read() {
        let vm = json!({"spec": {"template": {"spec": {"domain": {"devices": {}, "cpu": {"cores": -1}}}}}});
        assert_eq!(fields(&vm), [""]);
    }

    #[test]
    fn words_outside_the_list_are_refused() {
        let vm = json!({"spec": {"template": {"spec": {"domain": {"devices": {}}, "dnsPolicy": "Maybe"}}}});
        let causes = wrong_words(Release::V1_9, "v1.VirtualMachine", &Node::from_json(&vm));
        assert_eq!(
            causes[0].message,
            "spec.template.spec.dnsPolicy in body should be one of [ClusterFirst ClusterFirstWithHostNet Default None]"
        );
    }
}
