//! Messages about bad input, for commands that do not report findings.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::duplicate::{Duplicate, Nearness, Stand};
use driftless::catalog::side::{Placed, Role, Side, Unidentified};
use driftless::field_path::FieldPath;
use driftless::resource::Resource;
use driftless::source::FileId;
use driftless::yaml::{StrictKind, StrictProblem};

use super::Session;
use crate::output::Shell;

/// Something wrong with the input.
#[derive(Debug)]
pub(crate) struct BadDocument {
    /// The file.
    pub(crate) file: Option<FileId>,
    /// The document in it.
    pub(crate) document: usize,
    /// Whether the file is judged, not only there to resolve against.
    pub(crate) is_judged: bool,
    /// Whether a document cannot be read as kubectl reads it.
    pub(crate) is_unreadable: bool,
    /// Whether it can be read in two ways: a key is set twice.
    is_ambiguous: bool,
    /// The kind of the object, where it is known.
    pub(crate) kind: Option<String>,
    /// What is wrong, with the place.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
    weight: Weight,
    spoils: Vec<Stand>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Error,
    Warning,
    Detail,
}

impl BadDocument {
    /// Whether a command cannot work with it.
    pub(crate) fn is_error(&self) -> bool {
        self.weight == Weight::Error
    }

    /// Says it.
    pub(crate) fn say(&self, shell: &mut Shell) {
        match self.weight {
            Weight::Error => shell.error(&self.message),
            Weight::Warning => shell.warning(&self.message),
            Weight::Detail => shell.detail(&self.message),
        }
        if self.weight == Weight::Error {
            shell.help(self.help.as_ref());
        }
    }
}

impl Session {
    /// Says every document that cannot be read or has no name, each key set twice, and each identity that two resources of
    /// one file or kustomization claim; gives what is spoiled by it. For commands that do not report findings.
    pub(crate) fn say_bad_documents(&self, shell: &mut Shell) -> Bad {
        let mut bad = Bad::default();
        let mut told = BTreeSet::new();
        for found in self.bad_documents_of(&self.head.side) {
            found.say(shell);
            if !found.is_error() || !found.is_judged && found.spoils.is_empty() {
                continue;
            }
            let at = found.file.map(|file| (file, found.document));
            if found.is_ambiguous {
                bad.documents.extend(at);
            }
            if !found.is_unreadable {
                bad.count += 1;
            } else if told.insert(at) {
                bad.count += 1;
                bad.unreadable += 1;
            }
            bad.stands.extend(found.spoils);
        }
        bad
    }

    /// Everything that is wrong with a side, in the order of reading.
    pub(crate) fn bad_documents_of(&self, side: &Side) -> Vec<BadDocument> {
        let document = |file: FileId, document: usize, message: String| BadDocument {
            file: Some(file),
            document,
            is_judged: side.role(file) == Role::Judged,
            is_unreadable: true,
            is_ambiguous: false,
            kind: None,
            message,
            help: None,
            weight: Weight::Error,
            spoils: Vec::new(),
        };
        let held = OnceCell::new();
        let kind_of = |file: FileId, document: usize| {
            let held = held.get_or_init(|| by_document(side));
            let resource = held.get(&(file, document))?;
            Some(resource.id.kind.to_string())
        };
        let mut all: Vec<BadDocument> = side
            .broken
            .iter()
            .map(|error| {
                let place = self.sources.describe(error.span);
                BadDocument {
                    help: error.help.map(str::to_owned),
                    ..document(error.span.file, error.index, format!("{place}: {error}"))
                }
            })
            .collect();
        for file in &side.files {
            for held in &file.documents {
                let refused = |problem: &&StrictProblem| problem.kind != StrictKind::Spellings;
                all.extend(held.strict.iter().filter(refused).map(|problem| {
                    let message = format!(
                        "{}: `{}` is set twice, first at {}; kubectl refuses the document",
                        self.sources.describe(problem.second),
                        problem.key,
                        self.sources.describe(problem.first),
                    );
                    BadDocument {
                        kind: kind_of(file.id, held.index),
                        help: problem.help().map(str::to_owned),
                        is_ambiguous: true,
                        ..document(file.id, held.index, message)
                    }
                }));
                all.extend(held.ignored.map(|span| {
                    let place = self.sources.describe(span);
                    let message = format!("{place}: kubectl never reads what follows here");
                    BadDocument {
                        is_unreadable: false,
                        weight: Weight::Warning,
                        ..document(file.id, held.index, message)
                    }
                }));
            }
        }
        for loose in &side.loose {
            let Some(flaw) = loose.flaw() else { continue };
            let place = self.loose_place(loose, &flaw.field);
            let kind = loose.node.str_at("kind");
            let named = if kind.is_empty() { "the object" } else { kind };
            let message = format!("{place}: {named}: {}", flaw.message);
            all.push(BadDocument {
                kind: (!kind.is_empty()).then(|| kind.to_owned()),
                ..document(loose.file, loose.document, message)
            });
        }
        for duplicate in &side.duplicates {
            let message = self.duplicate_message(side, duplicate);
            all.push(BadDocument {
                is_unreadable: false,
                weight: match duplicate.nearness {
                    Nearness::File | Nearness::Kustomization => Weight::Error,
                    Nearness::Root => Weight::Warning,
                    Nearness::Roots => Weight::Detail,
                },
                spoils: if duplicate.nearness.is_error() {
                    vec![duplicate.first.clone(), duplicate.second.clone()]
                } else {
                    Vec::new()
                },
                ..document(duplicate.second.file, duplicate.second.document, message)
            });
        }
        all
    }

    /// The texts of a file's documents: a document that is equal on both sides is no part of a change.
    pub(crate) fn document_texts(&self, file: FileId) -> Vec<String> {
        let text = String::from_utf8_lossy(self.sources.file(file).bytes());
        let mut documents = Vec::new();
        let mut one = String::new();
        for line in text.lines() {
            let is_mark = line
                .strip_prefix("---")
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
            if is_mark && !one.trim().is_empty() {
                documents.push(std::mem::take(&mut one));
            }
            if !is_mark {
                one.push_str(line.trim_end());
                one.push('\n');
            }
        }
        documents.push(one);
        documents
    }

    fn duplicate_message(&self, side: &Side, duplicate: &Duplicate) -> String {
        let place =
            |stand: &Stand| match resource_at(side, stand).and_then(|r| r.node.origin.span()) {
                Some(span) => self.sources.describe(span),
                None => self.sources.file(stand.file).path().to_owned(),
            };
        let why = match duplicate.nearness {
            Nearness::File => "a file holds one resource of a name once",
            Nearness::Kustomization => {
                "one kustomization lists both files, and kustomize refuses them"
            }
            Nearness::Root => "a cluster keeps what it is given last",
            Nearness::Roots => "they are in different roots, taken to be for different clusters",
        };
        format!(
            "{}: {} differs from the one at {}; {why}",
            place(&duplicate.second),
            duplicate.id,
            place(&duplicate.first),
        )
    }

    /// Says which documents look like Kubernetes objects and are none: they are left out.
    pub(crate) fn say_nameless(&self, shell: &mut Shell) {
        for loose in &self.head.side.loose {
            if loose.flaw().is_none() {
                let place = self.loose_place(loose, &FieldPath::root());
                shell.detail(format!(
                    "{place}: skipped: what has no apiVersion, kind and name is no object"
                ));
            }
        }
    }

    fn loose_place(&self, loose: &Unidentified, field: &FieldPath) -> String {
        match field.nearest(&loose.node).1.origin.span() {
            Some(span) => self.sources.describe(span),
            None => self.sources.file(loose.file).path().to_owned(),
        }
    }
}

/// The first resource of each document.
fn by_document(side: &Side) -> BTreeMap<(FileId, usize), &Resource> {
    let mut found = BTreeMap::new();
    for placed in side.resources() {
        if let Some(file) = placed.resource.file {
            let at = (file, placed.resource.document);
            found.entry(at).or_insert(placed.resource);
        }
    }
    found
}

fn resource_at<'a>(side: &'a Side, stand: &Stand) -> Option<&'a Resource> {
    let catalog = &side.roots.get(stand.root)?.catalog;
    catalog.resources().iter().find(|resource| {
        resource.file == Some(stand.file)
            && resource.document == stand.document
            && resource.prefix == stand.prefix
    })
}

/// What is wrong with the input beyond what a command can work with.
#[derive(Debug, Default)]
pub(crate) struct Bad {
    /// How many documents and identities.
    pub(crate) count: usize,
    /// How many documents.
    pub(crate) unreadable: usize,
    documents: BTreeSet<(FileId, usize)>,
    stands: Vec<Stand>,
}

impl Bad {
    /// Whether a resource is among what is wrong.
    pub(crate) fn holds(&self, placed: &Placed<'_>) -> bool {
        let resource = placed.resource;
        let Some(file) = resource.file else {
            return false;
        };
        self.documents.contains(&(file, resource.document))
            || self.stands.iter().any(|stand| {
                stand.file == file
                    && stand.document == resource.document
                    && stand.prefix == resource.prefix
            })
    }
}
