//! Which files may differ between the sides of a change: of those, more kinds are of interest.

use std::collections::BTreeSet;

use crate::input::git::{Listing, Repository};
use crate::input::read_from::ReadFrom;

/// Which files may differ between the sides of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Differing<'a> {
    /// Any file.
    Any,
    /// These, as git tells, and those that the base does not have.
    Places {
        /// The repository.
        repository: &'a Repository,
        /// What the base lists.
        base: &'a Listing,
        /// Places that differ.
        places: &'a BTreeSet<String>,
    },
    /// Those whose object differs.
    Objects {
        /// The repository.
        repository: &'a Repository,
        /// What the base lists.
        base: &'a Listing,
        /// What the head lists.
        head: &'a Listing,
    },
}

impl<'a> Differing<'a> {
    /// Which files may differ between two sides; `places` holds the tracked ones that do, where the head is a working tree.
    pub(crate) const fn between(
        base: &'a ReadFrom<'a>,
        head: &'a ReadFrom<'a>,
        places: Option<&'a BTreeSet<String>>,
    ) -> Self {
        match (base, head, places) {
            (
                ReadFrom::Git {
                    repository,
                    listing: base,
                },
                ReadFrom::Git { listing: head, .. },
                _,
            ) => Self::Objects {
                repository,
                base,
                head,
            },
            (
                ReadFrom::Git {
                    repository,
                    listing: base,
                },
                _,
                Some(places),
            ) => Self::Places {
                repository,
                base,
                places,
            },
            _ => Self::Any,
        }
    }

    /// Whether a file may differ.
    pub(super) fn holds(&self, place: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Places {
                repository,
                base,
                places,
            } => {
                places.contains(place)
                    || repository
                        .inside(place)
                        .is_none_or(|name| base.object(&name).is_none())
            }
            Self::Objects {
                repository,
                base,
                head,
            } => repository
                .inside(place)
                .is_some_and(|name| base.object(&name) != head.object(&name)),
        }
    }
}
