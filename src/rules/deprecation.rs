//! What is on its way out.

pub mod deprecated_api_version;
pub mod deprecated_running;
pub mod removed_api_version;
pub mod removed_field;
