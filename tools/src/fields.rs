//! The field table of a release, from its Go types, its swagger and its CRDs.
//!
//! | attribute | source |
//! |---|---|
//! | a field's name, `type`, `pointer`, `always` | the Go types: JSON tag, pointer, no `omitempty` |
//! | `required`, `enum`, `keys`, `set`, `deprecated` | the swagger, which KubeVirt holds objects against; the Go comments' markers where it lacks the type |
//! | `limits` | the CRDs (`crd.rs`) |

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use serde_json::json;

use crate::crd::Crds;
use crate::go::{self, Field, GoType, Packages};
use crate::release::ReleaseTree;
use crate::swagger::Swagger;
use crate::table::{Column, Form};

/// A Go type, by the package that declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Root {
    /// Import path.
    pub package: String,
    /// Name in the package.
    pub name: String,
}

/// An API group and its kinds.
type Kinds = (&'static str, &'static [&'static str]);

const INSTANCETYPES: Kinds = (
    "instancetype",
    &[
        "VirtualMachineInstancetype",
        "VirtualMachineClusterInstancetype",
        "VirtualMachinePreference",
        "VirtualMachineClusterPreference",
    ],
);

/// The API groups whose kinds are read, with those kinds; every version a swagger has is a root.
const KINDS: [Kinds; 3] = [
    (
        "core",
        &[
            "VirtualMachine",
            "VirtualMachineInstance",
            "VirtualMachineInstanceReplicaSet",
            "KubeVirt",
        ],
    ),
    INSTANCETYPES,
    ("pool", &["VirtualMachinePool"]),
];

/// The kind whose words no webhook looks at: what only it reaches is held to its CRD alone.
const NOT_HELD: &str = "KubeVirt";

/// Where KubeVirt's API packages lie in a source tree.
const API: &str = "kubevirt.io/api";

/// Types with a JSON form of their own, by package and name.
const SCALARS: [(&str, &str, &str); 8] = [
    (
        "k8s.io/apimachinery/pkg/api/resource",
        "Quantity",
        "quantity",
    ),
    ("k8s.io/apimachinery/pkg/apis/meta/v1", "Time", "time"),
    ("k8s.io/apimachinery/pkg/apis/meta/v1", "MicroTime", "time"),
    (
        "k8s.io/apimachinery/pkg/apis/meta/v1",
        "Duration",
        "duration",
    ),
    ("k8s.io/apimachinery/pkg/apis/meta/v1", "FieldsV1", "any"),
    (
        "k8s.io/apimachinery/pkg/util/intstr",
        "IntOrString",
        "intOrString",
    ),
    ("k8s.io/apimachinery/pkg/runtime", "RawExtension", "any"),
    (
        "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
        "JSON",
        "any",
    ),
];

/// The kinds that a release's swagger defines, in each version it defines them.
fn served_roots(tree: &ReleaseTree, swagger: &Swagger) -> anyhow::Result<Vec<Root>> {
    let mut roots = Vec::new();
    for (group, kinds) in KINDS {
        roots.extend(declared(tree, group, kinds)?);
    }
    roots.retain(|root| swagger.definition(&swagger_name(root)).is_some());
    if roots.is_empty() {
        bail!(
            "{}: no kind of KubeVirt's API is there",
            tree.path().display()
        );
    }
    Ok(roots)
}

/// The kinds of instance types and preferences that a release can read and does not serve: what old revisions store.
pub fn unserved_roots(tree: &ReleaseTree, swagger: &Swagger) -> anyhow::Result<Vec<Root>> {
    let (group, kinds) = INSTANCETYPES;
    let mut roots = declared(tree, group, kinds)?;
    roots.retain(|root| swagger.definition(&swagger_name(root)).is_none());
    Ok(roots)
}

/// The kinds of a group that the tree declares, in each version.
fn declared(tree: &ReleaseTree, group: &str, kinds: &[&str]) -> anyhow::Result<Vec<Root>> {
    let packages = Packages::new(tree);
    let mut roots = Vec::new();
    for package in versions(tree, group)? {
        for kind in kinds {
            if packages.find(&package, kind)?.is_some() {
                roots.push(Root {
                    package: package.clone(),
                    name: (*kind).to_owned(),
                });
            }
        }
    }
    Ok(roots)
}

/// The packages of a group's versions in the tree.
fn versions(tree: &ReleaseTree, group: &str) -> anyhow::Result<Vec<String>> {
    let folder = format!("staging/src/{API}/{group}");
    let files = tree.files(&folder, &|file| file.ends_with("/types.go"))?;
    let packages = files.iter().filter_map(|file| {
        let package = file
            .strip_prefix("staging/src/")?
            .strip_suffix("/types.go")?;
        (package.matches('/').count() == 3).then(|| package.to_owned())
    });
    Ok(packages.collect())
}

/// The table's name of a type: `v1.Disk`, `k8s.Toleration`, `meta.ObjectMeta`.
fn table_name(root: &Root) -> String {
    let prefix = match root.package.as_str() {
        "k8s.io/api/core/v1" => "k8s",
        "k8s.io/apimachinery/pkg/apis/meta/v1" => "meta",
        package => go::version(package),
    };
    format!("{prefix}.{}", root.name)
}

/// The swagger's name of a type.
fn swagger_name(root: &Root) -> String {
    if root.package.starts_with("k8s.io/") {
        format!("{}.{}", root.package.replace('/', "."), root.name)
    } else {
        format!("{}.{}", go::version(&root.package), root.name)
    }
}

/// The types that the roots reach in one release.
pub fn column(tree: &ReleaseTree, swagger: &Swagger, roots: &[Root]) -> anyhow::Result<Column> {
    let (other, held): (Vec<_>, Vec<_>) = roots
        .iter()
        .cloned()
        .partition(|root| root.name == NOT_HELD);
    let mut reader = Reader {
        packages: Packages::new(tree),
        swagger,
        is_held_to_openapi: true,
        open: held,
        names: BTreeMap::new(),
        column: Column::new(),
    };
    reader.drain()?;
    reader.is_held_to_openapi = false;
    reader.open = other;
    reader.drain()?;
    Ok(reader.column)
}

struct Reader<'a> {
    packages: Packages<'a>,
    swagger: &'a Swagger,
    /// Whether KubeVirt's webhooks hold the types now read against its OpenAPI.
    is_held_to_openapi: bool,
    open: Vec<Root>,
    /// Which Go type has a name of the table: two of one name cannot be told apart there.
    names: BTreeMap<String, Root>,
    column: Column,
}

impl Reader<'_> {
    /// Reads what is on the list, and what that puts there.
    fn drain(&mut self) -> anyhow::Result<()> {
        while let Some(next) = self.open.pop() {
            self.read(&next)
                .with_context(|| format!("{} of {}", next.name, next.package))?;
        }
        Ok(())
    }

    fn read(&mut self, root: &Root) -> anyhow::Result<()> {
        let name = table_name(root);
        match self.names.get(&name) {
            Some(known) if known == root => return Ok(()),
            Some(known) => bail!(
                "{name} is a type of {} and of {}",
                known.package,
                root.package
            ),
            None => self.names.insert(name.clone(), root.clone()),
        };
        let declared = self.packages.require(&root.package, &root.name)?;
        let GoType::Struct(fields) = declared else {
            bail!("it is not a struct");
        };
        let mut forms = BTreeMap::new();
        self.fields(root, &fields, false, &mut forms, &mut BTreeSet::new())?;
        self.column.insert(name, forms);
        Ok(())
    }

    /// The fields of a struct, those of embedded structs among them.
    fn fields(
        &mut self,
        root: &Root,
        fields: &[Field],
        behind_pointer: bool,
        into: &mut BTreeMap<String, Form>,
        embedded: &mut BTreeSet<Root>,
    ) -> anyhow::Result<()> {
        for field in fields {
            let Some(json) = &field.json else {
                let (of, is_pointer) = unwrap(&field.of);
                let GoType::Named { package, name } = of else {
                    continue;
                };
                let inner = Root {
                    package: package.clone(),
                    name: name.clone(),
                };
                if embedded.insert(inner.clone()) {
                    let declared = self.packages.require(package, name)?;
                    if let GoType::Struct(fields) = declared {
                        let behind = behind_pointer || is_pointer;
                        self.fields(root, &fields, behind, into, embedded)?;
                    }
                }
                continue;
            };
            let form = self.form(root, json, field, behind_pointer)?;
            // Go takes the outermost of two fields with one name.
            into.entry(json.clone()).or_insert(form);
        }
        Ok(())
    }

    fn form(
        &mut self,
        root: &Root,
        json: &str,
        field: &Field,
        behind_pointer: bool,
    ) -> anyhow::Result<Form> {
        let (of, is_pointer) = unwrap(&field.of);
        let of = self
            .type_name(of)
            .with_context(|| format!("field {json}"))?;
        let mut form = Form::new();
        let is_struct = Self::is_struct(&of) || matches!(of.as_str(), "quantity" | "intOrString");
        let is_plain_struct = is_struct && !is_pointer;
        form.insert("type".to_owned(), of.as_str().into());
        if is_pointer {
            form.insert("pointer".to_owned(), true.into());
        }
        if behind_pointer && !is_pointer {
            form.insert("embedded".to_owned(), true.into());
        }
        // Go cannot leave out a struct, whatever its tag says.
        let is_written = !field.omitempty || is_plain_struct && !is_left_out(root, json, &of);
        if is_written && !behind_pointer {
            form.insert("always".to_owned(), true.into());
        }
        let definition = self.swagger.definition(&swagger_name(root));
        let (is_required, is_deprecated) = match definition {
            Some(of) => (
                of.requires(json),
                of.property(json)
                    .is_some_and(|property| is_deprecated(&property.description)),
            ),
            None => (
                !field.omitempty && !field.doc.iter().any(|line| is_optional(line)),
                field.doc.iter().any(|line| is_deprecated(line)),
            ),
        };
        if is_required {
            form.insert("required".to_owned(), true.into());
        }
        if is_deprecated {
            form.insert("deprecated".to_owned(), true.into());
        }
        if let Some(property) = definition.and_then(|of| of.property(json)) {
            if !property.words().is_empty() && self.is_held_to_openapi {
                form.insert("enum".to_owned(), json!(property.words()));
            }
            if !property.keys.is_empty() {
                form.insert("keys".to_owned(), json!(property.keys));
            }
            if property.is_set() {
                form.insert("set".to_owned(), true.into());
            }
        }
        Ok(form)
    }

    /// Whether a type by its name in the table is a struct.
    fn is_struct(of: &str) -> bool {
        of.contains('.') && !of.contains(']')
    }

    /// The table's name of a type, and the type itself put on the list of those to read.
    fn type_name(&mut self, of: &GoType) -> anyhow::Result<String> {
        Ok(match of {
            GoType::Builtin(name) => builtin(name)?.to_owned(),
            GoType::Pointer(of) => self.type_name(of)?,
            GoType::List(of) => {
                if matches!(&**of, GoType::Builtin(name) if name == "byte" || name == "uint8") {
                    return Ok("bytes".to_owned());
                }
                format!("[]{}", self.type_name(of)?)
            }
            GoType::Map(of) => format!("map[]{}", self.type_name(of)?),
            GoType::Opaque => "any".to_owned(),
            GoType::Struct(_) => bail!("a struct without a name"),
            GoType::Named { package, name } => {
                let scalar = SCALARS
                    .iter()
                    .find(|(of, called, _)| of == package && called == name);
                if let Some((.., scalar)) = scalar {
                    return Ok((*scalar).to_owned());
                }
                let declared = self.packages.require(package, name)?;
                if matches!(declared, GoType::Struct(_)) {
                    let root = Root {
                        package: package.clone(),
                        name: name.clone(),
                    };
                    let known = table_name(&root);
                    self.open.push(root);
                    known
                } else {
                    self.type_name(&declared)?
                }
            }
        })
    }
}

/// Empty structs that Go writes and driftless does not show: what the API server owns, and resources.
fn is_left_out(root: &Root, json: &str, of: &str) -> bool {
    let is_metadata = of == "meta.ObjectMeta" && root.name != "DataVolumeTemplateSpec";
    is_metadata || json == "status" || (root.name.as_str(), json) == ("DomainSpec", "resources")
}

fn unwrap(of: &GoType) -> (&GoType, bool) {
    match of {
        GoType::Pointer(inner) => (inner, true),
        other => (other, false),
    }
}

fn builtin(name: &str) -> anyhow::Result<&'static str> {
    Ok(match name {
        "string" => "string",
        "bool" => "bool",
        // The narrower ones fit.
        "int8" | "int16" | "int32" | "uint8" | "uint16" | "byte" | "rune" => "int32",
        "int64" | "int" => "int64",
        "uint32" => "uint32",
        "uint64" | "uint" => "uint64",
        "float32" => "float",
        "float64" => "double",
        "any" => "any",
        other => bail!("the type {other} is not one of an API"),
    })
}

fn is_deprecated(text: &str) -> bool {
    text.contains("eprecated")
}

fn is_optional(line: &str) -> bool {
    line.starts_with("+optional") || line.starts_with("+kubebuilder:validation:Optional")
}

/// A release's types with everything the sources say of their fields.
pub fn read(tree: &ReleaseTree) -> anyhow::Result<Column> {
    let swagger = Swagger::read(tree)?;
    let roots = served_roots(tree, &swagger)?;
    let mut column = column(tree, &swagger, &roots)?;
    let kinds: Vec<_> = roots
        .iter()
        .map(|root| (root.name.to_lowercase(), table_name(root)))
        .collect();
    Crds::read(tree)?.limit(&mut column, &kinds)?;
    Ok(column)
}
