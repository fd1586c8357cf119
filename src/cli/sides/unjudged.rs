//! What changed, concerns virtual machines and is not judged: what a program builds objects from, kinds nothing here
//! judges, documents that cannot be read, files that the settings leave out.

mod built;
mod documents;
mod kinds;

use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::relevance::Relevance;
use driftless::catalog::root::Exempt;
use driftless::catalog::side::{Input, Placed, Role, Side, SkipReason};
use driftless::plan::{COMPARE_BUILT, Unjudged};
use driftless::resource::{Resource, ResourceId};
use driftless::source::{FileId, Sources};
use driftless::yaml;

use self::built::built_by_kustomize;
use self::kinds::{document_kind, is_foreign, is_kubevirts, kind_in, nested_kind, unjudged_kind};
use super::changed::ChangedFiles;
use crate::output::Shell;
use crate::session::{Session, World};

/// A changed file that concerns virtual machines and is not judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NotJudged {
    file: String,
    /// The kind of the object in it, where it holds one.
    kind: Option<String>,
    /// Why it is not judged, and what would settle it.
    reason: String,
}

impl From<NotJudged> for Unjudged {
    fn from(found: NotJudged) -> Self {
        Self {
            file: found.file,
            kind: found.kind,
            reason: found.reason,
            accepted: None,
        }
    }
}

/// Both sides, and which files differ.
pub(super) struct ComparedSides<'a> {
    session: &'a Session,
    base: &'a World,
    changed: &'a ChangedFiles,
    /// What each side read, by place.
    before: BTreeMap<&'a str, Input>,
    after: BTreeMap<&'a str, Input>,
}

/// What a plan does not see.
pub(super) struct Unseen {
    /// What is not judged, by file.
    pub(super) unjudged: Vec<Unjudged>,
    /// How many documents that the change touches cannot be read in the head.
    pub(super) bad: usize,
    /// Places of files that only one side's settings cover.
    pub(super) uncovered: BTreeSet<String>,
    /// Objects of a file that the other side has too and that cannot be read there: whether they came or went is unknown.
    pub(super) half_read: BTreeSet<(String, ResourceId)>,
}

impl<'a> ComparedSides<'a> {
    /// The sides as they were read.
    pub(super) fn of(session: &'a Session, base: &'a World, changed: &'a ChangedFiles) -> Self {
        Self {
            before: base.by_place(&session.sources),
            after: session.head.by_place(&session.sources),
            session,
            base,
            changed,
        }
    }

    /// Finds it, and says what cannot be read.
    pub(super) fn find(&self, shell: &mut Shell) -> Unseen {
        let mut unjudged = BTreeSet::new();
        let bad = self.bad_documents(&mut unjudged, shell);
        let mut uncovered = self.uncovered(&mut unjudged);
        for world in [self.base, &self.session.head] {
            self.left_out(world, &mut unjudged);
            self.objects(world, &mut unjudged);
        }
        self.unread(&mut unjudged);
        uncovered.extend(self.pointers(&mut unjudged));
        Unseen {
            unjudged: unjudged.into_iter().map(Unjudged::from).collect(),
            bad,
            uncovered,
            half_read: self.half_read(),
        }
    }

    const fn sources(&self) -> &Sources {
        &self.session.sources
    }

    fn place(&self, file: FileId) -> &str {
        self.sources().file(file).place()
    }

    fn has_changed(&self, file: FileId) -> bool {
        self.changed.places.contains(self.place(file))
    }

    fn name(&self, file: FileId) -> String {
        self.sources().file(file).path().to_owned()
    }

    /// Files that stay and that the settings of one side alone cover.
    fn uncovered(&self, unjudged: &mut BTreeSet<NotJudged>) -> BTreeSet<String> {
        let mut uncovered = BTreeSet::new();
        let head = &self.session.head;
        for (places, world, whose) in [
            (&self.changed.left_out_by_head, self.base, "the head's"),
            (&self.changed.left_out_by_base, head, "the base's"),
        ] {
            let reason = format!("it is there on both sides, but {whose} settings leave it out");
            uncovered.extend(places.iter().cloned());
            self.list_judged(world, places, &reason, unjudged);
        }
        // A file that no target of the head's settings covers any more.
        let is_for =
            |world: &World, input: &Input| !world.target_of(Some(input.file)).name.is_empty();
        let dropped: BTreeSet<String> = self
            .after
            .iter()
            .filter(|(place, input)| {
                let base = self.before.get(*place);
                base.is_some_and(|base| is_for(self.base, base)) && !is_for(head, input)
            })
            .map(|(place, _)| (*place).to_owned())
            .collect();
        let reason = "it is there on both sides, but no target of the head's settings covers it";
        self.list_judged(head, &dropped, reason, unjudged);
        uncovered.extend(dropped);
        uncovered
    }

    fn list_judged(
        &self,
        world: &World,
        places: &BTreeSet<String>,
        reason: &str,
        unjudged: &mut BTreeSet<NotJudged>,
    ) {
        for resources in resources_by_place(&world.side, self.sources(), places).values() {
            for resource in resources {
                let Some(file) = resource.file.filter(|_| is_kubevirts(&resource.id.group)) else {
                    continue;
                };
                unjudged.insert(NotJudged {
                    file: self.name(file),
                    kind: Some(resource.id.kind.to_string()),
                    reason: reason.to_owned(),
                });
            }
        }
    }

    /// Files and documents that are no resources.
    fn left_out(&self, world: &World, unjudged: &mut BTreeSet<NotJudged>) {
        let side = &world.side;
        for place in world.frames(self.sources()) {
            if self.changed.places.contains(&place) && self.changes_what_it_builds(&place) {
                unjudged.insert(built_by_kustomize(place));
            }
        }
        for skipped in &side.skipped {
            let file = skipped.file;
            if side.role(file) == Role::Frame || !self.has_changed(file) {
                continue;
            }
            let bytes = self.sources().file(file).bytes();
            let place = self.place(file);
            let is_exempt = matches!(skipped.reason, SkipReason::Exempt(_));
            if !is_exempt && Relevance::of(bytes) < Relevance::Nameable {
                // It was read for what a virtual machine may name in it.
                continue;
            }
            let (kind, reason) = match &skipped.reason {
                SkipReason::Exempt(Exempt::Kustomization) => {
                    if self.changes_what_it_builds(place) {
                        unjudged.insert(built_by_kustomize(self.name(file)));
                    }
                    continue;
                }
                SkipReason::Exempt(Exempt::Named { .. }) => match self.named_by(place) {
                    Some(reason) => (kind_in(bytes), reason),
                    None => continue,
                },
                SkipReason::Exempt(Exempt::Chart | Exempt::ChartTemplate | Exempt::Values) => {
                    match self.chart_of(place) {
                        Some(reason) => (kind_in(bytes), reason),
                        None => continue,
                    }
                }
                SkipReason::Template { engine, .. } => (
                    kind_in(bytes),
                    format!("it is a template ({engine}), and no build runs here; {COMPARE_BUILT}"),
                ),
                SkipReason::PatchDirective => {
                    let kind = document_kind(bytes, skipped.document);
                    if kind.as_deref().is_some_and(is_foreign)
                        || !self.differs(world, file, skipped.document)
                    {
                        continue;
                    }
                    let reason = "it is a patch, and no build runs here";
                    (kind, format!("{reason}; {COMPARE_BUILT}"))
                }
                SkipReason::EncryptedList => (
                    Some("List".to_owned()),
                    "SOPS encrypts the List as a whole".to_owned(),
                ),
                SkipReason::NotKubernetes => {
                    let held = nested_kind(bytes, skipped.document);
                    let Some(kind) = held.filter(|_| self.differs(world, file, skipped.document))
                    else {
                        continue;
                    };
                    let reason = format!(
                        "it holds a {kind} and is no Kubernetes object itself: what is made of it is not judged"
                    );
                    (Some(kind), reason)
                }
                SkipReason::LocalConfig => continue,
            };
            unjudged.insert(NotJudged {
                file: self.name(file),
                kind,
                reason,
            });
        }
    }

    /// Whether a document differs from the one at its place on the other side.
    fn differs(&self, world: &World, file: FileId, document: Option<usize>) -> bool {
        let other = if std::ptr::eq(world, self.base) {
            &self.session.head
        } else {
            self.base
        };
        let place = self.place(file);
        let others = other.side.files.iter();
        let Some(twin) = others
            .map(|held| held.id)
            .find(|id| self.place(*id) == place)
        else {
            return true;
        };
        let parse = |file: FileId| {
            let stream = yaml::parse(file, self.sources().file(file).bytes());
            let mut documents = stream.documents.into_iter().filter_map(Result::ok);
            documents
                .find(|held| document.is_none_or(|wanted| held.index == wanted))
                .map(|held| held.root)
        };
        match (parse(file), parse(twin)) {
            (Some(one), Some(other)) => !one.same_value(&other),
            _ => true,
        }
    }

    /// Changed objects that nothing here judges, or that a program changes before a cluster sees them.
    fn objects(&self, world: &World, unjudged: &mut BTreeSet<NotJudged>) {
        let is_base = std::ptr::eq(world, self.base);
        let other = if is_base {
            &self.session.head
        } else {
            self.base
        };
        let theirs = resources_by_place(&other.side, self.sources(), &self.changed.places);
        for (place, resources) in
            resources_by_place(&world.side, self.sources(), &self.changed.places)
        {
            for resource in resources {
                let is_twin = |twin: &&Resource| {
                    twin.id == resource.id && twin.node.same_value(&resource.node)
                };
                if theirs
                    .get(place)
                    .is_some_and(|here| here.iter().any(is_twin))
                {
                    continue;
                }
                let is_moved = theirs.values().flatten().any(is_twin);
                let Some(file) = resource.file else { continue };
                let kind = resource.id.kind.to_string();
                let mut list = |reason: String| {
                    unjudged.insert(NotJudged {
                        file: self.name(file),
                        kind: Some(kind.clone()),
                        reason,
                    });
                };
                if let Some(reason) = unjudged_kind(resource) {
                    if !is_moved {
                        list(reason);
                    }
                    continue;
                }
                if !is_kubevirts(&resource.id.group) {
                    continue;
                }
                let by: BTreeSet<String> = [&self.base.side, &self.session.head.side]
                    .into_iter()
                    .flat_map(|side| self.rewriters(side, place, resource))
                    .collect();
                if !by.is_empty() {
                    let by: Vec<String> = by.into_iter().collect();
                    list(format!(
                        "it is judged as it is written; {} may change it, and no build runs here; {COMPARE_BUILT}",
                        by.join(" and ")
                    ));
                }
            }
        }
    }

    /// Changed files that neither side read: those that kustomizations and charts use.
    fn unread(&self, unjudged: &mut BTreeSet<NotJudged>) {
        for (place, name) in &self.changed.unread {
            let reason = self.named_by(place).or_else(|| self.chart_of(place));
            if let Some(reason) = reason {
                unjudged.insert(NotJudged {
                    file: name.clone(),
                    kind: None,
                    reason,
                });
            }
        }
    }

    /// Files whose content Git LFS holds elsewhere. Gives the places of those that the other side has.
    fn pointers(&self, unjudged: &mut BTreeSet<NotJudged>) -> BTreeSet<String> {
        let mut uncovered = BTreeSet::new();
        let (base, head) = (&self.base.pointers, &self.session.head.pointers);
        let both: BTreeSet<&String> = base.iter().chain(head).collect();
        for place in both {
            let is_same = base.contains(place) && head.contains(place);
            let is_read =
                self.before.contains_key(place.as_str()) || self.after.contains_key(place.as_str());
            if is_same && !self.changed.places.contains(place) || !is_same && !is_read {
                continue;
            }
            uncovered.insert(place.clone());
            unjudged.insert(NotJudged {
                file: place.clone(),
                kind: None,
                reason: "a side has only a pointer of Git LFS, and the content is not in the repository: compare with a checkout of that side, `--base-dir DIR`".to_owned(),
            });
        }
        uncovered
    }
}

/// The judged resources of some files, copies among them, by place and in the order of the file.
fn resources_by_place<'a>(
    side: &'a Side,
    sources: &'a Sources,
    places: &BTreeSet<String>,
) -> BTreeMap<&'a str, Vec<&'a Resource>> {
    let mut found: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
    if places.is_empty() {
        return found;
    }
    for Placed { resource, .. } in side.resources_and_copies() {
        let Some(file) = resource
            .file
            .filter(|file| side.role(*file) == Role::Judged)
        else {
            continue;
        };
        let place = sources.file(file).place();
        if places.contains(place) {
            found.entry(place).or_default().push(resource);
        }
    }
    found
}
