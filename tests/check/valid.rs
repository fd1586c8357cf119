//! What a cluster accepts is no error: every recorded case that KubeVirt admits.

use driftless::config::{Config, Target};
use driftless::release::Release;
use driftless::resource::cluster::ClusterConfig;
use driftless::rule::{Family, Severity};
use driftless::schema;
use driftless::yaml::Node;
use rayon::prelude::*;
use serde_json::Value as Json;

use crate::checked::Checked;
use crate::repository;

#[test]
fn what_a_cluster_accepts_is_no_error() {
    let mut count = 0;
    let mut wrong: Vec<String> = Vec::new();
    for release in Release::all_proved().map(Release::as_str) {
        let file = repository("fixtures/conformance")
            .join(release)
            .join("admit-valid.jsonl");
        let text = std::fs::read_to_string(file).unwrap();
        let cases: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        count += cases.len();
        wrong.par_extend(cases.par_iter().flat_map_iter(|line| {
            let case: Json = serde_json::from_str(line).unwrap();
            let errors = errors(&case["input"], release);
            errors
                .into_iter()
                .map(move |error| format!("{release} {}: {error}", case["id"]))
        }));
    }
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} errors over {count} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn errors(input: &Json, release: &str) -> Vec<String> {
    let release = release.parse().unwrap();
    let configuration = Node::from_json(&input["config"]);
    let target = Target {
        release,
        release_known: true,
        complete: true,
        configuration: ClusterConfig::known(
            schema::decode(release, "v1.KubeVirtConfiguration", &configuration).node,
        ),
        ..Target::default()
    };
    let objects = input["objects"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![input["vm"].clone()]);
    let text: Vec<String> = objects.iter().map(ToString::to_string).collect();
    let checked = Checked::new(
        &[("case.yaml", text.join("\n---\n"))],
        &target,
        &Config::default(),
    );
    checked
        .outcome
        .findings
        .iter()
        // Whether a stored machine starts is another question, asked by the recordings of family `start`; whether what it
        // names exists is asked by no webhook.
        .filter(|finding| {
            finding.severity == Severity::Error
                && !matches!(
                    finding.rule.family,
                    Family::Start | Family::Cdi | Family::Claims
                )
        })
        .map(|finding| {
            format!(
                "{}: {} ({:?})",
                finding.rule.id, finding.message, finding.kubevirt
            )
        })
        .collect()
}
