//! One view of a plan, which text, Markdown and HTML render: ordered, folded, without secrets and hostile characters, and not
//! yet escaped for any of them. What is shown, in which order and in which words, is decided here.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::plan::{Action, CauseLocation, Effect, Group, Plan, Power, Reason, VmPlan};
use crate::shown;

/// How many VMs are named as the worst.
const WORST: usize = 3;
/// The label of a restart that changes nothing.
const CONDITION: &str = "condition";
/// What a path may hold in a URL as it is.
const IN_URL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A plan as people see it.
#[derive(Debug)]
pub(super) struct PlanView {
    /// The total in words.
    pub(super) sentence: String,
    pub(super) base: String,
    pub(super) head: String,
    pub(super) kubevirt: String,
    /// How many rows carry each label, the worst first.
    pub(super) counts: Vec<(&'static str, usize)>,
    /// The VMs that meet the worst, each with the number of its group and why.
    pub(super) worst: Vec<(usize, String, Line)>,
    /// What changed, with the first group of it and how many VMs it concerns.
    pub(super) causes: Vec<(Line, usize, usize)>,
    /// VMs of one cause and one set of effects, the worst first.
    pub(super) groups: Vec<GroupView>,
    /// Files that were not judged.
    pub(super) unjudged: Vec<Line>,
    /// What holds for the whole plan.
    pub(super) notes: Vec<Line>,
    /// How many rows there are.
    pub(super) total: usize,
}

/// VMs that one cause does the same to.
#[derive(Debug)]
pub(super) struct GroupView {
    /// The action, or `condition` where a restart changes nothing.
    pub(super) label: &'static str,
    /// The name of the only VM, else the cause.
    pub(super) title: Line,
    /// What holds for each VM besides: how it differs, whether its guest stops, what accepts it.
    pub(super) marks: Vec<String>,
    /// `31 virtual machines`.
    pub(super) counted: String,
    /// What happens to each, without values; empty where there is one VM.
    pub(super) effects: Vec<String>,
    /// What is said of each VM in the same words.
    pub(super) lines: Vec<Line>,
    /// Changed fields that are the same for each.
    pub(super) fields: Vec<FieldView>,
    /// Files that every VM has as a cause.
    pub(super) causes: Vec<CauseView>,
    /// The VMs, by target, namespace and kind.
    pub(super) places: Vec<PlaceView>,
    /// What changed, in words.
    pub(super) cause: String,
    /// How many VMs there are.
    pub(super) count: usize,
}

/// The VMs of a group in one target and namespace.
#[derive(Debug)]
pub(super) struct PlaceView {
    /// `east/vms`, with the kind where it is no VM.
    pub(super) name: String,
    pub(super) vms: Vec<VmView>,
}

/// One VM of a group, with what is not the same for all of them.
#[derive(Debug)]
pub(super) struct VmView {
    /// Its index in the plan.
    pub(super) row: usize,
    pub(super) name: String,
    /// With its target and namespace.
    pub(super) full: String,
    pub(super) lines: Vec<Line>,
    pub(super) fields: Vec<FieldView>,
    pub(super) causes: Vec<CauseView>,
}

/// A changed field of the expanded VM.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldView {
    pub(super) path: String,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) effect: Effect,
}

/// A file, with the line where it is known, and where it can be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CauseView {
    pub(super) name: String,
    pub(super) href: Option<String>,
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LinePart {
    /// Words.
    Text(String),
    /// A name or value among words, in backticks where there is no other mark.
    Quoted(String),
    /// A name or value that stands for itself.
    Value(String),
}

/// One thing that is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    pub(super) parts: Vec<LinePart>,
    /// KubeVirt's own words.
    pub(super) kubevirt: Option<String>,
}

impl Line {
    /// A sentence of ours, in which backticks mark names.
    pub(super) fn prose(text: &str) -> Self {
        Self::default().say(text)
    }

    fn say(mut self, text: &str) -> Self {
        let text = shown::line(text);
        let closes = text.matches('`').count().is_multiple_of(2);
        if !closes {
            self.parts.push(LinePart::Text(text));
            return self;
        }
        let parts = text.split('`').map(str::to_owned).enumerate();
        let parts = parts.filter(|(_, part)| !part.is_empty());
        self.parts.extend(parts.map(|(at, part)| match at % 2 {
            0 => LinePart::Text(part),
            _ => LinePart::Quoted(part),
        }));
        self
    }

    fn value(mut self, text: &str) -> Self {
        self.parts.push(LinePart::Value(shown::line(text)));
        self
    }

    /// The line without marks other than backticks.
    pub(super) fn plain(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                LinePart::Text(text) | LinePart::Value(text) => text.clone(),
                LinePart::Quoted(text) => format!("`{text}`"),
            })
            .collect()
    }
}

impl PlanView {
    /// The view of a plan. `template` is a URL in which `{path}` and `{line}` stand for a place.
    pub(super) fn new(plan: &Plan, template: Option<&str>) -> Self {
        let groups: Vec<GroupView> = plan
            .groups
            .iter()
            .map(|group| GroupView::new(plan, group, template))
            .collect();
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        for (group, view) in plan.groups.iter().zip(&groups) {
            let place = (group.action, view.label == CONDITION, view.label);
            *counts.entry(place).or_default() += view.count;
        }
        let counts = counts.into_iter();
        let worst = groups
            .iter()
            .enumerate()
            .filter(|(_, group)| group.label != Action::None.as_str())
            .flat_map(|(at, group)| {
                group
                    .vms()
                    .map(move |vm| (at, vm.full.clone(), group.why(vm)))
            })
            .take(WORST)
            .collect();
        let mut causes: IndexMap<&str, (usize, usize)> = IndexMap::new();
        for (at, group) in groups.iter().enumerate() {
            causes.entry(&group.cause).or_insert((at, 0)).1 += group.count;
        }
        let causes = causes.into_iter();
        let causes = causes.map(|(cause, (at, count))| (Line::prose(cause), at, count));
        let causes = causes.collect();
        let unjudged = plan.unjudged.iter().map(|one| {
            let mut line = Line::default().value(&one.file);
            if let Some(kind) = &one.kind {
                line = line.say(&format!(" ({kind})"));
            }
            line = line.say(&format!(": {}", one.reason));
            match &one.accepted {
                Some(accepted) => line.say(&format!("; accepted: {}", accepted.by)),
                None => line,
            }
        });
        Self {
            sentence: plan.summary().sentence,
            base: shown::line(&plan.base),
            head: shown::line(&plan.head),
            kubevirt: plan.kubevirt.to_string(),
            counts: counts.map(|((.., label), count)| (label, count)).collect(),
            worst,
            causes,
            groups,
            unjudged: unjudged.collect(),
            notes: plan.notes.iter().map(|note| Line::prose(note)).collect(),
            total: plan.virtual_machines.len(),
        }
    }
}

impl GroupView {
    fn new(plan: &Plan, group: &Group, template: Option<&str>) -> Self {
        let rows: Vec<&VmPlan> = plan.in_group(group).collect();
        let (said, own_said) = shared(rows.iter().map(|vm| lines(vm)).collect());
        let (fields, own_fields) = shared(rows.iter().map(|vm| fields(vm)).collect());
        let causes = rows.iter().map(|vm| vm.causes.iter());
        let causes = causes.map(|all| all.map(|cause| CauseView::new(cause, template)).collect());
        let (causes, own_causes) = shared(causes.collect());
        let mut places: BTreeMap<(Option<&str>, &str, &str), Vec<VmView>> = BTreeMap::new();
        let own = own_said.into_iter().zip(own_fields).zip(own_causes);
        for ((vm, row), ((lines, fields), causes)) in rows.iter().zip(&group.vms).zip(own) {
            let place = (
                vm.target.as_deref(),
                vm.namespace.as_str(),
                vm.kind.as_str(),
            );
            places.entry(place).or_default().push(VmView {
                row: *row,
                name: shown::line(&vm.name),
                full: shown::line(&full_name(vm)),
                lines,
                fields,
                causes,
            });
        }
        let first = rows[0];
        let alone = rows.len() == 1;
        let noun = if rows.iter().all(|vm| vm.kind == "VirtualMachine") {
            "virtual machine"
        } else {
            "object"
        };
        let label = match group.action {
            Action::Restart if first.condition_only => CONDITION,
            action => action.as_str(),
        };
        Self {
            label,
            title: if alone {
                Line::default().value(&full_name(first))
            } else {
                Line::prose(&group.cause)
            },
            marks: marks(first),
            counted: format!("{} {noun}{}", rows.len(), if alone { "" } else { "s" }),
            effects: group
                .effects
                .iter()
                .filter(|_| !alone)
                .map(|text| shown::line(text))
                .collect(),
            lines: said,
            fields,
            causes,
            places: places
                .into_iter()
                .map(|((target, namespace, kind), vms)| PlaceView {
                    name: shown::line(&place_name(target, namespace, kind)),
                    vms,
                })
                .collect(),
            cause: shown::line(&group.cause),
            count: rows.len(),
        }
    }

    /// Its VMs, in order.
    pub(super) fn vms(&self) -> impl Iterator<Item = &VmView> {
        self.places.iter().flat_map(|place| &place.vms)
    }

    /// The first thing that is said of one of its VMs.
    fn why(&self, vm: &VmView) -> Line {
        let line = vm.lines.first().or(self.lines.first());
        line.cloned()
            .unwrap_or_else(|| Line::prose(&self.marks.join(", ")))
    }

    /// The effects, where the values of the lines differ by VM.
    pub(super) fn untold(&self) -> &[String] {
        let is_told = self.vms().all(|vm| vm.lines.is_empty());
        if is_told { &[] } else { &self.effects }
    }

    /// Whether it is one VM, of which everything is said in the group's own lines.
    pub(super) fn is_alone(&self) -> bool {
        self.count == 1
    }
}

impl CauseView {
    fn new(cause: &CauseLocation, template: Option<&str>) -> Self {
        let href = template.map(|template| {
            let line = cause.line.unwrap_or(1).to_string();
            let path = utf8_percent_encode(&cause.file, IN_URL).to_string();
            template.replace("{line}", &line).replace("{path}", &path)
        });
        Self {
            name: shown::line(&cause.to_string()),
            href,
        }
    }
}

/// What is true of each VM of a group, in few words.
fn marks(vm: &VmPlan) -> Vec<String> {
    let mut out = vec![vm.change.as_str().to_owned()];
    match vm.power {
        Power::Unchanged => {}
        Power::Start => out.push("the guest starts".to_owned()),
        Power::Stop => out.push("the guest stops".to_owned()),
    }
    if vm.start_refused {
        out.push("KubeVirt would refuse the next start".to_owned());
    }
    if let Some(accepted) = &vm.accepted {
        out.push(format!("accepted: {}", shown::line(&accepted.by)));
    }
    out
}

/// Everything that is said of a VM.
fn lines(vm: &VmPlan) -> Vec<Line> {
    let mut out: Vec<Line> = vm.reasons.iter().map(reason_line).collect();
    if !vm.also.is_empty() {
        let also: Vec<&str> = vm.also.iter().map(|action| action.as_str()).collect();
        out.push(Line::prose(&format!("also: {}", also.join(", "))));
    }
    for loss in &vm.loses {
        out.push(Line::prose(&format!("loses {} ", loss.what)).value(&loss.name));
    }
    for volume in &vm.volumes {
        let line = Line::prose("volume ").value(&volume.name).say(": ");
        let line = line.value(&volume.from).say(" → ").value(&volume.to);
        out.push(line.say(&format!(" ({})", volume.verdict)));
    }
    out.extend(
        vm.assumptions
            .iter()
            .map(|text| Line::prose("assumed: ").say(text)),
    );
    out
}

/// `spec.a: 1 → 2: why`.
pub(super) fn reason_line(reason: &Reason) -> Line {
    let mut line = Line::default();
    if let Some(field) = &reason.field {
        line = line.value(&field.to_string()).say(": ");
    }
    line = match (&reason.from, &reason.to) {
        (Some(from), Some(to)) => line.value(from).say(" → ").value(to).say(": "),
        (None, Some(to)) => line.say("added ").value(to).say(": "),
        (Some(from), None) => line.say("removed ").value(from).say(": "),
        (None, None) => line,
    };
    line.kubevirt = reason
        .kubevirt
        .as_ref()
        .map(|said| shown::line(&said.message));
    line.say(&reason.message)
}

fn fields(vm: &VmPlan) -> Vec<FieldView> {
    let value = |value: &Option<String>| value.as_deref().map(shown::line);
    vm.fields
        .iter()
        .map(|field| FieldView {
            path: shown::line(&field.path.to_string()),
            from: value(&field.from),
            to: value(&field.to),
            effect: field.effect,
        })
        .collect()
}

/// What every list holds, and what each holds besides.
fn shared<T: Clone + PartialEq>(lists: Vec<Vec<T>>) -> (Vec<T>, Vec<Vec<T>>) {
    let mut common = lists.first().cloned().unwrap_or_default();
    for list in &lists {
        common.retain(|item| list.contains(item));
    }
    let own = lists.into_iter().map(|mut list| {
        list.retain(|item| !common.contains(item));
        list
    });
    let own = own.collect();
    (common, own)
}

fn full_name(vm: &VmPlan) -> String {
    format!(
        "{}/{}",
        place_name(vm.target.as_deref(), &vm.namespace, &vm.kind),
        vm.name
    )
}

fn place_name(target: Option<&str>, namespace: &str, kind: &str) -> String {
    let kind = if kind == "VirtualMachine" {
        String::new()
    } else {
        format!("{kind} ")
    };
    let target = target.map_or_else(String::new, |target| format!("{target}/"));
    format!("{kind}{target}{namespace}")
}
