//! What changed, bears on virtual machines and is not judged: what a program builds objects from, kinds nothing here
//! judges, documents that cannot be read.

use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::kustomization::{Kustomization, Rewrite};
use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;
use driftless::catalog::root::Exempt;
use driftless::catalog::side::{Input, Placed, Reason, Role, Side};
use driftless::plan::Unjudged;
use driftless::resource::{Resource, ResourceId};
use driftless::source::{FileId, Sources};
use driftless::yaml::{self, Node, Value};

use super::changed::Changed;
use crate::output::Shell;
use crate::session::{BadDocument, Session, World};

/// What to do about files that a program builds objects from.
const COMPARE_BUILT: &str =
    "compare what it builds from both sides: `driftless plan BUILT --base-dir BUILT-BEFORE`";

/// A changed file that bears on virtual machines and is not judged.
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
pub(super) struct Compared<'a> {
    session: &'a Session,
    base: &'a World,
    changed: &'a Changed,
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

impl<'a> Compared<'a> {
    /// The sides as they were read.
    pub(super) fn of(session: &'a Session, base: &'a World, changed: &'a Changed) -> Self {
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

    /// A bad document is exit 2 where the head has it and the change touches it; another one is listed.
    fn bad_documents(&self, unjudged: &mut BTreeSet<NotJudged>, shell: &mut Shell) -> usize {
        let of = |world: &World| self.session.bad_documents_of(&world.side);
        let (before, after) = (of(self.base), of(&self.session.head));
        let text = |bad: &BadDocument| {
            let place = bad.file.map(|file| self.place(file).to_owned());
            (place, self.session.document_text(bad))
        };
        let known: BTreeSet<_> = before.iter().map(&text).collect();
        let mut count = 0;
        for bad in after.iter().filter(|bad| bad.is_judged) {
            let is_touched = bad.file.is_none_or(|file| self.has_changed(file));
            if bad.is_error() && is_touched && !known.contains(&text(bad)) {
                count += usize::from(bad.is_unreadable);
                bad.say(shell);
                self.list_unread(bad, "", unjudged);
            } else if bad.is_error() {
                self.list_bad(bad, "it is the same on both sides", unjudged, shell);
            } else {
                bad.say(shell);
            }
        }
        let still: BTreeSet<_> = after.iter().map(&text).collect();
        for bad in before.iter().filter(|bad| bad.is_judged && bad.is_error()) {
            let is_touched = bad.file.is_none_or(|file| self.has_changed(file));
            if is_touched && !still.contains(&text(bad)) {
                self.list_bad(bad, "the base alone has it", unjudged, shell);
            }
        }
        count
    }

    fn half_read(&self) -> BTreeSet<(String, ResourceId)> {
        let mut half_read = BTreeSet::new();
        let head = &self.session.head;
        for (world, other) in [(self.base, head), (head, self.base)] {
            let broken = other.side.broken.iter().map(|error| error.span.file);
            let loose = other
                .side
                .loose
                .iter()
                .filter(|loose| loose.flaw().is_some());
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
            let (kind, reason) = match &skipped.reason {
                Reason::Exempt(Exempt::Kustomization) => {
                    if self.changes_what_it_builds(place) {
                        unjudged.insert(built_by_kustomize(self.name(file)));
                    }
                    continue;
                }
                Reason::Exempt(Exempt::Named { .. }) => match self.named_by(place) {
                    Some(reason) => (kind_in(bytes), reason),
                    None => continue,
                },
                Reason::Exempt(Exempt::Chart | Exempt::ChartTemplate | Exempt::Values) => {
                    match self.chart_of(place) {
                        Some(reason) => (kind_in(bytes), reason),
                        None => continue,
                    }
                }
                Reason::Template { engine, .. } => (
                    kind_in(bytes),
                    format!("it is a template ({engine}), and no build runs here; {COMPARE_BUILT}"),
                ),
                Reason::PatchDirective => {
                    let kind = document_kind(bytes, skipped.document);
                    if kind.as_deref().is_some_and(is_foreign) {
                        continue;
                    }
                    let reason = "it is a patch, and no build runs here";
                    (kind, format!("{reason}; {COMPARE_BUILT}"))
                }
                Reason::EncryptedList => (
                    Some("List".to_owned()),
                    "SOPS encrypts the List as a whole".to_owned(),
                ),
                Reason::NotKubernetes => {
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
                Reason::LocalConfig => continue,
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
                let twins = theirs.get(place).into_iter().flatten();
                let is_same = twins
                    .filter(|twin| twin.id == resource.id)
                    .any(|twin| twin.node.same_value(&resource.node));
                if is_same {
                    continue;
                }
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
                    list(reason);
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

    /// The kustomizations that build on a file and may change an object in it.
    fn rewriters(&self, side: &Side, place: &str, resource: &Resource) -> Vec<String> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut queue = vec![place.to_owned()];
        while let Some(here) = queue.pop() {
            for kustomization in &side.kustomizations {
                if !kustomization.builds_on.contains(&here)
                    || !seen.insert(kustomization.directory.clone())
                {
                    continue;
                }
                queue.push(kustomization.directory.clone());
                let mut changes = kustomization.changes.iter();
                let change = changes.find(|change| {
                    self.read_patch(change).is_some_and(|change| {
                        change.may_change(&resource.id.kind, &resource.id.name)
                    })
                });
                if let Some(change) = change {
                    found.push(format!("`{}` of {}", change.field, kustomization.file));
                }
            }
        }
        found
    }

    /// A rewrite with what its file says of the object it is for; `None` where the file holds nothing of KubeVirt.
    fn read_patch(&self, change: &Rewrite) -> Option<Rewrite> {
        let mut change = change.clone();
        let Some(file) = change.file.clone().filter(|_| change.kind.is_none()) else {
            return Some(change);
        };
        // A patch without a target names its object, so that one for KubeVirt was read.
        let mut held = self.sources().iter();
        let (_, source) = held.find(|(_, source)| source.place() == file)?;
        change.read_inline(&String::from_utf8_lossy(source.bytes()));
        Some(change)
    }

    /// Whether a kustomization changed in more than the files it lists, and builds on something of KubeVirt.
    fn changes_what_it_builds(&self, place: &str) -> bool {
        let text = |held: &BTreeMap<&str, Input>| {
            let bytes = self.sources().file(held.get(place)?.file).bytes();
            let first = yaml::parse(FileId(u32::MAX), bytes)
                .documents
                .into_iter()
                .next()?;
            let mut root = first.ok()?.root;
            for field in HARMLESS {
                root.remove(field);
            }
            Some(root)
        };
        let empty = || Node::new(Value::Map(yaml::Map::default()));
        let before = text(&self.before).unwrap_or_else(empty);
        let after = text(&self.after).unwrap_or_else(empty);
        !before.same_value(&after) && self.builds_on_kubevirt(place)
    }

    /// Whether a kustomization of either side leads to something of KubeVirt.
    fn builds_on_kubevirt(&self, place: &str) -> bool {
        [self.base, &self.session.head].into_iter().any(|world| {
            let closure = closure(&world.side.kustomizations, place);
            world.side.resources().any(|placed| {
                is_kubevirts(&placed.resource.id.group)
                    && placed.resource.file.is_some_and(|file| {
                        let place = self.place(file);
                        closure.contains(place)
                            || path::parent(place)
                                .is_some_and(|directory| closure.contains(&directory))
                    })
            })
        })
    }

    /// Why a file that a kustomization names without listing it bears on virtual machines.
    fn named_by(&self, place: &str) -> Option<String> {
        let worlds = [self.base, &self.session.head].into_iter();
        let mut all = worlds.flat_map(|world| &world.side.kustomizations);
        all.find_map(|kustomization| {
            let field = kustomization.other.get(place)?;
            let mut patches = kustomization.changes.iter();
            let patch = patches.find(|change| change.file.as_deref() == Some(place));
            if let Some(patch) = patch {
                let read = self.read_patch(patch)?;
                if read.kind.as_deref().is_some_and(is_foreign) {
                    return None;
                }
            }
            self.builds_on_kubevirt(&kustomization.file).then(|| {
                format!(
                    "`{field}` of {} uses it, and no build runs here; {COMPARE_BUILT}",
                    kustomization.file
                )
            })
        })
    }

    /// Why a file of a chart bears on virtual machines.
    fn chart_of(&self, place: &str) -> Option<String> {
        let mut charts = self.changed.charts.iter();
        let chart = charts.find(|chart| path::is_inside(place, chart))?;
        let named = if chart.is_empty() { "." } else { chart };
        Some(format!(
            "the chart in {named} renders what KubeVirt reads, and no chart is rendered here; {COMPARE_BUILT}"
        ))
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

fn built_by_kustomize(file: String) -> NotJudged {
    NotJudged {
        file,
        kind: None,
        reason: format!(
            "kustomize builds objects from it, and no build runs here; {COMPARE_BUILT}"
        ),
    }
}

/// Fields of a kustomization that list files, or change nothing that a virtual machine sees of itself.
const HARMLESS: [&str; 15] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "bases",
    "components",
    "crds",
    "openapi",
    "configurations",
    "sortOptions",
    "buildMetadata",
    "generatorOptions",
    "images",
    "commonAnnotations",
    "labels",
];

/// Every file and directory that a kustomization leads to, itself among them.
fn closure(all: &[Kustomization], file: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let directory = path::parent(file).unwrap_or_default();
    let mut queue = vec![directory];
    while let Some(here) = queue.pop() {
        if !found.insert(here.clone()) {
            continue;
        }
        for kustomization in all.iter().filter(|read| read.directory == here) {
            queue.extend(kustomization.builds_on.iter().cloned());
        }
    }
    found
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

/// Whether a group is KubeVirt's, or of what belongs to it.
fn is_kubevirts(group: &str) -> bool {
    group == "kubevirt.io" || group.ends_with(".kubevirt.io")
}

/// Whether a kind is known to be none of KubeVirt's and none that its objects name.
fn is_foreign(kind: &str) -> bool {
    const FOREIGN: [&str; 16] = [
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "ReplicaSet",
        "Job",
        "CronJob",
        "Pod",
        "Service",
        "Ingress",
        "Route",
        "Namespace",
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
    ];
    FOREIGN.contains(&kind)
}

/// Why an object is not judged, where it is none of the kinds that a plan judges.
fn unjudged_kind(resource: &Resource) -> Option<String> {
    let id = &resource.id;
    if is_kubevirts(&id.group) {
        let is_judged = JUDGED
            .iter()
            .any(|(group, kinds)| id.group == *group && kinds.contains(&id.kind.as_str()));
        return (!is_judged).then(|| format!("what a change of a {} does is not judged", id.kind));
    }
    if id.kind == "Secret" || id.kind == "ConfigMap" || id.kind == "CustomResourceDefinition" {
        return None;
    }
    let held = nested(&resource.node, false)?;
    Some(format!(
        "it holds a {held}: what is made of it is not judged"
    ))
}

/// Kinds of KubeVirt's groups that a plan judges, or reads for what they say of others.
const JUDGED: [(&str, &[&str]); 4] = [
    (
        "kubevirt.io",
        &[
            "VirtualMachine",
            "VirtualMachineInstance",
            "VirtualMachineInstanceReplicaSet",
            "KubeVirt",
        ],
    ),
    ("pool.kubevirt.io", &["VirtualMachinePool"]),
    (
        "instancetype.kubevirt.io",
        &[
            "VirtualMachineInstancetype",
            "VirtualMachineClusterInstancetype",
            "VirtualMachinePreference",
            "VirtualMachineClusterPreference",
        ],
    ),
    ("cdi.kubevirt.io", &["DataVolume", "DataSource"]),
];

/// The kind of an object of KubeVirt that stands inside a tree.
fn nested(node: &Node, itself: bool) -> Option<String> {
    if itself {
        let version = node.str_at("apiVersion");
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let kind = node.str_at("kind");
        if is_kubevirts(group) && !kind.is_empty() {
            return Some(kind.to_owned());
        }
    }
    match &node.value {
        Value::Map(map) => map
            .entries()
            .iter()
            .find_map(|entry| nested(&entry.node, true)),
        Value::Seq(items) => items.iter().find_map(|item| nested(item, true)),
        _ => None,
    }
}

/// The kind of an object of KubeVirt that stands inside a document of a text.
fn nested_kind(bytes: &[u8], document: Option<usize>) -> Option<String> {
    if Relevance::of(bytes) < Relevance::Relevant {
        return None;
    }
    let stream = yaml::parse(FileId(u32::MAX), bytes);
    let mut documents = stream.documents.into_iter().filter_map(Result::ok);
    documents
        .find(|held| document.is_none_or(|wanted| held.index == wanted))
        .and_then(|held| nested(&held.root, true))
}

/// The kind of one document of a text.
fn document_kind(bytes: &[u8], document: Option<usize>) -> Option<String> {
    let stream = yaml::parse(FileId(u32::MAX), bytes);
    let mut documents = stream.documents.into_iter().filter_map(Result::ok);
    let held = documents.find(|held| document.is_none_or(|wanted| held.index == wanted))?;
    let kind = held.root.str_at("kind");
    (!kind.is_empty()).then(|| kind.to_owned())
}

/// The first kind that a text names, which may be a template.
fn kind_in(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut kinds = text.lines().filter_map(|line| {
        let kind = line
            .trim_start()
            .trim_start_matches("- ")
            .strip_prefix("kind:")?
            .trim();
        let is_word = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word.then(|| kind.to_owned())
    });
    kinds.next()
}
