//! What the run is for: the target cluster and the user's settings in `driftless.yaml`.

mod read;

use serde_json::{Value as Json, json};

use crate::action::Gate;
use crate::release::Release;
use crate::resource::Resource;
use crate::resource::cluster::ClusterConfig;
use crate::rule::Level;
use crate::source::Span;

/// The cluster the manifests are for. One implicit target exists until the configuration names more.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name from `targets:`; empty for the implicit target.
    pub name: String,
    /// `KubeVirt` release.
    pub release: Release,
    /// Whether the release was given or found, not assumed.
    pub release_known: bool,
    /// `spec.configuration` of the `KubeVirt` object.
    pub configuration: ClusterConfig,
    /// Namespace assumed for objects without one.
    pub namespace: String,
    /// Whether the tree holds everything the VMs name: a missing reference is then an error.
    pub complete: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            name: String::new(),
            release: Release::NEWEST,
            release_known: false,
            configuration: ClusterConfig::default(),
            namespace: "default".to_owned(),
            complete: false,
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
    /// The working directory as seen from the configuration's directory; empty where they are one.
    pub working_directory: String,
    /// The configuration's directory as seen from the working directory; empty where they are one.
    pub directory: String,
}

/// A text of the configuration with its place.
#[derive(Clone, Debug)]
pub struct Spanned {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Option<Span>,
}

/// One target as the configuration describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetConfig {
    /// Its name; empty for the implicit one.
    pub name: String,
    /// Paths it holds, relative to the configuration's directory; empty for all.
    pub paths: Vec<String>,
    /// Its release.
    pub kubevirt: Option<Release>,
    /// File with a `KubeVirt` object or its `spec.configuration`, relative to the configuration's directory.
    pub cluster_config: Option<String>,
    /// Namespace assumed for objects without one.
    pub namespace: Option<String>,
    /// Whether the tree holds everything the VMs name.
    pub complete: Option<bool>,
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
    /// Most guests that may owe a restart that changes them.
    pub max_restarts: Option<usize>,
}

impl GateSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A set of vendor keys, or of levels. No vendor's key is listed yet: what names such a profile is told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Every rule is on.
    Strict,
    /// Harvester's keys.
    Harvester,
    /// OpenShift Virtualization's keys.
    Openshift,
    /// Forklift's keys.
    Forklift,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [
        Self::Strict,
        Self::Harvester,
        Self::Openshift,
        Self::Forklift,
    ];

    /// Whether it changes anything.
    pub const fn has_effect(self) -> bool {
        matches!(self, Self::Strict)
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Harvester => "harvester",
            Self::Openshift => "openshift",
            Self::Forklift => "forklift",
        }
    }
}

/// What is done about fields the API server drops, in kubectl's words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// An error, as kubectl does by default.
    #[default]
    Strict,
    /// A warning.
    Warn,
    /// Nothing.
    Ignore,
}

impl FieldValidation {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Warn, Self::Ignore];

    /// kubectl's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Warn => "warn",
            Self::Ignore => "ignore",
        }
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
    /// Where the entry stands.
    pub span: Option<Span>,
}

/// The configuration cannot be used; always the author's to mend.
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

/// The JSON Schema of `driftless.yaml`, for editors.
pub fn json_schema(rules: &[&str]) -> Json {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let level = json!({"enum": ["off", "note", "warning", "error", false]});
    let profiles: Vec<&str> = Profile::ALL.map(Profile::as_str).to_vec();
    let targets = Release::TARGETS.iter();
    let releases: Vec<&str> = targets.map(|target| target.as_str()).collect();
    let target = [
        (
            "kubevirt",
            json!({"type": ["string", "number"], "description": format!("KubeVirt release of the cluster: {} to {}", Release::OLDEST, Release::NEWEST), "examples": releases}),
        ),
        (
            "clusterConfig",
            json!({"type": "string", "description": "file with a KubeVirt object or its spec.configuration"}),
        ),
        (
            "namespace",
            json!({"type": "string", "description": "namespace assumed for objects without one"}),
        ),
        (
            "complete",
            json!({"type": "boolean", "description": "whether the tree holds everything the VMs name; a missing reference is then an error"}),
        ),
        (
            "plan",
            json!({
                "type": "object", "additionalProperties": false, "description": "what fails a plan; a target's own holds for its rows",
                "properties": {
                    "failOn": {"type": "array", "items": {"enum": Gate::ALL.map(Gate::as_str)}, "description": "actions that fail a plan"},
                    "maxDown": {"type": "integer", "minimum": 0, "description": "most guests that may stop because the change is applied"},
                    "maxRestarts": {"type": "integer", "minimum": 0, "description": "most guests that may owe a restart"},
                },
            }),
        ),
    ];
    let mut properties = serde_json::Map::new();
    for (name, schema) in &target {
        properties.insert((*name).to_owned(), schema.clone());
    }
    let levels: serde_json::Map<String, Json> = rules
        .iter()
        .map(|rule| ((*rule).to_owned(), level.clone()))
        .collect();
    let one_or_more =
        |values: &Json| json!({"oneOf": [values, {"type": "array", "items": values}]});
    let mut named = properties.clone();
    named.insert(
        "name".into(),
        json!({"type": "string", "description": "name to select it by"}),
    );
    named.insert("paths".into(), strings.clone());
    let matcher = json!({
        "oneOf": [
            {"type": "string"},
            {"type": "object", "required": ["name"], "additionalProperties": false,
             "properties": {"name": {"type": "string"}, "kind": {"type": "string"}}},
        ]
    });
    for (name, schema) in [
        ("profile", {
            let mut profile = one_or_more(&json!({"enum": profiles}));
            profile["description"] = "`strict` turns every rule on; harvester, openshift and forklift stand for the keys those vendors' controllers write, of which none is listed yet".into();
            profile
        }),
        (
            "levels",
            json!({"type": "object", "description": "level of each rule", "properties": levels, "additionalProperties": false}),
        ),
        (
            "exclude",
            json!({"type": "array", "items": {"type": "string"}, "description": "globs of paths that are not read"}),
        ),
        (
            "context",
            json!({"type": "array", "items": {"type": "string"}, "description": "directories to resolve against, not reported on"}),
        ),
        (
            "roots",
            json!({"type": "array", "items": {"type": "string"}, "description": "directories whose resources are judged together"}),
        ),
        (
            "fieldValidation",
            json!({"enum": FieldValidation::ALL.map(FieldValidation::as_str), "description": "what happens to fields the API server drops"}),
        ),
        (
            "ignores",
            json!({
                "type": "array", "description": "findings that are not reported, by path",
                "items": {"type": "object", "required": ["paths", "reason"], "additionalProperties": false, "properties": {
                    "rules": {"type": "array", "items": {"enum": rules}},
                    "paths": strings,
                    "reason": {"type": "string", "minLength": 1},
                }},
            }),
        ),
        (
            "infer",
            json!({
                "type": "array", "description": "default instance type and preference of volume sources that are not in the tree",
                "items": {"type": "object", "required": ["kind", "name"], "additionalProperties": false, "properties": {
                    "kind": {"enum": read::INFER_KINDS.map(|(kind, _)| kind)},
                    "name": {"type": "string"}, "namespace": {"type": "string"},
                    "instancetype": matcher, "preference": matcher,
                }},
            }),
        ),
        (
            "targets",
            json!({
                "type": "array", "description": "clusters this repository is for; settings above are their defaults",
                "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": named},
            }),
        ),
    ] {
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "driftless.yaml",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}
