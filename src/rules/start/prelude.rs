//! What nearly every check of the start uses.

pub(super) use crate::field_path::FieldPath;
pub(super) use crate::release::Behaviour;
pub(super) use crate::rules::admission::causes::Causes;
pub(super) use crate::rules::admission::guest::{AdmittedGuest, named};
pub(super) use crate::rules::admission::names;
pub(super) use crate::yaml::Node;
