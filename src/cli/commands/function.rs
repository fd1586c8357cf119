//! `fn`: a KRM function over a ResourceList, for kpt and kustomize.

use anyhow::{Context as _, bail};
use driftless::check;
use driftless::finding::Finding;
use driftless::rule::Severity;
use driftless::shown;
use driftless::source::FileId;
use driftless::yaml::edit::EditSet;
use driftless::yaml::{self, Document, Node};
use serde_json::{Map, Value as Json, json};

use super::render;
use crate::args::Global;
use crate::expansion;
use crate::input::read_from::ReadFrom;
use crate::output::{Outcome, Shell};
use crate::schemas;
use crate::session::{Request, Session};

/// Judge the items of a ResourceList, as a KRM function
///
/// Reads a ResourceList from standard input and prints it with what `check` finds in `results`; every other byte stays, so
/// comments and the orchestrator's annotations do too. Exit status: 0, 1 with findings from `failOn` on, 2 for what is no
/// ResourceList.
///
/// `functionConfig` is a ConfigMap whose `data`, or any object whose `spec`, holds `kubevirt` (a release), `failOn` (error,
/// warning, note, never) and `policy` (expand, expandAll: VMs are replaced by what KubeVirt runs).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// What `functionConfig` says.
#[derive(Debug)]
struct FunctionConfig {
    global: Global,
    fail_on: Option<Severity>,
    policy: Option<String>,
}

impl FunctionConfig {
    fn read(config: Option<&Node>, global: &Global) -> anyhow::Result<Self> {
        let mut settings = Self {
            global: global.clone(),
            fail_on: Some(Severity::Error),
            policy: None,
        };
        let held = config.and_then(|config| config.get("data").or_else(|| config.get("spec")));
        let held = held.map_or(Json::Null, Node::to_json);
        for (key, value) in held.as_object().into_iter().flatten() {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let of = || format!("functionConfig: `{}`", shown::line(key));
            match key.as_str() {
                "kubevirt" => {
                    settings.global.kubevirt = Some(text.parse().with_context(of)?);
                    settings.global.openshift = None;
                }
                "openshift" => {
                    settings.global.openshift = Some(text.parse().with_context(of)?);
                    settings.global.kubevirt = None;
                }
                "policy" => settings.policy = Some(text),
                "failOn" => {
                    settings.fail_on = match text.as_str() {
                        "error" => Some(Severity::Error),
                        "warning" => Some(Severity::Warning),
                        "note" => Some(Severity::Note),
                        "never" => None,
                        _ => bail!("{}: it takes error, warning, note or never", of()),
                    }
                }
                _ => bail!("{}: it takes kubevirt, openshift, failOn and policy", of()),
            }
        }
        Ok(settings)
    }
}

/// Judges the list of standard input.
pub(crate) fn run(_: &Args, global: &Global, shell: &mut Shell) -> anyhow::Result<Outcome> {
    let paths = ["-".into()];
    let request = Request::new(global, &paths);
    let mut session = Session::open(&request, &ReadFrom::Disk, shell)?;
    if session.outcome() != Outcome::Clean || session.say_templates(shell) {
        return Ok(Outcome::CouldNot);
    }
    let Some((input, _)) = session.sources.iter().last() else {
        bail!("{NO_LIST}");
    };
    let whole;
    let list = if let Some(list) = rest_of_list(&session, input) {
        list
    } else {
        whole = whole_list(&session, input)?.root;
        &whole
    };
    let settings = FunctionConfig::read(list.get("functionConfig"), global)?;
    session.settle(&settings.global, None, shell);
    let kinds = schemas::read(&session.head.config)?;
    let checked = check::run(&check::CheckRequest {
        sources: &session.sources,
        side: &session.head.side,
        config: &session.head.config,
        target_of: &|file| session.target_of(Some(file)),
        kinds: &kinds,
        only: None,
    });
    let mut outcome = session.outcome();
    let text = if checked.findings.is_empty() && settings.policy.is_none() {
        session.sources.file(input).bytes().to_vec()
    } else {
        let document = whole_list(&session, input)?;
        let mut intended = document.root.clone();
        if let Some(policy) = &settings.policy {
            outcome = outcome.max(expand(policy, &session, &mut intended, shell)?);
        }
        report(&checked.findings, &document.root, &mut intended);
        let bytes = session.sources.file(input).bytes();
        match EditSet::between(bytes, &document, &intended) {
            Ok(edits) => edits.apply(bytes),
            // A layout that cannot be edited in place is written anew.
            Err(_) => yaml::emit::to_string(&intended).into_bytes(),
        }
    };
    let fails = |finding: &&Finding| {
        settings
            .fail_on
            .is_some_and(|from| finding.severity >= from)
    };
    for finding in checked.findings.iter().filter(fails) {
        let subject = finding
            .subject
            .as_ref()
            .map(|subject| subject.id.to_string());
        let subject = shown::line(&subject.unwrap_or_default());
        shell.error(format!(
            "{subject}: {}: {}",
            finding.rule.id,
            shown::line(&finding.message)
        ));
        outcome = outcome.max(Outcome::Findings);
    }
    shell.data(&text)?;
    Ok(outcome)
}

/// What standard input has to be.
const NO_LIST: &str = "standard input is not one ResourceList of config.kubernetes.io/v1";

/// Whether a document is a ResourceList.
fn is_list(root: &Node) -> bool {
    root.str_at("kind") == "ResourceList"
        && root
            .str_at("apiVersion")
            .starts_with("config.kubernetes.io/")
}

/// The list without its items, which have become resources; `None` where the session read it as something else.
fn rest_of_list(session: &Session, input: FileId) -> Option<&Node> {
    match session.head.side.file(input)?.documents.as_slice() {
        [only] if is_list(&only.root) => Some(&only.root),
        _ => None,
    }
}

/// The list as it was given.
fn whole_list(session: &Session, input: FileId) -> anyhow::Result<Document> {
    let bytes = session.sources.file(input).bytes();
    let mut documents = yaml::parse(input, bytes).documents.into_iter();
    let document = match (documents.next(), documents.next()) {
        (Some(document), None) => document.context("standard input is not YAML")?,
        _ => bail!("{NO_LIST}"),
    };
    if !is_list(&document.root) {
        bail!("{NO_LIST}");
    }
    Ok(document)
}

/// Adds findings to the results of a list.
fn report(findings: &[Finding], list: &Node, intended: &mut Node) {
    if findings.is_empty() {
        return;
    }
    let mut results = match list.get("results").map(Node::to_json) {
        Some(Json::Array(earlier)) => earlier,
        _ => Vec::new(),
    };
    let items = list.items_at("items");
    results.extend(findings.iter().map(|finding| result(finding, items)));
    intended.set("results", Node::from_json(&Json::Array(results)));
}

/// Replaces the VMs of a list by what KubeVirt runs.
fn expand(
    policy: &str,
    session: &Session,
    list: &mut Node,
    shell: &mut Shell,
) -> anyhow::Result<Outcome> {
    let render = render::Args::of_plugin(Vec::new(), policy, true)
        .with_context(|| format!("functionConfig: `policy` is `{}`", shown::line(policy)))?;
    let resolvers = session.resolvers();
    let mut outcome = Outcome::Clean;
    for placed in session.head.side.judged() {
        let resource = placed.resource;
        if !resource.is("kubevirt.io", "VirtualMachine") {
            continue;
        }
        match render::normal_form(&render, placed, &resource.node, &resolvers) {
            Ok((node, _)) => {
                if let Some(item) = resource.prefix.find_mut(list) {
                    *item = node;
                }
            }
            Err(failure) => {
                let resolver = resolvers.of(&placed);
                expansion::say_failure(&failure, resource, session, resolver, shell);
                outcome = Outcome::Findings;
            }
        }
    }
    Ok(outcome)
}

/// A finding as the specification of KRM functions has it.
fn result(finding: &Finding, items: &[Node]) -> Json {
    let mut message = shown::line(&finding.message);
    if let Some(help) = &finding.help {
        message.push_str("; ");
        message.push_str(&shown::line(help));
    }
    let mut result = Map::new();
    result.insert("message".to_owned(), json!(message));
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    };
    result.insert("severity".to_owned(), json!(severity));
    if let Some(subject) = &finding.subject {
        let id = &subject.id;
        let mut reference = json!({
            "apiVersion": shown::line(&subject.api_version),
            "kind": shown::line(&id.kind),
            "name": shown::line(&id.name),
        });
        if let Some(namespace) = &id.namespace {
            reference["namespace"] = json!(shown::line(namespace));
        }
        result.insert("resourceRef".to_owned(), reference);
        if let Some(field) = &finding.field {
            result.insert(
                "field".to_owned(),
                json!({"path": shown::line(&field.to_string())}),
            );
        }
        let is_item = |item: &&Node| {
            item.str_at("kind") == id.kind
                && item.str_at("apiVersion") == subject.api_version
                && item.str_at("metadata.name") == id.name
                && item.str_at("metadata.namespace") == id.namespace.as_deref().unwrap_or_default()
        };
        if let Some(file) = items.iter().find(is_item).and_then(file_of) {
            result.insert("file".to_owned(), file);
        }
    }
    result.insert("tags".to_owned(), json!({"rule": finding.rule.id}));
    Json::Object(result)
}

/// The file an item came from, as the orchestrator noted it.
fn file_of(item: &Node) -> Option<Json> {
    let annotations = item.path("metadata.annotations")?;
    let noted = |name: &str| {
        let now = annotations.get(&format!("internal.config.kubernetes.io/{name}"));
        let once = annotations.get(&format!("config.kubernetes.io/{name}"));
        now.or(once).and_then(Node::as_str)
    };
    let mut file = json!({"path": shown::line(noted("path")?)});
    if let Some(index) = noted("index").and_then(|index| index.parse::<u32>().ok()) {
        file["index"] = json!(index);
    }
    Some(file)
}
