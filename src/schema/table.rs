//! The field table, read once from `schemas/fields.json`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use smol_str::SmolStr;

use crate::release::Release;

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
}

/// A field, in all the forms it had.
#[derive(Debug)]
pub struct Field {
    name: SmolStr,
    variants: Vec<Variant>,
}

/// One form of a field over a range of releases.
#[derive(Debug)]
pub struct Variant {
    /// First release with this form.
    pub since: Release,
    /// Last release with this form.
    pub until: Release,
    /// What the value is.
    pub shape: Shape,
    /// Whether Go keeps a pointer: a zero value is then a value.
    pub pointer: bool,
    /// Whether Go writes the field even when empty.
    pub always: bool,
    /// Releases whose schema requires the field.
    pub required: Option<(Release, Release)>,
    /// Whether the field is marked deprecated.
    pub deprecated: bool,
    /// The only values allowed, where the schema lists them.
    pub values: Vec<SmolStr>,
    /// Keys that tell list items apart.
    pub keys: Vec<SmolStr>,
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
    /// A whole number.
    Integer,
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

impl Shape {
    /// The shape in words, for a message: `a boolean`.
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Bytes => "base64 text",
            Self::Bool => "a boolean",
            Self::Integer => "a whole number",
            Self::Float => "a number",
            Self::Quantity => "a quantity",
            Self::IntOrString => "a whole number or a string",
            Self::Duration => "a duration",
            Self::Time => "a time",
            Self::Any => "a value",
            Self::Struct(_) | Self::Map(_) => "a mapping",
            Self::List(_) => "a list",
        }
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
    pub fn type_named(&self, name: &str) -> Option<&Type> {
        self.by_name.get(name).map(|index| &self.types[*index])
    }

    /// The shape of a value by name: a type of the table, or a list of one (`[]v1.Disk`).
    pub fn shape_named(&self, name: &str) -> Option<Shape> {
        if let Some(of) = name.strip_prefix("[]") {
            return Some(Shape::List(Box::new(self.shape_named(of)?)));
        }
        if let Some(of) = name.strip_prefix("map[]") {
            return Some(Shape::Map(Box::new(self.shape_named(of)?)));
        }
        match name {
            "string" => Some(Shape::String),
            "quantity" => Some(Shape::Quantity),
            name => self.by_name.get(name).copied().map(Shape::Struct),
        }
    }

    /// The type a [`Shape::Struct`] points at.
    pub fn type_at(&self, index: usize) -> &Type {
        &self.types[index]
    }

    /// One table of all `texts`: the types a cluster serves, and those that only stored revisions still have.
    fn parse(texts: &[&str]) -> Self {
        let raw: std::collections::BTreeMap<SmolStr, RawType> = texts
            .iter()
            .flat_map(|text| {
                serde_json::from_str::<std::collections::BTreeMap<_, _>>(text)
                    .expect("the tables in schemas/ are valid")
            })
            .collect();
        let by_name: HashMap<SmolStr, usize> = raw
            .keys()
            .enumerate()
            .map(|(index, name)| (name.clone(), index))
            .collect();
        let types = raw
            .into_iter()
            .map(|(name, of)| Type {
                name,
                fields: of
                    .fields
                    .into_iter()
                    .map(|(name, variants)| Field {
                        name,
                        variants: match variants {
                            RawVariants::One(one) => vec![one.build(&by_name)],
                            RawVariants::Many(many) => {
                                many.into_iter().map(|one| one.build(&by_name)).collect()
                            }
                        },
                    })
                    .collect(),
            })
            .collect();
        Self { types, by_name }
    }
}

impl Type {
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

impl Field {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The form it has in a release.
    pub fn variant(&self, release: Release) -> Option<&Variant> {
        self.variants
            .iter()
            .find(|variant| variant.since <= release && release <= variant.until)
    }

    /// First and last release that have the field in any form.
    pub fn releases(&self) -> (Release, Release) {
        let since = self
            .variants
            .iter()
            .map(|variant| variant.since)
            .min()
            .unwrap_or(Release::V1_0);
        let until = self
            .variants
            .iter()
            .map(|variant| variant.until)
            .max()
            .unwrap_or(Release::NEWEST);
        (since, until)
    }
}

#[derive(Deserialize)]
struct RawType {
    fields: std::collections::BTreeMap<SmolStr, RawVariants>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawVariants {
    One(RawVariant),
    Many(Vec<RawVariant>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawRequired {
    Throughout(bool),
    Between(SmolStr, SmolStr),
}

#[derive(Deserialize)]
struct RawVariant {
    #[serde(rename = "type")]
    shape: SmolStr,
    #[serde(default)]
    pointer: bool,
    #[serde(default)]
    always: bool,
    #[serde(default)]
    deprecated: bool,
    since: Option<SmolStr>,
    until: Option<SmolStr>,
    required: Option<RawRequired>,
    #[serde(default, rename = "enum")]
    values: Vec<SmolStr>,
    #[serde(default)]
    keys: Vec<SmolStr>,
}

impl RawVariant {
    fn build(self, types: &HashMap<SmolStr, usize>) -> Variant {
        let since = self.since.map_or(Release::V1_0, |text| release(&text));
        let until = self.until.map_or(Release::NEWEST, |text| release(&text));
        Variant {
            since,
            until,
            shape: shape(&self.shape, types),
            pointer: self.pointer,
            always: self.always,
            required: match self.required {
                Some(RawRequired::Throughout(true)) => Some((since, until)),
                Some(RawRequired::Between(first, last)) => Some((release(&first), release(&last))),
                _ => None,
            },
            deprecated: self.deprecated,
            values: self.values,
            keys: self.keys,
        }
    }
}

fn release(text: &str) -> Release {
    if text == "1.0" {
        Release::V1_0
    } else {
        text.parse()
            .expect("schemas/fields.json names known releases")
    }
}

fn shape(text: &str, types: &HashMap<SmolStr, usize>) -> Shape {
    if let Some(of) = text.strip_prefix("map[]") {
        return Shape::Map(Box::new(shape(of, types)));
    }
    if let Some(of) = text.strip_prefix("[]") {
        return Shape::List(Box::new(shape(of, types)));
    }
    match text {
        "string" => Shape::String,
        "bytes" => Shape::Bytes,
        "bool" => Shape::Bool,
        "int32" | "int64" => Shape::Integer,
        "float" | "double" => Shape::Float,
        "quantity" => Shape::Quantity,
        "intOrString" => Shape::IntOrString,
        "duration" => Shape::Duration,
        "time" => Shape::Time,
        "any" => Shape::Any,
        name => Shape::Struct(
            *types
                .get(name)
                .unwrap_or_else(|| panic!("schemas/fields.json defines {name}")),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_table_resolves() {
        let schema = Schema::builtin();
        let disk = schema.type_named("v1.Disk").unwrap();
        assert!(
            disk.field("bootOrder")
                .unwrap()
                .variant(Release::V1_9)
                .unwrap()
                .pointer
        );
        assert!(
            disk.field("changedBlockTracking")
                .unwrap()
                .variant(Release::V1_6)
                .is_none()
        );
        assert_eq!(
            disk.field("errorPolicy").unwrap().releases(),
            (Release::V1_1, Release::V1_9)
        );
    }
}
