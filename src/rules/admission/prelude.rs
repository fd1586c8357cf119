//! What nearly every check of the webhooks uses.

pub(super) use super::causes::Causes;
pub(super) use super::guest::{AdmittedGuest, Item, against, amount, count, named, switched_on};
pub(super) use super::names;
pub(super) use crate::field_path::FieldPath;
pub(super) use crate::release::Behaviour;
pub(super) use crate::yaml::Node;
