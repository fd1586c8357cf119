//! Two trees of resources: which objects were added, removed and changed, and in which fields.

use rayon::prelude::*;

use super::spelling::canonical;
use super::{Difference, Lists, differences};
use crate::release::Release;
use crate::resource::{Resource, ResourceId};
use crate::schema;
use crate::yaml::Node;

/// One object that differs.
#[derive(Clone, Debug)]
pub struct ObjectDiff {
    /// Its identity.
    pub id: ResourceId,
    /// The object before, where it was there.
    pub before: Option<Node>,
    /// The object after, where it is there.
    pub after: Option<Node>,
    /// The fields that differ, where it is on both sides.
    pub fields: Vec<Difference>,
}

/// Fields only a server writes; their changes say nothing.
const SERVER_FIELDS: [&str; 3] = [
    "metadata.managedFields",
    "metadata.generation",
    "metadata.resourceVersion",
];

/// Compares paired objects. Equal ones are left out: quantities by value, lists by their keys, spellings as one.
pub fn compare(
    release: Release,
    pairs: Vec<(Option<Resource>, Option<Resource>)>,
) -> Vec<ObjectDiff> {
    pairs
        .into_par_iter()
        .filter_map(|(before, after)| {
            let id = after.as_ref().or(before.as_ref())?.id.clone();
            let plain = |resource: Resource| {
                let mut node = canonical(&resource.id.group, &resource.id.kind, &resource.node);
                for field in SERVER_FIELDS {
                    node.remove(field);
                }
                node
            };
            let (before, after) = (before.map(plain), after.map(plain));
            let fields = match (&before, &after) {
                (Some(before), Some(after)) => {
                    let of = schema::type_of(&id.group, &id.kind).unwrap_or_default();
                    let found = differences(release, of, before, after, Lists::ByKey);
                    if found.is_empty() {
                        return None;
                    }
                    found
                }
                _ => Vec::new(),
            };
            Some(ObjectDiff {
                id,
                before,
                after,
                fields,
            })
        })
        .collect()
}
