//! What the API knows about one field, in words.

use std::fmt::Write as _;

use super::{Field, Schema, Shape, Type};
use crate::field_path::{FieldPath, Segment};
use crate::release::Release;

/// The field cannot be explained; the asker's to correct.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExplainError {
    /// No such kind.
    #[error(
        "there is no kind `{0}`: VirtualMachine, VirtualMachineInstance, VirtualMachineInstancetype, VirtualMachinePreference and others of KubeVirt"
    )]
    Kind(String),
    /// No such field.
    #[error("{type_name} has no field `{field}`{}", suggestion.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
    Field {
        /// The type that lacks it.
        type_name: String,
        /// The field.
        field: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
}

/// Values of a VirtualMachine that runtime writes, and who does.
const WRITTEN: &[(&str, &str)] = &[
    (
        "spec.instancetype.kind",
        "admission fills it in, up to KubeVirt 1.6",
    ),
    (
        "spec.instancetype.name",
        "admission writes what it infers from the volume",
    ),
    (
        "spec.instancetype.revisionName",
        "the controller writes it, up to KubeVirt 1.4; from 1.5 on it is in `status`",
    ),
    (
        "spec.preference.revisionName",
        "the controller writes it, up to KubeVirt 1.4; from 1.5 on it is in `status`",
    ),
    ("spec.template.spec.architecture", "admission fills it in"),
    (
        "spec.template.spec.domain.firmware.serial",
        "admission makes it up on creation; it is the guest's identity from then on",
    ),
    (
        "spec.template.spec.domain.firmware.uuid",
        "admission makes it up on creation, from KubeVirt 1.6 on; it is the guest's identity from then on",
    ),
    (
        "spec.template.spec.domain.machine.type",
        "admission fills it in",
    ),
    (
        "status",
        "controllers write it; the API server ignores what an apply says",
    ),
];

/// The page of a field: its type, releases, deprecation, allowed values, whether runtime writes it, and the fields below it.
/// The path may begin with a kind; without one it is a VirtualMachine's.
pub fn field(text: &str, release: Option<Release>) -> Result<String, ExplainError> {
    let release = release.unwrap_or(Release::NEWEST);
    let schema = Schema::builtin();
    let path = FieldPath::parse(&text.replace("[]", ""));
    let mut segments = path.segments();
    let mut kind = "VirtualMachine";
    if let Some((Segment::Field(first), rest)) = segments.split_first()
        && first.starts_with(|c: char| c.is_ascii_uppercase())
    {
        kind = first;
        segments = rest;
    }
    let root = ["v1", "v1beta1", "v1alpha1"]
        .into_iter()
        .find_map(|version| schema.type_named(&format!("{version}.{kind}")))
        .ok_or_else(|| ExplainError::Kind(kind.to_owned()))?;
    let mut of = Some(root);
    let mut plain = String::new();
    let mut last: Option<&'static Field> = None;
    for segment in segments {
        let Segment::Field(name) = segment else {
            continue;
        };
        let here = of.ok_or_else(|| missing(kind, name, None))?;
        let field = here
            .field(name)
            .ok_or_else(|| missing(here.name(), name, Some(here)))?;
        let _ = write!(plain, "{}{name}", if plain.is_empty() { "" } else { "." });
        of = field
            .variant_or_newest(release)
            .and_then(|variant| inner(&variant.shape));
        last = Some(field);
    }
    let mut out = format!(
        "{kind}{}{plain}\n\n",
        if plain.is_empty() { "" } else { "." }
    );
    if let Some(field) = last {
        describe(&mut out, field, release);
    }
    if kind == "VirtualMachine"
        && let Some((_, who)) = WRITTEN.iter().find(|(written, _)| *written == plain)
    {
        let _ = writeln!(out, "written at runtime: {who}");
    }
    if let Some(of) = of {
        below(&mut out, of, release);
    }
    Ok(out)
}

fn missing(type_name: &str, field: &str, of: Option<&'static Type>) -> ExplainError {
    let known = of.into_iter().flat_map(Type::fields).map(Field::name);
    ExplainError::Field {
        type_name: type_name.to_owned(),
        field: field.to_owned(),
        suggestion: crate::config::did_you_mean(field, known).map(str::to_owned),
    }
}

fn inner(shape: &'static Shape) -> Option<&'static Type> {
    match shape {
        Shape::Struct(index) => Some(Schema::builtin().type_at(*index)),
        Shape::List(of) | Shape::Map(of) => inner(of),
        _ => None,
    }
}

fn describe(out: &mut String, field: &'static Field, release: Release) {
    let Some(variant) = field.variant_or_newest(release) else {
        return;
    };
    let _ = writeln!(out, "type: {}", shape(&variant.shape));
    let _ = writeln!(out, "releases: {}", field.releases());
    if variant.required {
        out.push_str("required\n");
    }
    if variant.deprecated {
        out.push_str("deprecated\n");
    }
    if !variant.values.is_empty() {
        let _ = writeln!(out, "values: {}", variant.values.join(", "));
    }
    if !variant.keys.is_empty() {
        let _ = writeln!(out, "items are told apart by: {}", variant.keys.join(", "));
    }
}

fn below(out: &mut String, of: &'static Type, release: Release) {
    let fields: Vec<_> = of
        .fields()
        .iter()
        .filter_map(|field| Some((field, field.variant(release)?)))
        .collect();
    if fields.is_empty() {
        return;
    }
    let width = fields
        .iter()
        .map(|(field, _)| field.name().len())
        .max()
        .unwrap_or_default();
    let _ = writeln!(out, "\nfields in KubeVirt {release}:");
    for (field, variant) in fields {
        let mark = if variant.deprecated {
            ", deprecated"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "  {:width$}  {}{mark}",
            field.name(),
            shape(&variant.shape)
        );
    }
}

/// A shape in words.
fn shape(shape: &Shape) -> String {
    match shape {
        Shape::List(of) => format!(
            "list of {}",
            self::shape(of)
                .trim_start_matches("a ")
                .trim_start_matches("an ")
        ),
        Shape::Map(of) => format!("mapping to {}", self::shape(of)),
        Shape::Struct(index) => Schema::builtin().type_at(*index).name().to_owned(),
        plain => plain.expected().to_string(),
    }
}

#[cfg(test)]
mod tests;
