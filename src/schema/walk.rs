//! The one walk of a tree along its type: gives the tree as Go holds it, and everything that does not fit.

use std::collections::HashSet;

use smol_str::SmolStr;

use super::table::{Preserve, Schema, Shape, Type, Variant, Width};
use super::{Decoded, Expected, Problem, ProblemKind, time};
use crate::field_path::{FieldPath, Segment};
use crate::release::Release;
use crate::resource::quantity;
use crate::yaml::{Entry, Map, Node, Value};

/// Reads a tree as a type of a release.
pub(super) fn read(release: Release, of: &'static Type, node: &Node) -> Decoded {
    let mut walk = Reading {
        schema: Schema::builtin(),
        release,
        held: HeldAgainst::of(of.name()),
        keeps: Preserve::Nothing,
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

/// The largest whole number that KubeVirt's OpenAPI validation takes: it reads JSON numbers as floats.
const LARGEST: i64 = (1 << 53) - 1;

/// Who holds a kind against what, beside Go itself.
#[derive(Clone, Copy, Debug)]
struct HeldAgainst {
    /// KubeVirt's webhooks hold it against KubeVirt's own OpenAPI.
    openapi: bool,
    /// The mutating webhook writes the Go struct back before the API server validates the object.
    written_back: bool,
    /// The API server holds it against a CRD as it is written.
    as_written: bool,
}

impl HeldAgainst {
    fn of(type_name: &str) -> Self {
        let kind = type_name
            .rsplit_once('.')
            .map_or(type_name, |(_, kind)| kind);
        let written_back = matches!(kind, "VirtualMachine" | "VirtualMachineInstance");
        let is_kind = super::TYPES.iter().any(|(_, name)| *name == type_name);
        Self {
            openapi: written_back || kind == "VirtualMachineInstanceReplicaSet",
            written_back,
            as_written: is_kind && !written_back,
        }
    }
}

struct Reading<'a> {
    schema: &'static Schema,
    release: Release,
    held: HeldAgainst,
    /// What the API server keeps of the unknown where the walk stands.
    keeps: Preserve,
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
        self.set_defaults(of, &mut out);
        Some(out)
    }

    /// Writes what the API server writes where a field is absent.
    fn set_defaults(&self, of: &'static Type, out: &mut Map) {
        for field in of.ever_defaulted() {
            let variant = field.variant(self.release);
            if let Some(default) = variant.and_then(|variant| variant.default.as_ref())
                && out.get(field.name()).is_none()
            {
                out.insert(field.name(), default.clone());
            }
        }
    }

    fn require(&mut self, of: &'static Type, map: &Map) {
        if self.is_servers() {
            return;
        }
        for field in of.ever_required() {
            let Some(variant) = field.variant(self.release).filter(|of| of.required) else {
                continue;
            };
            if map.get(field.name()).is_some_and(|node| !node.is_null()) {
                continue;
            }
            // KubeVirt's OpenAPI has a default for it, and the webhook writes that back.
            let is_left_empty =
                self.held.written_back && !variant.pointer && variant.shape.is_scalar();
            self.steps.push(PathStep::Field(field.key()));
            self.problem(if is_left_empty {
                let allowed = &variant.values;
                ProblemKind::LeftEmpty { allowed }
            } else {
                ProblemKind::Missing
            });
            self.steps.pop();
        }
    }

    fn read_field(&mut self, of: &'static Type, entry: &'a Entry) -> Option<Node> {
        let field = of.field(&entry.key);
        let variant = field.and_then(|field| field.variant(self.release));
        let Some(variant) = variant else {
            // go-openapi ignores two keys of JSON Schema itself.
            let is_kept =
                self.keeps != Preserve::Nothing && !matches!(&*entry.key, "$schema" | "id");
            self.problem(match field {
                _ if is_kept => ProblemKind::Forbidden {
                    within: self.within.iter().map(|of| of.name()).collect(),
                },
                None => ProblemKind::UnknownField {
                    within: self.within.iter().map(|of| of.name()).collect(),
                },
                Some(field) => ProblemKind::UnsupportedField {
                    releases: field.releases(),
                },
            });
            return None;
        };
        let outer = self.keeps;
        let here = if self.held.openapi {
            variant.preserve
        } else {
            Preserve::Nothing
        };
        if outer != Preserve::All {
            self.keeps = here;
        }
        let node = if entry.node.is_null() {
            self.read_null(variant, entry);
            None
        } else {
            self.hold(variant, &entry.node);
            Some(self.read(&variant.shape, &entry.node))
        };
        self.keeps = outer;
        let stays = variant.pointer || variant.embedded;
        node.filter(|node| stays || !variant.shape.is_zero(node))
    }

    /// A null in the place of a field's value: the API server drops it, unless it keeps everything there.
    fn read_null(&mut self, variant: &'static Variant, entry: &Entry) {
        if self.keeps != Preserve::All {
            if !matches!(variant.shape, Shape::Time) {
                self.problem(ProblemKind::DroppedNull);
            }
        } else if entry.key != "creationTimestamp" {
            let expected = variant.shape.expected();
            self.problem(ProblemKind::WrongType { expected });
        }
    }

    /// Holds a value against the words and limits of its field.
    fn hold(&mut self, variant: &'static Variant, node: &'a Node) {
        if self.is_servers() {
            return;
        }
        if !variant.values.is_empty() {
            let is_listed = |word: &str| variant.values.iter().any(|value| value == word);
            let allowed = &variant.values;
            match &node.value {
                Value::String(word)
                    if !is_listed(word) && (self.held.openapi || !word.is_empty()) =>
                {
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
        // What Go leaves out never comes to the CRD.
        let is_left_out =
            self.held.written_back && !variant.pointer && !variant.always && node.is_zero();
        if !is_left_out {
            for limit in &variant.limits {
                if !limit.allows(node) {
                    self.problem(ProblemKind::BeyondLimit { limit });
                }
            }
        }
        if variant.set || !variant.keys.is_empty() {
            self.hold_apart(&variant.keys, node.items());
        }
    }

    /// Holds the items of a list apart: by their keys, or, where there are none, by themselves.
    fn hold_apart(&mut self, keys: &'static [SmolStr], items: &'a [Node]) {
        // Go writes what is absent as a zero value.
        let is_absent = |node: &Node| self.held.written_back && node.is_zero();
        let part = |node: Option<&Node>| {
            let node = node.filter(|node| !is_absent(node));
            node.map(|node| node.to_json().to_string())
        };
        let mut seen = HashSet::new();
        let mut repeated = Vec::new();
        for (at, item) in items.iter().enumerate().filter(|(_, item)| !item.is_null()) {
            let identity: Vec<_> = if keys.is_empty() {
                vec![part(Some(item))]
            } else {
                keys.iter().map(|key| part(item.get(key))).collect()
            };
            if !seen.insert(identity) {
                repeated.push(at);
            }
        }
        for at in repeated {
            self.steps.push(PathStep::Index(at));
            self.problem(ProblemKind::Repeated { keys });
            self.steps.pop();
        }
    }

    /// Holds a whole number against Go's type and against the OpenAPI.
    fn hold_number(&mut self, width: Width, number: i128) {
        let is_exact = number.unsigned_abs() <= u128::from(LARGEST.unsigned_abs());
        let fits = width.holds(number) && (is_exact || !self.held.openapi);
        if !fits && !self.is_servers() {
            self.problem(ProblemKind::OutOfRange { number });
        }
    }

    fn read(&mut self, shape: &'static Shape, node: &'a Node) -> Node {
        let value = match (shape, &node.value) {
            (Shape::Any, _)
            | (
                Shape::String | Shape::Bytes | Shape::Duration | Shape::IntOrString,
                Value::String(_),
            )
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Float, Value::Int(_) | Value::UInt(_) | Value::Float(_)) => {
                return node.clone();
            }
            (Shape::Time, Value::String(text)) if time::is_rfc3339(text) => return node.clone(),
            (Shape::Integer(width), Value::Int(number)) => {
                self.hold_number(*width, i128::from(*number));
                return node.clone();
            }
            (Shape::Integer(width), Value::UInt(number)) => {
                self.hold_number(*width, i128::from(*number));
                return node.clone();
            }
            (Shape::IntOrString, Value::Int(number)) => {
                self.hold_number(Width::Int32, i128::from(*number));
                return node.clone();
            }
            // The CRD takes a whole number, or text that is a quantity from end to end.
            (Shape::Quantity, Value::Float(number))
                if self.held.as_written && number.fract() != 0.0 =>
            {
                None
            }
            (Shape::Quantity, Value::String(text))
                if self.held.as_written && text.trim() != text.as_str() =>
            {
                None
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
                        self.null_item(of);
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
                    let node = if entry.node.is_null() {
                        self.null_entry(of)
                    } else {
                        Some(self.read(of, &entry.node))
                    };
                    if let Some(node) = node {
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
            (Shape::Integer(_) | Shape::IntOrString, Value::Float(number))
                if number.fract() == 0.0 && number.abs() < 9e15 =>
            {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "checked to be integral and small"
                )]
                let number = *number as i64;
                let width = match shape {
                    Shape::Integer(width) => *width,
                    _ => Width::Int32,
                };
                self.hold_number(width, i128::from(number));
                Some(Value::Int(number))
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

    /// A null in a list: nobody drops it, and no schema takes it.
    fn null_item(&mut self, of: &Shape) {
        if !self.is_servers() && !matches!(of, Shape::Any) {
            let expected = of.expected();
            self.problem(ProblemKind::WrongType { expected });
        }
    }

    /// A null in a mapping with free keys; gives what Go has there.
    fn null_entry(&mut self, of: &Shape) -> Option<Node> {
        if self.is_servers() {
            self.problem(ProblemKind::EmptyNull);
            return Some(zero_item(of));
        }
        self.problem(if self.keeps == Preserve::All {
            let expected = of.expected();
            ProblemKind::WrongType { expected }
        } else {
            ProblemKind::DroppedNull
        });
        None
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
        if variant.embedded && map.get(field.name()).is_some_and(Node::is_zero) {
            map.remove(field.name());
        }
        if variant.pointer || map.get(field.name()).is_some() {
            continue;
        }
        let zero = if let Shape::Struct(index) = &variant.shape {
            let mut node = Node::map();
            fill(release, Schema::builtin().type_at(*index), &mut node);
            (variant.always || !node.entries().is_empty()).then_some(node)
        } else {
            // The OpenAPI wants a list to be written, and Go keeps one that is empty.
            let is_written = variant.required && matches!(variant.shape, Shape::List(_));
            let empty = || is_written.then(|| Node::new(Value::Seq(Vec::new())));
            let zero = || variant.shape.zero().or_else(empty);
            variant.always.then(zero).flatten()
        };
        if let Some(zero) = zero {
            map.insert(field.name(), zero);
        }
    }
}
