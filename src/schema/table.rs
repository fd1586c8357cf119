//! The field table, read once from `schemas/fields.json`.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;
use smol_str::SmolStr;

use super::limit::{Limit, RawLimits};
use crate::release::{Release, ReleaseRange};
use crate::word::words;
use crate::yaml::Node;

/// Every type of every release.
#[derive(Debug)]
pub struct Schema {
    types: Vec<Type>,
    by_name: HashMap<SmolStr, usize>,
}

/// A struct of the API.
#[derive(Debug)]
pub struct Type {
    name: SmolStr,
    fields: Vec<Field>,
    /// Indices of the fields that some release requires.
    required: Vec<usize>,
    /// Indices of the fields that the API server writes in some release where they are absent.
    defaulted: Vec<usize>,
}

/// A field, in all the forms it had.
#[derive(Debug)]
pub struct Field {
    name: SmolStr,
    variants: Vec<Variant>,
}

/// One form of a field over a range of releases.
#[derive(Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own in the data"
)]
pub struct Variant {
    /// The releases with this form.
    pub releases: ReleaseRange,
    /// What the value is.
    pub shape: Shape,
    /// Whether Go keeps a pointer: a zero value is then a value.
    pub pointer: bool,
    /// Whether Go writes the field even when empty.
    pub always: bool,
    /// Whether the field must be written.
    pub required: bool,
    /// Whether the field is marked deprecated.
    pub deprecated: bool,
    /// The only values that `KubeVirt`'s own OpenAPI allows, where it lists them; of a list, the values of its items.
    pub values: Vec<SmolStr>,
    /// What else the CRD demands of the value.
    pub limits: Vec<Limit>,
    /// Keys that tell list items apart: the API server takes no two items with the same.
    pub keys: Vec<SmolStr>,
    /// Whether the API server takes no value twice in the list.
    pub set: bool,
    /// Whether the field belongs to a struct that Go embeds by pointer: writing it makes that struct, even with a zero value.
    pub embedded: bool,
    /// What the API server writes where the field is absent.
    pub default: Option<Node>,
    /// What the API server keeps below the field though no schema knows it.
    pub preserve: Preserve,
}

/// What the API server keeps below a field though no schema of the CRD knows it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Preserve {
    /// Nothing.
    #[default]
    Nothing,
    /// Unknown fields of the value itself; what it knows has a schema of its own.
    Fields,
    /// Everything: the value has no schema. It may be null.
    All,
}

/// The type of a value.
#[derive(Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text.
    String,
    /// Base64 text.
    Bytes,
    /// True or false.
    Bool,
    /// A whole number, in Go's type.
    Integer(Width),
    /// Any number.
    Float,
    /// A Kubernetes quantity.
    Quantity,
    /// A whole number or text.
    IntOrString,
    /// A duration such as `5m`.
    Duration,
    /// A point in time.
    Time,
    /// Anything.
    Any,
    /// A type of the table, by index.
    Struct(usize),
    /// A list.
    List(Box<Self>),
    /// A mapping with free keys.
    Map(Box<Self>),
}

/// How Go holds a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// `int32`.
    Int32,
    /// `int64` and `int`.
    Int64,
    /// `uint32`.
    Uint32,
    /// `uint64` and `uint`.
    Uint64,
}

impl Width {
    /// Whether Go can read the number into the type.
    pub fn holds(self, number: i128) -> bool {
        match self {
            Self::Int32 => i32::try_from(number).is_ok(),
            Self::Int64 => i64::try_from(number).is_ok(),
            Self::Uint32 => u32::try_from(number).is_ok(),
            Self::Uint64 => u64::try_from(number).is_ok(),
        }
    }
}

impl Shape {
    /// What a value of the shape is.
    pub const fn expected(&self) -> Expected {
        match self {
            Self::String => Expected::String,
            Self::Bytes => Expected::Bytes,
            Self::Bool => Expected::Boolean,
            Self::Integer(_) => Expected::WholeNumber,
            Self::Float => Expected::Number,
            Self::Quantity => Expected::Quantity,
            Self::IntOrString => Expected::WholeNumberOrString,
            Self::Duration => Expected::Duration,
            Self::Time => Expected::Time,
            Self::Any => Expected::Anything,
            Self::Struct(_) | Self::Map(_) => Expected::Mapping,
            Self::List(_) => Expected::List,
        }
    }

    /// Whether the OpenAPI gives a plain field of the shape a default: text, truth and whole numbers have one in Go.
    pub const fn is_scalar(&self) -> bool {
        matches!(self, Self::String | Self::Bool | Self::Integer(_))
    }

    /// Whether Go cannot tell the value of a field that is no pointer from none.
    pub fn is_zero(&self, node: &Node) -> bool {
        match self {
            Self::Quantity | Self::Any => false,
            // An empty text is another kind of value than the number 0, which is Go's zero.
            Self::IntOrString => node.is_zero() && node.as_str().is_none(),
            _ => node.is_zero(),
        }
    }

    /// What Go writes for an empty value; `None` where it writes nothing.
    pub fn zero(&self) -> Option<Node> {
        match self {
            Self::String => Some(Node::string("")),
            Self::Integer(_) | Self::IntOrString => Some(Node::from(0)),
            Self::Bool => Some(Node::from(false)),
            Self::Quantity => Some(Node::string("0")),
            _ => None,
        }
    }
}

words! {
    /// What a value of a [`Shape`] is, in words for people.
    #[allow(missing_docs, reason = "the words say it")]
    Expected {
        String = "a string",
        Bytes = "base64 text",
        Boolean = "a boolean",
        WholeNumber = "a whole number",
        Number = "a number",
        Quantity = "a quantity",
        WholeNumberOrString = "a whole number or a string",
        Duration = "a duration",
        Time = "a time",
        Anything = "a value",
        Mapping = "a mapping",
        List = "a list",
    }
}

impl Schema {
    /// The table built into the program.
    pub fn builtin() -> &'static Self {
        static TABLE: LazyLock<Schema> = LazyLock::new(|| {
            Schema::parse(&[
                include_str!("../../schemas/fields.json"),
                include_str!("../../schemas/revisions.json"),
            ])
        });
        &TABLE
    }

    /// The type of that name: `v1.VirtualMachine`.
    pub(crate) fn type_named(&self, name: &str) -> Option<&Type> {
        self.by_name.get(name).map(|index| &self.types[*index])
    }

    /// The shape of a value by name, as `schemas/fields.json` writes it: a type of the table, or a list of one
    /// (`[]v1.Disk`).
    pub fn shape_named(&self, name: &str) -> Option<Shape> {
        shape(name, &self.by_name)
    }

    /// The type a [`Shape::Struct`] points at.
    pub(crate) fn type_at(&self, index: usize) -> &Type {
        &self.types[index]
    }

    /// One table of all `texts`: the types a cluster serves, and those that only stored revisions still have.
    fn parse(texts: &[&str]) -> Self {
        let tables: Vec<RawTable> = texts
            .iter()
            .map(|text| serde_json::from_str(text).expect("the tables in schemas/ are valid"))
            .collect();
        let raw: BTreeMap<SmolStr, RawType> =
            tables.into_iter().flat_map(|table| table.types).collect();
        let by_name: HashMap<SmolStr, usize> = raw
            .keys()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        let types = raw
            .into_iter()
            .map(|(name, fields)| {
                let field = |(name, forms)| Field {
                    name,
                    variants: match forms {
                        RawForms::One(one) => vec![one.build(&by_name)],
                        RawForms::Many(many) => {
                            many.into_iter().map(|one| one.build(&by_name)).collect()
                        }
                    },
                };
                Type::new(name, fields.into_iter().map(field).collect())
            })
            .collect();
        Self { types, by_name }
    }
}

impl Type {
    fn new(name: SmolStr, fields: Vec<Field>) -> Self {
        let those = |is: fn(&Variant) -> bool| {
            let numbered = fields.iter().enumerate();
            let found = numbered.filter(|(_, field)| field.variants.iter().any(is));
            found.map(|(at, _)| at).collect()
        };
        Self {
            required: those(|variant| variant.required),
            defaulted: those(|variant| variant.default.is_some()),
            name,
            fields,
        }
    }

    /// The fields that the API server writes in some release where they are absent, sorted by name.
    pub(super) fn ever_defaulted(&self) -> impl Iterator<Item = &Field> {
        self.defaulted.iter().map(|at| &self.fields[*at])
    }

    /// The fields that some release requires, sorted by name.
    pub(super) fn ever_required(&self) -> impl Iterator<Item = &Field> {
        self.required.iter().map(|at| &self.fields[*at])
    }

    /// Its name: `v1.Disk`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Every field, sorted by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field of that name, whatever the release.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self
            .fields
            .binary_search_by(|field| field.name.as_str().cmp(name))
            .ok()?;
        Some(&self.fields[at])
    }
}

impl Type {
    /// The form that the field of that name has in a release.
    pub fn variant(&self, name: &str, release: Release) -> Option<&Variant> {
        self.field(name)?.variant(release)
    }
}

impl Field {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name, as a key.
    pub(super) const fn key(&self) -> &SmolStr {
        &self.name
    }

    /// The form it has in a release.
    pub(crate) fn variant(&self, release: Release) -> Option<&Variant> {
        self.variants
            .iter()
            .find(|variant| variant.releases.contains(release))
    }

    /// The form it has in a release, else the newest.
    pub(crate) fn variant_or_newest(&self, release: Release) -> Option<&Variant> {
        self.variant(release).or(self.variants.last())
    }

    /// The releases that have the field in any form.
    pub fn releases(&self) -> ReleaseRange {
        let ranges = self.variants.iter().map(|variant| variant.releases);
        ranges
            .reduce(ReleaseRange::with)
            .unwrap_or(ReleaseRange::between(None, None))
    }
}

#[derive(Deserialize)]
struct RawTable {
    types: BTreeMap<SmolStr, RawType>,
}

type RawType = BTreeMap<SmolStr, RawForms>;

#[derive(Deserialize)]
#[serde(untagged)]
enum RawForms {
    One(Box<RawVariant>),
    Many(Vec<RawVariant>),
}

#[derive(Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own in the data"
)]
struct RawVariant {
    #[serde(rename = "type")]
    shape: SmolStr,
    #[serde(default)]
    pointer: bool,
    #[serde(default)]
    always: bool,
    #[serde(default)]
    deprecated: bool,
    #[serde(default)]
    required: bool,
    since: Option<Release>,
    until: Option<Release>,
    #[serde(default, rename = "enum")]
    values: Vec<SmolStr>,
    #[serde(default)]
    limits: RawLimits,
    #[serde(default)]
    keys: Vec<SmolStr>,
    #[serde(default)]
    set: bool,
    #[serde(default)]
    embedded: bool,
    default: Option<serde_json::Value>,
    #[serde(default)]
    preserve: Preserve,
}

impl RawVariant {
    fn build(self, types: &HashMap<SmolStr, usize>) -> Variant {
        Variant {
            releases: ReleaseRange::between(self.since, self.until),
            shape: shape(&self.shape, types)
                .unwrap_or_else(|| panic!("schemas/fields.json defines {}", self.shape)),
            pointer: self.pointer,
            always: self.always,
            required: self.required,
            deprecated: self.deprecated,
            values: self.values,
            limits: self.limits.build(),
            keys: self.keys,
            set: self.set,
            embedded: self.embedded,
            default: self.default.as_ref().map(|default| {
                let read = Node::from_json(default);
                Node::written(read.value, &"the default of the CRD")
            }),
            preserve: self.preserve,
        }
    }
}

fn shape(text: &str, types: &HashMap<SmolStr, usize>) -> Option<Shape> {
    if let Some(of) = text.strip_prefix("map[]") {
        return Some(Shape::Map(Box::new(shape(of, types)?)));
    }
    if let Some(of) = text.strip_prefix("[]") {
        return Some(Shape::List(Box::new(shape(of, types)?)));
    }
    Some(match text {
        "string" => Shape::String,
        "bytes" => Shape::Bytes,
        "bool" => Shape::Bool,
        "int32" => Shape::Integer(Width::Int32),
        "int64" => Shape::Integer(Width::Int64),
        "uint32" => Shape::Integer(Width::Uint32),
        "uint64" => Shape::Integer(Width::Uint64),
        "float" | "double" => Shape::Float,
        "quantity" => Shape::Quantity,
        "intOrString" => Shape::IntOrString,
        "duration" => Shape::Duration,
        "time" => Shape::Time,
        "any" => Shape::Any,
        name => Shape::Struct(*types.get(name)?),
    })
}

#[cfg(test)]
mod tests;
