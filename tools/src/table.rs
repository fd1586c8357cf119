//! The field tables of `schemas/`: one form a field and release in memory, ranges of releases in the file.
//! `schemas/README.md` describes the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context as _, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ranges::{Range, Released, ranges};
use crate::release::Release;

/// The attributes of a field in one release: `type`, `pointer`, `required` and so on.
pub type Form = BTreeMap<String, Value>;

/// The fields of a type in one release.
pub type Fields = BTreeMap<String, Form>;

/// The types of one release.
pub type Column = BTreeMap<String, Fields>;

/// A field's forms, by release.
type Forms = BTreeMap<Release, Form>;

/// Every type of every release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The releases that were read, oldest first.
    pub releases: Released,
    types: BTreeMap<String, BTreeMap<String, Forms>>,
}

#[derive(Deserialize)]
struct File {
    releases: Released,
    types: BTreeMap<String, BTreeMap<String, Value>>,
}

impl Table {
    /// Reads the file.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let file: File = serde_json::from_str(text)?;
        let mut types: BTreeMap<String, BTreeMap<String, Forms>> = BTreeMap::new();
        for (name, fields) in file.types {
            let of = types.entry(name.clone()).or_default();
            for (field, forms) in fields {
                let forms = match forms {
                    Value::Array(forms) => forms,
                    one => vec![one],
                };
                let by_release = of.entry(field.clone()).or_default();
                for form in forms {
                    let form = form
                        .as_object()
                        .with_context(|| format!("{name}.{field} is no mapping"))?;
                    let (range, rest) = Range::take(form)?;
                    let attributes: Form = rest.into_iter().collect();
                    for release in file.releases.within(range) {
                        if by_release.insert(release, attributes.clone()).is_some() {
                            bail!("{name}.{field} has two forms in {release}");
                        }
                    }
                }
            }
        }
        Ok(Self {
            releases: file.releases,
            types,
        })
    }

    /// Puts a release's column in the place of what the table says of that release.
    pub fn replace(&mut self, release: Release, column: Column) {
        for fields in self.types.values_mut() {
            for forms in fields.values_mut() {
                forms.remove(&release);
            }
            fields.retain(|_, forms| !forms.is_empty());
        }
        for (name, fields) in column {
            let of = self.types.entry(name).or_default();
            for (field, form) in fields {
                of.entry(field).or_default().insert(release, form);
            }
        }
        self.drop_unused();
    }

    /// Drops types without a field that no field is of any more.
    fn drop_unused(&mut self) {
        let used: BTreeSet<String> = self
            .types
            .values()
            .flat_map(BTreeMap::values)
            .flat_map(BTreeMap::values)
            .filter_map(|form| form.get("type")?.as_str())
            .map(|of| bare(of).to_owned())
            .collect();
        self.types
            .retain(|name, fields| !fields.is_empty() || used.contains(name));
    }

    /// The file: one line a type, ranges where the form is the same.
    pub fn write(&self) -> String {
        let types = self.types.iter().map(|(name, fields)| {
            let fields = fields.iter().map(|(field, forms)| {
                let forms = ranges(forms.iter().map(|(release, form)| (*release, form)))
                    .into_iter()
                    .map(|(range, form)| {
                        let form = form.iter().map(|(key, of)| (key.clone(), of.clone()));
                        let mut form: Map<_, _> = form.collect();
                        range.write(&self.releases, &mut form);
                        Value::Object(form)
                    })
                    .collect::<Vec<_>>();
                (field.clone(), one_or_many(forms))
            });
            (name.clone(), Value::Object(fields.collect()))
        });
        write_file(&self.releases, types)
    }

    /// Whether a type is there in any release.
    pub fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The types and fields of a release.
    pub fn column(&self, release: Release) -> Column {
        let types = self.types.iter().map(|(name, fields)| {
            let fields = fields
                .iter()
                .filter_map(|(field, forms)| Some((field.clone(), forms.get(&release)?.clone())));
            (name.clone(), fields.collect())
        });
        types.collect()
    }

    /// What another table says otherwise, one line a field and range: `self` is what stands.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.releases != other.releases {
            lines.push(format!(
                "releases: committed {}, given {}",
                self.releases, other.releases
            ));
        }
        let names: BTreeSet<_> = self.types.keys().chain(other.types.keys()).collect();
        for name in names {
            let (ours, theirs) = (self.types.get(name), other.types.get(name));
            if ours.is_none() {
                lines.push(format!("{name}: not committed"));
            } else if theirs.is_none() {
                lines.push(format!("{name}: committed, and in none of the sources"));
            }
            let fields = |of: Option<&BTreeMap<String, Forms>>| -> BTreeSet<String> {
                of.into_iter().flat_map(BTreeMap::keys).cloned().collect()
            };
            for field in &fields(ours) | &fields(theirs) {
                let form = |of: Option<&BTreeMap<String, Forms>>, release: Release| {
                    of?.get(&field)?.get(&release).cloned()
                };
                let differing = other.releases.lines().filter_map(|release| {
                    let pair = (form(ours, release), form(theirs, release));
                    (pair.0 != pair.1).then_some((release, pair))
                });
                for (range, (ours, theirs)) in ranges(differing) {
                    lines.push(format!(
                        "{name}.{field} ({range}): committed {}, the sources say {}",
                        said(ours.as_ref()),
                        said(theirs.as_ref())
                    ));
                }
            }
        }
        lines
    }
}

/// The type below lists and maps: `v1.Disk` of `[]v1.Disk`.
pub fn bare(of: &str) -> &str {
    let inner = of.strip_prefix("[]").or_else(|| of.strip_prefix("map[]"));
    inner.map_or(of, bare)
}

/// Reads a file of types that belong to no range of releases.
pub fn parse_column(text: &str) -> anyhow::Result<Column> {
    #[derive(Deserialize)]
    struct File {
        types: Column,
    }
    Ok(serde_json::from_str::<File>(text)?.types)
}

/// What another file of such types says otherwise.
pub fn column_differences(ours: &Column, theirs: &Column) -> Vec<String> {
    let names: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    let said = |of: &Column, name: &str| {
        of.get(name).map_or_else(
            || "nothing".to_owned(),
            |fields| serde_json::to_string(fields).unwrap_or_default(),
        )
    };
    names
        .into_iter()
        .filter(|name| ours.get(*name) != theirs.get(*name))
        .map(|name| {
            format!(
                "{name}: committed {}, the sources say {}",
                said(ours, name),
                said(theirs, name)
            )
        })
        .collect()
}

/// A file of types that belong to no range of releases.
pub fn write_column(column: &Column) -> String {
    let types = column.iter().map(|(name, fields)| {
        let fields = fields.iter().map(|(field, form)| {
            let form = form.iter().map(|(key, of)| (key.clone(), of.clone()));
            (field.clone(), Value::Object(form.collect()))
        });
        (name.clone(), Value::Object(fields.collect()))
    });
    write_file(&Released::default(), types)
}

fn write_file(
    releases: &Released,
    types: impl ExactSizeIterator<Item = (String, Value)>,
) -> String {
    let mut out = format!("{{{},\"types\":{{\n", releases.write());
    let count = types.len();
    for (at, (name, of)) in types.enumerate() {
        let end = if at + 1 < count { "," } else { "" };
        let _ = writeln!(out, "{}:{of}{end}", Value::from(name));
    }
    out.push_str("}}\n");
    out
}

fn one_or_many(mut forms: Vec<Value>) -> Value {
    match forms.len() {
        1 => forms.remove(0),
        _ => Value::Array(forms),
    }
}

fn said(form: Option<&Form>) -> String {
    form.map_or_else(
        || "nothing".to_owned(),
        |form| serde_json::to_string(form).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = concat!(
        "{\"releases\":[\n{\"kubevirt\":\"1.1\",\"tag\":\"v1.1.1\"},\n{\"kubevirt\":\"1.2\",\"tag\":\"v1.2.2\"},\n",
        "{\"kubevirt\":\"1.3\",\"tag\":\"v1.3.1\"}\n],\"types\":{\n",
        r#""v1.Box":{"lid":[{"type":"string","until":"1.1"},{"pointer":true,"since":"1.2","type":"v1.Lid"}],"#,
        r#""old":{"type":"bool","until":"1.2"},"width":{"type":"int32"}},"#,
        "\n",
        r#""v1.Lid":{}"#,
        "\n}}\n",
    );

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn a_table_is_written_as_it_was_read() {
        let table = Table::parse(TEXT).unwrap();
        assert_eq!(table.types["v1.Box"]["lid"].len(), 3);
        assert_eq!(table.types["v1.Box"]["old"].len(), 2);
        assert_eq!(table.write(), TEXT);
    }

    #[test]
    fn a_new_release_with_the_same_types_changes_only_the_list_of_releases() {
        let mut table = Table::parse(TEXT).unwrap();
        let column = table.column(release("1.3"));
        table.releases.add(release("1.4"), Some("v1.4.0"), []);
        table.replace(release("1.4"), column);
        let expected = TEXT.replace(
            "\"v1.3.1\"}\n",
            "\"v1.3.1\"},\n{\"kubevirt\":\"1.4\",\"tag\":\"v1.4.0\"}\n",
        );
        assert_eq!(table.write(), expected);
    }

    #[test]
    fn what_a_new_release_lacks_ends_and_what_it_adds_begins() {
        let mut table = Table::parse(TEXT).unwrap();
        let before = table.clone();
        let mut column = table.column(release("1.3"));
        column.remove("v1.Lid");
        let of = column.get_mut("v1.Box").unwrap();
        of.remove("lid");
        of.insert(
            "depth".to_owned(),
            Form::from([("type".to_owned(), json!("int64"))]),
        );
        table.releases.add(release("1.4"), Some("v1.4.0"), []);
        table.replace(release("1.4"), column);
        let text = table.write();
        for part in [
            r#"{"pointer":true,"since":"1.2","type":"v1.Lid","until":"1.3"}"#,
            r#""depth":{"since":"1.4","type":"int64"}"#,
            r#""v1.Lid":{}"#,
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(
            before.differences(&table),
            [
                "releases: committed v1.1.1, v1.2.2, v1.3.1, given v1.1.1, v1.2.2, v1.3.1, v1.4.0",
                r#"v1.Box.depth (1.4): committed nothing, the sources say {"type":"int64"}"#,
                r#"v1.Box.width (1.4): committed nothing, the sources say {"type":"int32"}"#,
            ]
        );
    }

    #[test]
    fn a_type_without_fields_goes_when_no_field_is_of_it() {
        let mut table = Table::parse(TEXT).unwrap();
        for at in ["1.2", "1.3"] {
            let mut column = table.column(release(at));
            column.get_mut("v1.Box").unwrap().remove("lid");
            table.replace(release(at), column);
        }
        assert!(!table.write().contains("v1.Lid"));
    }

    #[test]
    fn a_form_that_comes_back_is_two_ranges() {
        let mut table = Table::parse(TEXT).unwrap();
        let mut column = table.column(release("1.2"));
        column.get_mut("v1.Box").unwrap().remove("width");
        table.replace(release("1.2"), column);
        assert!(table.write().contains(
            r#""width":[{"type":"int32","until":"1.1"},{"since":"1.3","type":"int32"}]"#
        ));
    }

    #[test]
    fn overlapping_forms_are_an_error() {
        let text = TEXT.replace(r#""since":"1.2""#, r#""since":"1.1""#);
        let error = Table::parse(&text).unwrap_err();
        assert_eq!(error.to_string(), "v1.Box.lid has two forms in 1.1");
    }
}
