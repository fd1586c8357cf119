//! What nearly every check of CDI's webhooks uses.

pub(super) use super::review::{Cdi, Volume};
pub(super) use crate::field_path::FieldPath;
pub(super) use crate::release::cdi::CdiBehaviour;
pub(super) use crate::rules::admission::causes::Causes;
pub(super) use crate::yaml::Node;
