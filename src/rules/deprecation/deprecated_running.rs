//! `spec.running`, replaced by `spec.runStrategy`.

use crate::field_path::FieldPath;
use crate::finding::{Applicability, FixAction};
use crate::rules::{Context, Findings, Vm};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports `spec.running`, which `spec.runStrategy` replaces: `true` is `Always`, `false` is `Halted`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt has deprecated the field; it cannot say anything but on and off, and a tool that adds `runStrategy` to a
    /// manifest that has it gets the VM refused, because the two exclude each other. Every release up to 1.9 still reads
    /// it, hence a note by default and a warning under `profile: strict`.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   runStrategy: null
    ///   running: true
    /// ```
    ///
    /// ```text
    /// spec.running: `running: true` is deprecated
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   runStrategy: Always
    /// ```
    ///
    /// ## Fix safety
    ///
    /// Safe: KubeVirt reads both spellings as the same run strategy.
    ///
    /// ## Limits
    ///
    /// A VM that has both is left to `run-strategy-conflict`.
    "deprecated-running": "`spec.running` is deprecated in favour of `spec.runStrategy`",
    level: Note,
    strict: Warning,
    check: Vm(check),
}

fn check(vm: &Vm<'_>, _: &Context<'_>, findings: &mut Findings) {
    let Some(spec) = vm.decoded.node.get("spec") else {
        return;
    };
    let Some(running) = spec.get("running").and_then(Node::as_bool) else {
        return;
    };
    if spec.get("runStrategy").is_some() {
        return;
    }
    let strategy = if running { "Always" } else { "Halted" };
    let spec = FieldPath::root().field("spec");
    findings
        .report(
            vm.resource,
            spec.field("running"),
            format!("`running: {running}` is deprecated"),
        )
        .help(format!(
            "write `runStrategy: {strategy}`, which means the same"
        ))
        .fix(
            Applicability::Safe,
            format!("replace with `runStrategy: {strategy}`"),
            [
                (
                    spec.field("running"),
                    FixAction::Rename("runStrategy".into()),
                ),
                (
                    spec.field("runStrategy"),
                    FixAction::Set(Node::string(strategy)),
                ),
            ],
        );
}
