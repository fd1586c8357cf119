//! Reads `driftless.yaml`: every key known, every mistake with its line.

use serde_json::json;

use super::external::External;
use super::{
    Config, Error, FieldValidation, GateSettings, INFER_KINDS, Ignore, Profile, Spanned,
    TargetConfig, did_you_mean,
};
use crate::action::Gate;
use crate::field_path::FieldPath;
use crate::openshift::{OpenShift, Platform};
use crate::release::Release;
use crate::resource::Resource;
use crate::rule::Level;
use crate::source::Span;
use crate::yaml::{Entry, Node, Value};

const KEYS: &[&str] = &[
    "clusterConfig",
    "complete",
    "context",
    "exclude",
    "external",
    "fieldValidation",
    "ignores",
    "infer",
    "kubevirt",
    "levels",
    "namespace",
    "openshift",
    "plan",
    "profile",
    "roots",
    "schemas",
    "targets",
];
const TARGET_KEYS: &[&str] = &[
    "clusterConfig",
    "complete",
    "external",
    "kubevirt",
    "name",
    "namespace",
    "openshift",
    "paths",
    "plan",
];
const PLAN_KEYS: &[&str] = &["failOn", "maxDown", "maxRestarts"];

impl Config {
    /// Reads the tree of `driftless.yaml`. Rule ids are verified apart, by [`Config::verify_rules`].
    pub fn read(root: &Node) -> Result<Self, Error> {
        let mut config = Self::default();
        for entry in fields(root, "the configuration", KEYS)? {
            let node = &entry.node;
            match entry.key.as_str() {
                "profile" => config.profiles = profiles(entry)?,
                "levels" => config.levels = levels(entry)?,
                "exclude" => config.exclude = strings(entry)?,
                "context" => config.context = strings(entry)?,
                "schemas" => config.schemas = strings(entry)?,
                "roots" => config.roots = strings(entry)?,
                "fieldValidation" => {
                    config.field_validation =
                        choice(entry, FieldValidation::ALL.map(|way| (way.as_str(), way)))?;
                }
                "ignores" => {
                    config.ignores = items(entry)?.iter().map(ignore).collect::<Result<_, _>>()?;
                }
                "infer" => {
                    config.infer = items(entry)?.iter().map(infer).collect::<Result<_, _>>()?;
                }
                "targets" => {
                    for item in items(entry)? {
                        let mut target = TargetConfig::default();
                        for entry in fields(item, "a target", TARGET_KEYS)? {
                            target_field(&mut target, entry)?;
                        }
                        if target.name.is_empty() {
                            return Err(wrong(item.origin.span(), "a target needs a `name`"));
                        }
                        if config.targets.iter().any(|other| other.name == target.name) {
                            return Err(wrong(
                                item.origin.span(),
                                format!("two targets are called `{}`", target.name),
                            ));
                        }
                        config.targets.push(target);
                    }
                }
                _ if node.is_null() => {}
                _ => target_field(&mut config.target, entry)?,
            }
        }
        let defaults = &config.target;
        for target in &mut config.targets {
            target.platform = target.platform.or(defaults.platform);
            target.complete = target.complete.or(defaults.complete);
            target.external.extend(defaults.external.iter().cloned());
            if target.namespace.is_none() {
                target.namespace.clone_from(&defaults.namespace);
            }
            if target.cluster_config.is_none() {
                target.cluster_config.clone_from(&defaults.cluster_config);
            }
        }
        Ok(config)
    }
}

fn target_field(target: &mut TargetConfig, entry: &Entry) -> Result<(), Error> {
    match entry.key.as_str() {
        "name" => target.name = string(entry)?,
        "paths" => target.paths = strings(entry)?,
        "kubevirt" => {
            let release = match &entry.node.value {
                Value::Float(number) => Release::from_number(*number),
                _ => string(entry)?.parse(),
            };
            let release =
                release.map_err(|error| wrong(entry.node.origin.span(), error.to_string()))?;
            runs(target, entry, release)?;
        }
        "openshift" => {
            let openshift = match &entry.node.value {
                Value::Float(number) => OpenShift::from_number(*number),
                _ => string(entry)?.parse(),
            };
            let openshift =
                openshift.map_err(|error| wrong(entry.node.origin.span(), error.to_string()))?;
            runs(target, entry, openshift)?;
        }
        "clusterConfig" => target.cluster_config = Some(string(entry)?),
        "namespace" => target.namespace = Some(string(entry)?),
        "plan" => target.plan = gates(entry)?,
        "external" => {
            target.external = items(entry)?
                .iter()
                .map(external)
                .collect::<Result<_, _>>()?;
        }
        _ => {
            let value = entry
                .node
                .as_bool()
                .ok_or_else(|| mistyped(entry, "true or false"))?;
            target.complete = Some(value);
        }
    }
    Ok(())
}

/// Notes what a target runs: OpenShift has one release of `KubeVirt`, so only one of the two keys is given.
fn runs(
    target: &mut TargetConfig,
    entry: &Entry,
    platform: impl Into<Platform>,
) -> Result<(), Error> {
    if target.platform.is_some() {
        return Err(Error {
            span: entry.key_origin.span(),
            message: "`openshift` and `kubevirt` both say the release".to_owned(),
            help: Some(
                "an OpenShift release has one KubeVirt release: keep `openshift`".to_owned(),
            ),
        });
    }
    target.platform = Some(platform.into());
    Ok(())
}

fn gates(entry: &Entry) -> Result<GateSettings, Error> {
    let words = Gate::ALL.map(|gate| (gate.as_str(), gate));
    let mut out = GateSettings::default();
    for entry in fields(&entry.node, "`plan`", PLAN_KEYS)? {
        let count = || {
            let count = entry.node.as_i64();
            count
                .and_then(|count| usize::try_from(count).ok())
                .ok_or_else(|| mistyped(entry, "a whole number from 0"))
        };
        match entry.key.as_str() {
            "failOn" => {
                let gates = items(entry)?.iter();
                let gates = gates.map(|item| one_of(item, &entry.key, &words));
                out.fail_on = Some(gates.collect::<Result<_, _>>()?);
            }
            "maxDown" => out.max_down = Some(count()?),
            "maxRestarts" => out.max_restarts = Some(count()?),
            _ => {}
        }
    }
    Ok(out)
}

fn profiles(entry: &Entry) -> Result<Vec<Profile>, Error> {
    let names = Profile::ALL.map(|profile| (profile.as_str(), profile));
    match &entry.node.value {
        Value::Seq(items) => items
            .iter()
            .map(|item| one_of(item, &entry.key, &names))
            .collect(),
        _ => Ok(vec![one_of(&entry.node, &entry.key, &names)?]),
    }
}

fn levels(entry: &Entry) -> Result<Vec<(Spanned, Level)>, Error> {
    let Some(map) = entry.node.as_map() else {
        return Err(mistyped(entry, "a mapping of rule to level"));
    };
    map.entries()
        .iter()
        .map(|entry| {
            // `off` is a boolean in YAML 1.1.
            let level = match &entry.node.value {
                Value::Bool(false) => Level::Off,
                Value::String(text) => {
                    text.parse().map_err(|error: crate::rule::UnknownLevel| {
                        wrong(entry.node.origin.span(), error.to_string())
                    })?
                }
                _ => return Err(mistyped(entry, "off, note, warning or error")),
            };
            let id = Spanned {
                text: entry.key.to_string(),
                span: entry.key_origin.span(),
            };
            Ok((id, level))
        })
        .collect()
}

fn ignore(item: &Node) -> Result<Ignore, Error> {
    let mut ignore = Ignore {
        rules: Vec::new(),
        paths: Vec::new(),
        reason: String::new(),
        span: item.origin.span(),
    };
    for entry in fields(item, "an entry of `ignores`", &["rules", "paths", "reason"])? {
        match entry.key.as_str() {
            "rules" => {
                for (item, text) in items(entry)?.iter().zip(strings(entry)?) {
                    ignore.rules.push(Spanned {
                        text,
                        span: item.origin.span(),
                    });
                }
            }
            "paths" => ignore.paths = strings(entry)?,
            _ => ignore.reason = string(entry)?,
        }
    }
    if ignore.paths.is_empty() {
        return Err(wrong(ignore.span, "an entry of `ignores` needs `paths`"));
    }
    if ignore.reason.trim().is_empty() {
        return Err(wrong(ignore.span, "an entry of `ignores` needs a `reason`"));
    }
    Ok(ignore)
}

fn external(item: &Node) -> Result<External, Error> {
    let (mut kinds, mut namespaces, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for entry in fields(
        item,
        "an entry of `external`",
        &["kinds", "namespaces", "names"],
    )? {
        match entry.key.as_str() {
            "kinds" => kinds = strings(entry)?,
            "namespaces" => namespaces = strings(entry)?,
            _ => names = strings(entry)?,
        }
    }
    if kinds.is_empty() && names.is_empty() {
        return Err(wrong(
            item.origin.span(),
            "an entry of `external` needs `kinds` or `names`",
        ));
    }
    External::new(kinds, &namespaces, &names).map_err(|(glob, reason)| {
        wrong(
            item.origin.span(),
            format!("`{glob}` is not a valid glob: {reason}"),
        )
    })
}

fn infer(item: &Node) -> Result<Resource, Error> {
    let keys = ["kind", "name", "namespace", "instancetype", "preference"];
    let (mut api_version, mut kind) = ("", "");
    let mut metadata = json!({});
    let mut labels = json!({});
    for entry in fields(item, "an entry of `infer`", &keys)? {
        match entry.key.as_str() {
            "kind" => {
                (kind, api_version) = choice(
                    entry,
                    INFER_KINDS.map(|(kind, version)| (kind, (kind, version))),
                )?;
            }
            "name" | "namespace" => metadata[entry.key.as_str()] = string(entry)?.into(),
            what => {
                let (name, kind) = matcher(entry)?;
                labels[format!("instancetype.kubevirt.io/default-{what}")] = name.into();
                if let Some(kind) = kind {
                    labels[format!("instancetype.kubevirt.io/default-{what}-kind")] = kind.into();
                }
            }
        }
    }
    metadata["labels"] = labels;
    let node =
        Node::from_json(&json!({"apiVersion": api_version, "kind": kind, "metadata": metadata}))
            .with_origin(item.origin);
    Resource::from_node(node, None, 0, FieldPath::root())
        .ok()
        .filter(|_| !kind.is_empty())
        .ok_or_else(|| {
            wrong(
                item.origin.span(),
                "an entry of `infer` needs `kind` and `name`",
            )
        })
}

fn matcher(entry: &Entry) -> Result<(String, Option<String>), Error> {
    if entry.node.as_map().is_none() {
        return Ok((string(entry)?, None));
    }
    let (mut name, mut kind) = (String::new(), None);
    for entry in fields(&entry.node, &format!("`{}`", entry.key), &["name", "kind"])? {
        match entry.key.as_str() {
            "name" => name = string(entry)?,
            _ => kind = Some(string(entry)?),
        }
    }
    if name.is_empty() {
        return Err(mistyped(entry, "a name"));
    }
    Ok((name, kind))
}

/// The entries of a mapping whose keys are all known.
fn fields<'a>(node: &'a Node, what: &str, known: &[&str]) -> Result<&'a [Entry], Error> {
    let entries = match &node.value {
        Value::Null => return Ok(&[]),
        Value::Map(map) => map.entries(),
        _ => {
            return Err(wrong(
                node.origin.span(),
                format!("{what} must be a mapping"),
            ));
        }
    };
    for entry in entries {
        if !known.contains(&entry.key.as_str()) {
            return Err(Error {
                span: entry.key_origin.span(),
                message: format!("{what} has no key `{}`", entry.key),
                help: Some(did_you_mean(&entry.key, known.iter().copied()).map_or_else(
                    || format!("known keys: {}", known.join(", ")),
                    |key| format!("did you mean `{key}`?"),
                )),
            });
        }
    }
    Ok(entries)
}

fn items(entry: &Entry) -> Result<&[Node], Error> {
    match &entry.node.value {
        Value::Null => Ok(&[]),
        Value::Seq(items) => Ok(items),
        _ => Err(mistyped(entry, "a list")),
    }
}

fn strings(entry: &Entry) -> Result<Vec<String>, Error> {
    items(entry)?
        .iter()
        .map(|item| {
            item.as_str().map(str::to_owned).ok_or_else(|| {
                wrong(
                    item.origin.span(),
                    format!("`{}` must be a list of strings", entry.key),
                )
            })
        })
        .collect()
}

fn string(entry: &Entry) -> Result<String, Error> {
    entry
        .node
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| mistyped(entry, "a string"))
}

fn choice<T: Copy, const N: usize>(entry: &Entry, values: [(&str, T); N]) -> Result<T, Error> {
    one_of(&entry.node, &entry.key, &values)
}

fn one_of<T: Copy>(node: &Node, key: &str, values: &[(&str, T)]) -> Result<T, Error> {
    let found = node
        .as_str()
        .and_then(|text| values.iter().find(|(name, _)| *name == text));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        wrong(
            node.origin.span(),
            format!("`{key}` must be one of {}", names.join(", ")),
        )
    })
}

fn mistyped(entry: &Entry, expected: &str) -> Error {
    wrong(
        entry.node.origin.span().or(entry.key_origin.span()),
        format!("`{}` must be {expected}", entry.key),
    )
}

fn wrong(span: Option<Span>, message: impl Into<String>) -> Error {
    Error {
        span,
        message: message.into(),
        help: None,
    }
}

#[cfg(test)]
mod tests;
