//! What is wrong with the input, said for commands that do not report findings.

use std::collections::BTreeSet;

use driftless::catalog::duplicate::{Duplicate, Nearness, Stand};
use driftless::catalog::side::{Placed, Role, Side, SideFile, Unidentified};
use driftless::field_path::FieldPath;
use driftless::resource::Resource;
use driftless::source::FileId;
use driftless::yaml::{Document, StrictKind, StrictProblem};

use super::Session;
use crate::output::Shell;

impl Session {
    /// Says every document that cannot be read or has no name, each key set twice, and each identity that two resources of one file or
    /// kustomization claim; gives what is spoiled by it. For commands that do not report findings.
    pub(crate) fn say_bad_documents(&self, shell: &mut Shell) -> Bad {
        self.say_bad_documents_of(&self.side, shell)
    }

    /// The same for another side.
    pub(crate) fn say_bad_documents_of(&self, side: &Side, shell: &mut Shell) -> Bad {
        let mut bad = Bad::default();
        for error in &side.broken {
            if side.role(error.span.file) == Role::Judged {
                bad.count += 1;
                bad.unreadable += 1;
            }
            shell.error(format!("{}: {error}", self.sources.describe(error.span)));
            shell.help(error.help);
        }
        for file in &side.files {
            for document in &file.documents {
                self.say_strict_problems(file, document, &mut bad, shell);
                if let Some(span) = document.ignored {
                    let place = self.sources.describe(span);
                    shell.warning(format!("{place}: kubectl never reads what follows here"));
                }
            }
        }
        for loose in &side.loose {
            let Some(flaw) = loose.flaw() else { continue };
            if side.role(loose.file) == Role::Judged {
                bad.count += 1;
                bad.unreadable += 1;
            }
            let place = self.loose_place(loose, &flaw.field);
            let kind = loose.node.str_at("kind");
            let kind = if kind.is_empty() { "the object" } else { kind };
            shell.error(format!("{place}: {kind}: {}", flaw.message));
        }
        for duplicate in &side.duplicates {
            let message = self.duplicate_message(side, duplicate);
            match duplicate.nearness {
                Nearness::File | Nearness::Kustomization => {
                    bad.count += 1;
                    bad.stands.push(duplicate.first.clone());
                    bad.stands.push(duplicate.second.clone());
                    shell.error(message);
                }
                Nearness::Root => shell.warning(message),
                Nearness::Roots => shell.detail(message),
            }
        }
        bad
    }

    fn say_strict_problems(
        &self,
        file: &SideFile,
        document: &Document,
        bad: &mut Bad,
        shell: &mut Shell,
    ) {
        let refused = |problem: &&StrictProblem| problem.kind != StrictKind::Spellings;
        let mut problems = document.strict.iter().filter(refused).peekable();
        if problems.peek().is_some() && file.role == Role::Judged {
            bad.count += 1;
            bad.unreadable += 1;
            bad.documents.insert((file.id, document.index));
        }
        for problem in problems {
            shell.error(format!(
                "{}: `{}` is set twice, first at {}; kubectl refuses the document",
                self.sources.describe(problem.second),
                problem.key,
                self.sources.describe(problem.first),
            ));
            shell.help(problem.help());
        }
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
        for loose in &self.side.loose {
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
