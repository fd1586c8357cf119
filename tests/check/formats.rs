//! Every format over one set of findings with hostile names.

use driftless::report::Format;
use serde_json::Value as Json;

use crate::checked::Checked;
use crate::{compare, repository};

/// Names and values that terminals, workflow logs and XML parsers would act on.
const HOSTILE: &str = "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: \"web\\e[31m::error file=x::%0A,<&>\\\"']]>\\u202e\\0\\r\\n\"
  namespace: \"a::b%c\"
  labels:
    \"k\\e]0;x\\a\": no
spec:
  running: true
  \"un\\e[2Jknown::%\": 1
  template:
    spec:
      domain:
        devices:
          disks:
            - name: \"x\\x1b[0m\\n::warning::y\"
              disk: {bus: \"<bus & 'quote'>\"}
        memory: {guest: 1Gi}
";

fn checked() -> Checked {
    Checked::new(
        &[("dir with space/vm#1.yaml", HOSTILE)],
        &driftless::config::Target::default(),
        &driftless::config::Config::default(),
    )
}

#[test]
fn no_format_passes_a_control_character_on() {
    let checked = checked();
    assert!(checked.outcome.findings.len() >= 3, "{:?}", checked.said());
    for format in Format::ALL {
        let text = checked.report(format);
        let hostile: Vec<char> = text
            .chars()
            .filter(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c))
            .collect();
        assert!(hostile.is_empty(), "{format}: {hostile:?}");
    }
}

#[test]
fn every_format_is_as_recorded() {
    let checked = checked();
    for format in Format::ALL {
        let text = checked.report(format);
        if format == Format::Sarif {
            // The rules' pages are in docs/rules.md; here only what was found counts.
            let mut sarif: Json = serde_json::from_str(&text).unwrap();
            sarif["runs"][0]["tool"]["driver"]["rules"] = Json::Null;
            for result in sarif["runs"][0]["results"].as_array_mut().unwrap() {
                result["ruleIndex"] = Json::Null;
            }
            let text = serde_json::to_string_pretty(&sarif).unwrap() + "\n";
            compare(&repository("fixtures/report/sarif.txt"), &text);
        } else {
            compare(&repository(&format!("fixtures/report/{format}.txt")), &text);
        }
    }
}

#[test]
fn json_is_what_its_schema_says() {
    let schema: Json = serde_json::from_str(include_str!("../../schemas/findings.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for checked in [
        checked(),
        Checked::one("a: 1"),
        Checked::one(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: {{ x }}}\n",
        ),
    ] {
        let report: Json = serde_json::from_str(&checked.report(Format::Json)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn sarif_is_one_run_that_lists_every_rule() {
    let report: Json = serde_json::from_str(&checked().report(Format::Sarif)).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "GitHub refuses several runs of one tool");
    let rules = runs[0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), driftless::rules::ALL.len());
    for rule in rules {
        for key in ["shortDescription", "fullDescription", "help"] {
            assert!(
                rule[key]["text"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{rule}"
            );
        }
        assert!(rule["properties"]["tags"].as_array().unwrap().len() <= 10);
    }
    let results = runs[0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            "dir%20with%20space/vm%231.yaml"
        );
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(result["partialFingerprints"]["driftless/v1"].is_string());
    }
}

#[test]
fn sarif_keeps_what_github_keeps_and_says_the_rest() {
    let checked = Checked::one(&many(5100));
    let report: Json = serde_json::from_str(&checked.report(Format::Sarif)).unwrap();
    assert_eq!(report["runs"][0]["results"].as_array().unwrap().len(), 5000);
    let said = &report["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert!(
        said.to_string().contains("100 more findings were left out"),
        "{said}"
    );
}

fn many(count: usize) -> String {
    let vms: Vec<String> = (0..count).map(small).collect();
    vms.join("---\n")
}

fn small(at: usize) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: vm-{at}}}\nspec:\n  running: true\n  template:\n    spec:\n      domain:\n        devices: {{}}\n        memory: {{guest: 1Gi}}\n"
    )
}

#[test]
fn github_shows_ten_of_each_level_and_says_the_rest() {
    let text = Checked::one(&many(25)).report(Format::Github);
    assert_eq!(text.matches("::notice ").count(), 10);
    assert!(text.ends_with("driftless: 15 more notes are not annotated, because GitHub shows 10 of each level; --format text or sarif has all\n"), "{text}");
    for line in checked().report(Format::Github).lines() {
        assert!(line.starts_with("::"), "{line}");
        let (properties, message) = line[2..].split_once("::").unwrap();
        assert!(!properties.contains("%0A,<"), "{line}");
        assert!(!message.contains('\n'));
    }
}

#[test]
fn junit_is_well_formed_xml() {
    let text = checked().report(Format::Junit);
    well_formed(&text);
    assert!(text.contains("<failure message="));
}

/// A strict reader of the little XML that is written: tags nest, attributes are quoted, nothing is bare.
fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap();
    while let Some(at) = rest.find('<') {
        let (content, tail) = rest.split_at(at);
        escaped(content);
        let end = tail.find('>').unwrap();
        let tag = &tail[1..end];
        rest = &tail[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (tag, single) = tag
            .strip_suffix('/')
            .map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(
            name.chars().all(|c| c.is_ascii_alphabetic() || c == '-'),
            "{name}"
        );
        for part in attributes.split('"').skip(1).step_by(2) {
            escaped(part);
        }
        assert_eq!(attributes.matches('"').count() % 2, 0, "{attributes}");
        if !single {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

fn escaped(text: &str) {
    for (at, _) in text.match_indices('&') {
        let entity = text[at..].split_inclusive(';').next().unwrap();
        assert!(
            ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"].contains(&entity),
            "{entity}"
        );
    }
}

#[test]
fn gitlab_fingerprints_are_unique_and_stay_when_lines_move() {
    let text = format!(
        "{}---\n{}",
        small(1),
        small(1).replace("running: true", "running: true # again")
    );
    let prints = |text: &str| -> Vec<String> {
        let report: Json =
            serde_json::from_str(&Checked::one(text).report(Format::Gitlab)).unwrap();
        report
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["fingerprint"].as_str().unwrap().to_owned())
            .collect()
    };
    let before = prints(&text);
    let after = prints(&format!("# moved\n\n{text}"));
    assert_eq!(before, after);
    let mut unique = before.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), before.len());
}

#[test]
fn rdjsonl_is_one_diagnostic_a_line() {
    let text = checked().report(Format::Rdjsonl);
    for line in text.lines() {
        let diagnostic: Json = serde_json::from_str(line).unwrap();
        assert!(
            diagnostic["location"]["range"]["start"]["line"]
                .as_u64()
                .unwrap()
                >= 1
        );
        assert!(["ERROR", "WARNING", "INFO"].contains(&diagnostic["severity"].as_str().unwrap()));
    }
}

#[test]
fn text_fits_80_columns_whatever_the_number_of_findings() {
    for count in [1, 50, 5000] {
        let vms: Vec<(String, String)> = (0..count)
            .map(|at| (format!("vms/vm-{at}.yaml"), small(at)))
            .collect();
        let files: Vec<(&str, &str)> = vms
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let checked = Checked::new(
            &files,
            &driftless::config::Target::default(),
            &driftless::config::Config::default(),
        );
        let text = checked.report(Format::Text);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(
            text.lines().count() <= 110,
            "{count}: {} lines",
            text.lines().count()
        );
        if count > 10 {
            assert!(
                text.contains(&format!("{} more in {} files", count - 10, count - 10)),
                "{text}"
            );
        }
    }
}
