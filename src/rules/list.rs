//! The one list of rules, by family and then by id.

use super::Rule;
use super::deprecation;

/// Every rule.
pub static ALL: &[&Rule] = &[&deprecation::deprecated_running::RULE];
