//! What must hold for every rule of the list, and the examples on every rule's page.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::check::tests::check;
use crate::config::{Config, Profile};
use crate::release::Release;
use crate::resource::cluster::ClusterConfig;
use crate::rule::{Family, Level};
use crate::source::FileId;

#[test]
fn ids_are_unique_kebab_case_and_sorted_by_family() {
    let order: Vec<_> = ALL
        .iter()
        .map(|rule| (rule.info.family, rule.info.id))
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(order, sorted, "the list is sorted by family, then id");
    let mut ids: Vec<_> = order.iter().map(|(_, id)| *id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), ALL.len(), "ids are unique");
    for id in ids {
        assert!(
            id.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
                && !id.starts_with("no-"),
            "{id}"
        );
    }
}

#[test]
fn every_page_has_its_headings_and_both_examples() {
    for rule in ALL {
        for heading in ["What it does", "Why it matters", "Example", "Limits"] {
            assert!(
                rule.info
                    .section(heading)
                    .is_some_and(|text| !text.is_empty()),
                "{}: `## {heading}` is missing",
                rule.info.id
            );
        }
        let examples = Example::all(&rule.info);
        assert!(
            examples.iter().any(|example| example.bad),
            "{}: a bad example",
            rule.info.id
        );
        assert!(
            examples.iter().any(|example| !example.bad),
            "{}: a good example",
            rule.info.id
        );
        assert!(
            !rule.info.summary.ends_with('.') && !rule.info.summary.is_empty(),
            "{}: summary",
            rule.info.id
        );
    }
}

/// One fenced example of a page: ```` ```yaml,bad,kubevirt-1.5,complete,strict,config ````. A text without `apiVersion` is
/// laid over a small VM. A change has two parts, `base` and `head`.
struct Example {
    bad: bool,
    words: Vec<String>,
    text: String,
}

impl Example {
    fn all(rule: &RuleInfo) -> Vec<Self> {
        let page = rule.page();
        let mut examples = Vec::new();
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```yaml,") else {
                continue;
            };
            let words: Vec<String> = info.split(',').map(str::to_owned).collect();
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            examples.push(Self {
                bad: words.iter().any(|word| word == "bad"),
                words,
                text: text.join("\n") + "\n",
            });
        }
        examples
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    fn target(&self) -> Target {
        let release = self
            .words
            .iter()
            .find_map(|word| word.strip_prefix("kubevirt-"));
        Target {
            release: release.map_or(Release::NEWEST, |text| text.parse().unwrap()),
            complete: self.has("complete"),
            configuration: if self.has("config") {
                ClusterConfig::known(Node::map())
            } else {
                ClusterConfig::default()
            },
            ..Target::default()
        }
    }

    fn bytes(&self) -> Vec<u8> {
        if self.has("latin-1") {
            return self
                .text
                .chars()
                .map(|c| u8::try_from(u32::from(c)).unwrap())
                .collect();
        }
        let stream = crate::yaml::parse(FileId(0), self.text.as_bytes());
        let [Ok(document)] = &stream.documents[..] else {
            return self.text.clone().into_bytes();
        };
        if document.root.get("apiVersion").is_some() || document.root.as_map().is_none() {
            return self.text.clone().into_bytes();
        }
        let mut vm = Node::from_json(&json!({
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "web"},
            "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {
                "devices": {}, "memory": {"guest": "1Gi"},
            }}}},
        }));
        lay_over(&mut vm, &document.root);
        vm.to_json().to_string().into_bytes()
    }

    fn findings(&self, rule: &RuleInfo, release: Release) -> Vec<Finding> {
        let mut target = Target {
            release,
            ..self.target()
        };
        if rule.family == Family::Admission {
            target.configuration = ClusterConfig::known(Node::map());
        }
        let mut config = Config::default();
        if self.has("strict") {
            config.profiles.push(Profile::Strict);
        }
        check(&[("example.yaml", &self.bytes())], &target, &config)
            .1
            .findings
    }
}

fn lay_over(below: &mut Node, above: &Node) {
    match (below.as_map_mut(), above.as_map()) {
        (Some(below), Some(above)) => {
            for entry in above.entries() {
                match below.get_mut(&entry.key) {
                    Some(_) if entry.node.is_null() => {
                        below.remove(&entry.key);
                    }
                    Some(node) => lay_over(node, &entry.node),
                    None => below.insert(&entry.key, entry.node.clone()),
                }
            }
        }
        _ => *below = above.clone(),
    }
}

/// Rules whose refusal takes a setting of the cluster that a page does not show; their own tests give it.
const TAKES_A_SETTING: [&str; 7] = [
    "bridge-on-pod-network",
    "default-binding-not-permitted",
    "depends-on-configuration",
    "empty-cdrom-without-gate",
    "foreign-architecture",
    "grace-gpu-requirements",
    "reboot-policy-without-gate",
];

#[test]
fn every_bad_example_is_found_and_every_good_one_is_not() {
    let mut wrong = Vec::new();
    for rule in ALL {
        let info = &rule.info;
        let examples = Example::all(info);
        for example in examples
            .iter()
            .filter(|example| !example.has("base") && !example.has("head"))
        {
            let mut releases = vec![example.target().release];
            // A webhook's check may be one of older releases.
            if info.family == Family::Admission && example.bad {
                releases = Release::TARGETS.to_vec();
                releases.reverse();
            }
            let outcomes: Vec<_> = releases
                .iter()
                .map(|release| example.findings(info, *release))
                .collect();
            let found = outcomes
                .iter()
                .find(|findings| findings.iter().any(|finding| finding.rule.id == info.id));
            let findings = found.unwrap_or(&outcomes[0]);
            let others = findings.iter().any(|finding| {
                finding.rule.id != info.id
                    && finding.rule.level >= Level::Warning
                    && info.family != Family::Admission
                    && !example.has(&format!("with={}", finding.rule.id))
            });
            let missed = example.bad && found.is_none() && !TAKES_A_SETTING.contains(&info.id);
            if missed || (!example.bad && found.is_some()) || others {
                let kind = if example.bad { "bad" } else { "good" };
                let said: Vec<String> = findings
                    .iter()
                    .map(|finding| {
                        format!(
                            "{}[{}]: {}",
                            finding.severity, finding.rule.id, finding.message
                        )
                    })
                    .collect();
                wrong.push(format!("{} ({kind}):\n  {}", info.id, said.join("\n  ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_coverage_table_and_the_rules_name_each_other() {
    let table = include_str!("../../docs/admission-coverage.md");
    let named: BTreeSet<&str> = table
        .lines()
        .skip_while(|line| *line != "## Mirrored")
        .take_while(|line| *line != "## Not mirrored")
        .filter_map(|line| line.strip_prefix("### "))
        .flat_map(|ids| ids.split(", "))
        .collect();
    let known = |id: &str| ALL.iter().any(|rule| rule.info.id == id);
    for id in &named {
        assert!(known(id) || *id == "wrong-type", "{id} is no rule");
    }
    for rule in ALL {
        let id = rule.info.id;
        if rule.info.family == Family::Admission {
            assert!(named.contains(id), "{id} mirrors nothing in the table");
        }
    }
}
