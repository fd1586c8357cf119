//! The files an upgrade changes: what each becomes, and the order in which they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless::catalog::root::RootKind;
use driftless::emit::diff::of_edited;
use driftless::resource::Resource;
use driftless::source::FileId;
use driftless::transform::upgrade::text::{Changes, Rewritten, SourcePlace, rewrite};
use driftless::transform::upgrade::{self, Options, ToUpgrade, Upgrade};
use driftless::yaml::edit::CannotEdit;

use crate::input::stdin;
use crate::output::{self, Shell};
use crate::session::Session;

/// Every file an upgrade changes.
pub(super) struct Files<'s> {
    session: &'s Session,
    by_id: BTreeMap<FileId, File>,
    refused: BTreeSet<FileId>,
}

/// One file: the text after each stage, and the files that must be written before a stage.
#[derive(Default)]
struct File {
    changes: Changes,
    /// Files whose new revisions the references here need.
    needs_added: BTreeSet<FileId>,
    /// Files whose references must have moved before something here may go.
    needs_moved: BTreeSet<FileId>,
    /// With new revisions only, with moved references too, with old revisions gone too.
    stages: Option<[Rewritten; 3]>,
}

impl<'s> Files<'s> {
    /// Plans the upgrade and the text of every file. A file that cannot be edited is said, and what would need it is
    /// left as it is.
    pub(super) fn plan<'a>(
        session: &'s Session,
        judged: &[ToUpgrade<'a, '_>],
        options: Options,
        shell: &mut Shell,
    ) -> (Self, Upgrade<'a>) {
        let mut files = Self {
            session,
            by_id: BTreeMap::new(),
            refused: BTreeSet::new(),
        };
        let encrypted: BTreeSet<_> = judged
            .iter()
            .filter(|(_, resource)| resource.node.get("sops").is_some())
            .filter_map(|(_, resource)| resource.file)
            .collect();
        let own: BTreeSet<_> = judged.iter().filter_map(|(_, one)| one.file).collect();
        loop {
            let left: Vec<ToUpgrade> = judged
                .iter()
                .filter(|(_, resource)| {
                    resource
                        .file
                        .is_none_or(|file| !files.refused.contains(&file))
                })
                .copied()
                .collect();
            let upgrade = upgrade::upgrade(&left, options);
            let writable = |file: FileId| {
                own.contains(&file) && !encrypted.contains(&file) && !files.refused.contains(&file)
            };
            files.by_id = collect(&upgrade, &writable);
            if !files.rewrite(shell) {
                return (files, upgrade);
            }
        }
    }

    /// Whether no file changes.
    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Whether a file could not be edited.
    pub(super) fn is_refused(&self) -> bool {
        !self.refused.is_empty()
    }

    /// Makes the text of every file and stage; whether one was refused that was not before.
    fn rewrite(&mut self, shell: &mut Shell) -> bool {
        let mut news = false;
        for (id, file) in &mut self.by_id {
            let source = self.session.sources.file(*id);
            let stages = || {
                let mut changes = Changes {
                    added: file.changes.added.clone(),
                    ..Changes::default()
                };
                let added = rewrite(*id, source.bytes(), &changes)?;
                changes.steps.clone_from(&file.changes.steps);
                let moved = rewrite(*id, source.bytes(), &changes)?;
                Ok([added, moved, rewrite(*id, source.bytes(), &file.changes)?])
            };
            let stages = stdin::refuse_edit(source.path())
                .and_then(|()| stages().map_err(|refusal: CannotEdit| refusal.to_string()));
            match stages {
                Ok(stages) => file.stages = Some(stages),
                Err(reason) => {
                    news |= self.refused.insert(*id);
                    shell.error(format!("{}: {reason}", source.path()));
                    shell.help(Some(
                        "this file and what depends on it are left as they are; edit it by hand",
                    ));
                }
            }
        }
        news
    }

    /// The differences between every file and what it becomes.
    pub(super) fn diff(&self) -> String {
        let mut out = String::new();
        for (id, file) in &self.by_id {
            let Some([.., last]) = &file.stages else {
                continue;
            };
            let source = self.session.sources.file(*id);
            let (old, new) = (source.bytes(), last.bytes.as_slice());
            let new = if last.is_empty && !self.is_listed(*id) {
                &[]
            } else {
                new
            };
            out.push_str(&of_edited(source.path(), old, new));
        }
        out
    }

    /// Writes every file, each in one piece. A file is written once, unless others need its new revisions before it may
    /// drop its old ones; whenever the run is stopped, no reference names a revision that is not there.
    pub(super) fn write(&self, shell: &mut Shell) -> anyhow::Result<()> {
        let alone = |id: &FileId, needs: &BTreeSet<FileId>| needs.iter().all(|need| need == id);
        let mut done = BTreeSet::new();
        for (id, file) in &self.by_id {
            if alone(id, &file.needs_added) && alone(id, &file.needs_moved) {
                self.put(*id, file, 2)?;
                done.insert(*id);
            }
        }
        for stage in 0..3 {
            for (id, file) in self.by_id.iter().filter(|(id, _)| !done.contains(*id)) {
                self.put(*id, file, stage)?;
            }
        }
        if !self.by_id.is_empty() {
            let count = self.by_id.len();
            let files = if count == 1 { "file" } else { "files" };
            shell.note(format!("wrote {count} {files}"));
        }
        Ok(())
    }

    fn put(&self, id: FileId, file: &File, stage: usize) -> anyhow::Result<()> {
        let Some(text) = file.stages.as_ref().map(|stages| &stages[stage]) else {
            return Ok(());
        };
        let source = self.session.sources.file(id);
        let path = Path::new(source.path());
        if std::fs::read(path).is_ok_and(|bytes| bytes == text.bytes) {
            return Ok(());
        }
        if text.is_empty && !self.is_listed(id) {
            return output::remove_file(path);
        }
        output::write_file(path, &text.bytes)
    }

    /// Whether a kustomization may list the file, which it then has to find.
    fn is_listed(&self, id: FileId) -> bool {
        self.session
            .head
            .side
            .file(id)
            .and_then(|file| self.session.head.side.roots.get(file.root))
            .is_some_and(|root| root.place.kind == RootKind::Kustomization)
    }
}

/// What happens to each file.
fn collect(upgrade: &Upgrade, writable: &dyn Fn(FileId) -> bool) -> BTreeMap<FileId, File> {
    let mut files: BTreeMap<FileId, File> = BTreeMap::new();
    let mut added_in: BTreeMap<usize, BTreeSet<FileId>> = BTreeMap::new();
    for created in &upgrade.created {
        let beside = [Some(created.old), created.vm]
            .into_iter()
            .flatten()
            .find(|resource| resource.file.is_some_and(writable));
        let Some((resource, file)) = beside.and_then(|one| Some((one, one.file?))) else {
            continue;
        };
        let changes = &mut files.entry(file).or_default().changes;
        changes.added.push((place(resource), created.node.clone()));
        let old = address(created.old);
        added_in.entry(old).or_default().insert(file);
    }
    let mut needs: BTreeMap<usize, BTreeSet<FileId>> = BTreeMap::new();
    let mut movers: BTreeMap<usize, BTreeSet<FileId>> = BTreeMap::new();
    for (old, vm) in &upgrade.moved {
        let added = added_in.get(&address(old)).into_iter().flatten();
        needs.entry(address(vm)).or_default().extend(added);
        movers.entry(address(old)).or_default().extend(vm.file);
    }
    for changed in &upgrade.changed {
        let Some(id) = changed.resource.file else {
            continue;
        };
        let file = files.entry(id).or_default();
        file.changes
            .steps
            .push((place(changed.resource), changed.steps.clone()));
        if let Some(needs) = needs.get(&address(changed.resource)) {
            file.needs_added.extend(needs);
        }
    }
    for removed in upgrade
        .removed
        .iter()
        .filter(|one| one.file.is_some_and(writable))
    {
        let Some(id) = removed.file else { continue };
        let file = files.entry(id).or_default();
        file.changes.removed.push(place(removed));
        file.needs_moved
            .extend(movers.get(&address(removed)).into_iter().flatten());
    }
    files
}

fn place(resource: &Resource) -> SourcePlace {
    SourcePlace {
        document: resource.document,
        prefix: resource.prefix.clone(),
    }
}

fn address(resource: &Resource) -> usize {
    std::ptr::from_ref(resource).addr()
}
