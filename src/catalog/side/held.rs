//! What another side holds, so that files both have are parsed once.

use std::collections::{BTreeMap, BTreeSet};

use super::parsed::Parsed;
use super::{Input, Side, SideFile, Skipped, Unidentified};
use crate::resource::Resource;
use crate::source::FileId;

/// What another side holds, by file.
pub(super) struct Held<'a> {
    files: BTreeMap<FileId, Vec<&'a Resource>>,
    skipped: BTreeMap<FileId, Vec<&'a Skipped>>,
    loose: BTreeMap<FileId, Vec<&'a Unidentified>>,
    broken: BTreeSet<FileId>,
}

impl<'a> Held<'a> {
    pub(super) fn of(side: &'a Side) -> Self {
        let mut held = Self {
            files: side
                .files
                .iter()
                .map(|file| (file.id, Vec::new()))
                .collect(),
            skipped: BTreeMap::new(),
            loose: BTreeMap::new(),
            broken: side.broken.iter().map(|error| error.span.file).collect(),
        };
        for placed in side.resources_and_copies() {
            if let Some(file) = placed.resource.file {
                held.files.entry(file).or_default().push(placed.resource);
            }
        }
        for skipped in &side.skipped {
            held.skipped.entry(skipped.file).or_default().push(skipped);
        }
        for loose in &side.loose {
            held.loose.entry(loose.file).or_default().push(loose);
        }
        held
    }

    /// The file as the other side has it; `None` where it has to be parsed after all.
    pub(super) fn again(&self, input: Input, root: usize) -> Option<Parsed> {
        let resources = self.files.get(&input.file)?;
        let mut skipped = self.skipped.get(&input.file).into_iter().flatten();
        if self.broken.contains(&input.file) || skipped.any(|skipped| skipped.document.is_none()) {
            return None;
        }
        Some(Parsed {
            file: SideFile {
                id: input.file,
                role: input.role,
                root,
                documents: Vec::new(),
            },
            resources: cloned(Some(resources)),
            skipped: cloned(self.skipped.get(&input.file)),
            loose: cloned(self.loose.get(&input.file)),
            broken: Vec::new(),
            is_taken_over: true,
        })
    }
}

fn cloned<T: Clone>(all: Option<&Vec<&T>>) -> Vec<T> {
    all.into_iter().flatten().copied().cloned().collect()
}
