//! The plan as a pull request comment: counts first, cut at a VM so that it always fits.

use std::fmt::Write as _;

use super::plan_text::{is_told, printable};
use crate::plan::{Action, Plan, Power, Reason, VmPlan};

/// Most characters a comment may have on GitHub.
pub const MOST: usize = 65_536;
/// Room kept for the line that says what was left out.
const RESERVE: usize = 400;

/// The plan as Markdown of less than [`MOST`] characters and bytes.
pub fn report(plan: &Plan) -> String {
    let mut out = String::new();
    out.push_str("### What this change does to virtual machines\n\n");
    let _ = writeln!(
        out,
        "{} → {}, KubeVirt {}\n",
        code(&plan.base),
        code(&plan.head),
        plan.kubevirt
    );
    counts(plan, &mut out);
    for note in &plan.notes {
        let _ = writeln!(out, "> {}  ", escaped(note));
    }
    let told: Vec<&VmPlan> = Action::ALL
        .into_iter()
        .flat_map(|action| {
            plan.virtual_machines
                .iter()
                .filter(move |vm| vm.action == action && is_told(vm))
        })
        .collect();
    let mut left = told.len();
    for vm in &told {
        let section = one(vm);
        if out.len() + section.len() + RESERVE >= MOST {
            break;
        }
        out.push_str(&section);
        left -= 1;
    }
    if left > 0 {
        let _ = writeln!(
            out,
            "\n**{left} of {} virtual machines are left out here, the comment would be too long.** The counts above are of all of them; `driftless plan --format html` shows everything.",
            told.len()
        );
    }
    out
}

fn counts(plan: &Plan, out: &mut String) {
    if plan.virtual_machines.is_empty() {
        out.push_str("The change touches no virtual machine.\n\n");
        return;
    }
    out.push_str("| action | virtual machines |\n|---|---:|\n");
    for (action, count) in plan.counts() {
        let _ = writeln!(out, "| {} | {count} |", action.as_str());
    }
    for power in [Power::Start, Power::Stop] {
        let count = plan.powered(power);
        if count > 0 {
            let _ = writeln!(out, "| power: {} | {count} |", power.as_str());
        }
    }
    out.push('\n');
}

fn one(vm: &VmPlan) -> String {
    let mut out = String::new();
    let power = match vm.power {
        Power::Unchanged => "",
        Power::Start => ", the guest starts",
        Power::Stop => ", the guest stops",
    };
    let _ = writeln!(
        out,
        "\n#### {} {} ({}){power}\n",
        vm.action.as_str(),
        code(&format!("{}/{}", vm.namespace, vm.name)),
        vm.change.as_str(),
    );
    for reason in &vm.reasons {
        let _ = writeln!(out, "- {}", line(reason));
    }
    for loss in &vm.loses {
        let _ = writeln!(out, "- loses {} {}", loss.what, code(&loss.name));
    }
    for volume in &vm.volumes {
        let _ = writeln!(
            out,
            "- volume {}: {} → {} ({})",
            code(&volume.name),
            code(&volume.from),
            code(&volume.to),
            volume.verdict
        );
    }
    for assumption in &vm.assumptions {
        let _ = writeln!(out, "- assumed: {}", escaped(assumption));
    }
    if !vm.causes.is_empty() {
        let causes: Vec<String> = vm.causes.iter().map(|cause| code(cause)).collect();
        let _ = writeln!(out, "- in {}", causes.join(", "));
    }
    out
}

fn line(reason: &Reason) -> String {
    let mut out = String::new();
    if let Some(field) = &reason.field {
        let _ = write!(out, "{}: ", code(&field.to_string()));
    }
    match (&reason.from, &reason.to) {
        (Some(from), Some(to)) => {
            let _ = write!(out, "{} → {}: ", code(from), code(to));
        }
        (None, Some(to)) => {
            let _ = write!(out, "added {}: ", code(to));
        }
        (Some(from), None) => {
            let _ = write!(out, "removed {}: ", code(from));
        }
        (None, None) => {}
    }
    out.push_str(&escaped(&reason.message));
    if let Some(said) = &reason.kubevirt {
        let _ = write!(out, " (KubeVirt: {})", escaped(&said.message));
    }
    out
}

/// A code span that no content can leave.
fn code(text: &str) -> String {
    let text = printable(text).replace('|', "\u{00a6}");
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Prose in which nothing of the manifests is markup; code spans of our own messages stay.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    let closes = text.matches('`').count().is_multiple_of(2);
    for c in printable(text).chars() {
        match c {
            '`' if closes => {
                in_code = !in_code;
                out.push(c);
            }
            '`' => out.push_str("\\`"),
            '<' if !in_code => out.push_str("&lt;"),
            '&' if !in_code => out.push_str("&amp;"),
            '*' | '_' | '[' | ']' | '#' | '|' | '!' | '\\' | '~' if !in_code => {
                out.push('\\');
                out.push(c);
            }
            // A mention would notify people.
            '@' if !in_code => out.push_str("@\u{2060}"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, escaped};

    #[test]
    fn code_spans_hold_any_name() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("<img> *x* `a<b`"), "&lt;img> \\*x\\* `a<b`");
    }
}
