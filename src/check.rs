//! Runs the rules over one side and settles what is reported: levels, ignores, baseline, order.

pub mod baseline;
mod causes;
mod ignores;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;

use crate::catalog::Catalog;
use crate::catalog::processed::{self, Processed};
use crate::catalog::side::{Role, Root, Side};
use crate::config::{Config, FieldValidation, Profile, Target};
use crate::finding::{Finding, Subject};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::rule::{Level, RuleInfo, Severity};
use crate::rules::input::kinds;
use crate::rules::tree::Tree;
use crate::rules::{self, Check, Context, Findings, Rule, Vm};
use crate::schema;
use crate::schema::kinds::Kinds;
use crate::source::{FileId, Sources};

/// A source that was not judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct SkippedSource {
    /// Its path.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// What a run of the rules came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckOutcome {
    /// What is reported, by path, place and rule.
    pub findings: Vec<Finding>,
    /// Counts.
    pub summary: CheckSummary,
    /// Every resource reported on, with its source.
    pub subjects: Vec<(FileId, Subject)>,
}

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckSummary {
    /// Sources read.
    pub files: usize,
    /// Documents read.
    pub documents: usize,
    /// Resources judged.
    pub resources: usize,
    /// Objects of kinds that nothing judges.
    pub not_judged: usize,
    /// VirtualMachines among them.
    pub virtual_machines: usize,
    /// Findings at error level.
    pub errors: usize,
    /// Findings at warning level.
    pub warnings: usize,
    /// Findings at note level.
    pub notes: usize,
    /// Findings that comments, the configuration or a baseline keep quiet.
    pub suppressed: usize,
    /// Sources left out.
    pub skipped: Vec<SkippedSource>,
}

impl CheckSummary {
    fn of(request: &CheckRequest<'_>, reported: &BTreeSet<FileId>) -> Self {
        let (sources, side) = (request.sources, request.side);
        let is_reported = |file: Option<FileId>| file.is_some_and(|file| reported.contains(&file));
        let resources = || {
            side.resources()
                .filter(|placed| is_reported(placed.resource.file))
        };
        let files = side.files.iter().filter(|file| reported.contains(&file.id));
        let skipped = side
            .skipped
            .iter()
            .filter(|skipped| skipped.reason.is_notable() && reported.contains(&skipped.file));
        Self {
            files: files.clone().count(),
            documents: files.map(|file| file.documents.len()).sum(),
            resources: resources().count(),
            not_judged: resources()
                .filter(|placed| {
                    let target = placed.resource.file.map(request.target_of);
                    target.is_some_and(|target| {
                        !kinds::is_judged(placed.resource, target.release, request.kinds)
                    })
                })
                .count(),
            virtual_machines: resources()
                .filter(|placed| placed.resource.is("kubevirt.io", "VirtualMachine"))
                .count(),
            skipped: skipped
                .map(|skipped| SkippedSource {
                    file: sources.file(skipped.file).path().to_owned(),
                    reason: skipped.reason.to_string(),
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Counts findings by severity.
    pub fn count(&mut self, findings: &[Finding]) {
        let of = |severity| {
            findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        self.errors = of(Severity::Error);
        self.warnings = of(Severity::Warning);
        self.notes = of(Severity::Note);
    }
}

/// What to run the rules over.
pub struct CheckRequest<'a> {
    /// Every text.
    pub sources: &'a Sources,
    /// The side.
    pub side: &'a Side,
    /// The user's settings.
    pub config: &'a Config,
    /// The cluster each source is for.
    pub target_of: &'a (dyn Fn(FileId) -> &'a Target + Sync),
    /// The user's own schemas.
    pub kinds: &'a Kinds,
    /// The sources to report on; all judged ones where it is `None`.
    pub only: Option<&'a BTreeSet<FileId>>,
}

/// Runs every rule that is on over a side.
pub fn run(request: &CheckRequest<'_>) -> CheckOutcome {
    let CheckRequest {
        sources,
        side,
        config,
        ..
    } = *request;
    let judged: BTreeSet<FileId> = side
        .files
        .iter()
        .filter(|file| file.role == Role::Judged)
        .map(|file| file.id)
        .collect();
    let reported = request.only.unwrap_or(&judged);
    let stated = Catalog::new(config.infer.clone());
    let mut trees: BTreeMap<usize, Tree<'_>> = BTreeMap::new();
    let mut findings = rules::input::read::check(side);
    let mut machines_in_templates = 0;
    for (at, root) in side.roots.iter().enumerate() {
        for (target, files) in targets_of(request, at) {
            let number = root.place.target;
            let tree = trees
                .entry(number)
                .or_insert_with(|| tree_of(side, number, target));
            let mut catalogs = side.catalogs(at);
            catalogs.push(&stated);
            let resolver = Resolver::new(target, catalogs);
            let context = Context {
                sources,
                target,
                catalog: &root.catalog,
                resolver: &resolver,
                tree,
            };
            let mut found = judge(&context, config, request.kinds, &files);
            machines_in_templates += judge_templates(
                &context,
                config,
                request.kinds,
                (&files, reported),
                &mut found,
            );
            findings.extend(found.into_iter().filter(|finding| {
                finding
                    .primary
                    .file
                    .is_some_and(|file| files.contains(&file))
            }));
        }
    }
    findings.retain_mut(|finding| settle(finding, config));
    sort(&mut findings, sources);
    let mut findings = causes::join(findings, reported);
    findings.retain(|finding| {
        finding
            .primary
            .file
            .is_some_and(|file| reported.contains(&file))
    });
    sort(&mut findings, sources);
    drop_repeats(&mut findings);
    let mut summary = CheckSummary::of(request, reported);
    summary.virtual_machines += machines_in_templates;
    summary.suppressed = ignores::apply(&mut findings, sources, side, config, reported);
    sort(&mut findings, sources);
    summary.count(&findings);
    CheckOutcome {
        findings,
        summary,
        subjects: subjects(side, reported),
    }
}

/// Everything that goes to the cluster of a target, and what is there to resolve against.
fn tree_of<'a>(side: &'a Side, number: usize, target: &'a Target) -> Tree<'a> {
    let is_context = |root: &Root| {
        let mut resources = root.catalog.resources().iter();
        let role = resources.find_map(|resource| Some(side.role(resource.file?)));
        role == Some(Role::Context)
    };
    let roots = side.roots.iter();
    let roots = roots.filter(|root| root.place.target == number || is_context(root));
    let catalogs = roots.map(|root| &root.catalog).collect();
    Tree::new(catalogs, &side.kustomizations, &target.namespace)
}

/// The judged files of a root by the cluster they are for.
fn targets_of<'a>(request: &CheckRequest<'a>, root: usize) -> Vec<(&'a Target, BTreeSet<FileId>)> {
    let mut by_target: Vec<(&Target, BTreeSet<FileId>)> = Vec::new();
    let files = request
        .side
        .files
        .iter()
        .filter(|file| file.root == root && file.role == Role::Judged);
    for file in files {
        let target = (request.target_of)(file.id);
        match by_target
            .iter_mut()
            .find(|(other, _)| std::ptr::eq(*other, target))
        {
            Some((_, files)) => {
                files.insert(file.id);
            }
            None => by_target.push((target, BTreeSet::from([file.id]))),
        }
    }
    by_target
}

fn subjects(side: &Side, reported: &BTreeSet<FileId>) -> Vec<(FileId, Subject)> {
    side.resources()
        .filter_map(|placed| {
            let file = placed
                .resource
                .file
                .filter(|file| reported.contains(file))?;
            let subject = Subject {
                api_version: placed.resource.api_version.clone(),
                id: placed.resource.id.clone(),
            };
            Some((file, subject))
        })
        .collect()
}

/// Every finding of one root, in no order.
fn judge(
    context: &Context<'_>,
    config: &Config,
    user: &Kinds,
    judged: &BTreeSet<FileId>,
) -> Vec<Finding> {
    let on = rules_on(config);
    let mut found: Vec<Finding> = context
        .catalog
        .resources()
        .par_iter()
        .filter(|resource| resource.file.is_some_and(|file| judged.contains(&file)))
        .flat_map_iter(|resource| judge_resource(resource, context, user, &on))
        .collect();
    found.extend(judge_catalog(context, &on));
    found
}

/// Judges the objects of the templates of a root, each template by itself: what it makes does not meet what the tree holds
/// until somebody processes it. Gives how many virtual machines there are in files that are reported on.
fn judge_templates(
    context: &Context<'_>,
    config: &Config,
    user: &Kinds,
    (judged, reported): (&BTreeSet<FileId>, &BTreeSet<FileId>),
    found: &mut Vec<Finding>,
) -> usize {
    let on = rules_on(config);
    let resources = context.catalog.resources().iter();
    let templates = resources.filter(|resource| {
        processed::is_template(resource) && resource.file.is_some_and(|file| judged.contains(&file))
    });
    let mut machines = 0;
    for template in templates {
        let objects = processed::objects(template);
        let catalog = Catalog::new(objects.iter().map(|made| made.resource.clone()).collect());
        let mut catalogs = vec![&catalog];
        catalogs.extend(context.resolver.catalogs());
        let resolver = Resolver::new(context.target, catalogs);
        let context = Context {
            catalog: &catalog,
            resolver: &resolver,
            ..*context
        };
        let mut said: Vec<Finding> = objects
            .iter()
            .flat_map(|made| judge_resource(&made.resource, &context, user, &on))
            .collect();
        said.extend(judge_catalog(&context, &on));
        said.retain(|finding| {
            let made = objects.iter().find(|made| {
                let subject = finding.subject.as_ref();
                subject.is_some_and(|subject| subject.id == made.resource.id)
            });
            let field = finding.field.clone().unwrap_or_default();
            made.is_none_or(|made| !made.hides(&field))
        });
        found.append(&mut said);
        if template.file.is_some_and(|file| reported.contains(&file)) {
            let is_machine = |made: &&Processed| made.resource.is("kubevirt.io", "VirtualMachine");
            machines += objects.iter().filter(is_machine).count();
        }
    }
    machines
}

/// The rules that are on.
fn rules_on(config: &Config) -> Vec<&'static Rule> {
    let rules = rules::ALL.iter().copied();
    rules
        .filter(|rule| default_level(&rule.info, config) != Level::Off)
        .collect()
}

/// What the rules say of a catalog as a whole.
fn judge_catalog(context: &Context<'_>, on: &[&'static Rule]) -> Vec<Finding> {
    on.par_iter()
        .flat_map_iter(|rule| {
            let mut findings = Findings::new(&rule.info);
            if let Check::Catalog(check) = rule.check {
                check(context, &mut findings);
            }
            findings.into_items()
        })
        .collect()
}

fn judge_resource(
    resource: &Resource,
    context: &Context<'_>,
    user: &Kinds,
    on: &[&'static Rule],
) -> Vec<Finding> {
    let decoded = rules::input::schema::decode(resource, context.target.release);
    let mut found = rules::input::schema::check(resource, decoded.as_ref(), context);
    // What the API server refuses never comes to a webhook.
    let by_schema = match decoded {
        Some(_) => Vec::new(),
        None => kinds::check(resource, user),
    };
    if by_schema.iter().all(kinds::is_dropped) {
        found.extend(rules::cdi::report::object(resource, context));
    }
    found.extend(by_schema);
    let Some(decoded) = decoded else {
        return found;
    };
    if resource.id.group == "instancetype.kubevirt.io" {
        found.extend(rules::admission::report::object(resource, context));
    }
    if schema::invalid(&decoded.problems).is_none() {
        found.extend(rules::start::report::workload(
            resource,
            &decoded.node,
            context,
        ));
    }
    if resource.is("kubevirt.io", "VirtualMachine") {
        let vm = Vm::new(resource, decoded, context);
        found.extend(rules::cdi::report::templates(&vm, context));
        for rule in on {
            if let Check::Vm(check) = rule.check {
                let mut findings = Findings::new(&rule.info);
                check(&vm, context, &mut findings);
                found.append(&mut findings.into_items());
            }
        }
        found.extend(rules::admission::report::vm(vm, context));
    }
    found
}

/// The level a rule has unless a hit weighs otherwise.
fn default_level(rule: &RuleInfo, config: &Config) -> Level {
    let profile = if config.has(Profile::Strict) {
        rule.strict
    } else {
        rule.level
    };
    config.level(rule.id).unwrap_or(profile)
}

/// Gives a finding its final severity; false where it is not reported.
fn settle(finding: &mut Finding, config: &Config) -> bool {
    let rule = finding.rule;
    if let Some(level) = config.level(rule.id) {
        if let Some(severity) = level.severity() {
            finding.severity = severity;
        }
        return level != Level::Off;
    }
    if matches!(rule.id, "unknown-field" | "unsupported-field")
        && finding.severity == Severity::Error
    {
        match config.field_validation {
            FieldValidation::Strict => {}
            FieldValidation::Warn => finding.severity = Severity::Warning,
            FieldValidation::Ignore => return false,
        }
    }
    default_level(rule, config) != Level::Off
}

/// Puts findings in the order they are reported: path, place, rule, field, message.
pub fn sort(findings: &mut [Finding], sources: &Sources) {
    let path = |finding: &Finding| {
        finding
            .primary
            .file
            .map_or("", |file| sources.file(file).path())
    };
    let place = |finding: &Finding| finding.primary.span.map(|span| (span.start, span.end));
    findings.sort_by(|a, b| {
        (
            path(a),
            a.primary.document,
            place(a),
            a.rule.id,
            &a.field,
            &a.message,
        )
            .cmp(&(
                path(b),
                b.primary.document,
                place(b),
                b.rule.id,
                &b.field,
                &b.message,
            ))
    });
}

/// Two checks may meet the same problem; the one that has the cluster's words stays.
fn drop_repeats(findings: &mut Vec<Finding>) {
    let mut kept = BTreeMap::new();
    let mut out: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings.drain(..) {
        let key = (
            finding.rule.id,
            finding.primary.file,
            finding.primary.document,
            finding.primary.span.map(|span| (span.start, span.end)),
            finding
                .field
                .as_ref()
                .map_or_else(|| finding.message.clone(), ToString::to_string),
        );
        let earlier: Option<usize> = kept.get(&key).copied();
        match earlier {
            Some(at) if out[at].kubevirt.is_none() && finding.kubevirt.is_some() => {
                out[at] = finding;
            }
            Some(at) if out[at].kubevirt == finding.kubevirt || finding.kubevirt.is_none() => {}
            _ => {
                kept.insert(key, out.len());
                out.push(finding);
            }
        }
    }
    *findings = out;
}

#[cfg(test)]
pub(crate) mod tests;
