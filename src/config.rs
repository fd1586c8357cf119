//! What the run is for: the target cluster and the user's settings in `driftless.yaml`.

pub mod external;
mod read;

use self::external::External;
use crate::action::Gate;
use crate::openshift::{OpenShift, Platform};
use crate::release::Release;
use crate::release::cdi::CdiRelease;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::rule::Level;
use crate::source::Span;
use crate::word::words;

/// The cluster the manifests are for. One implicit target exists until the configuration names more.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name from `targets:`; empty for the implicit target.
    pub name: String,
    /// `KubeVirt` release.
    pub release: Release,
    /// OpenShift release, where the cluster is known to be one.
    pub openshift: Option<OpenShift>,
    /// Whether the release was given or found, not assumed.
    pub release_known: bool,
    /// The release of CDI that the tree shows; the newest known is assumed where it shows none.
    pub cdi: Option<CdiRelease>,
    /// `spec.configuration` of the `KubeVirt` object.
    pub configuration: ClusterConfig,
    /// Namespace assumed for objects without one.
    pub namespace: String,
    /// Whether the tree holds everything the VMs name: a missing reference is then an error.
    pub complete: bool,
    /// What lives elsewhere all the same, so that a reference to it may lead out of the tree.
    pub external: Vec<External>,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            name: String::new(),
            release: Release::NEWEST,
            openshift: None,
            release_known: false,
            cdi: None,
            configuration: ClusterConfig::default(),
            namespace: "default".to_owned(),
            complete: false,
            external: Vec::new(),
        }
    }
}

impl Target {
    /// Whether the tree has the object of that kind and name if the cluster has it: the tree is complete, and no
    /// entry of `external:` says that the object lives elsewhere. `namespace` is `None` for cluster-scoped kinds.
    pub fn holds(&self, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        self.complete && !self.is_external(kind, namespace, name)
    }

    /// Whether an entry of `external:` says that the object lives elsewhere.
    pub fn is_external(&self, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        let mut entries = self.external.iter();
        entries.any(|entry| entry.covers(kind, namespace, name))
    }

    /// What the cluster runs.
    pub const fn platform(&self) -> Platform {
        Platform {
            release: self.release,
            openshift: self.openshift,
        }
    }
}

/// The settings of `driftless.yaml`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Levels by rule id, in the order written, with the place of each id.
    pub levels: Vec<(Spanned, Level)>,
    /// Profiles switched on.
    pub profiles: Vec<Profile>,
    /// Globs of paths that are not read, relative to the configuration's directory.
    pub exclude: Vec<String>,
    /// Findings that are not reported, by path.
    pub ignores: Vec<Ignore>,
    /// Files with CustomResourceDefinitions or JSON Schemas, and directories of such, relative to the configuration's
    /// directory.
    pub schemas: Vec<String>,
    /// Directories that are roots of their own, relative to the configuration's directory.
    pub roots: Vec<String>,
    /// Directories with more manifests to resolve against, not reported on.
    pub context: Vec<String>,
    /// What happens to fields the API server drops.
    pub field_validation: FieldValidation,
    /// Volume sources whose default instance type or preference is stated: each a resource that carries the labels.
    pub infer: Vec<Resource>,
    /// Settings of the implicit target, and defaults of the named ones.
    pub target: TargetConfig,
    /// Named targets, defaults filled in.
    pub targets: Vec<TargetConfig>,
    /// The working directory as seen from the configuration's directory; empty where they are the same.
    pub working_directory: String,
    /// The configuration's directory as seen from the working directory; empty where they are the same.
    pub directory: String,
}

/// A text of the configuration with its place.
#[derive(Clone, Debug)]
pub struct Spanned {
    /// The text.
    pub text: String,
    /// Its place.
    pub span: Option<Span>,
}

/// One target as the configuration describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetConfig {
    /// Its name; empty for the implicit one.
    pub name: String,
    /// Paths it holds, relative to the configuration's directory; empty for all.
    pub paths: Vec<String>,
    /// What it runs: `kubevirt:` or `openshift:`.
    pub platform: Option<Platform>,
    /// File with a `KubeVirt` or HyperConverged object or a `spec.configuration`, relative to the configuration's directory.
    pub cluster_config: Option<String>,
    /// Namespace assumed for objects without one.
    pub namespace: Option<String>,
    /// Whether the tree holds everything the VMs name.
    pub complete: Option<bool>,
    /// What lives elsewhere. A named target has its own entries and those of the top level.
    pub external: Vec<External>,
    /// What fails a plan. That of a named target holds for its own rows.
    pub plan: GateSettings,
}

/// What fails a plan: `plan:` of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateSettings {
    /// The gated words.
    pub fail_on: Option<Vec<Gate>>,
    /// Most guests that may stop because the change is applied.
    pub max_down: Option<usize>,
    /// Most guests that may need a restart that changes them.
    pub max_restarts: Option<usize>,
}

impl GateSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// A set of vendor keys, or of levels. No vendor's key is listed yet, and a user who names such a profile is told so.
    Profile {
        /// Every rule is on.
        Strict = "strict",
        /// Harvester's keys.
        Harvester = "harvester",
        /// OpenShift Virtualization's keys.
        Openshift = "openshift",
        /// Forklift's keys.
        Forklift = "forklift",
    }
}

impl Profile {
    /// Whether it changes anything.
    pub const fn has_effect(self) -> bool {
        matches!(self, Self::Strict)
    }
}

words! {
    /// What is done about fields the API server drops, in kubectl's words.
    #[derive(Default)]
    FieldValidation {
        /// An error, as kubectl does by default.
        #[default]
        Strict = "strict",
        /// A warning.
        Warn = "warn",
        /// Nothing.
        Ignore = "ignore",
    }
}

/// Findings that are not reported: these rules under these paths.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// Rule ids; empty for all.
    pub rules: Vec<Spanned>,
    /// Globs, relative to the configuration's directory.
    pub paths: Vec<String>,
    /// Why.
    pub reason: String,
    /// The place of the entry.
    pub span: Option<Span>,
}

/// The configuration cannot be used, and its author has to correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Where.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Config {
    /// Refuses rule ids that `known` does not hold.
    pub fn verify_rules<'a>(
        &self,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), Error> {
        let ids = self
            .levels
            .iter()
            .map(|(id, _)| id)
            .chain(self.ignores.iter().flat_map(|ignore| &ignore.rules));
        for id in ids {
            if !known.clone().any(|rule| rule == id.text) {
                return Err(Error {
                    span: id.span,
                    message: format!("there is no rule `{}`", id.text),
                    help: did_you_mean(&id.text, known)
                        .map(|rule| format!("did you mean `{rule}`?")),
                });
            }
        }
        Ok(())
    }

    /// The level set for a rule, the last one where it is set twice.
    pub fn level(&self, id: &str) -> Option<Level> {
        self.levels
            .iter()
            .rev()
            .find(|(rule, _)| rule.text == id)
            .map(|(_, level)| *level)
    }

    /// Turns a rule on whose level is not set, at the least level: it was asked for by name.
    pub fn ask_for(&mut self, id: &str) {
        if self.level(id).is_none() {
            let rule = Spanned {
                text: id.to_owned(),
                span: None,
            };
            self.levels.push((rule, Level::Note));
        }
    }

    /// Whether a profile is on.
    pub fn has(&self, profile: Profile) -> bool {
        self.profiles.contains(&profile)
    }

    /// The targets: the named ones, else the implicit one.
    pub fn targets(&self) -> &[TargetConfig] {
        if self.targets.is_empty() {
            std::slice::from_ref(&self.target)
        } else {
            &self.targets
        }
    }

    /// A path as seen from the configuration's directory, where patterns are relative to it. Steps up are resolved.
    pub fn relative(&self, path: &str) -> String {
        let inside = path
            .strip_prefix(self.directory.as_str())
            .and_then(|rest| rest.strip_prefix('/'))
            .filter(|_| !self.directory.is_empty() && !self.directory.starts_with(".."));
        if let Some(inside) = inside {
            return inside.to_owned();
        }
        let absolute = path.starts_with('/');
        let joined = if absolute || self.working_directory.is_empty() {
            path.to_owned()
        } else {
            format!("{}/{path}", self.working_directory)
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in joined.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        let relative = parts.join("/");
        if absolute {
            format!("/{relative}")
        } else {
            relative
        }
    }
}

/// Volume sources that can carry a default, with the API version each is written in.
pub const INFER_KINDS: [(&str, &str); 4] = [
    ("DataSource", "cdi.kubevirt.io/v1beta1"),
    ("DataVolume", "cdi.kubevirt.io/v1beta1"),
    ("PersistentVolumeClaim", "v1"),
    ("VolumeSnapshot", "snapshot.storage.k8s.io/v1"),
];

/// The candidate nearest to `text`, if one is near enough to be meant.
pub fn did_you_mean<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    let wanted = plain(text);
    let limit = (wanted.chars().count() / 3).max(1);
    candidates
        .map(|candidate| {
            (
                strsim::damerau_levenshtein(&wanted, &plain(candidate)),
                candidate,
            )
        })
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}
