//! What every command that reads manifests starts from: gathered files → sources → resources by root → targets.
//!
//! ```text
//! let session = Session::load(&Request::new(global, &args.paths), shell)?;
//! let resolvers = session.head.resolvers();
//! for placed in session.head.side.judged() { let resolver = resolvers.of(&placed); … }
//! Ok(outcome.max(session.outcome()))
//! ```
//!
//! `session.base(…)` reads another side, such as the base of a change, over the same sources: with its own settings,
//! context and targets.

mod bad;
mod differing;
mod gather;
mod settings;
mod targets;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;

use driftless::catalog::side::{Placed, Role, Side, SkipReason};
use driftless::change::Sided;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::source::{FileId, Sources};
use driftless::transform::normalize;

use crate::args::Global;
use crate::input::read::Wants;
use crate::input::read_from::ReadFrom;
use crate::output::{Outcome, Shell};
pub(crate) use crate::session::bad::BadDocument;
pub(crate) use crate::session::differing::Differing;
use crate::session::gather::Gathered;
pub(crate) use crate::session::gather::Same;
pub(crate) use crate::session::settings::NAMES as SETTINGS_NAMES;
use crate::session::targets::Targets;
pub(crate) use crate::session::world::World;

/// What to load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The global options.
    pub(crate) global: &'a Global,
    /// Files and directories; `-` is standard input; none is the working directory.
    pub(crate) paths: &'a [PathBuf],
    /// Which files matter.
    pub(crate) wants: Wants,
    /// Whether Secrets and ConfigMaps that a virtual machine names are looked into.
    pub(crate) looks_aside: bool,
    /// Whether what the kustomizations of the paths build on belongs to them, wherever it lies in the repository.
    pub(crate) follows: bool,
    /// Which files may differ, where a change is judged.
    pub(crate) differing: Option<Differing<'a>>,
    /// Whether the settings of the paths hold.
    pub(crate) settings: bool,
}

impl<'a> Request<'a> {
    /// As much of the paths.
    pub(crate) const fn wanting(self, wants: Wants) -> Self {
        Self { wants, ..self }
    }

    /// With the Secrets and ConfigMaps that a virtual machine names; in a tree that is complete, with all that it names.
    pub(crate) const fn looking_aside(self) -> Self {
        Self {
            looks_aside: true,
            ..self
        }
    }

    /// What `KubeVirt` reads, in the paths alone.
    pub(crate) const fn new(global: &'a Global, paths: &'a [PathBuf]) -> Self {
        Self {
            global,
            paths,
            wants: Wants::Relevant,
            looks_aside: false,
            follows: false,
            differing: None,
            settings: true,
        }
    }
}

/// A tree of manifests, read and sorted out, with the clusters it is for.
#[derive(Debug)]
pub(crate) struct Session {
    /// Every text, of every side.
    pub(crate) sources: Sources,
    /// What the paths hold: the only side, or the head of a change.
    pub(crate) head: World,
}

/// The targets of a session's own side on another release.
#[derive(Debug)]
pub(crate) struct OnRelease(Targets);

impl Session {
    /// Reads the paths from the disk. What cannot be read is said at once and remembered in [`Self::outcome`].
    pub(crate) fn load(request: &Request<'_>, shell: &mut Shell) -> anyhow::Result<Self> {
        let mut session = Self::open(request, &ReadFrom::Disk, shell)?;
        session.settle(request.global, None, shell);
        Ok(session)
    }

    /// As [`Self::load`], where the paths may be read from elsewhere. Its targets are open until [`Self::settle`].
    pub(crate) fn open(
        request: &Request<'_>,
        from: &ReadFrom<'_>,
        shell: &mut Shell,
    ) -> anyhow::Result<Self> {
        let mut sources = Sources::default();
        let head = World::read(&mut sources, request, from, None, shell)?;
        let profiles = head.config.profiles.iter();
        for profile in profiles.filter(|profile| !profile.has_effect()) {
            shell.warning(format!(
                "`profile: {}` changes nothing yet: no key of that vendor is listed",
                profile.as_str()
            ));
        }
        Ok(Self { sources, head })
    }

    /// The base of a change: another side over the same sources, with its own settings and targets, which are open
    /// until [`Self::settle`].
    pub(crate) fn base(
        &mut self,
        request: &Request<'_>,
        from: &ReadFrom<'_>,
        same: Same<'_>,
        shell: &mut Shell,
    ) -> anyhow::Result<World> {
        let head = Some((&self.head, same));
        World::read(&mut self.sources, request, from, head, shell)
    }

    /// Decides the targets of both sides, and says what had to be assumed.
    pub(crate) fn settle(&mut self, global: &Global, base: Option<&mut World>, shell: &mut Shell) {
        let mut assumed = self.head.settle(global, base.as_deref());
        if let Some(base) = base {
            assumed.extend(base.settle(global, Some(&self.head)));
        }
        assumed.sort();
        assumed.dedup();
        for message in assumed {
            shell.note(message);
        }
    }

    /// The targets of the head on another release.
    pub(crate) fn on(&self, release: Release) -> OnRelease {
        OnRelease(self.head.targets().on(release))
    }

    /// A resolver for each root of the head on another release.
    pub(crate) fn resolvers_on<'a>(&'a self, on: &'a OnRelease) -> Resolvers<'a> {
        self.head.resolvers_with(&on.0)
    }

    /// The target of a resource, by the file it stands in.
    pub(crate) fn target_of(&self, file: Option<FileId>) -> &Target {
        self.head.target_of(file)
    }

    /// A resolver for each root.
    pub(crate) fn resolvers(&self) -> Resolvers<'_> {
        self.head.resolvers()
    }

    /// What reading alone makes of the run: paths that could not be read.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.head.unreadable.is_empty() {
            Outcome::Clean
        } else {
            Outcome::CouldNot
        }
    }

    /// `path:line:column` of a field of a resource, or of its nearest ancestor that is there.
    pub(crate) fn place(&self, resource: &Resource, field: &FieldPath) -> String {
        let (_, node) = field.nearest(&resource.node);
        match (node.origin.span(), resource.file) {
            (Some(span), _) => self.sources.describe(span),
            (None, Some(file)) => self.sources.file(file).path().to_owned(),
            (None, None) => resource.id.to_string(),
        }
    }

    /// The text of the document a resource stands in, where it is encrypted and passes untouched.
    pub(crate) fn verbatim(&self, resource: &Resource) -> Option<String> {
        let file = resource
            .file
            .filter(|_| normalize::is_encrypted(&resource.node))?;
        let documents = &self.head.side.file(file)?.documents;
        let document = documents
            .iter()
            .find(|document| document.index == resource.document)?;
        let bytes = self.sources.file(file).bytes().get(document.span.range())?;
        let text = std::str::from_utf8(bytes)
            .ok()?
            .trim_start_matches('\u{feff}');
        let end = if text.ends_with('\n') { "" } else { "\n" };
        Some(format!("{text}{end}"))
    }

    /// Where a resource comes from: the path its document names as its source, else its file.
    pub(crate) fn source_of(&self, resource: &Resource) -> Option<String> {
        let file = resource.file?;
        let named = self
            .head
            .side
            .source_comment(&self.sources, file, resource.document);
        Some(
            named
                .unwrap_or_else(|| self.sources.file(file).path())
                .to_owned(),
        )
    }

    /// Says which templates were left out, as errors; whether there is any.
    pub(crate) fn say_templates(&self, shell: &mut Shell) -> bool {
        let mut found = false;
        for skipped in &self.head.side.skipped {
            let SkipReason::Template { at, .. } = skipped.reason else {
                continue;
            };
            if self.head.side.role(skipped.file) == Role::Judged {
                let file = self.sources.file(skipped.file);
                let place = file.position(at);
                shell.error(format!("{}:{place}: {}", file.path(), skipped.reason));
                found = true;
            }
        }
        if found {
            shell.help(Some(
                "leave templates out with --exclude or the parameter `exclude`, or render them first: --from-command -- COMMAND",
            ));
        }
        found
    }

    /// Says what was left out: a count by reason, and each with `--verbose`.
    pub(crate) fn say_skipped(&self, shell: &mut Shell) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for skipped in &self.head.side.skipped {
            if self.head.side.role(skipped.file) != Role::Judged {
                continue;
            }
            if skipped.reason.is_notable() {
                *counts.entry(skipped.reason.plural()).or_default() += 1;
            }
            let file = self.sources.file(skipped.file);
            let place = match (skipped.document, &skipped.reason) {
                (_, SkipReason::Template { at, .. }) => {
                    format!("{}:{}", file.path(), file.position(*at))
                }
                (Some(document), _) if document > 0 => {
                    format!("{}, document {}", file.path(), document + 1)
                }
                _ => file.path().to_owned(),
            };
            shell.detail(format!("{place}: skipped: {}", skipped.reason));
        }
        if !counts.is_empty() {
            let list: Vec<_> = counts
                .iter()
                .map(|(what, count)| SkipReason::counted(what, *count))
                .collect();
            let hint = if shell.is_verbose() {
                ""
            } else {
                "; --verbose lists them"
            };
            shell.note(format!("skipped {}{hint}", list.join(", ")));
        }
    }
}

/// A resolver for each root, and so for each target.
#[derive(Debug)]
pub(crate) struct Resolvers<'a> {
    by_root: Vec<Resolver<'a>>,
}

impl<'a> Resolvers<'a> {
    /// The resolver for a resource of the side the resolvers were made for.
    pub(crate) fn of(&self, placed: &Placed<'_>) -> &Resolver<'a> {
        &self.by_root[placed.root]
    }
}

/// Every resource of a side with what resolves its references, to be compared with another side's.
pub(crate) fn sided<'a>(
    side: &'a Side,
    resolvers: &'a Resolvers<'a>,
    sources: &'a Sources,
) -> Vec<Sided<'a>> {
    let place = |file| sources.file(file).place();
    side.judged_with_copies()
        .into_iter()
        .map(|placed| Sided {
            resource: placed.resource,
            place: placed.resource.file.map_or("", place),
            roots: &side.built_on(&placed).outermost,
            overlays: &side.built_on(&placed).overlays,
            resolver: resolvers.of(&placed),
        })
        .collect()
}

fn say_unreadable(gathered: &Gathered, shell: &mut Shell) {
    for (path, reason) in &gathered.unreadable {
        shell.error(format!("cannot read `{path}`: {reason}"));
    }
    let dangling = gathered.unfollowed.values();
    let dangling = dangling.filter(|reason| *reason == gather::NOWHERE).count();
    if dangling > 0 {
        let links = SkipReason::counted("links", dangling);
        shell.note(format!(
            "passed over {links} that the change does not touch and that lead nowhere; --verbose lists them"
        ));
    }
    for (path, reason) in &gathered.unfollowed {
        shell.detail(format!("{path}: skipped: {reason}"));
    }
}
