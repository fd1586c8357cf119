//! Kubernetes quantities: parsing, canonical text, comparison and arithmetic.

use smol_str::SmolStr;

/// The text Kubernetes writes back for a quantity it reads; `None` where it is no quantity.
pub fn reread(text: &str) -> Option<SmolStr> {
    let text = text.trim();
    text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        .then(|| text.into())
}
