//! The plan for people at a terminal: a table of counts, then each VM with its reasons.

use std::fmt::Write as _;

use crate::plan::{Action, Plan, Power, Reason, VmPlan};
pub(super) use crate::shown::line as printable;

/// The plan as text. VMs come by action, worst first; those that nothing happens to are only counted.
pub fn report(plan: &Plan, color: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Plan: {} → {}, KubeVirt {}",
        printable(&plan.base),
        printable(&plan.head),
        plan.kubevirt
    );
    counts(plan, color, &mut out);
    for action in Action::ALL {
        for vm in plan
            .virtual_machines
            .iter()
            .filter(|vm| vm.action == action)
        {
            if is_told(vm) {
                one(vm, color, &mut out);
            }
        }
    }
    if !plan.notes.is_empty() {
        out.push('\n');
        for note in &plan.notes {
            let _ = writeln!(out, "note: {}", printable(note));
        }
    }
    out
}

/// Whether a VM has anything to say.
pub fn is_told(vm: &VmPlan) -> bool {
    vm.action != Action::None || vm.power != Power::Unchanged || !vm.reasons.is_empty()
}

fn counts(plan: &Plan, color: bool, out: &mut String) {
    out.push('\n');
    if plan.virtual_machines.is_empty() {
        out.push_str("The change touches no virtual machine.\n");
        return;
    }
    for (action, count) in plan.counts() {
        let word = format!("{:<16}", action.as_str());
        let _ = writeln!(out, "  {}{count:>6}", paint(action, &word, color));
    }
    for power in [Power::Start, Power::Stop] {
        let count = plan.powered(power);
        if count > 0 {
            let word = format!("power: {}", power.as_str());
            let _ = writeln!(out, "  {word:<16}{count:>6}");
        }
    }
}

fn one(vm: &VmPlan, color: bool, out: &mut String) {
    let _ = write!(
        out,
        "\n{} {}/{} ({})",
        paint(vm.action, vm.action.as_str(), color),
        printable(&vm.namespace),
        printable(&vm.name),
        vm.change.as_str()
    );
    match vm.power {
        Power::Unchanged => {}
        Power::Start => out.push_str(", the guest starts"),
        Power::Stop => out.push_str(", the guest stops"),
    }
    out.push('\n');
    for reason in &vm.reasons {
        let _ = writeln!(out, "  - {}", line(reason));
        if let Some(said) = &reason.kubevirt {
            let _ = writeln!(out, "    KubeVirt: {}", printable(&said.message));
        }
    }
    for loss in &vm.loses {
        let _ = writeln!(out, "  loses {} {}", loss.what, printable(&loss.name));
    }
    for volume in &vm.volumes {
        let _ = writeln!(
            out,
            "  volume {}: {} → {} ({})",
            printable(&volume.name),
            printable(&volume.from),
            printable(&volume.to),
            volume.verdict
        );
    }
    for assumption in &vm.assumptions {
        let _ = writeln!(out, "  assumed: {}", printable(assumption));
    }
    if !vm.causes.is_empty() {
        let causes: Vec<String> = vm.causes.iter().map(|cause| printable(cause)).collect();
        let _ = writeln!(out, "  in {}", causes.join(", "));
    }
}

/// `spec.a: 1 → 2: why`.
pub(super) fn line(reason: &Reason) -> String {
    let mut out = String::new();
    if let Some(field) = &reason.field {
        let _ = write!(out, "{}: ", printable(&field.to_string()));
    }
    match (&reason.from, &reason.to) {
        (Some(from), Some(to)) => {
            let _ = write!(out, "{} → {}: ", printable(from), printable(to));
        }
        (None, Some(to)) => {
            let _ = write!(out, "+ {}: ", printable(to));
        }
        (Some(from), None) => {
            let _ = write!(out, "- {}: ", printable(from));
        }
        (None, None) => {}
    }
    out.push_str(&printable(&reason.message));
    out
}

fn paint(action: Action, text: &str, color: bool) -> String {
    let code = match action {
        Action::Rejected | Action::DataLoss => "1;31",
        Action::Restart | Action::Delete | Action::Stop => "1;33",
        Action::Unknown | Action::Pending => "1;35",
        Action::Live | Action::MigrateVolumes | Action::Create | Action::Start => "1;32",
        Action::NextStart => "36",
        Action::None => "2",
    };
    if color {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
