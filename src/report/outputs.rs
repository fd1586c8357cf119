//! A workflow's outputs: one `name=value` line each, as `$GITHUB_OUTPUT` takes them and a shell can read.

use std::fmt::Write as _;

use super::Report;
use crate::plan::{Action, Plan};
use crate::shown;

/// A plan's numbers and its sentence.
pub fn plan(plan: &Plan) -> String {
    let summary = plan.summary();
    let holding = |action| {
        let vms = plan.virtual_machines.iter();
        vms.filter(|vm| vm.holds(action)).count()
    };
    let mut out = format!("sentence={}\n", shown::line(&summary.sentence));
    for (name, count) in [
        ("data-loss", holding(Action::DataLoss)),
        ("rejected", holding(Action::Rejected)),
        ("down", summary.down),
        ("restarts", summary.restarts),
        ("start-refused", summary.start_refused),
        ("unjudged", summary.unjudged),
        ("accepted", summary.accepted),
    ] {
        let _ = writeln!(out, "{name}={count}");
    }
    out
}

/// How much was found.
pub(super) fn findings(report: &Report<'_>) -> String {
    let summary = report.summary;
    format!(
        "findings={}\nerrors={}\nwarnings={}\nnotes={}\n",
        report.findings.len(),
        summary.errors,
        summary.warnings,
        summary.notes
    )
}
