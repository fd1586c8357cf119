//! Side, config and rules together, over texts.

use super::*;
use crate::catalog::root::Scope;
use crate::catalog::side::Input;
use crate::config::Target;

/// Runs the rules over files given as path and text.
pub(crate) fn check(
    files: &[(&str, &[u8])],
    target: &Target,
    config: &Config,
) -> (Sources, Outcome) {
    let sources = Sources::from(files.iter().copied());
    let inputs = sources
        .iter()
        .map(|(file, _)| Input {
            file,
            role: Role::Judged,
        })
        .collect();
    let scope = Scope {
        namespace: target.namespace.clone(),
        ..Scope::default()
    };
    let side = Side::build(&sources, inputs, &scope, &|| ());
    let outcome = run(&Request {
        sources: &sources,
        side: &side,
        config,
        target_of: &|_| target,
        only: None,
    });
    (sources, outcome)
}

const VM: &str = "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  running: true # driftless: ignore[deprecated-running] until the operator is upgraded
  template:
    spec:
      domain:
        devices: {}
        memory: {guest: 1Gi}
";

#[test]
fn an_ignore_keeps_its_line_quiet() {
    let (_, outcome) = check(
        &[("vm.yaml", VM.as_bytes())],
        &Target::default(),
        &Config::default(),
    );
    assert!(outcome.findings.is_empty(), "{:?}", outcome.findings);
    assert_eq!(outcome.summary.suppressed, 1);
}

#[test]
fn a_level_of_the_configuration_wins() {
    let text = VM.replace("# driftless", "# drftless");
    let mut config = Config::default();
    let id = crate::config::Spanned {
        text: "deprecated-running".into(),
        span: None,
    };
    config.levels.push((id, Level::Error));
    let (_, outcome) = check(&[("vm.yaml", text.as_bytes())], &Target::default(), &config);
    assert_eq!(outcome.summary.errors, 1);
    config.levels[0].1 = Level::Off;
    let (_, outcome) = check(&[("vm.yaml", text.as_bytes())], &Target::default(), &config);
    assert_eq!(outcome.findings.len(), 0);
}

#[test]
fn a_baseline_hides_what_was_there_and_nothing_else() {
    let text = VM.replace("# driftless", "# drftless");
    let (sources, outcome) = check(
        &[("vm.yaml", text.as_bytes())],
        &Target::default(),
        &Config::default(),
    );
    let baseline = baseline::Baseline::of(&outcome.findings, &sources).to_json();
    let baseline = baseline::Baseline::parse(&baseline).unwrap();
    let moved = format!("# a new first line\n{text}");
    let (sources, mut outcome) = check(
        &[("moved.yaml", moved.as_bytes())],
        &Target::default(),
        &Config::default(),
    );
    assert_eq!(baseline.subtract(&mut outcome.findings, &sources), 1);
    assert!(outcome.findings.is_empty());
    let other = text.replace("running: true", "running: false");
    let (sources, mut outcome) = check(
        &[("vm.yaml", other.as_bytes())],
        &Target::default(),
        &Config::default(),
    );
    assert_eq!(baseline.subtract(&mut outcome.findings, &sources), 0);
}
