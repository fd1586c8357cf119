//! The plan for people at a terminal: the total in a sentence, then each group, the worst first, within the width.

use std::fmt::Write as _;

use super::TextLayout;
use super::plan_view::{GroupView, Line, PlanView};
use super::text::wrap;
use crate::plan::Plan;
use crate::shown;

/// VMs that are named where a group is folded.
const NAMED: usize = 8;

/// The plan as text; folded, a group names its first VMs only.
pub fn report(plan: &Plan, text: TextLayout) -> String {
    let view = PlanView::new(plan, None);
    let mut out = PlanWriter {
        text,
        out: String::new(),
    };
    out.wrapped("Plan: ", "1", &view.sentence);
    let (base, head, release) = (&view.base, &view.head, &view.kubevirt);
    out.wrapped("", "", &format!("{base} → {head}, KubeVirt {release}"));
    for group in &view.groups {
        out.out.push('\n');
        out.group(group);
    }
    for (title, lines) in [("not judged: ", &view.unjudged), ("note: ", &view.notes)] {
        for (at, line) in lines.iter().enumerate() {
            out.out.push_str(if at == 0 { "\n" } else { "" });
            out.wrapped(title, "", &line.plain());
        }
    }
    shown::page(out.out)
}

struct PlanWriter {
    text: TextLayout,
    out: String,
}

impl PlanWriter {
    fn group(&mut self, group: &GroupView) {
        let count = if group.is_alone() {
            String::new()
        } else {
            format!(": {}", group.counted)
        };
        let title = format!(
            "{}{count} ({})",
            group.title.plain(),
            group.marks.join(", ")
        );
        self.wrapped(&format!("{} ", group.label), color(group.label), &title);
        for effect in group.untold() {
            self.wrapped("  - ", "", effect);
        }
        for line in &group.lines {
            self.line("", line);
        }
        let causes: Vec<&str> = group
            .causes
            .iter()
            .map(|cause| cause.name.as_str())
            .collect();
        if !causes.is_empty() {
            self.wrapped("  in ", "", &causes.join(", "));
        }
        if !group.is_alone() {
            self.names(group);
        }
    }

    fn names(&mut self, group: &GroupView) {
        let most = if self.text.fold { NAMED } else { usize::MAX };
        let mut room = most;
        for place in &group.places {
            let vms = &place.vms[..place.vms.len().min(room)];
            room -= vms.len();
            if !vms.is_empty() {
                let names: Vec<&str> = vms.iter().map(|vm| vm.name.as_str()).collect();
                self.wrapped(&format!("  {}: ", place.name), "", &names.join(", "));
            }
        }
        let left = group.count.saturating_sub(most);
        if left > 0 {
            let _ = writeln!(self.out, "  and {left} more (-v names all)");
        }
        let examples = if self.text.fold { 1 } else { usize::MAX };
        for vm in group.vms().filter(|vm| !vm.lines.is_empty()).take(examples) {
            for line in &vm.lines {
                self.line(&format!("{}: ", vm.full), line);
            }
        }
    }

    fn line(&mut self, of: &str, line: &Line) {
        self.wrapped("  - ", "", &format!("{of}{}", line.plain()));
        if let Some(said) = &line.kubevirt {
            self.wrapped("    KubeVirt: ", "", said);
        }
    }

    /// Text within the width, after a lead below which nothing else stands.
    fn wrapped(&mut self, lead: &str, code: &str, text: &str) {
        let indent = lead.chars().count();
        let width = self.text.width.saturating_sub(indent).max(30);
        for (at, line) in wrap(text, width, 0).iter().enumerate() {
            let _ = match (at, code) {
                (0, "") => writeln!(self.out, "{lead}{line}"),
                (0, code) if self.text.color => {
                    writeln!(self.out, "\u{1b}[{code}m{lead}\u{1b}[0m{line}")
                }
                (0, _) => writeln!(self.out, "{lead}{line}"),
                _ => writeln!(self.out, "{:indent$}{line}", ""),
            };
        }
    }
}

fn color(label: &str) -> &'static str {
    match label {
        "rejected" | "data-loss" | "delete" | "stop" => "1;31",
        "restart" => "1;33",
        "unknown" | "pending" => "1;35",
        "live" | "migrate-volumes" | "create" | "start" => "1;32",
        "next-start" | "condition" => "36",
        _ => "2",
    }
}
