//! Cases as folders: `fixtures/check/RULE/CASE` holds manifests, `expected.txt`, and where they matter
//! `driftless.yaml` and `cluster-config.yaml`, a `spec.configuration`.

use std::path::{Path, PathBuf};

use driftless::config::{Config, Target};
use driftless::release::Release;
use driftless::report::Format;
use driftless::resource::cluster::ClusterConfig;
use driftless::source::FileId;
use driftless::yaml;

use crate::{Checked, compare, repository};

#[test]
fn every_case_reports_what_its_folder_says() {
    let mut failed = Vec::new();
    let mut count = 0;
    for rule in folders(&repository("fixtures/check")) {
        for case in folders(&rule) {
            count += 1;
            let outcome = std::panic::catch_unwind(|| run(&case, &rule));
            if outcome.is_err() {
                failed.push(case.display().to_string());
            }
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {count} cases differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
    println!("{count} cases");
}

fn run(case: &Path, rule: &Path) {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut config = Config::default();
    let mut configuration = ClusterConfig::default();
    for file in walk(case) {
        let name = file
            .strip_prefix(case)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        match name.as_str() {
            "expected.txt" => {}
            "cluster-config.yaml" => {
                let stream = yaml::parse(FileId(0), &std::fs::read(&file).unwrap());
                let document = stream.documents.into_iter().next().unwrap().unwrap();
                configuration = ClusterConfig::known(document.root);
            }
            "driftless.yaml" => {
                let stream = yaml::parse(FileId(0), &std::fs::read(&file).unwrap());
                let document = stream.documents.into_iter().next().unwrap().unwrap();
                config = Config::read(&document.root).unwrap();
            }
            _ => files.push((name, std::fs::read(&file).unwrap())),
        }
    }
    let of = &config.targets()[0];
    let target = Target {
        release: of.kubevirt.unwrap_or(Release::NEWEST),
        release_known: of.kubevirt.is_some(),
        complete: of.complete.unwrap_or(false),
        namespace: of.namespace.clone().unwrap_or_else(|| "default".to_owned()),
        configuration,
        ..Target::default()
    };
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let checked = Checked::new(&files, &target, &config);
    compare(&case.join("expected.txt"), &checked.report(Format::Text));
    let rule = rule.file_name().unwrap().to_string_lossy();
    let clean = case
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("clean"));
    assert_eq!(
        checked.of(&rule).is_empty(),
        clean,
        "{rule}: {:?}",
        checked.said()
    );
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(of)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn walk(of: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(of).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
