//! What a new release of KubeVirt has to touch: `docs/adding-a-release.md`.

use std::collections::BTreeSet;
use std::path::Path;

use driftless::catalog::bundle;
use driftless::release::Release;

use crate::repository;

fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap()
}

#[test]
fn the_pages_name_the_newest_release() {
    let proved = format!("{} to {}", Release::FIRST_PROVED, Release::NEWEST);
    assert!(
        text("README.md").contains(&proved),
        "README.md says which releases are proved: {proved}"
    );
    let coverage = text("docs/admission-coverage.md");
    for of in bundle::releases() {
        let is_proved = of.kubevirt.proved() == of.kubevirt;
        let version = of.tag.trim_start_matches('v');
        assert!(
            !is_proved || coverage.contains(version),
            "docs/admission-coverage.md lists the causes of KubeVirt {version}"
        );
    }
}

#[test]
fn a_release_touches_at_most_eight_places_and_a_test_points_at_each() {
    let page = text("docs/adding-a-release.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| |"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert!((1..=8).contains(&rows.len()), "{} places", rows.len());
    let mut sources = String::new();
    for directory in ["src", "tests"] {
        collect(&repository(directory), &mut sources);
    }
    for row in rows {
        let [number, place, _, test] = row[..] else {
            panic!("{row:?}")
        };
        let place = repository(place.trim_matches('`'));
        assert!(place.exists(), "{number}: {}", place.display());
        if let Some(test) = test.strip_prefix('`') {
            let name = test.trim_end_matches('`');
            assert!(
                sources.contains(&format!("fn {name}("))
                    || sources.contains(&format!("\"{name}\"")),
                "{number}: there is no test {name}"
            );
        }
    }
}

fn collect(directory: &Path, out: &mut String) {
    let entries = std::fs::read_dir(directory).unwrap();
    let paths: BTreeSet<_> = entries.map(|entry| entry.unwrap().path()).collect();
    for path in paths {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
