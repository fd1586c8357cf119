//! What a scalar means to kubectl: YAML 1.1 as go-yaml resolves it, then JSON as Kubernetes reads it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use regex::Regex;
use smol_str::SmolStr;

use super::Value;
use super::problem::YamlProblem;

const PREFIX: &str = "tag:yaml.org,2002:";

/// A scalar read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(SmolStr),
}

impl Scalar {
    /// The value as JSON holds it: a float without a fraction is an integer.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::UInt(value) => Value::UInt(value),
            Self::Float(value) => json_number(value),
            Self::Text(text) => Value::String(text),
        }
    }
}

/// Go writes a float with the fewest digits, without an exponent below 1e21, and reads it back as what it then looks like.
fn json_number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e21 {
        let text = format!("{value}");
        if let Ok(value) = text.parse() {
            return Value::Int(value);
        }
        if let Ok(value) = text.parse() {
            return Value::UInt(value);
        }
    }
    Value::Float(value)
}

/// Reads a scalar. `plain` is unquoted text without a tag; `tag` is the full tag.
pub(super) fn resolve(text: &str, plain: bool, tag: Option<&str>) -> Result<Scalar, YamlProblem> {
    let tag = tag.unwrap_or_default();
    if tag.is_empty() {
        return Ok(if plain {
            untagged(text)
        } else {
            Scalar::Text(text.into())
        });
    }
    let Some(short) = tag.strip_prefix(PREFIX) else {
        return Ok(Scalar::Text(text.into()));
    };
    match (short, untagged(text)) {
        ("binary", _) => binary(text).map(Scalar::Text),
        ("bool", value @ Scalar::Bool(_))
        | ("int", value @ (Scalar::Int(_) | Scalar::UInt(_)))
        | ("float", value @ Scalar::Float(_))
        | ("null", value @ Scalar::Null) => Ok(value),
        #[allow(clippy::cast_precision_loss, reason = "as Go converts it")]
        ("float", Scalar::Int(value)) => Ok(Scalar::Float(value as f64)),
        ("timestamp", Scalar::Text(text)) if is_timestamp(&text) => Ok(Scalar::Text(text)),
        ("bool" | "int" | "float" | "null" | "timestamp", _) => Err(YamlProblem::TagDoesNotFit),
        _ => Ok(Scalar::Text(text.into())),
    }
}

fn untagged(text: &str) -> Scalar {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    let value = match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => word(text).or_else(|| point_float(text).map(Scalar::Float)),
        b'+' | b'-' => word(text).or_else(|| number(text)),
        b'0'..=b'9' => number(text),
        _ => None,
    };
    value.unwrap_or_else(|| Scalar::Text(text.into()))
}

fn word(text: &str) -> Option<Scalar> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn number(text: &str) -> Option<Scalar> {
    let bytes = text.as_bytes();
    // Quantities, dates, addresses and names that begin with a digit are most of what comes here.
    if bytes
        .iter()
        .any(|byte| !(byte.is_ascii_hexdigit() || b"+-._xXoO".contains(byte)))
    {
        return None;
    }
    let removed;
    let plain = if text.contains('_') {
        removed = text.replace('_', "");
        removed.as_str()
    } else {
        text
    };
    go_int(plain)
        .or_else(|| decimal_float(plain).map(Scalar::Float))
        .or_else(|| {
            let digits = plain.strip_prefix("0b")?;
            let (negative, digits) = sign(digits);
            (digits.len() + 2 < plain.len()).then(|| from_radix(digits, 2, negative))?
        })
}

/// Whether unquoted text is a number to some reader, even one out of range for ours.
pub(super) fn looks_like_number(text: &str) -> bool {
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return false;
    }
    let plain = text.replace(['_', ','], "");
    let (_, digits) = sign(&plain);
    let of_radix = |prefix: &str, radix| {
        digits
            .to_ascii_lowercase()
            .strip_prefix(prefix)
            .is_some_and(|digits| {
                digits
                    .chars()
                    .all(|digit| digit.is_digit(radix) || digit == '-')
            })
    };
    is_decimal_float(&plain)
        || of_radix("0x", 16)
        || of_radix("0o", 8)
        || of_radix("0b", 2)
        || !matches!(untagged(text), Scalar::Text(_))
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Go's `strconv.ParseInt` and `ParseUint` with base 0.
fn go_int(text: &str) -> Option<Scalar> {
    let (negative, digits) = sign(text);
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (digits, radix) = match lower.as_deref() {
        Some("0x") => (&digits[2..], 16),
        Some("0o") => (&digits[2..], 8),
        Some("0b") => (&digits[2..], 2),
        Some(_) if digits.starts_with('0') => (&digits[1..], 8),
        _ => (digits, 10),
    };
    match from_radix(digits, radix, negative) {
        // Only the signed reader takes a sign.
        Some(Scalar::UInt(_)) if text.starts_with('+') => None,
        value => value,
    }
}

fn from_radix(digits: &str, radix: u32, negative: bool) -> Option<Scalar> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    if negative {
        return 0_i64.checked_sub_unsigned(value).map(Scalar::Int);
    }
    Some(i64::try_from(value).map_or(Scalar::UInt(value), Scalar::Int))
}

/// A decimal number in range.
fn decimal_float(text: &str) -> Option<f64> {
    is_decimal_float(text)
        .then(|| text.parse().ok())?
        .filter(|value: &f64| value.is_finite())
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_decimal_float(text: &str) -> bool {
    let (_, rest) = sign(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(rest);
    let mut rest = &rest[whole..];
    if let Some(tail) = rest.strip_prefix('.') {
        let fraction = digits(tail);
        if whole + fraction == 0 {
            return false;
        }
        rest = &tail[fraction..];
    } else if whole == 0 {
        return false;
    }
    if let Some(tail) = rest.strip_prefix(['e', 'E']) {
        let (_, tail) = sign(tail);
        let exponent = digits(tail);
        if exponent == 0 {
            return false;
        }
        rest = &tail[exponent..];
    }
    rest.is_empty()
}

/// Text that begins with a point; Go's own float reader allows `_` between digits there.
fn point_float(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return decimal_float(text);
    }
    let bytes = text.as_bytes();
    let between_digits = bytes.iter().enumerate().all(|(at, byte)| {
        *byte != b'_'
            || at > 0
                && bytes[at - 1].is_ascii_digit()
                && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    });
    between_digits.then(|| decimal_float(&text.replace('_', "")))?
}

/// What Go's standard base64 reads: line ends do not count, padding is required, loose trailing bits are allowed.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    const GO: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let packed: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    GO.decode(packed).ok()
}

/// The text of base64; bytes that are not UTF-8 become replacement characters.
fn binary(text: &str) -> Result<SmolStr, YamlProblem> {
    let bytes = decode_base64(text).ok_or(YamlProblem::NotBase64)?;
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Ok(out.into())
}

/// `2024-1-2`, with a time after `T`, `t` (and a zone) or a space (without one).
fn is_timestamp(text: &str) -> bool {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        let date = "[0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])";
        let time = r"([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](\.[0-9]+)?";
        let zone = "(Z|[+-]([01]?[0-9]|2[0-4]):([0-5]?[0-9]|60))";
        Regex::new(&format!("^{date}([Tt]{time}{zone}| {time})?$")).expect("the form is valid")
    });
    FORM.is_match(text)
}

/// A float key's text: Go's `FormatFloat(key, 'g', -1, 32)`.
pub(super) fn float_key(value: f64) -> SmolStr {
    #[allow(clippy::cast_possible_truncation, reason = "as Go writes such a key")]
    let value = value as f32;
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if value != 0.0 && !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs()).into();
    }
    format!("{value}").into()
}
