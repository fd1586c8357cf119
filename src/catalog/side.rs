//! One side: every source of a tree parsed, sorted into resources and other documents, and indexed by root.

mod held;
mod parsed;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rayon::prelude::*;

use self::held::Held;
use self::parsed::Parsed;
use super::Catalog;
use super::duplicate::{self, Duplicate};
use super::kustomization::{self, Kustomization};
use super::path;
use super::root::{BuiltOn, Exempt, RootDirectory, RootLayout, Scope};
use crate::field_path::FieldPath;
use crate::resource::{Resource, group_version};
use crate::source::{FileId, Sources};
use crate::yaml::{self, Document, Node, Value};

/// One source of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The source.
    pub file: FileId,
    /// What it is read for.
    pub role: Role,
}

/// What a source is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Its resources are judged and rendered.
    Judged,
    /// Its resources are only there to resolve against.
    Context,
    /// Only a kustomization or chart above the given paths: it says what the others are.
    Frame,
}

/// One side, base or head: what a tree of manifests holds.
#[derive(Debug, Default)]
pub struct Side {
    /// Every file that was parsed, by path.
    pub files: Vec<SideFile>,
    /// Every root, by directory; a root's catalog holds its resources by file, document and position.
    pub roots: Vec<Root>,
    /// What was left out and why, by file and document.
    pub skipped: Vec<Skipped>,
    /// Documents that look like Kubernetes objects and lack a field that every object has, by file and document.
    pub loose: Vec<Unidentified>,
    /// Documents that cannot be read, by file and place.
    pub broken: Vec<yaml::Error>,
    /// Identities that several resources claim.
    pub duplicates: Vec<Duplicate>,
    /// Every kustomization, by file.
    pub kustomizations: Vec<Kustomization>,
    /// For files that a kustomization of another root names: what kustomizations make of them.
    named_elsewhere: BTreeMap<FileId, BuiltOn>,
    /// How many files were parsed for this side; files taken over from another side are not among them.
    pub parsed: usize,
}

/// A file of a side.
#[derive(Debug)]
pub struct SideFile {
    /// Its source.
    pub id: FileId,
    /// What it is read for.
    pub role: Role,
    /// Its root, by index.
    pub root: usize,
    /// Its documents; the trees of resources have moved to the root's catalog and left null, or a List without items.
    pub documents: Vec<Document>,
}

/// A root with its resources.
#[derive(Debug)]
pub struct Root {
    /// Where it is and what it sees.
    pub place: RootDirectory,
    /// Its resources.
    pub catalog: Catalog,
    /// Later copies of its resources, each equal to one of the catalog.
    pub copies: Vec<Resource>,
    /// What kustomizations make of it.
    pub built_on: BuiltOn,
}

/// A document that has `apiVersion` or `kind`, and lacks another field that every resource has.
#[derive(Clone, Debug)]
pub struct Unidentified {
    /// Its source.
    pub file: FileId,
    /// Its index in the file.
    pub document: usize,
    /// Its path in its document.
    pub prefix: FieldPath,
    /// Its tree.
    pub node: Node,
}

/// Why a document that is meant as an object of a cluster is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The field that is wrong or missing.
    pub field: FieldPath,
    /// Whether it is missing.
    pub is_missing: bool,
    /// What is wrong, in words.
    pub message: String,
}

impl Unidentified {
    /// What is wrong with it, where it is meant as an object: it is of KubeVirt's API, or has a name that is not a string.
    pub fn flaw(&self) -> Option<Flaw> {
        let api_version = self.node.str_at("apiVersion");
        let (group, _) = group_version(api_version);
        let is_kubevirt = group == "kubevirt.io" || group.ends_with(".kubevirt.io");
        let is_object = !api_version.is_empty() && !self.node.str_at("kind").is_empty();
        let at = if self.node.str_at("kind").is_empty() {
            "kind"
        } else {
            "metadata.name"
        };
        let held = self.node.path(at);
        let held = held.filter(|node| !node.is_null() && node.as_str() != Some(""));
        let is_missing = held.is_none();
        if !is_kubevirt && (is_missing || !is_object) {
            return None;
        }
        let message = match held.map(|node| &node.value) {
            None => format!("`{at}` is required and missing"),
            Some(Value::Seq(_) | Value::Map(_)) => format!("`{at}` is not a string"),
            Some(_) => format!("`{at}` is not a string: put the value in quotes"),
        };
        Some(Flaw {
            field: FieldPath::parse(at),
            is_missing,
            message,
        })
    }
}

/// A file or a document that is not a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The source.
    pub file: FileId,
    /// The document, where only that one is left out.
    pub document: Option<usize>,
    /// Why.
    pub reason: SkipReason,
}

/// Why something is not a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its place says so.
    Exempt(Exempt),
    /// It becomes YAML only after a template engine ran.
    Template {
        /// The mark found.
        mark: &'static str,
        /// What uses the mark.
        engine: &'static str,
        /// Byte offset of the mark.
        at: u32,
    },
    /// It holds a `$patch` directive.
    PatchDirective,
    /// It is annotated `config.kubernetes.io/local-config`.
    LocalConfig,
    /// It is a List that SOPS encrypts as a whole: its items cannot be read one by one.
    EncryptedList,
    /// It has neither `apiVersion` nor `kind`.
    NotKubernetes,
}

impl SkipReason {
    /// So many things left out for this reason, in words: `2 patches`.
    pub fn counted(plural: &str, count: usize) -> String {
        let singular = match plural {
            "patches" => "patch",
            other => other.trim_end_matches('s'),
        };
        format!("{count} {}", if count == 1 { singular } else { plural })
    }

    /// What things left out for this reason are called, for a count: `patches`.
    pub const fn plural(&self) -> &'static str {
        match self {
            Self::Exempt(Exempt::Kustomization) => "kustomizations",
            Self::Exempt(Exempt::Named { field, .. }) => match field.as_bytes() {
                [b'p', b'a', b't', b'c', b'h', ..] => "patches",
                _ => "kustomize inputs",
            },
            Self::PatchDirective => "patches",
            Self::Exempt(Exempt::Chart | Exempt::Values) => "chart files",
            Self::Exempt(Exempt::ChartTemplate) | Self::Template { .. } => "templates",
            Self::LocalConfig => "local configurations",
            Self::EncryptedList => "encrypted lists",
            Self::NotKubernetes => "documents that are not Kubernetes objects",
        }
    }

    /// Whether leaving it out is worth a note: the user may take it for a resource.
    pub const fn is_notable(&self) -> bool {
        !matches!(
            self,
            Self::NotKubernetes
                | Self::Exempt(Exempt::Kustomization | Exempt::Chart | Exempt::Values)
        )
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exempt(Exempt::Kustomization) => f.write_str("it is a kustomization"),
            Self::Exempt(Exempt::Named {
                field,
                kustomization,
            }) => write!(f, "`{field}` of {kustomization} names it"),
            Self::Exempt(Exempt::Chart) => f.write_str("it describes a chart"),
            Self::Exempt(Exempt::ChartTemplate) => f.write_str("it is a template of a chart"),
            Self::Exempt(Exempt::Values) => f.write_str("it holds values of a chart"),
            Self::Template { mark, engine, .. } => {
                write!(
                    f,
                    "it holds `{mark}`: a template ({engine}); give driftless what the engine makes of it"
                )
            }
            Self::PatchDirective => f.write_str("`$patch` makes it a patch"),
            Self::LocalConfig => {
                f.write_str("`config.kubernetes.io/local-config` keeps it out of the cluster")
            }
            Self::EncryptedList => f.write_str("SOPS encrypts the List as a whole"),
            Self::NotKubernetes => f.write_str("it has neither apiVersion nor kind"),
        }
    }
}

/// A resource with its root.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The root, by index.
    pub root: usize,
    /// The resource.
    pub resource: &'a Resource,
}

impl Side {
    /// Parses the inputs and sorts out what they hold. Inputs may come in any order.
    /// `progress` is called once a file, from any thread.
    pub fn build(
        sources: &Sources,
        inputs: Vec<Input>,
        scope: &Scope,
        progress: &(dyn Fn() + Sync),
    ) -> Self {
        Self::beside(sources, inputs, scope, None, progress)
    }

    /// As [`Self::build`], where sources that `other` holds too are taken over from it instead of parsed again.
    pub fn beside(
        sources: &Sources,
        mut inputs: Vec<Input>,
        scope: &Scope,
        other: Option<&Self>,
        progress: &(dyn Fn() + Sync),
    ) -> Self {
        let path_of = |input: &Input| sources.file(input.file).place();
        inputs.sort_by(|a, b| (path_of(a), a.role).cmp(&(path_of(b), b.role)));
        inputs.dedup_by(|a, b| path_of(a) == path_of(b));
        let kustomizations = read_kustomizations(sources, &inputs);
        let layout = RootLayout::new(scope, inputs.iter().map(path_of), &kustomizations);
        let held = other.map(Held::of);
        let parsed: Vec<Parsed> = inputs
            .par_iter()
            .filter(|input| input.role != Role::Frame)
            .map(|input| {
                progress();
                let again = held
                    .as_ref()
                    .filter(|_| layout.exempt(path_of(input)).is_none())
                    .and_then(|held| held.again(*input, layout.root_of(path_of(input))));
                again.unwrap_or_else(|| Parsed::new(sources, *input, &layout))
            })
            .collect();
        let mut side = Self {
            parsed: parsed.iter().filter(|parsed| !parsed.is_taken_over).count(),
            ..Self::default()
        };
        let mut held: Vec<Vec<Resource>> = layout.roots().iter().map(|_| Vec::new()).collect();
        for parsed in parsed {
            side.skipped.extend(parsed.skipped);
            side.loose.extend(parsed.loose);
            side.broken.extend(parsed.broken);
            held[parsed.file.root].extend(parsed.resources);
            side.files.push(parsed.file);
        }
        let listed: BTreeSet<FileId> = inputs
            .iter()
            .filter(|input| layout.is_listed(path_of(input)))
            .map(|input| input.file)
            .collect();
        let context: BTreeSet<FileId> = inputs
            .iter()
            .filter(|input| input.role == Role::Context)
            .map(|input| input.file)
            .collect();
        let targets: Vec<usize> = layout.roots().iter().map(|root| root.target).collect();
        let placement = duplicate::Placement {
            targets: &targets,
            namespace_of: &|target| scope.namespace_of(target),
            is_listed: &|file| listed.contains(&file),
            is_context: &|file| context.contains(&file),
            source_of: &|file, document| side.source_comment(sources, file, document),
        };
        let (duplicates, copies) = duplicate::settle(&mut held, &placement);
        side.duplicates = duplicates;
        side.roots = layout
            .roots()
            .iter()
            .cloned()
            .zip(held)
            .zip(copies)
            .map(|((place, resources), copies)| Root {
                built_on: layout.built_on(&place),
                place,
                catalog: Catalog::new(resources),
                copies,
            })
            .collect();
        for file in &side.files {
            let path = sources.file(file.id).place();
            if let Some(built_on) = layout.built_on_listed(path) {
                side.named_elsewhere.insert(file.id, built_on);
            }
        }
        side.kustomizations = kustomizations;
        side
    }

    /// Every resource that is judged, by file, document and position.
    pub fn judged(&self) -> Vec<Placed<'_>> {
        self.in_order(self.resources())
    }

    /// As [`Self::judged`], with the copies that stand in other places.
    pub fn judged_with_copies(&self) -> Vec<Placed<'_>> {
        self.in_order(self.resources_and_copies())
    }

    /// Every resource, with the copies that stand in other places, by root.
    pub fn resources_and_copies(&self) -> impl Iterator<Item = Placed<'_>> {
        let copies = self.roots.iter().enumerate().flat_map(|(root, held)| {
            let copies = held.copies.iter();
            copies.map(move |resource| Placed { root, resource })
        });
        self.resources().chain(copies)
    }

    /// What kustomizations make of a resource.
    pub fn built_on(&self, placed: &Placed<'_>) -> &BuiltOn {
        let file = placed.resource.file;
        file.and_then(|file| self.named_elsewhere.get(&file))
            .unwrap_or(&self.roots[placed.root].built_on)
    }

    /// The target of a file, as [`RootDirectory::target`] counts.
    pub fn target(&self, file: FileId) -> usize {
        self.file(file)
            .map_or(0, |file| self.roots[file.root].place.target)
    }

    fn in_order<'a>(&'a self, all: impl Iterator<Item = Placed<'a>>) -> Vec<Placed<'a>> {
        let mut all: Vec<_> = all
            .filter(|placed| {
                placed
                    .resource
                    .file
                    .is_some_and(|file| self.role(file) == Role::Judged)
            })
            .collect();
        let rank: BTreeMap<FileId, usize> = self
            .files
            .iter()
            .enumerate()
            .map(|(at, file)| (file.id, at))
            .collect();
        all.sort_by(|a, b| {
            let key = |placed: &Placed<'_>| {
                let file = placed.resource.file.and_then(|file| rank.get(&file));
                (file.copied(), placed.resource.document)
            };
            key(a)
                .cmp(&key(b))
                .then_with(|| a.resource.prefix.cmp(&b.resource.prefix))
        });
        all
    }

    /// The directory of every chart.
    pub fn charts(&self) -> impl Iterator<Item = &str> {
        let charts = self.roots.iter().filter(|root| root.place.is_chart);
        charts.map(|root| root.place.directory.as_str())
    }

    /// Every resource, also those only there to resolve against, by root.
    pub fn resources(&self) -> impl Iterator<Item = Placed<'_>> {
        self.roots.iter().enumerate().flat_map(|(root, held)| {
            held.catalog
                .resources()
                .iter()
                .map(move |resource| Placed { root, resource })
        })
    }

    /// What a file is read for; a file that was never parsed is a frame.
    pub fn role(&self, file: FileId) -> Role {
        self.file(file).map_or(Role::Frame, |file| file.role)
    }

    /// The path a document's leading `# Source: PATH` names: programs that join manifests into one stream, Helm and
    /// driftless among them, say so where each came from.
    pub fn source_comment<'a>(
        &self,
        sources: &'a Sources,
        file: FileId,
        document: usize,
    ) -> Option<&'a str> {
        let document = self
            .file(file)?
            .documents
            .iter()
            .find(|held| held.index == document)?;
        let bytes = sources.file(file).bytes();
        document.comments.iter().find_map(|span| {
            let text = std::str::from_utf8(bytes.get(span.range())?).ok()?;
            text.strip_prefix("# Source: ").map(str::trim_end)
        })
    }

    /// The entry of a file.
    pub fn file(&self, id: FileId) -> Option<&SideFile> {
        // Ids grow with the path as a rule, so the place is near; a miss costs one walk.
        self.files
            .binary_search_by_key(&id, |file| file.id)
            .ok()
            .map(|at| &self.files[at])
            .or_else(|| self.files.iter().find(|file| file.id == id))
    }

    /// The catalogs a root's resources are resolved against, in order: its own, then those it sees.
    pub fn catalogs(&self, root: usize) -> Vec<&Catalog> {
        let seen = self.roots[root].place.sees.iter();
        std::iter::once(&root)
            .chain(seen)
            .map(|at| &self.roots[*at].catalog)
            .filter(|catalog| !catalog.resources().is_empty())
            .collect()
    }
}

/// Reads every kustomization among the inputs.
fn read_kustomizations(sources: &Sources, inputs: &[Input]) -> Vec<Kustomization> {
    inputs
        .par_iter()
        .filter_map(|input| {
            let file = sources.file(input.file);
            if !kustomization::NAMES.contains(&path::name(file.path())) {
                return None;
            }
            let stream = yaml::parse(input.file, file.bytes());
            let document = stream.documents.into_iter().find_map(Result::ok)?;
            kustomization::is_kustomization(&document.root)
                .then(|| Kustomization::read(file.path(), &document.root))
        })
        .collect()
}

#[cfg(test)]
mod tests;
