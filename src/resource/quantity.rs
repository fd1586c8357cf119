//! Kubernetes quantities: parsing, canonical text, comparison and arithmetic.

mod decimal;
mod suffix;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use smol_str::{SmolStr, format_smolstr};

use self::decimal::Decimal;
use crate::yaml::{Node, Value};

/// Digits a 64-bit integer always has room for.
const SAFE_DIGITS: usize = 18;

/// The smallest decimal place a quantity keeps.
const NANO: i32 = -9;

/// The family of suffixes a quantity is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuantityFormat {
    /// `12Mi`: powers of 1024.
    BinarySI,
    /// `12M`: powers of 1000.
    DecimalSI,
    /// `12e6`.
    DecimalExponent,
}

/// The text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Not a number followed by a suffix.
    #[error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    Form,
    /// The number cannot be read.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// No such suffix.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// An amount with the suffix family it is written in.
///
/// Equality and order are those of the amount; the text may differ (`1Gi` equals `1024Mi`).
#[derive(Clone, Debug)]
pub struct Quantity {
    amount: Amount,
    format: QuantityFormat,
    /// The text as given, where Kubernetes writes it back untouched.
    text: Option<SmolStr>,
}

#[derive(Clone, Debug)]
enum Amount {
    /// `value × 10^scale`.
    Small { value: i64, scale: i32 },
    /// Anything else.
    Big(Decimal),
}

impl Quantity {
    /// Reads a quantity as Kubernetes does, without trimming.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        if text.is_empty() {
            return Err(ParseError::Form);
        }
        if text == "0" {
            return Ok(Self {
                text: Some(text.into()),
                ..Self::from_value(0, QuantityFormat::DecimalSI)
            });
        }
        let parts = suffix::split(text).ok_or(ParseError::Form)?;
        let (exponent, format) = suffix::interpret(parts.suffix).ok_or(ParseError::Suffix)?;
        match Self::parse_small(text, &parts, exponent, format) {
            Some(quantity) => Ok(quantity),
            None => Self::parse_big(parts.number, exponent, format),
        }
    }

    /// Reads a quantity as it is written in an object: spaces around it do not count. A tab or a line break does, for it is
    /// escaped in the JSON that Kubernetes trims.
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let escaped =
            |letter: char| letter.is_ascii_control() || "\u{2028}\u{2029}".contains(letter);
        Self::parse(text.trim_matches(|letter: char| letter.is_whitespace() && !escaped(letter)))
    }

    /// The number in 64 bits, where its length says beforehand that it fits.
    fn parse_small(
        text: &str,
        parts: &suffix::Parts<'_>,
        exponent: i32,
        format: QuantityFormat,
    ) -> Option<Self> {
        let (mantissa, scale) = if format == QuantityFormat::BinarySI {
            // 2^10 takes three decimal digits, 2^20 six, and so on.
            let room = 14_usize.checked_sub(usize::try_from(exponent / 10 * 3).ok()?)?;
            if !parts.fraction.is_empty() || parts.whole.len() > room {
                return None;
            }
            (1_i64 << exponent, 0)
        } else {
            if parts.whole.len() + parts.fraction.len() > SAFE_DIGITS {
                return None;
            }
            (1, exponent)
        };
        let scale = scale.wrapping_sub(i32::try_from(parts.fraction.len()).ok()?);
        if scale < NANO {
            return None;
        }
        let digits = format!("{}{}", parts.whole, parts.fraction);
        let number: i64 = digits.parse().ok()?;
        let value = number.checked_mul(mantissa)?;
        let verbatim = if format == QuantityFormat::BinarySI {
            number & 7 != 0
        } else {
            scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
        };
        Some(Self {
            amount: Amount::Small {
                value: if parts.negative { -value } else { value },
                scale,
            },
            format,
            text: verbatim.then(|| text.into()),
        })
    }

    fn parse_big(number: &str, exponent: i32, format: QuantityFormat) -> Result<Self, ParseError> {
        let mut amount = Decimal::parse(number).ok_or(ParseError::Number)?;
        if format == QuantityFormat::BinarySI {
            amount.multiply(1 << exponent);
        } else {
            amount.shift(exponent);
        }
        let negative = amount.sign() < 0;
        let mut amount = amount.abs();
        let mut format = format;
        if !amount.is_zero() {
            amount = amount.round(-NANO).0;
        }
        if format == QuantityFormat::BinarySI {
            let most = Decimal::from_i64(i64::MAX, 0);
            if amount.compare(&most) == Ordering::Greater {
                amount = most;
            }
            if !amount.is_zero() && amount.compare(&Decimal::from_i64(1, 0)) == Ordering::Less {
                format = QuantityFormat::DecimalSI;
            }
        }
        if negative {
            amount.negate();
        }
        Ok(Self {
            amount: Amount::Big(amount),
            format,
            text: None,
        })
    }

    /// The quantity of an integer.
    pub const fn from_value(value: i64, format: QuantityFormat) -> Self {
        Self {
            amount: Amount::Small { value, scale: 0 },
            format,
            text: None,
        }
    }

    /// The quantity a node holds, as text or number; `None` where it holds none.
    pub fn from_node(node: &Node) -> Option<Self> {
        match node.as_str() {
            Some(text) => Self::read(text).ok(),
            None => node
                .as_i64()
                .map(|value| Self::from_value(value, QuantityFormat::DecimalSI)),
        }
    }

    /// The suffix family it is written in.
    pub const fn format(&self) -> QuantityFormat {
        self.format
    }

    /// Whether the amount is nothing.
    pub const fn is_zero(&self) -> bool {
        self.sign() == 0
    }

    /// -1, 0 or 1.
    pub const fn sign(&self) -> i32 {
        match &self.amount {
            Amount::Small { value, .. } => value.signum() as i32,
            Amount::Big(decimal) => decimal.sign(),
        }
    }

    /// The amount as an integer, rounded up; beyond 64 bits it wraps as in Kubernetes.
    pub fn value(&self) -> i64 {
        self.scaled_value(0)
    }

    /// The amount in thousandths, rounded up; beyond 64 bits it wraps as in Kubernetes.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(-3)
    }

    fn scaled_value(&self, to: i32) -> i64 {
        match &self.amount {
            Amount::Small { value, scale } if *scale < to => {
                shrink(*value, to.wrapping_sub(*scale)).0
            }
            Amount::Small { value, scale } => grow(*value, scale.wrapping_sub(to)).0,
            Amount::Big(decimal) => scaled_big(decimal, -to),
        }
    }

    fn decimal(&self) -> Decimal {
        match &self.amount {
            Amount::Small { value, scale } => Decimal::from_i64(*value, scale.wrapping_neg()),
            Amount::Big(decimal) => decimal.clone(),
        }
    }

    /// The sum. A zero on the left takes the other's format.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let format = if self.is_zero() {
            other.format
        } else {
            self.format
        };
        let small = match (&self.amount, &other.amount) {
            (
                Amount::Small { value, scale },
                Amount::Small {
                    value: more,
                    scale: at,
                },
            ) => add_small((*value, *scale), (*more, *at)),
            _ => None,
        };
        let amount = match small {
            Some((value, scale)) => Amount::Small { value, scale },
            None => Amount::Big(self.decimal().add(&other.decimal())),
        };
        Self {
            amount,
            format,
            text: None,
        }
    }

    /// The difference. A zero on the left takes the other's format.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// The amount with the other sign.
    #[must_use]
    pub(crate) fn neg(&self) -> Self {
        let amount = match &self.amount {
            Amount::Small { value, scale } => Amount::Small {
                value: value.wrapping_neg(),
                scale: *scale,
            },
            Amount::Big(decimal) => {
                let mut decimal = decimal.clone();
                decimal.negate();
                Amount::Big(decimal)
            }
        };
        Self {
            amount,
            format: self.format,
            text: None,
        }
    }

    fn canonical(&self) -> SmolStr {
        if self.is_zero() {
            return "0".into();
        }
        let decimal = self.decimal();
        let mut format = self.format;
        if format == QuantityFormat::BinarySI {
            let small =
                decimal.clone().abs().compare(&Decimal::from_i64(1024, 0)) == Ordering::Less;
            if small || !decimal.round(0).1 {
                format = QuantityFormat::DecimalSI;
            }
        }
        if format == QuantityFormat::BinarySI {
            let (number, exponent) = decimal.canonical_1024();
            format_smolstr!("{number}{}", suffix::binary(exponent))
        } else {
            let (number, exponent) = decimal.canonical();
            match format {
                QuantityFormat::DecimalExponent if exponent != 0 => {
                    format_smolstr!("{number}e{exponent}")
                }
                QuantityFormat::DecimalExponent => number.into(),
                _ => format_smolstr!("{number}{}", suffix::decimal(exponent)),
            }
        }
    }
}

impl fmt::Display for Quantity {
    /// The text Kubernetes writes: as it was given where that is canonical enough, else the canonical one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => f.write_str(text),
            None => f.write_str(&self.canonical()),
        }
    }
}

impl FromStr for Quantity {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.decimal().compare(&other.decimal())
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

/// The text of a YAML value in a field that holds a quantity; `None` where it is neither text nor a number.
pub fn text(value: &Value) -> Option<SmolStr> {
    Some(match value {
        Value::String(text) => text.clone(),
        Value::Int(value) => format_smolstr!("{value}"),
        Value::UInt(value) => format_smolstr!("{value}"),
        // Go's JSON has an exponent for the very large and very small, and the quantity keeps its form.
        Value::Float(value) if *value != 0.0 && !(1e-6..1e21).contains(&value.abs()) => {
            let text = format!("{value:e}");
            if value.abs() < 1.0 {
                text.into()
            } else {
                text.replace('e', "e+").into()
            }
        }
        Value::Float(value) => format_smolstr!("{value}"),
        _ => return None,
    })
}

/// The text Kubernetes writes back for a quantity it reads; `None` where it is not a quantity.
pub fn reread(text: &str) -> Option<SmolStr> {
    Quantity::read(text).ok().map(|quantity| {
        quantity
            .text
            .clone()
            .unwrap_or_else(|| quantity.canonical())
    })
}

/// Whether two texts are quantities of the same amount.
pub fn same_value(a: &str, b: &str) -> bool {
    match (Quantity::read(a), Quantity::read(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// `value × 10^by`, and whether that fits. Where it does not, short distances wrap and long ones give zero.
fn grow(value: i64, by: i32) -> (i64, bool) {
    if matches!(by, 0..=3 | 6 | 9) {
        let factor = 10_i64.pow(by.unsigned_abs());
        return (
            value.wrapping_mul(factor),
            value.checked_mul(factor).is_some(),
        );
    }
    let mut grown = value;
    for _ in 0..by {
        if grown == 0 {
            break;
        }
        match grown.checked_mul(10) {
            Some(next) => grown = next,
            None => return (0, false),
        }
    }
    (grown, true)
}

/// `value ÷ 10^by` rounded away from zero, and whether that was exact.
fn shrink(value: i64, by: i32) -> (i64, bool) {
    let mut shrunk = value;
    let mut fraction = false;
    for _ in 0..by {
        if shrunk == 0 {
            break;
        }
        fraction |= shrunk % 10 != 0;
        shrunk /= 10;
    }
    if fraction {
        shrunk += value.signum();
    }
    (shrunk, !fraction)
}

fn add_small(a: (i64, i32), b: (i64, i32)) -> Option<(i64, i32)> {
    if b.0 == 0 {
        return Some(a);
    }
    if a.0 == 0 {
        return Some(b);
    }
    let (upper, lower) = if a.1 >= b.1 { (a, b) } else { (b, a) };
    let (grown, fits) = grow(upper.0, upper.1.checked_sub(lower.1)?);
    if !fits {
        return None;
    }
    Some((grown.checked_add(lower.0)?, lower.1))
}

/// Kubernetes' integer of a big amount at a number of decimal places, with its wrapping.
fn scaled_big(decimal: &Decimal, places: i32) -> i64 {
    let dropped = i64::from(decimal.scale()) - i64::from(places);
    let unscaled = decimal.unscaled_i64();
    if dropped <= 0 {
        let factor = u32::try_from(-dropped)
            .ok()
            .and_then(|by| 10_i64.checked_pow(by))
            .unwrap_or(i64::MIN);
        return unscaled.wrapping_mul(factor);
    }
    if dropped < 19 && decimal.unscaled_below_max() {
        let divisor = 10_i64.pow(u32::try_from(dropped).unwrap_or_default());
        return unscaled / divisor + i64::from(unscaled % divisor != 0);
    }
    let (floor, fraction) = decimal.floor_at(places);
    floor.wrapping_add(i64::from(fraction))
}
