//! Points in time, as Go reads them.

/// Whether this is a point in time by RFC 3339, as Go's `time.Parse` takes it: `2024-02-29T12:00:00.5Z`.
pub(super) fn is_rfc3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = bytes.get(from..to)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        text.get(from..to)?.parse().ok()
    };
    let mark = |at: usize, mark: u8| bytes.get(at) == Some(&mark);
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (number(11, 13), number(14, 16), number(17, 19))
    else {
        return false;
    };
    let marks =
        mark(4, b'-') && mark(7, b'-') && mark(10, b'T') && mark(13, b':') && mark(16, b':');
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    if !marks || !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return false;
    }
    let mut zone = 19;
    if mark(zone, b'.') || mark(zone, b',') {
        let digits = bytes[zone + 1..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        let count = digits.count();
        if count == 0 {
            return false;
        }
        zone += 1 + count;
    }
    let offset = || {
        (mark(zone, b'+') || mark(zone, b'-'))
            && mark(zone + 3, b':')
            && bytes.len() == zone + 6
            && number(zone + 1, zone + 3).is_some_and(|hours| hours <= 24)
            && number(zone + 4, zone + 6).is_some_and(|minutes| minutes < 60)
    };
    &bytes[zone.min(bytes.len())..] == b"Z" || offset()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_takes_for_a_time() {
        for text in [
            "2024-02-29T12:00:00Z",
            "2024-12-31T23:59:59.123456789Z",
            "2024-01-01T00:00:00+02:00",
        ] {
            assert!(is_rfc3339(text), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2023-02-29T12:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+2:00",
            "2024-00-01T00:00:00Z",
        ] {
            assert!(!is_rfc3339(text), "{text}");
        }
    }
}
