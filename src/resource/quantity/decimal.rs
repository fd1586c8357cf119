//! Decimal numbers of any length: what quantities beyond 64 bits are held in.

use std::cmp::Ordering;

/// More digits than this are never written out; an amount further away than that changes nothing anybody runs.
const MAX_DIGITS: i64 = 20_000;

/// `± digits × 10^-scale`, digits from the least significant, without leading zeros; no digits is zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    scale: i32,
}

impl Decimal {
    /// `value × 10^-scale`.
    pub(super) fn from_i64(value: i64, scale: i32) -> Self {
        let mut digits = Vec::with_capacity(20);
        let mut rest = value.unsigned_abs();
        while rest > 0 {
            digits.push((rest % 10) as u8);
            rest /= 10;
        }
        Self {
            negative: value < 0,
            digits,
            scale,
        }
    }

    /// Reads `-12.50`: a sign, digits, at most one point; at least one digit.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digit = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0');
        let mut digits = whole
            .bytes()
            .chain(fraction.bytes())
            .rev()
            .map(digit)
            .collect::<Option<Vec<_>>>()?;
        if digits.is_empty() {
            return None;
        }
        trim(&mut digits);
        let scale = i32::try_from(fraction.len()).ok()?;
        Some(Self {
            negative,
            digits,
            scale,
        })
    }

    pub(super) const fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) const fn sign(&self) -> i32 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(super) const fn scale(&self) -> i32 {
        self.scale
    }

    /// This number times `10^exponent`.
    pub(super) const fn shift(&mut self, exponent: i32) {
        self.scale = self.scale.wrapping_sub(exponent);
    }

    pub(super) const fn negate(&mut self) {
        self.negative = !self.negative;
    }

    pub(super) fn abs(mut self) -> Self {
        self.negative = false;
        self
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        let mut carry = 0_u128;
        for digit in &mut self.digits {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = (carry % 10) as u8;
            carry /= 10;
        }
        while carry > 0 {
            self.digits.push((carry % 10) as u8);
            carry /= 10;
        }
        trim(&mut self.digits);
    }

    /// This number at `scale` decimal places, rounded away from zero, and whether that was exact.
    pub(super) fn round(&self, scale: i32) -> (Self, bool) {
        let dropped = i64::from(self.scale) - i64::from(scale);
        if self.is_zero() {
            return (Self::from_i64(0, scale), true);
        }
        if dropped <= 0 {
            if -dropped > MAX_DIGITS {
                return (self.clone(), true);
            }
            return (self.at_scale(scale), true);
        }
        let kept = usize::try_from(dropped).map_or(self.digits.len(), |n| n.min(self.digits.len()));
        let exact = self.digits[..kept].iter().all(|digit| *digit == 0);
        let mut digits = self.digits[kept..].to_vec();
        if !exact {
            increment(&mut digits);
        }
        let rounded = Self {
            negative: self.negative,
            digits,
            scale,
        };
        (rounded, exact)
    }

    /// This number with zeros added up to a larger scale.
    fn at_scale(&self, scale: i32) -> Self {
        let added = usize::try_from(i64::from(scale) - i64::from(self.scale)).unwrap_or_default();
        let mut digits = vec![0; if self.is_zero() { 0 } else { added }];
        digits.extend_from_slice(&self.digits);
        Self {
            negative: self.negative,
            digits,
            scale,
        }
    }

    /// How many digits there are before the point (negative: zeros after it).
    fn magnitude(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX) - i64::from(self.scale)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs != Ordering::Equal || self.is_zero() {
            return signs;
        }
        let sizes = self.magnitude().cmp(&other.magnitude()).then_with(|| {
            let length = self.digits.len().max(other.digits.len());
            let padded = |decimal: &Self| {
                let mut digits: Vec<u8> = decimal.digits.iter().rev().copied().collect();
                digits.resize(length, 0);
                digits
            };
            padded(self).cmp(&padded(other))
        });
        if self.negative {
            sizes.reverse()
        } else {
            sizes
        }
    }

    /// The sum, at the larger of both scales.
    pub(super) fn add(&self, other: &Self) -> Self {
        let distance = (i64::from(self.scale) - i64::from(other.scale)).abs();
        if self.is_zero() || other.is_zero() || distance > MAX_DIGITS {
            let larger = if self.clone().abs().compare(&other.clone().abs()) == Ordering::Less {
                other
            } else {
                self
            };
            let scale = self.scale.max(other.scale);
            return larger.round(scale).0;
        }
        let scale = self.scale.max(other.scale);
        let (a, b) = (self.at_scale(scale), other.at_scale(scale));
        if a.negative == b.negative {
            return Self {
                negative: a.negative,
                digits: add_digits(&a.digits, &b.digits),
                scale,
            };
        }
        let (larger, smaller) = if a.clone().abs().compare(&b.clone().abs()) == Ordering::Less {
            (b, a)
        } else {
            (a, b)
        };
        Self {
            negative: larger.negative,
            digits: subtract_digits(&larger.digits, &smaller.digits),
            scale,
        }
    }

    /// The digits without the point, cut to 64 bits as two's complement.
    pub(super) fn unscaled_i64(&self) -> i64 {
        let size = self.digits.iter().rev().fold(0_u64, |value, digit| {
            value.wrapping_mul(10).wrapping_add(u64::from(*digit))
        });
        let size = size.cast_signed();
        if self.negative {
            size.wrapping_neg()
        } else {
            size
        }
    }

    /// Whether the digits without the point are less than the largest 64-bit integer.
    pub(super) fn unscaled_below_max(&self) -> bool {
        let unscaled = Self {
            scale: 0,
            ..self.clone()
        };
        unscaled.compare(&Self::from_i64(i64::MAX, 0)) == Ordering::Less
    }

    /// The largest integer not above this number, cut to 64 bits, with whether there was a fraction.
    pub(super) fn floor_at(&self, scale: i32) -> (i64, bool) {
        let (away, exact) = self.round(scale);
        if exact || self.negative {
            return (away.unscaled_i64(), !exact);
        }
        (away.unscaled_i64().wrapping_sub(1), true)
    }

    /// Mantissa and exponent of ten, the exponent a multiple of three and as large as can be.
    pub(super) fn canonical(&self) -> (String, i32) {
        let mut digits = self.digits.clone();
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        let mut exponent = self
            .scale
            .wrapping_neg()
            .wrapping_add(i32::try_from(zeros).unwrap_or_default());
        while exponent % 3 != 0 {
            digits.insert(0, 0);
            exponent = exponent.wrapping_sub(1);
        }
        (self.text_of(&digits), exponent)
    }

    /// Mantissa and exponent of 1024 of the number rounded up to an integer, the exponent as large as can be.
    pub(super) fn canonical_1024(&self) -> (String, i32) {
        let (mut integer, _) = self.round(0);
        let mut exponent = 0;
        while !integer.is_zero() {
            let (quotient, remainder) = integer.divide(1024);
            if remainder != 0 {
                break;
            }
            integer.digits = quotient;
            exponent += 1;
        }
        (self.text_of(&integer.digits), exponent)
    }

    fn divide(&self, divisor: u64) -> (Vec<u8>, u64) {
        let mut quotient = vec![0; self.digits.len()];
        let mut rest = 0_u64;
        for (at, digit) in self.digits.iter().enumerate().rev() {
            rest = rest * 10 + u64::from(*digit);
            quotient[at] = u8::try_from(rest / divisor).unwrap_or_default();
            rest %= divisor;
        }
        trim(&mut quotient);
        (quotient, rest)
    }

    fn text_of(&self, digits: &[u8]) -> String {
        let sign = if self.negative { "-" } else { "" };
        sign.chars()
            .chain(digits.iter().rev().map(|digit| char::from(b'0' + digit)))
            .collect()
    }
}

fn trim(digits: &mut Vec<u8>) {
    while digits.last() == Some(&0) {
        digits.pop();
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.push(1);
}

fn add_digits(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut sum = Vec::with_capacity(a.len().max(b.len()) + 1);
    for at in 0..a.len().max(b.len()) {
        let digit = a.get(at).unwrap_or(&0) + b.get(at).unwrap_or(&0) + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    if carry > 0 {
        sum.push(carry);
    }
    sum
}

/// `larger - smaller`.
fn subtract_digits(larger: &[u8], smaller: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let mut difference = Vec::with_capacity(larger.len());
    for (at, digit) in larger.iter().enumerate() {
        let taken = smaller.get(at).unwrap_or(&0) + borrow;
        borrow = u8::from(*digit < taken);
        difference.push(digit + 10 * borrow - taken);
    }
    trim(&mut difference);
    difference
}
