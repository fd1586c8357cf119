//! What a change does to files that become objects only once a program built them: patches, charts, templates.

use std::collections::BTreeMap;

use driftless::catalog::root::Exempt;
use driftless::catalog::side::{Reason, Role, Side};
use driftless::source::{FileId, Sources};
use driftless::yaml::{self, Node};

/// How many files are named.
const NAMED: usize = 5;

/// A note on the files of either side that differ and are not judged, if there are any.
pub(super) fn note(base: &Side, head: &Side, sources: &Sources) -> Option<String> {
    let (base, head) = (unbuilt(base, sources), unbuilt(head, sources));
    let mut paths: Vec<&str> = base.keys().chain(head.keys()).copied().collect();
    paths.sort_unstable();
    paths.dedup();
    paths.retain(|path| match (base.get(path), head.get(path)) {
        (Some(base), Some(head)) => differ(base, head, sources),
        _ => true,
    });
    let more = match paths.len() {
        0 => return None,
        count if count > NAMED => format!(" and {} more", count - NAMED),
        _ => String::new(),
    };
    let named = paths[..paths.len().min(NAMED)].join(", ");
    Some(format!(
        "not in this plan: what changed in {named}{more} is a matter for kustomize or another program; compare what it builds from both sides: `driftless plan BUILT --base-dir BUILT-BEFORE`"
    ))
}

struct Unbuilt {
    file: FileId,
    is_kustomization: bool,
}

/// The files of a side that are left out because a program builds objects from them, by path.
fn unbuilt<'a>(side: &Side, sources: &'a Sources) -> BTreeMap<&'a str, Unbuilt> {
    let built = side.skipped.iter().filter(|skipped| {
        side.role(skipped.file) == Role::Judged
            && matches!(
                skipped.reason,
                Reason::Exempt(_) | Reason::Template { .. } | Reason::PatchDirective
            )
    });
    built
        .map(|skipped| {
            let unbuilt = Unbuilt {
                file: skipped.file,
                is_kustomization: skipped.reason == Reason::Exempt(Exempt::Kustomization),
            };
            (sources.file(skipped.file).path(), unbuilt)
        })
        .collect()
}

/// Whether two states of a file differ; a kustomization that only lists other files does not.
fn differ(base: &Unbuilt, head: &Unbuilt, sources: &Sources) -> bool {
    let bytes = |file| sources.file(file).bytes();
    if base.file == head.file || bytes(base.file) == bytes(head.file) {
        return false;
    }
    let rest = |file| {
        let first = yaml::parse(file, bytes(file)).documents.into_iter().next();
        first.and_then(Result::ok).map(|document| {
            let mut root: Node = document.root;
            root.remove("resources");
            root
        })
    };
    match (rest(base.file), rest(head.file)) {
        (Some(one), Some(other)) if base.is_kustomization && head.is_kustomization => {
            !one.same_value(&other)
        }
        _ => true,
    }
}
