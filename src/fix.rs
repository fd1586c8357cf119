//! Which fixes are made together, and whether they leave what KubeVirt runs as it is.
//!
//! The caller reads the edited texts again and comes back until nothing is left to choose.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::side::Side;
use crate::field_path::{FieldPath, Segment};
use crate::finding::{Finding, Fix, FixAction, FixStep};
use crate::plan::{Action, Plan, VmPlan};
use crate::resource::{Resource, ResourceId};
use crate::rule::{Family, Severity};
use crate::rules;
use crate::source::{FileId, Sources};
use crate::transform::normalize::is_encrypted;
use crate::transform::upgrade::text::{Changes, SourcePlace};

/// Names a fix while texts change around it: file, document, field of the document, rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixId {
    path: String,
    document: usize,
    field: FieldPath,
    rule: &'static str,
}

/// A fix that is to be made.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// What it mends.
    pub finding: &'a Finding,
    /// The fix.
    pub fix: &'a Fix,
    /// The resource.
    pub resource: &'a Resource,
    /// The source that is edited.
    pub file: FileId,
    /// Its name.
    pub id: FixId,
}

/// The fixes that can be made at once: in the order of the rules, without those that touch what an earlier one touches,
/// and without those in `left`. A resource that is encrypted is never fixed.
pub fn choose<'a>(
    findings: &'a [Finding],
    side: &'a Side,
    sources: &Sources,
    wanted: &dyn Fn(&Finding, &Fix) -> bool,
    left: &BTreeSet<FixId>,
) -> Vec<Chosen<'a>> {
    let mut by_document: BTreeMap<(FileId, usize), Vec<&Resource>> = BTreeMap::new();
    for placed in side.resources_and_copies() {
        if let Some(file) = placed.resource.file {
            let document = (file, placed.resource.document);
            by_document
                .entry(document)
                .or_default()
                .push(placed.resource);
        }
    }
    let mut found: Vec<Chosen<'a>> = findings
        .iter()
        .filter_map(|finding| {
            let fix = finding.fix.as_ref()?;
            let file = finding.primary.file?;
            let beside = by_document.get(&(file, finding.primary.document))?;
            let resource = resource_of(finding, beside)?;
            if is_encrypted(&resource.node) || !wanted(finding, fix) {
                return None;
            }
            let first = fix.steps.first()?;
            let field = finding.field.as_ref().unwrap_or(&first.path);
            let id = FixId {
                path: sources.file(file).path().to_owned(),
                document: finding.primary.document,
                field: resource.prefix.join(field),
                rule: finding.rule.id,
            };
            let chosen = Chosen {
                finding,
                fix,
                resource,
                file,
                id,
            };
            (!left.contains(&chosen.id)).then_some(chosen)
        })
        .collect();
    let rank = |chosen: &Chosen<'_>| rules::ids().position(|id| id == chosen.finding.rule.id);
    found.sort_by_cached_key(|chosen| (chosen.file, rank(chosen), chosen.id.clone()));
    let mut touched: BTreeMap<(FileId, usize), Vec<FieldPath>> = BTreeMap::new();
    found.retain(|chosen| {
        let document = (chosen.file, chosen.finding.primary.document);
        let taken = touched.entry(document).or_default();
        let own: Vec<FieldPath> = chosen
            .fix
            .steps
            .iter()
            .map(|step| chosen.resource.prefix.join(&reach(step)))
            .collect();
        let is_free = own
            .iter()
            .all(|path| taken.iter().all(|other| !other.overlaps(path)));
        if is_free {
            taken.extend(own);
        }
        is_free
    });
    found
}

/// The resource a finding is about; of several in a List, the one whose text the finding underlines.
fn resource_of<'a>(finding: &Finding, beside: &[&'a Resource]) -> Option<&'a Resource> {
    let subject = finding.subject.as_ref()?;
    let named: Vec<&Resource> = beside
        .iter()
        .copied()
        .filter(|resource| resource.id == subject.id)
        .collect();
    if let [only] = named.as_slice() {
        return Some(only);
    }
    let place = finding.primary.span?;
    named.into_iter().find(|resource| {
        let span = resource.node.origin.span();
        span.is_some_and(|span| span.start <= place.start && place.end <= span.end)
    })
}

/// What a step changes: a list item that goes moves its neighbours.
fn reach(step: &FixStep) -> FieldPath {
    let is_item = matches!(step.path.segments().last(), Some(Segment::Index(_)));
    if is_item && matches!(step.action, FixAction::Remove) {
        step.path.parent()
    } else {
        step.path.clone()
    }
}

/// What happens to each source when the fixes are made.
pub fn changes(chosen: &[Chosen<'_>]) -> BTreeMap<FileId, Changes> {
    collect(chosen, |_| true)
}

/// The part of the fixes that no cluster notices: it discards a `status` that is applied.
pub fn unnoticed(chosen: &[Chosen<'_>]) -> BTreeMap<FileId, Changes> {
    collect(
        chosen,
        |step| matches!(step.path.segments().first(), Some(Segment::Field(name)) if name == "status"),
    )
}

fn collect(chosen: &[Chosen<'_>], takes: impl Fn(&FixStep) -> bool) -> BTreeMap<FileId, Changes> {
    let mut files: BTreeMap<FileId, Changes> = BTreeMap::new();
    for one in chosen {
        let steps: Vec<FixStep> = one
            .fix
            .steps
            .iter()
            .filter(|step| takes(step))
            .cloned()
            .collect();
        if steps.is_empty() {
            continue;
        }
        let place = SourcePlace {
            document: one.resource.document,
            prefix: one.resource.prefix.clone(),
        };
        let changes = files.entry(one.file).or_default();
        changes.steps.push((place, steps));
    }
    files
}

/// A VM that the fixes change, by a plan between the texts before and after.
#[derive(Debug)]
pub struct Effect<'p, 'c, 'a> {
    /// What the plan says of it.
    pub row: &'p VmPlan,
    /// The fixes that may cause it: those of the object itself, else those in the files that cause the row, else all.
    pub suspects: Vec<&'c Chosen<'a>>,
}

/// What the fixes change of what KubeVirt runs.
///
/// Of a VM that nobody can expand, what is outside its `spec` changes nothing. Where `findings`, those before the fixes, say
/// that the cluster refuses the VM, nothing of it runs.
pub fn effects<'p, 'c, 'a>(
    plan: &'p Plan,
    chosen: &'c [Chosen<'a>],
    findings: &[Finding],
    sources: &Sources,
) -> Vec<Effect<'p, 'c, 'a>> {
    let refused: Vec<&ResourceId> = findings
        .iter()
        .filter(|finding| {
            finding.severity == Severity::Error
                && matches!(finding.rule.family, Family::Input | Family::Admission)
        })
        .filter_map(|finding| Some(&finding.subject.as_ref()?.id))
        .collect();
    plan.virtual_machines
        .iter()
        .filter(|row| {
            row.action != Action::None
                || !row.also.is_empty()
                || (row.start_refused && !row.start_was_refused)
        })
        .filter(|row| !refused.iter().any(|id| is_of(row, id)))
        .map(|row| Effect {
            row,
            suspects: suspects(row, chosen, sources),
        })
        .filter(|effect| {
            let mut steps = effect.suspects.iter().flat_map(|one| &one.fix.steps);
            effect.row.action != Action::Unknown || steps.any(reaches_spec)
        })
        .collect()
}

/// Whether a row is about a resource.
fn is_of(row: &VmPlan, id: &ResourceId) -> bool {
    let namespace = id.namespace.as_deref();
    id.kind == row.kind
        && id.name == row.name
        && namespace.is_none_or(|namespace| namespace == row.namespace)
}

fn reaches_spec(step: &FixStep) -> bool {
    let first = step.path.segments().first();
    !matches!(first, Some(Segment::Field(name)) if name == "metadata" || name == "status")
}

fn suspects<'c, 'a>(
    row: &VmPlan,
    chosen: &'c [Chosen<'a>],
    sources: &Sources,
) -> Vec<&'c Chosen<'a>> {
    let is_own = |one: &&Chosen<'_>| is_of(row, &one.resource.id);
    let is_cause = |one: &&Chosen<'_>| {
        let path = sources.file(one.file).path();
        row.causes.iter().any(|cause| cause.file == path)
    };
    let own: Vec<_> = chosen.iter().filter(is_own).collect();
    if !own.is_empty() {
        return own;
    }
    let causes: Vec<_> = chosen.iter().filter(is_cause).collect();
    if causes.is_empty() {
        chosen.iter().collect()
    } else {
        causes
    }
}
