//! Documents that cannot be read: an error where the change touches them, listed where it does not.

use std::collections::{BTreeMap, BTreeSet};

use driftless::resource::ResourceId;
use driftless::source::FileId;

use super::{ComparedSides, NotJudged, resources_by_place};
use crate::output::Shell;
use crate::session::{BadDocument, World};

impl ComparedSides<'_> {
    /// A bad document is exit 2 where the head has it and the change touches it; another one is listed.
    pub(super) fn bad_documents(
        &self,
        unjudged: &mut BTreeSet<NotJudged>,
        shell: &mut Shell,
    ) -> usize {
        let of = |world: &World| self.session.bad_documents_of(&world.side);
        let (before, after) = (of(self.base), of(&self.session.head));
        let mut texts: BTreeMap<FileId, Vec<String>> = BTreeMap::new();
        for file in before.iter().chain(&after).filter_map(|bad| bad.file) {
            if self.has_changed(file) {
                let session = self.session;
                texts
                    .entry(file)
                    .or_insert_with(|| session.document_texts(file));
            }
        }
        let text = |bad: &BadDocument| {
            let file = bad.file?;
            let document = texts.get(&file)?.get(bad.document)?;
            Some((self.place(file), document.as_str()))
        };
        let is_touched = |bad: &BadDocument| bad.file.is_none_or(|file| self.has_changed(file));
        let known: BTreeSet<_> = before.iter().filter_map(&text).collect();
        let mut count = 0;
        for bad in after.iter().filter(|bad| bad.is_judged) {
            if bad.is_error()
                && is_touched(bad)
                && text(bad).is_none_or(|text| !known.contains(&text))
            {
                count += usize::from(bad.is_unreadable);
                bad.say(shell);
                self.list_unread(bad, "", unjudged);
            } else if bad.is_error() {
                self.list_bad(bad, "it is the same on both sides", unjudged, shell);
            } else {
                bad.say(shell);
            }
        }
        let still: BTreeSet<_> = after.iter().filter_map(&text).collect();
        for bad in before.iter().filter(|bad| bad.is_judged && bad.is_error()) {
            if is_touched(bad) && text(bad).is_none_or(|text| !still.contains(&text)) {
                self.list_bad(bad, "the base alone has it", unjudged, shell);
            }
        }
        count
    }

    /// Objects of a file that the other side has too and cannot be read there.
    pub(super) fn half_read(&self) -> BTreeSet<(String, ResourceId)> {
        let mut half_read = BTreeSet::new();
        let head = &self.session.head;
        for (world, other) in [(self.base, head), (head, self.base)] {
            let broken = other.side.broken.iter().map(|error| error.span.file);
            let loose = other.side.loose.iter();
            let loose = loose.filter(|loose| loose.flaw().is_some());
            let places: BTreeSet<String> = broken
                .chain(loose.map(|loose| loose.file))
                .map(|file| self.place(file).to_owned())
                .collect();
            let theirs = resources_by_place(&other.side, self.sources(), &places);
            for (place, resources) in resources_by_place(&world.side, self.sources(), &places) {
                let twins = theirs.get(place);
                let has_twin = |id: &ResourceId| {
                    twins.is_some_and(|twins| twins.iter().any(|twin| twin.id == *id))
                };
                let alone = resources.iter().filter(|resource| !has_twin(&resource.id));
                half_read.extend(alone.map(|resource| (place.to_owned(), resource.id.clone())));
            }
        }
        half_read
    }

    fn list_bad(
        &self,
        bad: &BadDocument,
        why: &str,
        unjudged: &mut BTreeSet<NotJudged>,
        shell: &mut Shell,
    ) {
        shell.warning(format!("{}; {why}", bad.message));
        self.list_unread(bad, &format!(", and {why}"), unjudged);
    }

    fn list_unread(&self, bad: &BadDocument, why: &str, unjudged: &mut BTreeSet<NotJudged>) {
        if let Some(file) = bad.file.filter(|_| bad.is_unreadable) {
            unjudged.insert(NotJudged {
                file: self.name(file),
                kind: bad.kind.clone(),
                reason: format!(
                    "a document cannot be read as kubectl reads it{why}: {}",
                    bad.message
                ),
            });
        }
    }
}
