//! Do stored revisions hold what is expected?

pub mod dangling_revision;
pub mod mislabelled_revision;
pub mod outdated_revision;
pub(in crate::rules) mod pin;
pub mod pinned_revision_differs;
pub mod revision_name_mismatch;
