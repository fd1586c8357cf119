//! Reads cron expressions as CDI does: robfig's `ParseStandard`.

use std::sync::LazyLock;

use regex::Regex;

/// A field of an expression: its least and greatest value, and their names.
type Bounds = (u32, u32, &'static [&'static str]);

const NONE: &[&str] = &[];
const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Minute, hour, day of the month, month, day of the week.
const FIELDS: [Bounds; 5] = [
    (0, 59, NONE),
    (0, 23, NONE),
    (1, 31, NONE),
    (1, 12, MONTHS),
    (0, 6, DAYS),
];

const DESCRIPTORS: [&str; 7] = [
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
];

/// What Go's `ParseDuration` takes.
static DURATION: LazyLock<Regex> = LazyLock::new(|| {
    let unit = r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)";
    Regex::new(&format!("^[-+]?(0|({unit})+)$")).expect("the expression is whole")
});

/// Whether CDI takes the expression. The name of a time zone is not looked up.
///
/// Mirrors `Parse`, github.com/robfig/cron/v3/parser.go.
pub(super) fn is_standard(text: &str) -> bool {
    let zoned = ["TZ=", "CRON_TZ="]
        .into_iter()
        .find_map(|zone| text.strip_prefix(zone));
    let text = match zoned {
        // Without a space after the zone robfig's code crashes.
        Some(zoned) => match zoned.split_once(' ') {
            Some((_, rest)) => rest.trim(),
            None => return false,
        },
        None => text,
    };
    if text.starts_with('@') {
        return match text.strip_prefix("@every ") {
            Some(duration) => DURATION.is_match(duration),
            None => DESCRIPTORS.contains(&text),
        };
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    fields.len() == FIELDS.len()
        && fields
            .iter()
            .zip(FIELDS)
            .all(|(field, bounds)| is_field(field, bounds))
}

fn is_field(text: &str, bounds: Bounds) -> bool {
    text.split(',')
        .filter(|part| !part.is_empty())
        .all(|part| is_range(part, bounds).unwrap_or_default())
}

/// Mirrors `getRange`; `None` where a number cannot be read.
fn is_range(text: &str, (least, most, names): Bounds) -> Option<bool> {
    let number = |text: &str| {
        let text = text.to_lowercase();
        let at = names.iter().position(|word| **word == text);
        match at {
            Some(at) => u32::try_from(at).ok().map(|at| at + least),
            None => whole(&text),
        }
    };
    let (range, step) = match text.split_once('/') {
        Some((_, step)) if step.contains('/') => return Some(false),
        Some((range, step)) => (range, Some(whole(step)?)),
        None => (text, None),
    };
    let (low, high) = match range.split_once('-') {
        Some((low, high)) => (low, Some(high)),
        None => (range, None),
    };
    let (from, to) = if matches!(low, "*" | "?") {
        (least, most)
    } else {
        match high {
            Some(high) if high.contains('-') => return Some(false),
            Some(high) => (number(low)?, number(high)?),
            None if step.is_some() => (number(low)?, most),
            None => (number(low)?, number(low)?),
        }
    };
    Some(from >= least && to <= most && from <= to && step != Some(0))
}

/// A whole number that is not negative, as Go's `Atoi` reads it.
fn whole(text: &str) -> Option<u32> {
    text.strip_prefix(['+', '-']).map_or_else(
        || text.parse().ok(),
        |digits| {
            let number: u32 = digits
                .bytes()
                .all(|digit| digit.is_ascii_digit())
                .then(|| digits.parse().ok())??;
            (number == 0 || text.starts_with('+')).then_some(number)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_fields_within_their_bounds() {
        for fine in [
            "0 3 * * *",
            "*/15 0-6 1,15 jan-MAR Sun",
            "5/10 * ? * 0",
            "59 23 31 12 6",
            "  0   3 * * * ",
            "@daily",
            "@every 1h30m",
            "CRON_TZ=Europe/Berlin 0 3 * * *",
            ", * * * *",
        ] {
            assert!(is_standard(fine), "{fine}");
        }
        for wrong in [
            "",
            "every night",
            "0 3 * *",
            "0 0 3 * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * 32 * *",
            "* * * 13 *",
            "* * * * 7",
            "6-5 * * * *",
            "*/0 * * * *",
            "1/2/3 * * * *",
            "1-2-3 * * * *",
            "-1 * * * *",
            "a * * * *",
            "@fortnightly",
            "@every soon",
            "TZ=UTC",
        ] {
            assert!(!is_standard(wrong), "{wrong}");
        }
    }
}
