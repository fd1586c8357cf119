//! The tree every stage works on: values with the place they came from. It is long because a node's whole interface is here.

mod build;
mod document;
pub mod edit;
pub mod emit;
mod find;
mod grammar;
mod problem;
mod raw;
pub mod reader;
mod resolver;
mod scan;

use smol_str::SmolStr;

pub use self::document::{Document, Error, ErrorKind, Stream, StrictKind, StrictProblem};
pub use self::reader::parse;
pub use self::resolver::decode_base64;
use crate::source::Span;

/// Where a node came from: bytes of a source, or a value `KubeVirt` writes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The node is in a source, at this span.
    Source(Span),
    /// The node was written by a default; the writer names it.
    Written(Writer),
    /// The node belongs to the built-in bundle of instance types and preferences.
    Bundle(&'static BundleEntry),
    /// The node was made from a bare value (JSON in tests, stored revisions).
    None,
}

impl Origin {
    /// The span, where the node is in a source.
    pub const fn span(self) -> Option<Span> {
        match self {
            Self::Source(span) => Some(span),
            _ => None,
        }
    }
}

/// Names a default of `KubeVirt` that wrote a value, such as `defaults: architecture`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer(pub &'static &'static str);

/// Names an object of the built-in bundle, which depends on the release asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleEntry {
    /// Its kind: `VirtualMachineClusterInstancetype`.
    pub kind: &'static str,
    /// Its name: `u1.small`.
    pub name: &'static str,
}

/// A value with its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// A YAML value as kubectl's reader gives it.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// A boolean in any YAML 1.1 spelling.
    Bool(bool),
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer over [`i64::MAX`].
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    String(SmolStr),
    /// A sequence.
    Seq(Vec<Node>),
    /// A mapping, in the order written.
    Map(Map),
}

/// A mapping: keys are unique, in the order written.
#[derive(Clone, Debug, Default)]
pub struct Map {
    entries: Vec<Entry>,
}

/// One key of a [`Map`] and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key's text.
    pub key: SmolStr,
    /// Where the key is.
    pub key_origin: Origin,
    /// The value under the key.
    pub node: Node,
}

impl Entry {
    /// Whether it is the entry of `key`: most keys differ in length or in their first letter.
    fn has(&self, key: &str) -> bool {
        let (own, key) = (self.key.as_bytes(), key.as_bytes());
        own.len() == key.len() && own.first() == key.first() && own == key
    }
}

impl Map {
    /// An empty mapping.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// An empty mapping with room for so many keys.
    pub fn with_capacity(keys: usize) -> Self {
        Self {
            entries: Vec::with_capacity(keys),
        }
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|entry| entry.has(key))
            .map(|entry| &entry.node)
    }

    /// The value of `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|entry| entry.has(key))
            .map(|entry| &mut entry.node)
    }

    /// The whole entry of `key`.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.has(key))
    }

    /// Sets `key`, keeping its place if it was there.
    pub fn insert(&mut self, key: impl AsRef<str>, node: Node) {
        let key = key.as_ref();
        match self.get_mut(key) {
            Some(old) => *old = node,
            None => self.entries.push(Entry {
                key: key.into(),
                key_origin: node.origin,
                node,
            }),
        }
    }

    /// Adds an entry whose key is known to be new.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Takes `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at).node)
    }

    /// Keeps the entries `keep` says yes to.
    pub fn retain(&mut self, keep: impl FnMut(&Entry) -> bool) {
        self.entries.retain(keep);
    }

    /// Every entry in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Every entry in order, to change.
    pub fn entries_mut(&mut self) -> &mut Vec<Entry> {
        &mut self.entries
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Node {
    /// A node of a bare value.
    pub const fn new(value: Value) -> Self {
        Self {
            value,
            origin: Origin::None,
        }
    }

    /// A node of a value written by a default, named as in `KubeVirt`.
    pub const fn written(value: Value, writer: &'static &'static str) -> Self {
        Self {
            value,
            origin: Origin::Written(Writer(writer)),
        }
    }

    /// A node of a text written by a default.
    pub fn written_text(text: impl AsRef<str>, writer: &'static &'static str) -> Self {
        Self::written(Value::String(text.as_ref().into()), writer)
    }

    /// A text node.
    pub fn string(text: impl AsRef<str>) -> Self {
        Self::new(Value::String(text.as_ref().into()))
    }

    /// A mapping of these keys and values.
    pub fn from_entries<'k>(entries: impl IntoIterator<Item = (&'k str, Self)>) -> Self {
        let mut map = Map::new();
        for (key, node) in entries {
            map.insert(key, node);
        }
        Self::new(Value::Map(map))
    }

    /// An empty mapping.
    pub const fn map() -> Self {
        Self::new(Value::Map(Map::new()))
    }

    /// This node with another origin.
    #[must_use]
    pub(crate) fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// This tree with one origin for every node and key in it.
    #[must_use]
    pub fn with_origins(mut self, origin: Origin) -> Self {
        fn mark(node: &mut Node, origin: Origin) {
            node.origin = origin;
            for item in node.items_mut().into_iter().flatten() {
                mark(item, origin);
            }
            for entry in node.entries_mut() {
                entry.key_origin = origin;
                mark(&mut entry.node, origin);
            }
        }
        mark(&mut self, origin);
        self
    }

    /// The value under `key`, when this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.get(key)
    }

    /// The value under `key`, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.as_map_mut()?.get_mut(key)
    }

    /// The value at a dotted path of plain keys: `spec.template.spec`.
    pub fn path(&self, path: &str) -> Option<&Self> {
        steps(path).try_fold(self, |node, key| node.get(key))
    }

    /// The value at a dotted path of plain keys, to change.
    pub fn path_mut(&mut self, path: &str) -> Option<&mut Self> {
        steps(path).try_fold(self, |node, key| node.get_mut(key))
    }

    /// The mapping at a dotted path, made (with everything above it) where absent or null. New mappings take `origin`.
    pub fn ensure_map(&mut self, path: &str, origin: Origin) -> &mut Map {
        self.ensure(path, origin).force_map(origin)
    }

    /// As [`Self::ensure_map`]: the node of the mapping.
    pub fn ensure(&mut self, path: &str, origin: Origin) -> &mut Self {
        let mut node = self;
        for key in steps(path) {
            let map = node.force_map(origin);
            if map.get(key).is_none() {
                map.insert(key, Self::map().with_origin(origin));
            }
            node = map.get_mut(key).expect("just inserted");
        }
        node.force_map(origin);
        node
    }

    fn force_map(&mut self, origin: Origin) -> &mut Map {
        if !matches!(self.value, Value::Map(_)) {
            *self = Self::map().with_origin(origin);
        }
        self.as_map_mut().expect("made a mapping above")
    }

    /// Sets the value at a dotted path, making mappings above it; those take the node's origin.
    pub fn set(&mut self, path: &str, node: Self) {
        match path.rsplit_once('.') {
            Some((parent, key)) => self.ensure_map(parent, node.origin).insert(key, node),
            None => self.force_map(node.origin).insert(path, node),
        }
    }

    /// Takes the value at a dotted path out.
    pub fn remove(&mut self, path: &str) -> Option<Self> {
        match path.rsplit_once('.') {
            Some((parent, key)) => self.path_mut(parent)?.as_map_mut()?.remove(key),
            None => self.as_map_mut()?.remove(path),
        }
    }

    /// The text, when this is text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, when this is one.
    pub const fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, when this is one that fits.
    pub const fn as_i64(&self) -> Option<i64> {
        match self.value {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The items; none when this is no sequence.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::Seq(items) => items,
            _ => &[],
        }
    }

    /// The items, to change, when this is a sequence.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The entries; none when this is no mapping.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(map) => map.entries(),
            _ => &[],
        }
    }

    /// The entries, to change; none when this is no mapping.
    pub fn entries_mut(&mut self) -> &mut [Entry] {
        match &mut self.value {
            Value::Map(map) => &mut map.entries,
            _ => &mut [],
        }
    }

    /// The mapping, when this is one.
    pub(crate) const fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The mapping, to change, when this is one.
    pub const fn as_map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Whether this is null.
    pub const fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Whether Go cannot tell the value from its absence in a field that is no pointer.
    pub fn is_zero(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Int(value) => *value == 0,
            Value::UInt(_) => false,
            Value::Float(value) => *value == 0.0,
            Value::String(text) => text.is_empty(),
            Value::Seq(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
        }
    }

    /// The text at a dotted path; empty when absent or no text, as a Go string field would be.
    pub fn str_at(&self, path: &str) -> &str {
        self.path(path).and_then(Self::as_str).unwrap_or_default()
    }

    /// The integer at a dotted path; zero when absent, as a Go integer field would be.
    pub fn int_at(&self, path: &str) -> i64 {
        self.path(path).and_then(Self::as_i64).unwrap_or_default()
    }

    /// The truth value at a dotted path; false when absent, as a Go bool field would be.
    pub(crate) fn bool_at(&self, path: &str) -> bool {
        self.path(path).and_then(Self::as_bool).unwrap_or_default()
    }

    /// The items at a dotted path; none when absent.
    pub fn items_at(&self, path: &str) -> &[Self] {
        self.path(path).map(Self::items).unwrap_or_default()
    }

    /// Whether two trees hold the same values, whatever the order of keys and the origins.
    pub fn same_value(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::UInt(a), Value::UInt(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Seq(a), Value::Seq(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.entries().iter().zip(b.entries()).all(|(ours, theirs)| {
                        if ours.key == theirs.key {
                            ours.node.same_value(&theirs.node)
                        } else {
                            b.get(&ours.key)
                                .is_some_and(|node| ours.node.same_value(node))
                                && a.get(&theirs.key).is_some()
                        }
                    })
            }
            _ => false,
        }
    }

    /// The tree of a JSON value, without origins.
    pub fn from_json(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        Self::new(match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(value), _, _) => Value::Int(value),
                (None, Some(value), _) => Value::UInt(value),
                (None, None, value) => Value::Float(value.unwrap_or(f64::MAX)),
            },
            Json::String(text) => Value::String(text.into()),
            Json::Array(items) => Value::Seq(items.iter().map(Self::from_json).collect()),
            Json::Object(fields) => {
                let mut map = Map::new();
                for (key, value) in fields {
                    let node = Self::from_json(value);
                    map.push(Entry {
                        key: key.into(),
                        key_origin: Origin::None,
                        node,
                    });
                }
                Value::Map(map)
            }
        })
    }

    /// The tree as a JSON value, keys in their order.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(value) => Json::from(*value),
            Value::UInt(value) => Json::from(*value),
            Value::Float(value) => {
                serde_json::Number::from_f64(*value).map_or(Json::Null, Json::Number)
            }
            Value::String(text) => Json::from(text.as_str()),
            Value::Seq(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(map) => Json::Object(
                map.entries()
                    .iter()
                    .map(|entry| (entry.key.to_string(), entry.node.to_json()))
                    .collect(),
            ),
        }
    }
}

/// The keys of a dotted path. Paths are short: looking at every byte beats a searcher.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        match path.bytes().position(|byte| byte == b'.') {
            Some(dot) => {
                rest = Some(&path[dot + 1..]);
                Some(&path[..dot])
            }
            None => rest.take(),
        }
    })
}

impl From<bool> for Node {
    fn from(value: bool) -> Self {
        Self::new(Value::Bool(value))
    }
}

impl From<i64> for Node {
    fn from(value: i64) -> Self {
        Self::new(Value::Int(value))
    }
}

impl From<&str> for Node {
    fn from(value: &str) -> Self {
        Self::string(value)
    }
}

#[cfg(test)]
mod tests;
