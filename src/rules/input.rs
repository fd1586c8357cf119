//! Can the sources be read, and does the API know what they say?

pub mod depends_on_configuration;
pub mod dropped_null;
pub mod duplicate_key;
pub mod duplicate_resource;
pub mod invalid_yaml;
pub mod missing_field;
pub mod not_utf8;
pub mod read;
pub mod schema;
pub mod templated_file;
pub mod unknown_field;
pub mod unsupported_field;
pub mod unused_ignore;
pub mod wrong_type;
