//! Several resources of one identity: equal ones become one, different ones are reported.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::path;
use crate::field_path::FieldPath;
use crate::resource::{Resource, ResourceId};
use crate::source::FileId;

/// The place of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The root, by index.
    pub root: usize,
    /// The source.
    pub file: FileId,
    /// The document in it.
    pub document: usize,
    /// Its path in the document.
    pub prefix: FieldPath,
}

/// Two different resources of one identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The identity.
    pub id: ResourceId,
    /// The first of them, by path.
    pub first: Stand,
    /// Another one.
    pub second: Stand,
    /// How close they are.
    pub nearness: Nearness,
}

/// How near two resources of one identity are to each other, which decides the severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// In one file: an error.
    File,
    /// Both listed by one kustomization: an error, kustomize refuses them.
    Kustomization,
    /// In one root: a warning.
    Root,
    /// In two roots, which may be two clusters: a note.
    Roots,
}

impl Nearness {
    /// Whether a cluster cannot get both.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::File | Self::Kustomization)
    }
}

/// Target, group, kind, namespace and name: two clusters may each have one.
type ObjectKey = (usize, SmolStr, SmolStr, SmolStr, SmolStr);

/// What decides how near two resources are, beside their places.
pub(super) struct Placement<'a> {
    /// The target of each root.
    pub(super) targets: &'a [usize],
    /// Namespace assumed for resources of a target without one.
    pub(super) namespace_of: &'a dyn Fn(usize) -> &'a str,
    /// Whether a kustomization lists a file.
    pub(super) is_listed: &'a dyn Fn(FileId) -> bool,
    /// Whether a file is only there to resolve against.
    pub(super) is_context: &'a dyn Fn(FileId) -> bool,
    /// Where a document says it came from.
    pub(super) source_of: &'a dyn Fn(FileId, usize) -> Option<&'a str>,
}

/// Takes later copies of equal resources out of each root, lists those of one target that differ, and gives both.
pub(super) fn settle(
    roots: &mut [Vec<Resource>],
    placement: &Placement<'_>,
) -> (Vec<Duplicate>, Vec<Vec<Resource>>) {
    let mut seen: HashMap<ObjectKey, Vec<(usize, usize)>> = HashMap::new();
    for (root, resources) in roots.iter().enumerate() {
        let target = placement.targets[root];
        let namespace = (placement.namespace_of)(target);
        for (at, resource) in resources.iter().enumerate() {
            if resource.id.name.is_empty() {
                continue;
            }
            let id = &resource.id;
            let identity = (
                target,
                id.group.clone(),
                id.kind.clone(),
                resource.namespace_or(namespace).into(),
                id.name.clone(),
            );
            seen.entry(identity).or_default().push((root, at));
        }
    }
    let mut copies: Vec<Vec<usize>> = roots.iter().map(|_| Vec::new()).collect();
    let mut duplicates = Vec::new();
    let mut groups: Vec<_> = seen
        .into_values()
        .filter(|claims| claims.len() > 1)
        .collect();
    groups.sort_unstable();
    for claims in groups {
        let mut kept: Vec<(usize, usize)> = Vec::new();
        for (root, at) in claims {
            let resource = &roots[root][at];
            let twin = kept
                .iter()
                .find(|(other, place)| roots[*other][*place].node.same_value(&resource.node));
            match twin {
                Some((other, _)) if *other == root => copies[root].push(at),
                Some(_) => {}
                None => {
                    if let Some((other, place)) = kept.first() {
                        duplicates.extend(pair(
                            (*other, &roots[*other][*place]),
                            (root, resource),
                            placement,
                        ));
                    }
                    kept.push((root, at));
                }
            }
        }
    }
    let taken = roots
        .iter_mut()
        .zip(copies)
        .map(|(resources, mut copies)| {
            copies.sort_unstable();
            let mut at = 0;
            resources
                .extract_if(.., |_| {
                    at += 1;
                    copies.binary_search(&(at - 1)).is_ok()
                })
                .collect()
        })
        .collect();
    duplicates.sort_by_key(|duplicate| (duplicate.second.file, duplicate.second.document));
    (duplicates, taken)
}

fn pair(
    first: (usize, &Resource),
    second: (usize, &Resource),
    placement: &Placement<'_>,
) -> Option<Duplicate> {
    let stand = |(root, resource): (usize, &Resource)| {
        Some(Stand {
            root,
            file: resource.file?,
            document: resource.document,
            prefix: resource.prefix.clone(),
        })
    };
    let id = second.1.id.clone();
    // To kustomize two versions of one object are two objects.
    let is_same_version = first.1.api_version == second.1.api_version;
    let (first, second) = (stand(first)?, stand(second)?);
    let source = |stand: &Stand| {
        let source = (placement.source_of)(stand.file, stand.document)?;
        path::parent(source)
    };
    let apart = match (source(&first), source(&second)) {
        (Some(first), Some(second)) => first != second,
        _ => false,
    };
    let nearness = if apart {
        Nearness::Roots
    } else if first.file == second.file {
        Nearness::File
    } else if first.root != second.root {
        Nearness::Roots
    } else if is_same_version
        && (placement.is_listed)(first.file)
        && (placement.is_listed)(second.file)
    {
        Nearness::Kustomization
    } else {
        Nearness::Root
    };
    let both_context = (placement.is_context)(first.file) && (placement.is_context)(second.file);
    (!both_context).then_some(Duplicate {
        id,
        first,
        second,
        nearness,
    })
}
