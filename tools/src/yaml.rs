//! YAML into typed values.

use serde::de::DeserializeOwned;

/// Reads one document.
pub fn one<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    Ok(serde_saphyr::from_str_with_options(text, options())?)
}

/// Reads every document of a stream.
pub fn all<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    Ok(serde_saphyr::from_multiple_with_options(text, options())?)
}

/// What a release ships is large and trusted: no limit on its size.
fn options() -> serde_saphyr::Options {
    serde_saphyr::options! { budget: None }
}
