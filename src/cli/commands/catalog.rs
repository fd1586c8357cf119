//! `catalog`: the instance types and preferences that each KubeVirt release ships.

use std::fmt::Write;

use driftless::catalog::bundle;
use driftless::catalog::bundle::compare::{self, BundleChange};
use driftless::release::Release;
use driftless::resource::Resource;
use driftless::yaml::{self, Node};

use crate::args::Global;
use crate::output::{Outcome, Shell};

/// Show the instance types and preferences that KubeVirt ships
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<CatalogCommand>,
}

/// What to show.
#[derive(Debug, clap::Subcommand)]
enum CatalogCommand {
    /// Every instance type and preference of a release (the default)
    List,
    /// One instance type or preference as YAML
    Show {
        /// Its name: `u1.small`, `fedora`
        name: String,
    },
    /// What differs between two releases
    Diff {
        /// The release before
        from: Release,
        /// The release after
        to: Release,
    },
}

/// Prints the bundle, an object of it, or what differs between two; the last exits with 1 where something does.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let release = global
        .platform()
        .map_or(Release::NEWEST, |platform| platform.release);
    match &args.what {
        None | Some(CatalogCommand::List) => shell.data(list(release).as_bytes())?,
        Some(CatalogCommand::Show { name }) => {
            let found: Vec<_> = bundle::list(release)
                .filter(|resource| resource.id.name == name.as_str())
                .collect();
            if found.is_empty() {
                shell.error(format!("KubeVirt {release} ships nothing named `{name}`"));
                shell.help(elsewhere(name));
                return Ok(Outcome::CouldNot);
            }
            let texts: Vec<_> = found
                .iter()
                .map(|resource| yaml::emit::to_string(&resource.node))
                .collect();
            shell.data(texts.join("---\n").as_bytes())?;
        }
        Some(CatalogCommand::Diff { from, to }) => {
            let text = diff(*from, *to);
            shell.data(text.as_bytes())?;
            if !text.is_empty() {
                return Ok(Outcome::Findings);
            }
        }
    }
    Ok(Outcome::Clean)
}

fn list(release: Release) -> String {
    let mut text = String::new();
    let version = bundle::releases()
        .iter()
        .find(|bundle| bundle.kubevirt == release);
    if let Some(version) = version {
        let _ = writeln!(
            text,
            "# KubeVirt {} ships common-instancetypes {}",
            version.tag, version.common_instancetypes
        );
    }
    let width = bundle::list(release)
        .map(|resource| resource.id.name.len())
        .max()
        .unwrap_or_default();
    for resource in bundle::list(release) {
        let name = resource.id.name.as_str();
        let what = about(resource);
        let _ = writeln!(text, "{} {name:width$}  {what}", short(resource));
    }
    text
}

fn short(resource: &Resource) -> &'static str {
    if resource.id.kind == bundle::INSTANCETYPE {
        "instancetype"
    } else {
        "preference  "
    }
}

/// What tells an object apart: size, or name for people.
fn about(resource: &Resource) -> String {
    let node = &resource.node;
    if resource.id.kind == bundle::INSTANCETYPE {
        let memory = node.str_at("spec.memory.guest");
        return format!("{} vCPU, {memory}", node.int_at("spec.cpu.guest"));
    }
    let annotations = node.path("metadata.annotations");
    let shown = annotations
        .and_then(|of| of.get("openshift.io/display-name"))
        .and_then(Node::as_str);
    shown.unwrap_or_default().to_owned()
}

fn elsewhere(name: &str) -> Option<String> {
    [bundle::INSTANCETYPE, bundle::PREFERENCE]
        .iter()
        .find_map(|kind| {
            let lifetime = bundle::lifetime(kind, name)?;
            let first = lifetime.first();
            let releases = lifetime.last().map_or_else(
                || format!("{first} and later"),
                |last| format!("{first} to {last}"),
            );
            Some(format!(
                "KubeVirt {releases} ship it: pass one of them with --kubevirt"
            ))
        })
}

fn diff(from: Release, to: Release) -> String {
    let mut text = String::new();
    for difference in compare::diff(from, to) {
        let entry = difference.entry;
        let title = format!("{} {}", entry.kind, entry.name);
        match difference.change {
            BundleChange::Added => {
                let _ = writeln!(text, "+ {title}");
            }
            BundleChange::Removed { nearest } => {
                let nearest = nearest.map(|near| format!("  (nearest: {})", near.id.name));
                let _ = writeln!(text, "- {title}{}", nearest.unwrap_or_default());
            }
            BundleChange::Changed(fields) => {
                let _ = writeln!(text, "~ {title}");
                for field in fields {
                    let _ = writeln!(
                        text,
                        "    {}: {} -> {}",
                        field.path,
                        value(field.from),
                        value(field.to)
                    );
                }
            }
        }
    }
    text
}

fn value(node: Option<&Node>) -> String {
    node.map_or_else(|| "absent".to_owned(), |node| node.to_json().to_string())
}
