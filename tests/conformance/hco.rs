//! HyperConverged: the configuration that each release of its operator writes, one named test a release: `hco/4.18`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use driftless::hyperconverged::{self, Nodes};
use driftless::openshift::OpenShift;
use driftless::release::Release;
use driftless::schema;
use driftless::yaml::Node;
use libtest_mimic::{Failed, Trial};

use crate::{Case, Family};

/// The family, which lies in a folder of its own.
pub(crate) const FOLDER: &str = "hco";

const FAMILY: Family = Family {
    name: FOLDER,
    check,
    cases: &[
        ("4.18", 91),
        ("4.19", 91),
        ("4.20", 91),
        ("4.21", 91),
        ("4.22", 182),
        ("next", 182),
    ],
};

/// A trial for each release counted; for each one found, where none is counted.
pub(crate) fn trials(directory: &Path, is_own: bool, compared: &Arc<AtomicUsize>) -> Vec<Trial> {
    let folder = directory.join(FOLDER);
    let entries = std::fs::read_dir(&folder).into_iter().flatten();
    let found = entries.map(|entry| entry.expect("a readable entry").path());
    let mut found: Vec<String> = found
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    found.sort();
    let counted = FAMILY.cases.iter().copied();
    if is_own {
        let mut trials: Vec<Trial> = counted
            .map(|(release, cases)| trial(&folder, release, Some(cases), compared))
            .collect();
        let is_counted = |name: &String| FAMILY.cases.iter().any(|(release, _)| release == name);
        for name in found.iter().filter(|name| !is_counted(name)) {
            trials.push(Trial::test(format!("{FOLDER}/{name}"), || {
                Err("a recording that FAMILY in tests/conformance/hco.rs does not count".into())
            }));
        }
        return trials;
    }
    let missing = counted.filter(|(release, _)| !found.iter().any(|name| name == release));
    let ignored = missing.map(|(release, _)| {
        Trial::test(format!("{FOLDER}/{release}"), || Ok(())).with_ignored_flag(true)
    });
    let read = found
        .iter()
        .map(|name| trial(&folder, name, None, compared));
    ignored.chain(read).collect()
}

fn trial(folder: &Path, release: &str, cases: Option<usize>, compared: &Arc<AtomicUsize>) -> Trial {
    let file = folder.join(format!("{release}.jsonl"));
    let compared = Arc::clone(compared);
    Trial::test(
        format!("{FOLDER}/{release}"),
        move || -> Result<(), Failed> {
            crate::judge(&FAMILY, &file, Release::NEWEST, cases, &compared)
        },
    )
}

/// The same configuration by value, or both refuse.
fn check(case: &Case) -> Result<(), String> {
    let release = match case.input["openshift"].as_str().unwrap_or_default() {
        "next" => OpenShift::Next,
        text => text.parse().map_err(|error| format!("{error}"))?,
    };
    let nodes = if case.input["highlyAvailable"] == true {
        Nodes::Several
    } else {
        Nodes::Single
    };
    let object = Node::from_json(&case.input["hyperconverged"]);
    let expected = case.expected.get("configuration").map(Node::from_json);
    match (hyperconverged::kubevirt(&object, release, nodes), expected) {
        (Err(_), None) => Ok(()),
        (Err(refusal), Some(_)) => Err(format!("ours refuses: {refusal}\n  {}", case.input)),
        (Ok(_), None) => Err(format!(
            "ours accepts, wants {}\n  {}",
            case.expected, case.input
        )),
        (Ok(kubevirt), Some(expected)) => {
            let mut ours = kubevirt
                .path("spec.configuration")
                .cloned()
                .unwrap_or_else(Node::map);
            schema::encode(release.kubevirt(), "v1.KubeVirtConfiguration", &mut ours);
            if ours.same_value(&expected) {
                return Ok(());
            }
            let keys = ours.entries().iter().chain(expected.entries());
            let differ = keys.filter(|entry| {
                let at = |node: &Node| node.get(&entry.key).cloned().unwrap_or_else(Node::map);
                !at(&ours).same_value(&at(&expected))
            });
            let shown = differ.fold(String::new(), |shown, entry| {
                let at = |node: &Node| node.get(&entry.key).map(Node::to_json);
                let (ours, wants) = (at(&ours), at(&expected));
                format!(
                    "{shown}\n  {}\n    ours  {ours:?}\n    wants {wants:?}",
                    entry.key
                )
            });
            Err(format!("{}{shown}", case.input))
        }
    }
}
