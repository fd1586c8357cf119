//! The examples on the rules' pages: each is judged by every release it speaks of, and the words it states are compared.
//!
//! A ```` ```yaml,bad ```` fence is followed by ```` ```text ```` fences with what is reported, one line a finding: the field
//! and the words, in which `RELEASE` is the release that judges. Words of a fence, after commas: `kubevirt=1.5`, `kubevirt=1.6..`, `kubevirt=1.2..=1.4` (the releases it
//! speaks of; all where it is left out), `complete`, `strict`, `latin-1`, `with=RULE` (another rule reports it too). A
//! ```` ```yaml,configuration ```` fence is the cluster's configuration for the examples after it. `<2049 bytes>` in an example is a text of that length. An example without
//! `apiVersion` is laid over a small VM.

use std::fmt::Write as _;

use crate::check::tests::check;
use crate::config::{Config, Profile, Target};
use crate::finding::Finding;
use crate::release::Release;
use crate::release::cdi::CdiRelease;
use crate::resource::cluster::ClusterConfig;
use crate::rule::{Family, Level, RuleInfo};
use crate::rules::ALL;
use crate::rules::testing::{lay_over, plain};
use crate::source::FileId;
use crate::yaml::{self, Node};

/// A fence of a page.
struct Fence {
    language: String,
    words: Vec<String>,
    text: String,
}

impl Fence {
    fn all(rule: &RuleInfo) -> Vec<Self> {
        let mut fences = Vec::new();
        let mut lines = rule
            .docs
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line));
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```") else {
                continue;
            };
            let mut words = info.split(',').map(str::to_owned);
            let language = words.next().unwrap_or_default();
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            fences.push(Self {
                language,
                words: words.collect(),
                text: text.join("\n"),
            });
        }
        fences
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    /// The releases it speaks of by name.
    fn range(&self) -> Option<Vec<Release>> {
        let ranges: Vec<&str> = self
            .words
            .iter()
            .filter_map(|word| word.strip_prefix("kubevirt="))
            .collect();
        let inside = |release: &Release| ranges.iter().any(|range| is_in(range, *release));
        (!ranges.is_empty()).then(|| releases().filter(inside).collect())
    }

    fn speaks_of(&self, release: Release) -> bool {
        self.range().is_none_or(|range| range.contains(&release))
    }
}

/// An example of a page with what it takes and what it states.
struct Example {
    yaml: Fence,
    stated: Vec<Fence>,
    configuration: Option<Node>,
}

impl Example {
    fn all(rule: &RuleInfo) -> Vec<Self> {
        let mut examples: Vec<Self> = Vec::new();
        let mut configuration = None;
        for fence in Fence::all(rule) {
            match fence.language.as_str() {
                "yaml" if fence.has("configuration") => configuration = Some(tree(&fence.text)),
                "yaml" => examples.push(Self {
                    yaml: fence,
                    stated: Vec::new(),
                    configuration: configuration.clone(),
                }),
                "text" => {
                    if let Some(example) = examples.last_mut() {
                        example.stated.push(fence);
                    }
                }
                other => panic!("{}: a fence of {other:?}", rule.id),
            }
        }
        examples
    }

    fn is_bad(&self) -> bool {
        self.yaml.has("bad")
    }

    fn bytes(&self) -> Vec<u8> {
        let text = with_long_texts(&self.yaml.text) + "\n";
        if self.yaml.has("latin-1") {
            return text
                .chars()
                .map(|c| u8::try_from(u32::from(c)).unwrap())
                .collect();
        }
        let stream = yaml::parse(FileId(0), text.as_bytes());
        let [Ok(document)] = &stream.documents[..] else {
            return text.into_bytes();
        };
        if document.root.get("apiVersion").is_some() || document.root.as_map().is_none() {
            return text.into_bytes();
        }
        let mut vm = plain();
        lay_over(&mut vm, &document.root);
        vm.to_json().to_string().into_bytes()
    }

    fn findings(&self, rule: &RuleInfo, release: Release) -> Vec<Finding> {
        let known = self.configuration.clone().map(ClusterConfig::known);
        let target = Target {
            release,
            release_known: true,
            cdi: Some(CdiRelease::NEWEST),
            complete: self.yaml.has("complete"),
            configuration: known.unwrap_or_else(|| match rule.family {
                Family::Admission | Family::Start => ClusterConfig::known(Node::map()),
                _ => ClusterConfig::default(),
            }),
            ..Target::default()
        };
        let mut config = Config::default();
        if self.yaml.has("strict") {
            config.profiles.push(Profile::Strict);
        }
        check(&[("example.yaml", &self.bytes())], &target, &config)
            .1
            .findings
    }

    /// What it states for a release: the fence of that release, else the one for all.
    fn stated_for(&self, release: Release) -> String {
        self.stated
            .iter()
            .filter(|fence| fence.speaks_of(release))
            .max_by_key(|fence| fence.range().is_some())
            .map_or_else(String::new, |fence| {
                fence.text.replace("RELEASE", release.as_str())
            })
    }

    /// What is wrong with it, if anything.
    fn wrong(&self, rule: &RuleInfo, out: &mut String) {
        let kind = if self.is_bad() { "bad" } else { "good" };
        for release in releases() {
            let findings = self.findings(rule, release);
            let said = words(rule, &findings);
            let expected = if self.is_bad() && self.yaml.speaks_of(release) {
                self.stated_for(release)
            } else if !self.is_bad() && !self.yaml.speaks_of(release) {
                continue;
            } else {
                String::new()
            };
            if said != expected {
                let _ = writeln!(
                    out,
                    "{} ({kind}, {release}):\nstated: {expected}\nsaid:   {said}",
                    rule.id
                );
            }
            if self.yaml.speaks_of(release) && self.is_bad() && expected.is_empty() {
                let _ = writeln!(out, "{} ({kind}, {release}): no words stated", rule.id);
            }
            if !self.yaml.speaks_of(release) || (said.is_empty() && self.is_bad()) {
                continue;
            }
            for other in findings.iter().filter(|other| {
                other.rule.id != rule.id
                    && other.rule.level >= Level::Warning
                    && !self.yaml.has(&format!("with={}", other.rule.id))
            }) {
                let _ = writeln!(
                    out,
                    "{} ({kind}, {release}): {}: {}",
                    rule.id, other.rule.id, other.message
                );
            }
        }
    }
}

/// The text with each `<2049 bytes>` written out.
fn with_long_texts(text: &str) -> String {
    let placeholder = regex::Regex::new("<([0-9]+) bytes>").unwrap();
    let written = |found: &regex::Captures<'_>| "x".repeat(found[1].parse().unwrap());
    placeholder.replace_all(text, written).into_owned()
}

/// What a rule says among findings, a line each: field and words, KubeVirt's where it has some.
fn words(rule: &RuleInfo, findings: &[Finding]) -> String {
    let lines: Vec<String> = findings
        .iter()
        .filter(|finding| finding.rule.id == rule.id)
        .map(|finding| {
            let (field, message) = match &finding.kubevirt {
                Some(cause) if finding.message.starts_with(rule.summary) => {
                    (cause.field.clone(), &cause.message)
                }
                _ => (
                    finding.field.clone().unwrap_or_default().to_string(),
                    &finding.message,
                ),
            };
            let message = message.trim_end();
            if field.is_empty() {
                message.to_owned()
            } else {
                format!("{field}: {message}")
            }
        })
        .collect();
    lines.join("\n")
}

/// Whether a release is in a range as fences write it.
fn is_in(range: &str, release: Release) -> bool {
    let named = |text: &str| text.parse::<Release>().unwrap();
    match range.split_once("..") {
        None => release == named(range),
        Some((first, last)) => {
            (first.is_empty() || release >= named(first))
                && last
                    .strip_prefix('=')
                    .is_none_or(|last| release <= named(last))
        }
    }
}

/// Every release, and the one after the newest, of which the same must hold.
fn releases() -> impl Iterator<Item = Release> {
    Release::TARGETS.iter().copied().chain([Release::Next])
}

fn tree(text: &str) -> Node {
    yaml::reader::parse_first(FileId(0), text.as_bytes())
        .unwrap()
        .unwrap()
        .root
}

#[test]
fn every_page_shows_what_is_reported_and_what_is_not() {
    for rule in ALL {
        let examples = Example::all(&rule.info);
        for bad in [true, false] {
            let some = examples.iter().any(|example| example.is_bad() == bad);
            assert!(some, "{}: an example with bad: {bad}", rule.info.id);
        }
    }
}

#[test]
fn every_example_is_judged_as_its_page_states() {
    let mut wrong = String::new();
    for rule in ALL {
        for example in Example::all(&rule.info) {
            example.wrong(&rule.info, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
