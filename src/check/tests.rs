//! Side, config and rules together, over texts.

use super::*;
use crate::catalog::root::Scope;
use crate::catalog::side::Input;
use crate::cause::Cause;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::finding::Location;
use crate::schema::kinds::Kinds;
use crate::yaml::Node;

/// Runs the rules over files given as path and text.
pub(crate) fn check(
    files: &[(&str, &[u8])],
    target: &Target,
    config: &Config,
) -> (Sources, CheckOutcome) {
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
    let outcome = run(&CheckRequest {
        sources: &sources,
        side: &side,
        config,
        target_of: &|_| target,
        kinds: &Kinds::default(),
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

#[test]
fn a_baseline_hides_as_many_as_there_were() {
    let text = VM.replace("# driftless", "# drftless");
    let files = [("vm.yaml", text.as_bytes())];
    let (sources, outcome) = check(&files, &Target::default(), &Config::default());
    let times = |count: usize| vec![outcome.findings[0].clone(); count];
    let written = |count| baseline::Baseline::of(&times(count), &sources).to_json();
    assert!(!written(1).contains("count"));
    assert!(written(2).contains("\"count\": 2"));
    for (before, now) in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 5)] {
        let baseline = baseline::Baseline::parse(&written(before)).unwrap();
        let mut findings = times(now);
        let hidden = baseline.subtract(&mut findings, &sources);
        let expected = (before.min(now), now.saturating_sub(before));
        assert_eq!((hidden, findings.len()), expected, "{before}, then {now}");
    }
}

#[test]
fn an_ignore_covers_its_rule_on_its_line_and_no_more() {
    const MISTAKES: &str = "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Halted
  template:
    spec:
      domain:
        memory: {guest: 1Gi}
        devices: {}
        one: 1
        two: 2
        three: 3
";
    let left = |text: &str| {
        let (_, outcome) = check(
            &[("vm.yaml", text.as_bytes())],
            &Target::default(),
            &Config::default(),
        );
        let found = outcome.findings.iter();
        let fields = found.map(|finding| match &finding.field {
            Some(field) => field.to_string().rsplit('.').next().map(str::to_owned),
            None => Some(finding.rule.id.to_owned()),
        });
        let fields: Vec<String> = fields.map(Option::unwrap).collect();
        (fields.join(" "), outcome.summary.suppressed)
    };
    let with = |from: &str, to: &str| left(&MISTAKES.replace(from, to));
    let all = ("one two three".to_owned(), 0);
    assert_eq!(left(MISTAKES), all);
    let beside = with("two: 2", "two: 2 # driftless: ignore[unknown-field] known");
    assert_eq!(
        beside,
        ("one three".to_owned(), 1),
        "beside a line: that line"
    );
    let above = with(
        "        two: 2",
        "        # driftless: ignore[unknown-field] known\n\n        # a note\n        two: 2",
    );
    assert_eq!(
        above,
        ("one three".to_owned(), 1),
        "above a line: the next with content"
    );
    let other = with(
        "two: 2",
        "two: 2 # driftless: ignore[disk-without-volume] known",
    );
    assert_eq!(
        other,
        ("one two unused-ignore three".to_owned(), 0),
        "another rule"
    );
    let far = with(
        "devices: {}",
        "devices: {} # driftless: ignore[unknown-field] known",
    );
    assert_eq!(
        far,
        ("unused-ignore one two three".to_owned(), 0),
        "a line that has none"
    );
    let two = with(
        "two: 2",
        "two: 2 # driftless: ignore[unknown-field, disk-without-volume] known",
    );
    assert_eq!(
        two,
        ("one unused-ignore three".to_owned(), 1),
        "one of two rules"
    );
    let without_reason = with("two: 2", "two: 2 # driftless: ignore[unknown-field]");
    assert_eq!(
        without_reason,
        ("one two unused-ignore three".to_owned(), 0)
    );
}

/// A VM with lines at the end of its metadata and of its spec.
fn vm(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: {name}\nspec:\n{spec}  template:\n    spec:\n      domain:\n        devices: {{}}\n        memory: {{guest: 1Gi}}\n"
    )
}

/// What is reported: severity and rule.
fn reported(text: &str, target: &Target, config: &Config) -> Vec<String> {
    let (_, outcome) = check(&[("vm.yaml", text.as_bytes())], target, config);
    outcome
        .findings
        .iter()
        .map(|finding| format!("{} {}", finding.severity, finding.rule.id))
        .collect()
}

#[test]
fn an_ignore_covers_what_is_underlined_and_no_block() {
    // The finding underlines the whole of a user data that spans lines by its key.
    let text = |at_key: &str, at_end: &str| {
        format!(
            "{}      volumes:\n        - name: a\n          cloudInitNoCloud:\n{at_key}            userData: |\n              echo a\n              echo b\n{at_end}",
            vm("web", "  runStrategy: Always\n")
        )
    };
    let rules = |text: &str| reported(text, &Target::default(), &Config::default());
    assert_eq!(rules(&text("", "")), ["warning cloud-init-header"]);
    let comment = "            # driftless: ignore[cloud-init-header] why\n";
    assert!(rules(&text(comment, "")).is_empty());
    assert_eq!(
        rules(&text("", comment)),
        ["warning cloud-init-header", "warning unused-ignore"]
    );
}

#[test]
fn a_cause_that_depends_on_an_unknown_setting_stays_a_note() {
    let text = vm("web", "  runStrategy: Always\n")
        .replace("devices: {}", "devices: {autoattachVSOCK: true}");
    let known = Target {
        configuration: crate::resource::cluster::ClusterConfig::known(Node::map()),
        ..Target::default()
    };
    let with = |target: &Target| reported(&text, target, &Config::default());
    assert_eq!(with(&Target::default()), ["note depends-on-configuration"]);
    assert_eq!(with(&known), ["error vsock-without-gate"]);
}

#[test]
fn an_ignore_covers_its_own_file_only() {
    let other = VM
        .replace(
            " # driftless: ignore[deprecated-running] until the operator is upgraded",
            "",
        )
        .replace("name: web", "name: other");
    let files = [("a.yaml", VM.as_bytes()), ("b.yaml", other.as_bytes())];
    let (_, outcome) = check(&files, &Target::default(), &Config::default());
    assert_eq!((outcome.findings.len(), outcome.summary.suppressed), (1, 1));
}

#[test]
fn of_two_findings_about_one_value_the_one_with_the_clusters_words_stays() {
    let node = Node::from_json(&serde_json::json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"},
    }));
    let resource = Resource::from_node(node, None, 0, FieldPath::root()).unwrap();
    let found = |said: Option<&str>| {
        let path = FieldPath::parse("metadata.name");
        let mut finding = Finding::new(&rules::ALL[0].info, Location::at(&resource, &path), "ours");
        if let Some(words) = said {
            finding.kubevirt(Cause::new("metadata.name", words));
        }
        finding
    };
    let said = |findings: &[Finding]| -> Vec<Option<String>> {
        let words = |finding: &Finding| {
            let cause = finding.kubevirt.as_ref()?;
            Some(cause.message.clone())
        };
        findings.iter().map(words).collect()
    };
    let theirs = || Some("theirs".to_owned());
    for (given, kept) in [
        (vec![None, None], vec![None]),
        (vec![None, Some("theirs")], vec![theirs()]),
        (vec![Some("theirs"), None], vec![theirs()]),
        (vec![Some("theirs"), Some("theirs")], vec![theirs()]),
        (
            vec![Some("theirs"), Some("more")],
            vec![theirs(), Some("more".to_owned())],
        ),
    ] {
        let mut findings: Vec<Finding> = given.iter().map(|words| found(*words)).collect();
        drop_repeats(&mut findings);
        assert_eq!(said(&findings), kept, "{given:?}");
    }
}

#[test]
fn an_empty_value_is_underlined_by_its_key() {
    let underlined = |text: &str| {
        let sources = Sources::from([("vm.yaml", text.as_bytes())]);
        let (file, _) = sources.iter().next().unwrap();
        let parsed = crate::yaml::parse(file, text.as_bytes());
        let document = parsed.documents.into_iter().next().unwrap().unwrap();
        let resource =
            Resource::from_node(document.root, Some(file), 0, FieldPath::root()).unwrap();
        let span = Location::at(&resource, &FieldPath::parse("spec"))
            .span
            .unwrap();
        text[span.start as usize..span.end as usize].to_owned()
    };
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    assert_eq!(underlined(&format!("{head}spec:\n")), "spec");
    assert_eq!(underlined(&format!("{head}spec: x\n")), "x");
    assert_eq!(underlined(&format!("{head}spec: {{a: b}}\n")), "spec");
}
