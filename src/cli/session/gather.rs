//! Gathering the files of one side: those of the paths, of the context, and of what kustomizations of the paths build on.
//! The file is long because all three share one walk and one set of what was read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use driftless::catalog::kustomization::{self, Kustomization};
use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;
use driftless::catalog::side::{Input, Role};
use driftless::config::Config;
use driftless::source::{FileId, Sources};
use driftless::yaml;

use super::differing::Differing;
use super::world::World;
use crate::input::aside::Asides;
use crate::input::discover::{self, Discovery, Exclude, is_manifest, on_disk, reported};
use crate::input::git::{Listing, Repository};
use crate::input::read::{self, Text, Wants, frames};
use crate::input::read_from::{ReadFrom, WorkingTree};
use crate::output::{Progress, Shell};

/// What is asked for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// Where the side is read from.
    pub(super) from: &'a ReadFrom<'a>,
    /// The paths of the command line.
    pub(super) paths: &'a [PathBuf],
    /// Directories to resolve against, by place.
    pub(super) context: &'a [String],
    /// What is left out.
    pub(super) exclude: &'a Exclude,
    /// Which files matter.
    pub(super) wants: Wants,
    /// Which others do where one of those names them.
    pub(super) asides: Asides,
    /// Whether what the kustomizations build on belongs to the paths, wherever it lies in the repository.
    pub(super) follows: bool,
    /// Which files may differ, where a change is judged.
    pub(super) differing: Option<Differing<'a>>,
    /// The head, when a base is gathered.
    pub(super) head: Option<&'a Head<'a>>,
}

impl Asked<'_> {
    /// What a file is read for; `None` where it is of no interest. What a virtual machine mounts matters only where it
    /// changes, and what delivers a tree only where a change is judged: neither is judged itself.
    fn interest(&self, place: &str, role: Role, relevance: Relevance) -> Option<Role> {
        if relevance >= self.wants.least() {
            return Some(role);
        }
        let differing = self.differing?;
        let matters = match relevance {
            Relevance::Mountable => differing.holds(place),
            Relevance::Delivery => true,
            _ => false,
        };
        matters.then_some(Role::Context)
    }
}

/// The head, as far as a base takes files over from it.
pub(crate) struct Head<'a> {
    /// What was read.
    pub(crate) world: &'a World,
    /// Its texts.
    pub(crate) sources: &'a Sources,
    /// What was read, by place.
    pub(crate) by_place: BTreeMap<&'a str, Input>,
    /// Which files are the same in the base.
    pub(crate) same: Same<'a>,
}

/// Which files of a base the head has too.
pub(crate) enum Same<'a> {
    /// Those of the same bytes.
    Bytes,
    /// All but these, which may differ.
    AllBut(BTreeSet<String>),
    /// Those whose object is the same.
    Objects(&'a Repository, &'a Listing),
}

/// The files of one side.
#[derive(Default)]
pub(super) struct Gathered {
    /// Texts, each under its place.
    pub(super) texts: Vec<Text>,
    /// Sources of the head that this side has too.
    pub(super) shared: Vec<Input>,
    /// Directories that are judged, by place.
    pub(super) given: Vec<String>,
    /// Directories to resolve against.
    pub(super) context: Vec<String>,
    /// What kustomizations build on beside the paths: files and directories.
    pub(super) parts: Vec<String>,
    /// Files whose content Git LFS holds elsewhere.
    pub(super) pointers: Vec<String>,
    /// What could not be looked at, with the reason.
    pub(super) unreadable: BTreeMap<String, String>,
    /// Links that were not followed, with the reason.
    pub(super) unfollowed: BTreeMap<String, String>,
    /// A bar for the files on disk, each of which is read and then parsed.
    pub(super) progress: Option<Progress>,
}

/// Gathers the files of a side.
pub(super) fn gather(asked: &Asked<'_>, shell: &Shell) -> anyhow::Result<Gathered> {
    let mut out = Gathered::default();
    let named: Vec<String> = asked.paths.iter().map(|path| reported(path)).collect();
    let (inside, outside): (Vec<String>, Vec<String>) = asked
        .context
        .iter()
        .cloned()
        .partition(|place| asked.from.covers(place));
    match asked.from {
        ReadFrom::Disk => {
            out.read_disk(asked, asked.paths, asked.context, shell)?;
        }
        ReadFrom::WorkingTree(tree) => {
            let is_there = |path: &&PathBuf| {
                !tree.gone.contains(path) && (path.exists() || !asked.from.has(&reported(path)))
            };
            let there: Vec<_> = asked.paths.iter().filter(is_there).cloned().collect();
            out.read_disk(asked, &there, asked.context, shell)?;
            out.left_out(tree, &named, Role::Judged, asked)?;
            out.left_out(tree, &inside, Role::Context, asked)?;
            out.pass_dangling_links(asked);
        }
        ReadFrom::Git {
            repository,
            listing,
        } => {
            out.read_disk(asked, &[], &outside, shell)?;
            out.read_git(repository, listing, &named, Role::Judged, asked)?;
            out.read_git(repository, listing, &inside, Role::Context, asked)?;
            let is_directory = |name: &&String| !is_manifest(Path::new(name));
            out.given.extend(named.iter().filter(is_directory).cloned());
            out.context.extend(inside.iter().cloned());
        }
        ReadFrom::Beside { paths, .. } => {
            let disk = |places: &[String]| -> Vec<PathBuf> {
                let read = places.iter().map(|place| asked.from.reads(place));
                read.map(|path| on_disk(&path)).collect()
            };
            let context: Vec<String> = disk(asked.context)
                .iter()
                .map(|path| reported(path))
                .collect();
            out.read_disk(asked, paths, &context, shell)?;
        }
    }
    if asked.follows {
        out.follow(&named, asked, shell)?;
    }
    if let Some(head) = asked.head {
        out.share_equal(head);
    }
    Ok(out)
}

impl Gathered {
    fn read_disk(
        &mut self,
        asked: &Asked<'_>,
        paths: &[PathBuf],
        context: &[String],
        shell: &Shell,
    ) -> anyhow::Result<()> {
        let context: Vec<_> = context.iter().map(|place| on_disk(place)).collect();
        let jobs = rayon::current_num_threads();
        let exclude = match asked.from {
            // The patterns are those of the place that it stands in for.
            ReadFrom::Beside { .. } => &Exclude::new(&[], &Config::default())?,
            _ => asked.exclude,
        };
        let mut discovery = discover::discover(paths, &context, exclude, jobs);
        let place = |read: &str| asked.from.place(read);
        if let Some(head) = asked.head {
            // What lies outside of what the sides are read from is the same file for both.
            discovery.files.retain(|name, found| {
                let place = place(name);
                if asked.from.covers(&place) {
                    return found.role != Role::Frame && !asked.exclude.covers(&place);
                }
                match head.by_place.get(place.as_str()) {
                    Some(input) => {
                        self.shared.push(head.shared(*input, found.role));
                        false
                    }
                    None => found.role != Role::Frame,
                }
            });
        }
        let files = discovery.files.len();
        let progress = self
            .progress
            .get_or_insert_with(|| Progress::new(shell, files));
        let interest = |name: &str, role, relevance| asked.interest(&place(name), role, relevance);
        let texts = read::read(
            &mut discovery,
            asked.wants,
            asked.asides,
            &interest,
            &|| progress.step(),
        );
        let Discovery {
            given,
            context,
            unreadable,
            unfollowed,
            ..
        } = discovery;
        self.given.extend(given.iter().map(|read| place(read)));
        self.context.extend(context.iter().map(|read| place(read)));
        self.unreadable.extend(unreadable);
        self.unfollowed.extend(unfollowed);
        self.texts.extend(texts.into_iter().map(|text| Text {
            path: place(&text.path),
            ..text
        }));
        Ok(())
    }

    /// Links that lead nowhere are no manifests of a commit; those that the change does not touch are passed over.
    fn pass_dangling_links(&mut self, asked: &Asked<'_>) {
        let Some(Differing::Places { places, .. }) = asked.differing else {
            return;
        };
        let is_dangling = |name: &str| {
            let path = on_disk(name);
            path.is_symlink() && !path.exists() && !places.contains(name)
        };
        let dangling: Vec<String> = self
            .unreadable
            .keys()
            .filter(|name| is_dangling(name))
            .cloned()
            .collect();
        for name in dangling {
            self.unreadable.remove(&name);
            self.unfollowed.insert(name, NOWHERE.to_owned());
        }
    }

    /// Files that a sparse checkout leaves out of the disk: they are as the index has them.
    fn left_out(
        &mut self,
        tree: &WorkingTree<'_>,
        wanted: &[String],
        role: Role,
        asked: &Asked<'_>,
    ) -> anyhow::Result<()> {
        let files: Vec<(&String, &String)> = tree
            .left_out
            .iter()
            .filter(|(place, _)| {
                wanted.iter().any(|wanted| path::is_inside(place, wanted))
                    && is_manifest(Path::new(place))
                    && !is_hidden(place, wanted)
                    && !asked.exclude.covers(place)
            })
            .collect();
        let read = tree
            .repository
            .read(files.iter().map(|(_, object)| object.as_str()))?;
        for (place, object) in files {
            self.take(place, read.get(object), role, asked);
        }
        let is_gone = |place: &&String| {
            !on_disk(place).exists()
                && tree
                    .left_out
                    .keys()
                    .any(|held| path::is_inside(held, place))
        };
        let gone = wanted.iter().filter(is_gone).cloned();
        match role {
            Role::Judged => self
                .given
                .extend(gone.filter(|place| !is_manifest(Path::new(place)))),
            Role::Context | Role::Frame => self.context.extend(gone),
        }
        Ok(())
    }

    /// The manifests of a tree under some places; with what is judged, the kustomizations and charts above them.
    fn read_git(
        &mut self,
        repository: &Repository,
        listing: &Listing,
        wanted: &[String],
        role: Role,
        asked: &Asked<'_>,
    ) -> anyhow::Result<()> {
        let names: Vec<String> = wanted
            .iter()
            .filter_map(|place| repository.inside(place))
            .collect();
        let mut files = Vec::new();
        for file in listing.files() {
            let name = file.name.as_str();
            if !is_manifest(Path::new(name)) {
                continue;
            }
            let is_asked = names.iter().any(|wanted| path::is_inside(name, wanted));
            let is_frame = role == Role::Judged
                && frames(name)
                && path::parent(name).is_some_and(|above| {
                    names.iter().any(|wanted| path::is_inside(wanted, &above))
                });
            if !is_frame && !is_asked || is_hidden(name, &names) {
                continue;
            }
            let place = repository.report(name);
            if is_asked && asked.exclude.covers(&place) && !is_frame {
                continue;
            }
            let role = if is_asked { role } else { Role::Frame };
            match asked.head.filter(|_| role != Role::Frame) {
                Some(head) if head.has_the_same(&place, &file.object) => {
                    match head.by_place.get(place.as_str()) {
                        Some(input) => self.shared.push(head.shared(*input, role)),
                        // The head looked at it too, and found nothing of interest in it.
                        None if head.world.looked_at(&place) => {}
                        None => files.push((place, &file.object, role)),
                    }
                }
                _ => files.push((place, &file.object, role)),
            }
        }
        let read = repository.read(files.iter().map(|(_, object, _)| object.as_str()))?;
        for (place, object, role) in files {
            self.take(&place, read.get(object), role, asked);
        }
        Ok(())
    }

    /// Keeps the bytes of a file where they matter.
    fn take(&mut self, place: &str, bytes: Option<&Vec<u8>>, role: Role, asked: &Asked<'_>) {
        let Some(bytes) = bytes else { return };
        if bytes.starts_with(POINTER) {
            self.pointers.push(place.to_owned());
        }
        let role = if frames(place) {
            Some(role)
        } else {
            asked.interest(place, role, Relevance::of(bytes))
        };
        self.texts.extend(role.map(|role| Text {
            path: place.to_owned(),
            bytes: bytes.clone(),
            role,
        }));
    }

    /// Adds what the kustomizations of the paths build on and that lies beside the paths, and what those build on.
    fn follow(&mut self, named: &[String], asked: &Asked<'_>, shell: &Shell) -> anyhow::Result<()> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        loop {
            let mut wanted = BTreeSet::new();
            let inside: Vec<&String> = named.iter().chain(&self.parts).collect();
            let is_inside = |place: &str| inside.iter().any(|outer| path::is_inside(place, outer));
            for (place, bytes) in self.kustomizations(asked) {
                if !is_inside(&place) || !known.insert(place.clone()) {
                    continue;
                }
                let found = read_kustomization(&place, bytes);
                for target in found.into_iter().flat_map(|read| read.builds_on) {
                    let target = asked.from.as_reported(&target);
                    if !is_inside(&target) && asked.from.covers(&target) && asked.from.has(&target)
                    {
                        wanted.insert(target);
                    }
                }
            }
            if wanted.is_empty() {
                return Ok(());
            }
            let wanted: Vec<String> = wanted.into_iter().collect();
            let empty: [String; 0] = [];
            match asked.from {
                ReadFrom::Git {
                    repository,
                    listing,
                } => self.read_git(repository, listing, &wanted, Role::Judged, asked)?,
                ReadFrom::WorkingTree(tree) => {
                    let there: Vec<PathBuf> = wanted
                        .iter()
                        .map(|place| on_disk(place))
                        .filter(|path| path.exists())
                        .collect();
                    self.read_disk(asked, &there, &empty, shell)?;
                    self.left_out(tree, &wanted, Role::Judged, asked)?;
                }
                ReadFrom::Disk | ReadFrom::Beside { .. } => return Ok(()),
            }
            self.parts.extend(wanted);
        }
    }

    /// Every kustomization gathered so far, with its bytes.
    fn kustomizations<'a>(&'a self, asked: &'a Asked<'_>) -> Vec<(String, &'a [u8])> {
        let read = self
            .texts
            .iter()
            .map(|text| (text.path.as_str(), &text.bytes[..]));
        let shared = self.shared.iter().filter_map(|input| {
            let file = asked.head?.sources.file(input.file);
            Some((file.place(), file.bytes()))
        });
        read.chain(shared)
            .filter(|(place, _)| kustomization::NAMES.contains(&path::name(place)))
            .map(|(place, bytes)| (place.to_owned(), bytes))
            .collect()
    }

    /// Tells texts that the head has too, byte for byte, from others.
    fn share_equal(&mut self, head: &Head<'_>) {
        let shared = &mut self.shared;
        self.texts
            .retain(|text| match head.by_place.get(text.path.as_str()) {
                Some(input) if head.sources.file(input.file).bytes() == text.bytes => {
                    shared.push(Input {
                        file: input.file,
                        role: text.role,
                    });
                    false
                }
                _ => true,
            });
    }
}

/// Why a link that the change does not touch is not followed.
pub(super) const NOWHERE: &str = "is a symbolic link that leads nowhere";

/// How a file begins whose content Git LFS holds elsewhere.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

impl Head<'_> {
    /// Whether the head has a file there.
    pub(super) fn has(&self, place: &str) -> bool {
        self.by_place.contains_key(place)
    }

    /// A file of the head as one of the base. What is not judged itself there is not judged here.
    fn shared(&self, input: Input, role: Role) -> Input {
        let is_aside = input.role == Role::Context
            && role == Role::Judged
            && Relevance::of(self.sources.file(input.file).bytes()) < Relevance::Nameable;
        Input {
            file: input.file,
            role: if is_aside { Role::Context } else { role },
        }
    }

    fn has_the_same(&self, place: &str, object: &str) -> bool {
        match &self.same {
            Same::Bytes => false,
            Same::AllBut(places) => !places.contains(place),
            Same::Objects(repository, listing) => repository
                .inside(place)
                .is_some_and(|name| listing.object(&name) == Some(object)),
        }
    }
}

/// Reads a kustomization; `None` where it is none, or cannot be read.
fn read_kustomization(place: &str, bytes: &[u8]) -> Option<Kustomization> {
    let stream = yaml::parse(FileId(u32::MAX), bytes);
    let document = stream.documents.into_iter().find_map(Result::ok)?;
    kustomization::is_kustomization(&document.root)
        .then(|| Kustomization::read(place, &document.root))
}

/// Whether a path has a hidden directory or name below what was asked for.
fn is_hidden(name: &str, wanted: &[String]) -> bool {
    let below = wanted
        .iter()
        .filter(|wanted| path::is_inside(name, wanted))
        .filter_map(|wanted| Path::new(name).strip_prefix(wanted).ok()?.to_str())
        .min_by_key(|below| below.len())
        .unwrap_or(name);
    below
        .split('/')
        .any(|step| step.starts_with('.') && step != "..")
}
