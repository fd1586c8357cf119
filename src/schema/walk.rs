//! The one walk of a tree along its type: gives the tree as Go holds it, and everything that does not fit.

use smol_str::SmolStr;

use super::table::{Schema, Shape, Type, Variant};
use super::{Decoded, Expected, Problem, ProblemKind};
use crate::field_path::{FieldPath, Segment};
use crate::release::Release;
use crate::resource::quantity;
use crate::yaml::{Entry, Map, Node, Value};

/// Reads a tree as a type of a release.
pub(super) fn read(release: Release, of: &'static Type, node: &Node) -> Decoded {
    let mut walk = Reading {
        schema: Schema::builtin(),
        release,
        steps: Vec::with_capacity(16),
        within: Vec::with_capacity(8),
        problems: Vec::new(),
    };
    let value = match walk.read_struct(of, node) {
        Some(map) => Value::Map(map),
        None => node.value.clone(),
    };
    Decoded {
        node: Node {
            value,
            origin: node.origin,
        },
        problems: walk.problems,
    }
}

struct Reading<'a> {
    schema: &'static Schema,
    release: Release,
    /// Steps to the place being read; a path is made of them only for a problem.
    steps: Vec<PathStep<'a>>,
    /// The types passed through on the way, outermost first.
    within: Vec<&'static Type>,
    problems: Vec<Problem>,
}

#[derive(Clone, Copy)]
enum PathStep<'a> {
    Field(&'a SmolStr),
    Index(usize),
}

impl<'a> Reading<'a> {
    fn problem(&mut self, kind: ProblemKind) {
        let mut path = FieldPath::root();
        for step in &self.steps {
            path.push(match *step {
                PathStep::Field(name) => Segment::Field(name.clone()),
                PathStep::Index(at) => Segment::Index(at),
            });
        }
        self.problems.push(Problem { path, kind });
    }

    /// Whether the place belongs to the API server: it owns the status, and holds metadata to a schema of its own.
    fn is_servers(&self) -> bool {
        matches!(self.steps.first(), Some(PathStep::Field(name)) if matches!(name.as_str(), "status" | "metadata"))
    }

    fn read_struct(&mut self, of: &'static Type, node: &'a Node) -> Option<Map> {
        let Value::Map(map) = &node.value else {
            self.problem(ProblemKind::WrongType {
                expected: Expected::Mapping,
            });
            return None;
        };
        self.within.push(of);
        self.require(of, map);
        let mut out = Map::with_capacity(map.len());
        for entry in map.entries() {
            self.steps.push(PathStep::Field(&entry.key));
            if let Some(node) = self.read_field(of, entry) {
                out.push(Entry {
                    key: entry.key.clone(),
                    key_origin: entry.key_origin,
                    node,
                });
            }
            self.steps.pop();
        }
        self.within.pop();
        Some(out)
    }

    fn require(&mut self, of: &'static Type, map: &Map) {
        for field in of.ever_required() {
            let is_required = field
                .variant(self.release)
                .is_some_and(|variant| variant.required);
            if !is_required || map.get(field.name()).is_some_and(|node| !node.is_null()) {
                continue;
            }
            self.steps.push(PathStep::Field(field.key()));
            if !self.is_servers() {
                self.problem(ProblemKind::Missing);
            }
            self.steps.pop();
        }
    }

    fn read_field(&mut self, of: &'static Type, entry: &'a Entry) -> Option<Node> {
        let Some(field) = of.field(&entry.key) else {
            let within = self.within.iter().map(|of| of.name()).collect();
            self.problem(ProblemKind::UnknownField { within });
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
        self.hold(variant, &entry.node);
        let node = self.read(&variant.shape, &entry.node);
        let is_empty = !variant.pointer && variant.shape.has_zero() && node.is_zero();
        (!is_empty).then_some(node)
    }

    /// Holds a value against the words and limits of its field.
    fn hold(&mut self, variant: &'static Variant, node: &Node) {
        if self.is_servers() {
            return;
        }
        if !variant.values.is_empty() {
            let is_listed = |word: &str| variant.values.iter().any(|value| value == word);
            let allowed = &variant.values;
            match &node.value {
                Value::String(word) if !word.is_empty() && !is_listed(word) => {
                    self.problem(ProblemKind::NotListed { allowed });
                }
                Value::Seq(items) => {
                    for (at, item) in items.iter().enumerate() {
                        if item.as_str().is_some_and(|word| !is_listed(word)) {
                            self.steps.push(PathStep::Index(at));
                            self.problem(ProblemKind::NotListed { allowed });
                            self.steps.pop();
                        }
                    }
                }
                _ => {}
            }
        }
        for limit in &variant.limits {
            if !limit.allows(node) {
                self.problem(ProblemKind::BeyondLimit { limit });
            }
        }
    }

    fn read(&mut self, shape: &'static Shape, node: &'a Node) -> Node {
        let value = match (shape, &node.value) {
            (Shape::Any, _)
            | (Shape::String | Shape::Bytes | Shape::Duration | Shape::Time, Value::String(_))
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Integer(_), Value::UInt(_))
            | (Shape::Float, Value::Int(_) | Value::UInt(_) | Value::Float(_))
            | (Shape::IntOrString, Value::Int(_) | Value::String(_)) => return node.clone(),
            (Shape::Integer(width), Value::Int(number)) => {
                if !width.holds(*number) && !self.is_servers() {
                    self.problem(ProblemKind::OutOfRange { number: *number });
                }
                return node.clone();
            }
            (
                Shape::Quantity,
                Value::String(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_),
            ) => quantity::text(&node.value)
                .and_then(|text| quantity::reread(&text))
                .map(Value::String),
            (Shape::Struct(index), Value::Map(_)) => {
                let of = self.schema.type_at(*index);
                self.read_struct(of, node).map(Value::Map)
            }
            (Shape::List(of), Value::Seq(items)) => {
                let mut out = Vec::with_capacity(items.len());
                for (at, item) in items.iter().enumerate() {
                    self.steps.push(PathStep::Index(at));
                    out.push(if item.is_null() {
                        zero_item(of)
                    } else {
                        self.read(of, item)
                    });
                    self.steps.pop();
                }
                Some(Value::Seq(out))
            }
            (Shape::Map(of), Value::Map(map)) => {
                let mut out = Map::with_capacity(map.len());
                for entry in map.entries() {
                    self.steps.push(PathStep::Field(&entry.key));
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
                Some(Value::Map(out))
            }
            (Shape::Integer(_), Value::Float(number))
                if number.fract() == 0.0 && number.abs() < 9e15 =>
            {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "checked to be integral and small"
                )]
                Some(Value::Int(*number as i64))
            }
            _ => None,
        };
        let Some(value) = value else {
            let expected = shape.expected();
            self.problem(ProblemKind::WrongType { expected });
            return node.clone();
        };
        Node {
            value,
            origin: node.origin,
        }
    }
}

fn zero_item(shape: &Shape) -> Node {
    match shape {
        Shape::Struct(_) | Shape::Map(_) => Node::map(),
        _ => shape.zero().unwrap_or_else(|| Node::new(Value::Null)),
    }
}

/// Calls `each` with every value of a type of the release, and with its shape; the parts of a value come before it.
pub(super) fn visit(
    release: Release,
    shape: &Shape,
    node: &mut Node,
    each: &mut impl FnMut(&Shape, &mut Node),
) {
    match shape {
        Shape::Struct(index) => {
            let of = Schema::builtin().type_at(*index);
            for entry in node.entries_mut() {
                if let Some(variant) = of.variant(&entry.key, release) {
                    visit(release, &variant.shape, &mut entry.node, each);
                }
            }
        }
        Shape::List(of) => {
            for item in node.items_mut().into_iter().flatten() {
                visit(release, of, item, each);
            }
        }
        Shape::Map(of) => {
            for entry in node.entries_mut() {
                visit(release, of, &mut entry.node, each);
            }
        }
        _ => {}
    }
    each(shape, node);
}

/// Adds to a struct what Go always writes: empty structs and zero values of fields without `omitempty`.
pub(super) fn fill(release: Release, of: &Type, node: &mut Node) {
    let Some(map) = node.as_map_mut() else { return };
    for field in of.fields() {
        let Some(variant) = field.variant(release) else {
            continue;
        };
        if variant.pointer || map.get(field.name()).is_some() {
            continue;
        }
        let zero = if let Shape::Struct(index) = &variant.shape {
            let mut node = Node::map();
            fill(release, Schema::builtin().type_at(*index), &mut node);
            (variant.always || !node.entries().is_empty()).then_some(node)
        } else {
            variant.always.then(|| variant.shape.zero()).flatten()
        };
        if let Some(zero) = zero {
            map.insert(field.name(), zero);
        }
    }
}
