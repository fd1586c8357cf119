//! One identity, several resources: equal ones become one, different ones are told.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::field_path::FieldPath;
use crate::resource::{Resource, ResourceId};
use crate::source::FileId;

/// Where a resource stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The root, by index.
    pub root: usize,
    /// The source.
    pub file: FileId,
    /// The document in it.
    pub document: usize,
    /// Where it lies in the document.
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

/// How close two resources of one identity stand: decides how bad it is.
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

type Identity = (SmolStr, SmolStr, SmolStr, SmolStr);

/// Takes later copies of equal resources out of each root, and lists those that differ.
pub(super) fn settle(
    roots: &mut [Vec<Resource>],
    namespace: &str,
    is_listed: &dyn Fn(FileId) -> bool,
    is_context: &dyn Fn(FileId) -> bool,
) -> Vec<Duplicate> {
    let mut seen: HashMap<Identity, Vec<(usize, usize)>> = HashMap::new();
    for (root, resources) in roots.iter().enumerate() {
        for (at, resource) in resources.iter().enumerate() {
            if resource.id.name.is_empty() {
                continue;
            }
            let id = &resource.id;
            let identity = (
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
                            is_listed,
                            is_context,
                        ));
                    }
                    kept.push((root, at));
                }
            }
        }
    }
    for (resources, copies) in roots.iter_mut().zip(copies) {
        let mut at = 0;
        resources.retain(|_| {
            at += 1;
            !copies.contains(&(at - 1))
        });
    }
    duplicates.sort_by_key(|duplicate| (duplicate.second.file, duplicate.second.document));
    duplicates
}

fn pair(
    first: (usize, &Resource),
    second: (usize, &Resource),
    is_listed: &dyn Fn(FileId) -> bool,
    is_context: &dyn Fn(FileId) -> bool,
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
    let (first, second) = (stand(first)?, stand(second)?);
    let nearness = if first.file == second.file {
        Nearness::File
    } else if first.root != second.root {
        Nearness::Roots
    } else if is_listed(first.file) && is_listed(second.file) {
        Nearness::Kustomization
    } else {
        Nearness::Root
    };
    let both_context = is_context(first.file) && is_context(second.file);
    (!both_context).then_some(Duplicate {
        id,
        first,
        second,
        nearness,
    })
}
