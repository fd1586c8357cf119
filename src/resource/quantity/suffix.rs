//! The parts of a quantity's text and the suffixes of each family.

use super::QuantityFormat;

const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// A quantity's text, cut.
pub(super) struct Parts<'a> {
    pub(super) negative: bool,
    /// Sign, digits and point as written.
    pub(super) number: &'a str,
    /// Digits before the point without leading zeros, `0` if there are none.
    pub(super) whole: &'a str,
    /// Digits behind the point.
    pub(super) fraction: &'a str,
    pub(super) suffix: &'a str,
}

/// Cuts a text into sign, digits and suffix; `None` where something else follows.
pub(super) fn split(text: &str) -> Option<Parts<'_>> {
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let significant = unsigned.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Parts {
            negative,
            number: "0",
            whole: "0",
            fraction: "",
            suffix: "",
        });
    }
    let (whole, rest) = digits(significant);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    let number = &text[..text.len() - rest.len()];
    let letters = rest.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let power = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    if !digits(power).1.is_empty() {
        return None;
    }
    Some(Parts {
        negative,
        number,
        whole: if whole.is_empty() { "0" } else { whole },
        fraction,
        suffix: rest,
    })
}

fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The exponent (of two for the binary family, of ten for the others) and family of a suffix.
pub(super) fn interpret(suffix: &str) -> Option<(i32, QuantityFormat)> {
    let position = |list: &[&str]| {
        list.iter()
            .position(|known| *known == suffix)
            .and_then(|at| i32::try_from(at).ok())
    };
    if let Some(at) = position(&DECIMAL) {
        return Some(((at - 3) * 3, QuantityFormat::DecimalSI));
    }
    if let Some(at) = position(&BINARY) {
        return Some((at * 10, QuantityFormat::BinarySI));
    }
    let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "Kubernetes keeps 32 bits of the exponent"
    )]
    Some((exponent as i32, QuantityFormat::DecimalExponent))
}

/// The suffix of `1024^exponent`; none where there is no such suffix.
pub(super) fn binary(exponent: i32) -> &'static str {
    usize::try_from(exponent)
        .ok()
        .and_then(|at| BINARY.get(at))
        .copied()
        .unwrap_or_default()
}

/// The suffix of `10^exponent`; none where there is no such suffix.
pub(super) fn decimal(exponent: i32) -> &'static str {
    usize::try_from(i64::from(exponent) / 3 + 3)
        .ok()
        .and_then(|at| DECIMAL.get(at))
        .copied()
        .unwrap_or_default()
}
