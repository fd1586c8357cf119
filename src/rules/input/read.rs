//! Turns what reading a side met into findings: broken documents, keys set twice, templates, duplicates.

use std::collections::{BTreeSet, HashMap};

use smol_str::SmolStr;

use super::{
    duplicate_key, duplicate_resource, invalid_yaml, missing_field, not_utf8, templated_file,
    wrong_type,
};
use crate::catalog::duplicate::{Nearness, Stand};
use crate::catalog::side::{Role, Side, SkipReason, Unidentified};
use crate::field_path::FieldPath;
use crate::finding::{Finding, Location};
use crate::resource::{Resource, ResourceId};
use crate::rule::Severity;
use crate::source::{FileId, Span};
use crate::yaml::{ErrorKind, StrictKind};

/// What reading the judged sources of a side met.
pub fn check(side: &Side) -> Vec<Finding> {
    let mut found = Vec::new();
    broken(side, &mut found);
    strict(side, &mut found);
    for skipped in &side.skipped {
        if let SkipReason::Template { mark, engine, at } = skipped.reason
            && side.role(skipped.file) == Role::Judged
        {
            let end = at + u32::try_from(mark.len()).unwrap_or_default();
            let place = Location::span(
                Span::new(skipped.file, at, end),
                skipped.document.unwrap_or(0),
            );
            let mut finding = Finding::new(
                &templated_file::RULE.info,
                place,
                format!("`{mark}` makes it a template ({engine}): left out"),
            );
            finding.help("give driftless what the template engine makes of it");
            found.push(finding);
        }
    }
    for loose in &side.loose {
        found.extend(nameless(loose).filter(|_| side.role(loose.file) == Role::Judged));
    }
    duplicates(side, &mut found);
    found
}

fn broken(side: &Side, found: &mut Vec<Finding>) {
    for error in &side.broken {
        if side.role(error.span.file) != Role::Judged {
            continue;
        }
        let rule = match error.kind {
            ErrorKind::NotUtf8 => &not_utf8::RULE,
            _ => &invalid_yaml::RULE,
        };
        let place = Location::span(error.span, error.index);
        let mut finding = Finding::new(&rule.info, place, error.message);
        if let Some(help) = error.help {
            finding.help(help);
        }
        found.push(finding);
    }
}

fn strict(side: &Side, found: &mut Vec<Finding>) {
    let foreign: BTreeSet<(FileId, usize)> = side
        .skipped
        .iter()
        .filter(|skipped| skipped.reason == SkipReason::NotKubernetes)
        .filter_map(|skipped| Some((skipped.file, skipped.document?)))
        .collect();
    for file in side.files.iter().filter(|file| file.role == Role::Judged) {
        for document in &file.documents {
            if foreign.contains(&(file.id, document.index)) {
                continue;
            }
            // Two objects glued together set every key twice; that is one mistake.
            let glued = document
                .strict
                .iter()
                .find(|problem| problem.help().is_some());
            for problem in &document.strict {
                let key = &problem.key;
                let is_glue = glued.is_some_and(|glue| std::ptr::eq(glue, problem));
                if glued.is_some() && problem.at_root && !is_glue {
                    continue;
                }
                let message = match problem.kind {
                    _ if is_glue => {
                        format!("two objects stand in one document: `{key}` is there twice")
                    }
                    StrictKind::Duplicate => format!("`{key}` stands twice in one mapping"),
                    StrictKind::Merged => format!("`{key}` is set by a merge and once more"),
                    StrictKind::Spellings => format!("`{key}` stands twice in two spellings"),
                };
                let place = Location {
                    is_key: true,
                    ..Location::span(problem.second, document.index)
                };
                let mut finding = Finding::new(&duplicate_key::RULE.info, place, message);
                finding.related(Location::span(problem.first, document.index).note("first here"));
                if problem.kind == StrictKind::Spellings {
                    finding.severity(Severity::Warning);
                }
                finding.help(problem.help().unwrap_or("remove one of the two"));
                found.push(finding);
            }
            if let Some(span) = document.ignored {
                let place = Location::span(span, document.index);
                let mut finding = Finding::new(
                    &invalid_yaml::RULE.info,
                    place,
                    "kubectl never reads this text: the document has ended before it",
                );
                finding
                    .severity(Severity::Warning)
                    .help("put `---` on a line of its own before it, or remove it");
                found.push(finding);
            }
        }
    }
}

/// An object without a name, kind or version.
fn nameless(loose: &Unidentified) -> Option<Finding> {
    let flaw = loose.flaw()?;
    let api_version = loose.node.str_at("apiVersion");
    let (group, _) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let resource = Resource {
        id: ResourceId {
            group: group.into(),
            kind: loose.node.str_at("kind").into(),
            namespace: None,
            name: SmolStr::default(),
        },
        api_version: api_version.into(),
        node: loose.node.clone(),
        file: Some(loose.file),
        document: loose.document,
        prefix: loose.prefix.clone(),
    };
    let rule = if flaw.is_missing {
        &missing_field::RULE.info
    } else {
        &wrong_type::RULE.info
    };
    Some(Finding::at(rule, &resource, flaw.field, flaw.message))
}

fn duplicates(side: &Side, found: &mut Vec<Finding>) {
    if side.duplicates.is_empty() {
        return;
    }
    let resources: HashMap<_, _> = side
        .resources()
        .filter(|placed| matters(&placed.resource.id))
        .filter_map(|placed| {
            let resource = placed.resource;
            Some((
                (resource.file?, resource.document, &resource.prefix),
                resource,
            ))
        })
        .collect();
    let at = |stand: &Stand| {
        resources
            .get(&(stand.file, stand.document, &stand.prefix))
            .copied()
    };
    for duplicate in &side.duplicates {
        if side.role(duplicate.second.file) != Role::Judged {
            continue;
        }
        let Some(second) = at(&duplicate.second) else {
            continue;
        };
        let first = at(&duplicate.first);
        let (severity, where_) = match duplicate.nearness {
            Nearness::File => (Severity::Error, "in this file"),
            Nearness::Kustomization => (Severity::Error, "in the same kustomization"),
            Nearness::Root => (Severity::Warning, "in the same tree"),
            Nearness::Roots => (Severity::Note, "in another root"),
        };
        let name = FieldPath::parse("metadata.name");
        let mut finding = Finding::at(
            &duplicate_resource::RULE.info,
            second,
            name.clone(),
            format!("{} is {where_} once more, with other content", duplicate.id),
        );
        finding.severity(severity);
        if let Some(first) = first {
            finding.related(Location::at(first, &name).note("the other one"));
        }
        if severity > Severity::Note {
            finding.help("rename or remove one of them; a cluster holds only one");
        }
        found.push(finding);
    }
}

/// Whether two objects of one identity are for this tool to report: other kinds have tools of their own.
fn matters(id: &ResourceId) -> bool {
    is_kubevirt(&id.group) || can_be_named(id)
}

/// Whether a group is KubeVirt's or CDI's.
fn is_kubevirt(group: &str) -> bool {
    group == "kubevirt.io" || group.ends_with(".kubevirt.io")
}

/// Whether a virtual machine can name objects of that kind.
fn can_be_named(id: &ResourceId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("", "ConfigMap" | "PersistentVolumeClaim" | "Secret")
            | ("apps", "ControllerRevision")
            | ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
            | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

#[cfg(test)]
mod tests {
    use crate::check::tests::check;
    use crate::config::{Config, Target};

    #[test]
    fn only_kinds_that_bear_on_machines_are_duplicates() {
        let object = |api: &str, kind: &str, value: u8| {
            format!(
                "apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a, labels: {{a: b{value}}}}}\n"
            )
        };
        for (api, kind, reported) in [
            ("v1", "Service", 0),
            ("apps/v1", "Deployment", 0),
            ("notkubevirt.io/v1", "VirtualMachine", 0),
            ("v1", "PersistentVolumeClaim", 1),
            ("cdi.kubevirt.io/v1beta1", "DataSource", 1),
            ("kubevirt.io/v1", "KubeVirt", 1),
        ] {
            let text = format!(
                "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {{name: b}}\n---\n{}---\n{}",
                object(api, kind, 1),
                object(api, kind, 2)
            );
            let files = [("a.yaml", text.as_bytes())];
            let (_, outcome) = check(&files, &Target::default(), &Config::default());
            let findings = outcome.findings.iter();
            let count = findings
                .filter(|finding| finding.rule.id == "duplicate-resource")
                .count();
            assert_eq!(count, reported, "{api} {kind}");
        }
    }
}
