//! `argocd`: the entry points of an Argo CD config management plugin.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::{Value as Json, json};

use super::render;
use crate::args::Global;
use crate::input::stdin;
use crate::output::{Outcome, Shell};

/// Entry points of an Argo CD config management plugin
///
/// plugin.yaml names them; they run in the Application's directory, without a shell. The Application's parameters arrive as
/// JSON in ARGOCD_APP_PARAMETERS. `docs/argocd.md` has the plugin, its sidecar and Applications.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    step: PluginCommand,
}

/// What Argo CD asks for.
#[derive(Debug, clap::Subcommand)]
enum PluginCommand {
    /// Print the manifests, as `render` does; nothing to print is a failure
    Generate(Generate),
    /// Check parameters and settings before `generate`
    Init,
    /// Say whether the directory is one for this plugin: it holds a driftless.yaml
    Discover,
    /// Announce the parameters
    Parameters,
}

/// How manifests are generated.
#[derive(Debug, clap::Args)]
struct Generate {
    /// Files and directories [default: the parameter `paths`, else .]
    paths: Vec<PathBuf>,

    /// Take the manifests from what this command prints, instead of from files. It is run without a shell, and its failure
    /// is this command's
    #[arg(long, requires = "command", conflicts_with = "paths")]
    from_command: bool,

    /// Succeed when there is nothing to print. With automated pruning Argo CD then deletes everything
    #[arg(long)]
    allow_empty: bool,

    /// The command and its arguments
    #[arg(last = true, value_name = "COMMAND", requires = "from_command")]
    command: Vec<OsString>,
}

/// Runs an entry point.
pub(crate) fn run(args: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    match &args.step {
        PluginCommand::Generate(args) => generate(args, global, shell),
        PluginCommand::Init => {
            let parameters = Parameters::read()?;
            parameters.apply(global)?;
            Ok(Outcome::Clean)
        }
        PluginCommand::Discover => {
            if Path::new(MARKER).is_file() {
                shell.data(format!("{MARKER}\n").as_bytes())?;
            }
            Ok(Outcome::Clean)
        }
        PluginCommand::Parameters => {
            shell.data(format!("{:#}\n", announced()).as_bytes())?;
            Ok(Outcome::Clean)
        }
    }
}

/// The file whose presence makes a directory one for this plugin.
const MARKER: &str = "driftless.yaml";

fn generate(args: &Generate, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let parameters = Parameters::read()?;
    let mut global = parameters.apply(global)?;
    if global.namespace.is_none() {
        // The destination's namespace; empty for an Application that names none.
        let destination = std::env::var("ARGOCD_APP_NAMESPACE").unwrap_or_default();
        global.namespace = Some(destination).filter(|name| !name.is_empty());
    }
    let paths = if args.from_command {
        stdin::stand_in(printed(&args.command)?);
        vec![PathBuf::from("-")]
    } else if args.paths.is_empty() {
        parameters.paths("paths")?
    } else {
        args.paths.clone()
    };
    let policy = parameters.text("policy")?.unwrap_or("reference");
    let render = render::Args::of_plugin(paths, policy, args.allow_empty)
        .with_context(|| format!("the parameter `policy` is `{}`", policy.escape_debug()))?;
    render::run(&render, &global, shell)
}

/// What a command prints; its failure is an error with its words.
fn printed(command: &[OsString]) -> anyhow::Result<Vec<u8>> {
    let Some((program, arguments)) = command.split_first() else {
        bail!("`--from-command` needs a command after `--`");
    };
    let name = program.to_string_lossy().escape_debug().to_string();
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run `{name}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{name}` failed ({}): {}", output.status, said.trim());
    }
    Ok(output.stdout)
}

/// The parameters, each with its title and its default.
const PARAMETERS: [(&str, &str, ParameterKind); 7] = [
    (
        "kubevirt",
        "KubeVirt release of the destination, such as 1.8",
        ParameterKind::Text(""),
    ),
    (
        "openshift",
        "OpenShift release of the destination, such as 4.20, in place of kubevirt",
        ParameterKind::Text(""),
    ),
    (
        "policy",
        "What becomes of references to instance types: reference, expand or expandAll",
        ParameterKind::Text("reference"),
    ),
    (
        "paths",
        "Files and directories",
        ParameterKind::List(&["."]),
    ),
    (
        "exclude",
        "Patterns of files to leave out",
        ParameterKind::List(&[]),
    ),
    (
        "context",
        "Directories that references may lead to",
        ParameterKind::List(&[]),
    ),
    (
        "cluster-config",
        "A KubeVirt or HyperConverged object, or a spec.configuration",
        ParameterKind::Text(""),
    ),
];

/// What a parameter holds.
#[derive(Clone, Copy)]
enum ParameterKind {
    Text(&'static str),
    List(&'static [&'static str]),
}

/// The announcements that Argo CD shows.
fn announced() -> Json {
    let all = PARAMETERS.iter().map(|(name, title, shape)| match shape {
        ParameterKind::Text(default) => json!({"name": name, "title": title, "string": default}),
        ParameterKind::List(default) => {
            json!({"name": name, "title": title, "collectionType": "array", "array": default})
        }
    });
    Json::Array(all.collect())
}

/// The Application's parameters.
struct Parameters(Vec<Json>);

impl Parameters {
    /// Those of the environment; every name must be announced.
    fn read() -> anyhow::Result<Self> {
        let text = std::env::var("ARGOCD_APP_PARAMETERS").unwrap_or_default();
        if text.trim().is_empty() || text.trim() == "null" {
            return Ok(Self(Vec::new()));
        }
        let all: Vec<Json> = serde_json::from_str(&text)
            .context("ARGOCD_APP_PARAMETERS is not a JSON list of parameters")?;
        for one in &all {
            let name = one["name"].as_str().unwrap_or_default();
            if !PARAMETERS.iter().any(|(known, ..)| *known == name) {
                let known: Vec<&str> = PARAMETERS.iter().map(|(known, ..)| *known).collect();
                bail!(
                    "there is no parameter `{}`: the parameters are {}",
                    name.escape_debug(),
                    known.join(", ")
                );
            }
        }
        Ok(Self(all))
    }

    fn named(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|one| one["name"] == name)
    }

    fn text(&self, name: &str) -> anyhow::Result<Option<&str>> {
        let Some(one) = self.named(name) else {
            return Ok(None);
        };
        let text = one["string"]
            .as_str()
            .with_context(|| format!("the parameter `{name}` holds no string"))?;
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    fn list(&self, name: &str) -> anyhow::Result<Vec<&str>> {
        let Some(one) = self.named(name) else {
            return Ok(Vec::new());
        };
        let items = one["array"].as_array().into_iter().flatten();
        items
            .map(|item| item.as_str())
            .collect::<Option<Vec<&str>>>()
            .filter(|_| one["array"].is_array())
            .with_context(|| format!("the parameter `{name}` holds no array of strings"))
    }

    /// The paths of a parameter, each inside of the Application's directory.
    fn paths(&self, name: &str) -> anyhow::Result<Vec<PathBuf>> {
        self.list(name)?
            .into_iter()
            .map(|path| inside(name, path))
            .collect()
    }

    /// The options with what the parameters say.
    fn apply(&self, global: &Global) -> anyhow::Result<Global> {
        let mut global = global.clone();
        if let Some(release) = self.text("kubevirt")? {
            let release = release.parse().with_context(|| {
                format!("the parameter `kubevirt` is `{}`", release.escape_debug())
            })?;
            global.kubevirt = Some(release);
            global.openshift = None;
        }
        if let Some(release) = self.text("openshift")? {
            let release = release.parse().with_context(|| {
                format!("the parameter `openshift` is `{}`", release.escape_debug())
            })?;
            global.openshift = Some(release);
            global.kubevirt = None;
        }
        if let Some(file) = self.text("cluster-config")? {
            global.cluster_config = Some(inside("cluster-config", file)?);
        }
        let exclude = self.list("exclude")?;
        global
            .exclude
            .extend(exclude.into_iter().map(str::to_owned));
        global.context.extend(self.paths("context")?);
        self.paths("paths")?;
        Ok(global)
    }
}

/// A path of a parameter. Other Applications' files may lie beside the directory, so none may lead out of it.
fn inside(name: &str, path: &str) -> anyhow::Result<PathBuf> {
    let given = PathBuf::from(path);
    let is_plain = given
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let leads_out = || {
        let here = Path::new(".").canonicalize()?;
        Ok::<_, std::io::Error>(given.exists() && !given.canonicalize()?.starts_with(here))
    };
    if !is_plain || leads_out().context("cannot read the Application's directory")? {
        bail!(
            "the parameter `{name}` names `{}`, which leads out of the Application's directory",
            path.escape_debug()
        );
    }
    Ok(given)
}
