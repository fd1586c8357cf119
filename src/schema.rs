//! What a release's API knows: types, fields, and how `KubeVirt`'s Go types read and write them.
//!
//! `schemas/fields.json` holds one merged table for all releases. A field's `pointer` and `always` say how Go stores it:
//! a zero value of a plain field cannot be told from its absence, a pointer's can.

pub mod explain;
mod limit;
mod table;

use smol_str::SmolStr;

pub use self::limit::{Limit, Test};
pub use self::table::{Field, Schema, Shape, Type, Variant, Width};

use crate::field_path::{FieldPath, Segment};
use crate::release::{Release, ReleaseRange};
use crate::resource::quantity;
use crate::yaml::{Entry, Map, Node, Value};

/// A tree as the release's Go types hold it, and what reading it dropped.
#[derive(Debug)]
pub struct Decoded {
    /// The tree in Go-normal form: no unknown fields, no nulls, no zero values of plain fields, no empty lists, maps
    /// and plain structs, quantities in `KubeVirt`'s text. Two trees of one type are equal to Go exactly when equal here.
    pub node: Node,
    /// What was dropped or does not fit, in document order.
    pub problems: Vec<Problem>,
}

/// One thing the API server drops or refuses while reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub path: FieldPath,
    /// What.
    pub kind: ProblemKind,
}

/// The kinds of [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// No release has this field in this type.
    UnknownField {
        /// The type that lacks it.
        in_type: SmolStr,
    },
    /// Other releases have the field.
    UnsupportedField {
        /// The releases that have it.
        releases: ReleaseRange,
    },
    /// A null where the type has a value; dropped.
    DroppedNull,
    /// The value is of another type.
    WrongType {
        /// What the type wants: `a boolean`.
        expected: &'static str,
    },
}

/// The type of a kind, by group and kind: `v1.VirtualMachine`.
pub fn type_of(group: &str, kind: &str) -> Option<&'static str> {
    Some(match (group, kind) {
        ("kubevirt.io", "VirtualMachine") => "v1.VirtualMachine",
        ("kubevirt.io", "VirtualMachineInstance") => "v1.VirtualMachineInstance",
        ("kubevirt.io", "VirtualMachineInstanceReplicaSet") => {
            "v1.VirtualMachineInstanceReplicaSet"
        }
        ("kubevirt.io", "KubeVirt") => "v1.KubeVirt",
        ("pool.kubevirt.io", "VirtualMachinePool") => "v1beta1.VirtualMachinePool",
        ("instancetype.kubevirt.io", "VirtualMachineInstancetype") => {
            "v1beta1.VirtualMachineInstancetype"
        }
        ("instancetype.kubevirt.io", "VirtualMachineClusterInstancetype") => {
            "v1beta1.VirtualMachineClusterInstancetype"
        }
        ("instancetype.kubevirt.io", "VirtualMachinePreference") => {
            "v1beta1.VirtualMachinePreference"
        }
        ("instancetype.kubevirt.io", "VirtualMachineClusterPreference") => {
            "v1beta1.VirtualMachineClusterPreference"
        }
        _ => return None,
    })
}

/// Reads a tree as the named type of a release. An unknown type name gives the tree back unchanged.
pub fn decode(release: Release, type_name: &str, node: &Node) -> Decoded {
    let schema = Schema::builtin();
    let Some(of) = schema.type_named(type_name) else {
        return Decoded {
            node: node.clone(),
            problems: Vec::new(),
        };
    };
    let mut reader = Reader {
        schema,
        release,
        steps: Vec::with_capacity(16),
        problems: Vec::new(),
    };
    let map = reader.read_struct(of, node);
    let node = match map {
        Some(map) => Node {
            value: Value::Map(map),
            origin: node.origin,
        },
        None => node.clone(),
    };
    Decoded {
        node,
        problems: reader.problems,
    }
}

/// Adds what Go always writes for the type: empty structs and zero values of fields without `omitempty`.
pub fn encode(release: Release, type_name: &str, node: &mut Node) {
    let schema = Schema::builtin();
    if let Some(of) = schema.type_named(type_name) {
        write_struct(schema, release, of, node);
    }
}

struct Reader<'a> {
    schema: &'static Schema,
    release: Release,
    /// Steps to the place being read; a path is made of them only for a problem.
    steps: Vec<Step<'a>>,
    problems: Vec<Problem>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a SmolStr),
    Index(usize),
}

impl<'a> Reader<'a> {
    fn problem(&mut self, kind: ProblemKind) {
        let mut path = FieldPath::root();
        for step in &self.steps {
            path.push(match *step {
                Step::Field(name) => Segment::Field(name.clone()),
                Step::Index(at) => Segment::Index(at),
            });
        }
        self.problems.push(Problem { path, kind });
    }

    fn read_struct(&mut self, of: &'static Type, node: &'a Node) -> Option<Map> {
        let Value::Map(map) = &node.value else {
            self.problem(ProblemKind::WrongType {
                expected: "a mapping",
            });
            return None;
        };
        let mut out = Map::with_capacity(map.len());
        for entry in map.entries() {
            self.steps.push(Step::Field(&entry.key));
            if let Some(node) = self.read_field(of, entry) {
                out.push(Entry {
                    key: entry.key.clone(),
                    key_origin: entry.key_origin,
                    node,
                });
            }
            self.steps.pop();
        }
        Some(out)
    }

    fn read_field(&mut self, of: &'static Type, entry: &'a Entry) -> Option<Node> {
        let Some(field) = of.field(&entry.key) else {
            self.problem(ProblemKind::UnknownField {
                in_type: of.name().into(),
            });
            return None;
        };
        let Some(variant) = field.variant(self.release) else {
            let releases = field.releases();
            self.problem(ProblemKind::UnsupportedField { releases });
            return None;
        };
        if entry.node.is_null() {
            if !matches!(variant.shape, Shape::Time) {
                self.problem(ProblemKind::DroppedNull);
            }
            return None;
        }
        let node = self.read(&variant.shape, &entry.node);
        if !variant.pointer && is_zero(&node, &variant.shape) {
            None
        } else {
            Some(node)
        }
    }

    fn read(&mut self, shape: &'static Shape, node: &'a Node) -> Node {
        let expected = match (shape, &node.value) {
            (Shape::Any, _)
            | (Shape::String | Shape::Bytes | Shape::Duration | Shape::Time, Value::String(_))
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Integer(_), Value::Int(_) | Value::UInt(_))
            | (Shape::Float, Value::Int(_) | Value::UInt(_) | Value::Float(_))
            | (Shape::IntOrString, Value::Int(_) | Value::String(_)) => return node.clone(),
            (
                Shape::Quantity,
                Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_),
            ) => {
                return self.read_quantity(node);
            }
            (Shape::Struct(index), Value::Map(_)) => {
                let of = self.schema.type_at(*index);
                let map = self.read_struct(of, node).unwrap_or_default();
                return Node {
                    value: Value::Map(map),
                    origin: node.origin,
                };
            }
            (Shape::List(of), Value::Seq(items)) => {
                let mut out = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    self.steps.push(Step::Index(at));
                    out.push(if item.is_null() {
                        zero_item(of)
                    } else {
                        self.read(of, item)
                    });
                    self.steps.pop();
                }
                return Node {
                    value: Value::Seq(out),
                    origin: node.origin,
                };
            }
            (Shape::Map(of), Value::Map(map)) => {
                let mut out = Map::with_capacity(map.len());
                for entry in map.entries() {
                    self.steps.push(Step::Field(&entry.key));
                    if entry.node.is_null() {
                        self.problem(ProblemKind::DroppedNull);
                    } else {
                        let node = self.read(of, &entry.node);
                        out.push(Entry {
                            key: entry.key.clone(),
                            key_origin: entry.key_origin,
                            node,
                        });
                    }
                    self.steps.pop();
                }
                return Node {
                    value: Value::Map(out),
                    origin: node.origin,
                };
            }
            (Shape::Integer(_), Value::Float(number))
                if number.fract() == 0.0 && number.abs() < 9e15 =>
            {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "checked to be integral and small"
                )]
                return Node {
                    value: Value::Int(*number as i64),
                    origin: node.origin,
                };
            }
            _ => shape.expected(),
        };
        self.problem(ProblemKind::WrongType { expected });
        node.clone()
    }

    fn read_quantity(&mut self, node: &Node) -> Node {
        let Some(text) = quantity::text(&node.value) else {
            return node.clone();
        };
        if let Some(text) = quantity::reread(&text) {
            Node {
                value: Value::String(text),
                origin: node.origin,
            }
        } else {
            self.problem(ProblemKind::WrongType {
                expected: "a quantity",
            });
            node.clone()
        }
    }
}

/// Whether Go cannot tell the value from absence in a plain field.
fn is_zero(node: &Node, shape: &Shape) -> bool {
    match (&node.value, shape) {
        (_, Shape::Quantity | Shape::Any) => false,
        (Value::Bool(value), _) => !value,
        (Value::Int(value), _) => *value == 0,
        (Value::Float(value), _) => *value == 0.0,
        (Value::String(text), _) => text.is_empty(),
        (Value::Seq(items), _) => items.is_empty(),
        (Value::Map(map), _) => map.is_empty(),
        _ => false,
    }
}

fn zero_item(shape: &Shape) -> Node {
    match shape {
        Shape::Struct(_) | Shape::Map(_) => Node::map(),
        Shape::String => Node::string(""),
        Shape::Integer(_) => Node::from(0),
        _ => Node::new(Value::Null),
    }
}

fn write_struct(schema: &'static Schema, release: Release, of: &'static Type, node: &mut Node) {
    let Some(map) = node.as_map_mut() else { return };
    for entry in map.entries_mut() {
        if let Some(variant) = of
            .field(&entry.key)
            .and_then(|field| field.variant(release))
        {
            write(schema, release, &variant.shape, &mut entry.node);
        }
    }
    for field in of.fields() {
        let Some(variant) = field.variant(release) else {
            continue;
        };
        if variant.pointer || map.get(field.name()).is_some() {
            continue;
        }
        let zero = match &variant.shape {
            Shape::Struct(index) => {
                let mut node = Node::map();
                write_struct(schema, release, schema.type_at(*index), &mut node);
                if !variant.always && node.entries().is_empty() {
                    continue;
                }
                node
            }
            _ if !variant.always => continue,
            Shape::String => Node::string(""),
            Shape::Integer(_) => Node::from(0),
            Shape::Bool => Node::from(false),
            Shape::Quantity => Node::string("0"),
            _ => continue,
        };
        map.insert(field.name(), zero);
    }
}

fn write(schema: &'static Schema, release: Release, shape: &'static Shape, node: &mut Node) {
    match shape {
        Shape::Struct(index) => write_struct(schema, release, schema.type_at(*index), node),
        Shape::List(of) => {
            for item in node.items_mut().into_iter().flatten() {
                write(schema, release, of, item);
            }
        }
        Shape::Map(of) => {
            for entry in node
                .as_map_mut()
                .map(Map::entries_mut)
                .into_iter()
                .flatten()
            {
                write(schema, release, of, &mut entry.node);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn vm(release: Release, json: &serde_json::Value) -> Decoded {
        decode(release, "v1.VirtualMachine", &Node::from_json(json))
    }

    #[test]
    fn zero_values_of_plain_fields_vanish_and_pointers_stay() {
        let read = vm(
            Release::V1_9,
            &json!({"spec": {"running": false, "template": {"spec": {"domain": {
                "cpu": {"cores": 0, "dedicatedCpuPlacement": false}, "devices": {"disks": [], "rng": {}},
                "resources": {}}}}}}),
        );
        assert_eq!(
            read.node.to_json(),
            json!({"spec": {"running": false, "template": {"spec": {"domain": {"cpu": {}, "devices": {"rng": {}}}}}}})
        );
        assert!(read.problems.is_empty());
    }

    #[test]
    fn a_kubevirt_object_is_held_to_its_definition_alone() {
        // No webhook reads it against the types, and its definition has a plain number and no list of policies here.
        let json = json!({"spec": {"infra": {"replicas": 2}, "imagePullPolicy": "Sometimes"}});
        let read = decode(Release::V1_9, "v1.KubeVirt", &Node::from_json(&json));
        assert!(read.problems.is_empty(), "{:?}", read.problems);
        assert_eq!(read.node.to_json(), json);
    }

    #[test]
    fn what_the_api_server_drops_is_said() {
        let read = vm(
            Release::V1_5,
            &json!({"spec": {"nope": 1, "template": {"spec": {"domain": {"devices": {
                "video": {"type": "vga"}, "disks": null, "rng": 3}}}}}}),
        );
        let kinds: Vec<_> = read
            .problems
            .iter()
            .map(|problem| (problem.path.to_string(), &problem.kind))
            .collect();
        assert_eq!(kinds.len(), 4, "{kinds:?}");
        assert_eq!(kinds[0].0, "spec.nope");
        assert!(matches!(
            kinds[1].1,
            ProblemKind::UnsupportedField { releases } if releases.first() == Release::V1_6
        ));
        assert_eq!(kinds[2].1, &ProblemKind::DroppedNull);
        assert!(matches!(kinds[3].1, ProblemKind::WrongType { .. }));
    }

    #[test]
    fn a_number_is_a_quantity_in_the_text_go_writes_it() {
        for (number, text) in [
            (json!(1.5), "1500m"),
            (json!(1e3), "1k"),
            (json!(1e21), "1e+21"),
            (json!(1e-7), "100e-9"),
        ] {
            let read = vm(
                Release::V1_9,
                &json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": number}}}}}}),
            );
            assert_eq!(
                read.node.str_at("spec.template.spec.domain.memory.guest"),
                text
            );
        }
    }

    #[test]
    fn writing_adds_what_go_always_writes() {
        let mut node = vm(
            Release::V1_9,
            &json!({"spec": {"template": {"spec": {"domain": {}}}}}),
        )
        .node;
        encode(Release::V1_9, "v1.VirtualMachine", &mut node);
        assert!(node.path("spec.template.spec.domain.devices").is_some());
    }
}
