//! The two kinds of patterns that machine types are matched with: globs, and up to 1.5 regular expressions.

/// Whether the whole text fits a glob as Go's `filepath.Match` reads it. A malformed glob fits nothing.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    glob_from(&pattern, &text)
}

fn glob_from(pattern: &[char], text: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    match first {
        '*' => {
            let most = text.iter().take_while(|c| **c != '/').count();
            (0..=most).any(|taken| glob_from(rest, &text[taken..]))
        }
        '[' => {
            let Some((set, rest)) = class(rest) else {
                return false;
            };
            text.split_first()
                .is_some_and(|(c, tail)| *c != '/' && set.has(*c) && glob_from(rest, tail))
        }
        '?' => text
            .split_first()
            .is_some_and(|(c, tail)| *c != '/' && glob_from(rest, tail)),
        '\\' => rest.split_first().is_some_and(|(escaped, rest)| {
            text.split_first()
                .is_some_and(|(c, tail)| c == escaped && glob_from(rest, tail))
        }),
        plain => text
            .split_first()
            .is_some_and(|(c, tail)| c == plain && glob_from(rest, tail)),
    }
}

/// A set of characters: `[a-z_]`, `[^/]`.
#[derive(Debug)]
struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    fn has(&self, c: char) -> bool {
        self.negated
            != self
                .ranges
                .iter()
                .any(|(low, high)| (*low..=*high).contains(&c))
    }
}

/// Reads a set after its `[`; gives what follows its `]`.
fn class(mut pattern: &[char]) -> Option<(Set, &[char])> {
    let negated = pattern.first() == Some(&'^');
    if negated {
        pattern = &pattern[1..];
    }
    let mut ranges = Vec::new();
    loop {
        let (first, rest) = pattern.split_first()?;
        if *first == ']' && !ranges.is_empty() {
            return Some((Set { negated, ranges }, rest));
        }
        let (low, rest) = if *first == '\\' {
            rest.split_first()?
        } else {
            (first, rest)
        };
        if let ['-', high, after @ ..] = rest
            && *high != ']'
        {
            ranges.push((*low, *high));
            pattern = after;
        } else {
            ranges.push((*low, *low));
            pattern = rest;
        }
    }
}

/// Whether a regular expression fits anywhere in the text. Knows what machine types are written with: characters, `.`,
/// sets, `*`, `+`, `?`, `^`, `$`, escapes and alternatives; anything else fits nothing.
pub(super) fn regex(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    pattern.split('|').any(|pattern| {
        let pattern: Vec<char> = pattern.chars().collect();
        let (anchored, pattern) = match pattern.split_first() {
            Some(('^', rest)) => (true, rest),
            _ => (false, pattern.as_slice()),
        };
        let starts = if anchored { 0 } else { text.len() };
        (0..=starts).any(|start| regex_from(pattern, &text[start..]))
    })
}

fn regex_from(pattern: &[char], text: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    if *first == '$' && rest.is_empty() {
        return text.is_empty();
    }
    let (set, rest) = match first {
        '.' => (
            Set {
                negated: true,
                ranges: vec![('\n', '\n')],
            },
            rest,
        ),
        '[' => match class(rest) {
            Some(read) => read,
            None => return false,
        },
        '\\' => match rest.split_first() {
            Some((escaped, rest)) => (
                Set {
                    negated: false,
                    ranges: vec![(*escaped, *escaped)],
                },
                rest,
            ),
            None => return false,
        },
        '(' | ')' | '{' | '*' | '+' | '?' => return false,
        plain => (
            Set {
                negated: false,
                ranges: vec![(*plain, *plain)],
            },
            rest,
        ),
    };
    let fitting = text.iter().take_while(|c| set.has(**c)).count();
    let (least, most, rest) = match rest.split_first() {
        Some(('*', rest)) => (0, fitting, rest),
        Some(('+', rest)) => (1, fitting, rest),
        Some(('?', rest)) => (0, fitting.min(1), rest),
        _ => (1, fitting.min(1), rest),
    };
    (least..=most).any(|taken| regex_from(rest, &text[taken..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_the_whole_name() {
        for (pattern, text, fits) in [
            ("q35*", "q35", true),
            ("q35*", "foo-q35", false),
            ("pc-q35*", "pc-q35-rhel9.4.0", true),
            ("pc-q3?", "pc-q35", true),
            ("pc-[a-q]35", "pc-q35", true),
            ("pc-[^a-q]35", "pc-q35", false),
            ("a*b", "a/b", false),
            ("\\*", "*", true),
            ("[", "[", false),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn regular_expressions_fit_anywhere() {
        for (pattern, text, fits) in [
            ("q35*", "foo-q35", true),
            ("q35*", "pc-q3-old", true),
            ("^q35*$", "foo-q35", false),
            ("pc-q35-.*", "pc-q35-9.0", true),
            ("s390-ccw-virtio*", "pc-q35-9.0", false),
            ("a+b?c", "aac", true),
            ("virt|pc", "pc", true),
            ("(a)", "a", false),
        ] {
            assert_eq!(regex(pattern, text), fits, "{pattern} {text}");
        }
    }
}
