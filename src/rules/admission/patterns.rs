//! The two kinds of patterns that machine types are matched with: globs, and up to 1.5 regular expressions.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange, Visitor, visit};

/// Whether a regular expression fits anywhere in the text; `None` where it is none, on which KubeVirt's code crashes.
/// Mirrors `regexp.MustCompile(pattern).MatchString(text)`, Go 1.23: RE2's syntax, which `regex` has too, but for
/// [`GoRefuses`].
pub(super) fn regex(pattern: &str, text: &str) -> Option<bool> {
    let tree = Parser::new().parse(pattern).ok()?;
    visit(&tree, GoRefuses).ok()?;
    Some(regex::Regex::new(pattern).ok()?.is_match(text))
}

/// Fails at what `regex` reads and Go refuses: a repetition of a repetition (`a**`, `a+{2}`) and a count above 1000.
/// Mirrors `parser.repeat`, regexp/syntax/parse.go, Go 1.23.
struct GoRefuses;

impl Visitor for GoRefuses {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), ()> {
        let Ast::Repetition(repetition) = tree else {
            return Ok(());
        };
        let most = match &repetition.op.kind {
            RepetitionKind::Range(
                RepetitionRange::Exactly(most)
                | RepetitionRange::AtLeast(most)
                | RepetitionRange::Bounded(_, most),
            ) => *most,
            _ => 0,
        };
        if most > 1000 || matches!(*repetition.ast, Ast::Repetition(_)) {
            return Err(());
        }
        Ok(())
    }
}

/// Whether the whole text fits a glob. A malformed glob fits nothing. Mirrors `filepath.Match`, Go 1.23, which takes the
/// first place each part between stars fits and does not come back to it.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut pattern, mut text) = (&pattern[..], &text[..]);
    while !pattern.is_empty() {
        let star = pattern[0] == '*';
        while let ['*', rest @ ..] = pattern {
            pattern = rest;
        }
        let (part, rest) = pattern.split_at(next_star(pattern));
        pattern = rest;
        if star && part.is_empty() {
            return !text.contains(&'/');
        }
        let fits =
            |text| fit(part, text).filter(|left: &&[char]| left.is_empty() || !pattern.is_empty());
        let most = if star {
            text.iter().take_while(|c| **c != '/').count()
        } else {
            0
        };
        let Some(left) = (0..=most).find_map(|skipped| fits(&text[skipped..])) else {
            return false;
        };
        text = left;
    }
    text.is_empty()
}

/// Where the next star is that is neither escaped nor in a class.
fn next_star(pattern: &[char]) -> usize {
    let mut in_class = false;
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '*' if !in_class => return at,
            _ => {}
        }
        at += 1;
    }
    pattern.len()
}

/// What a part without stars leaves of a text that begins with it.
fn fit<'t>(mut part: &[char], mut text: &'t [char]) -> Option<&'t [char]> {
    while let Some((first, rest)) = part.split_first() {
        let (c, left) = text.split_first()?;
        part = match first {
            '[' => class(rest, *c)?,
            '?' if *c != '/' => rest,
            '\\' if rest.first() == Some(c) => &rest[1..],
            '?' | '\\' => return None,
            plain if plain == c => rest,
            _ => return None,
        };
        text = left;
    }
    Some(text)
}

/// What follows a class that has the character; `pattern` begins after its `[`. A class has a `/` too.
fn class(pattern: &[char], c: char) -> Option<&[char]> {
    let (negated, mut pattern) = match pattern {
        ['^', rest @ ..] => (true, rest),
        _ => (false, pattern),
    };
    let mut has = false;
    let mut ranges = 0;
    loop {
        if let [']', rest @ ..] = pattern
            && ranges > 0
        {
            return (has != negated).then_some(rest);
        }
        let (low, rest) = class_char(pattern)?;
        let (high, rest) = match rest {
            ['-', rest @ ..] => class_char(rest)?,
            _ => (low, rest),
        };
        has |= (low..=high).contains(&c);
        ranges += 1;
        pattern = rest;
    }
}

/// A character of a class, after which the class goes on.
fn class_char(pattern: &[char]) -> Option<(char, &[char])> {
    let (c, rest) = match pattern {
        [] | ['-' | ']', ..] => return None,
        ['\\', rest @ ..] => rest.split_first()?,
        [c, rest @ ..] => (c, rest),
    };
    (!rest.is_empty()).then_some((*c, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_those_of_go() {
        for (pattern, text, fits) in [
            ("q35*", "q35", true),
            ("q35*", "foo-q35", false),
            ("pc-q35*", "pc-q35-rhel9.4.0", true),
            ("pc-q3?", "pc-q35", true),
            ("pc-q3?", "pc-q3", false),
            ("pc-q3?", "pc-q351", false),
            ("*-q35-*", "pc-q35-9.0", true),
            ("*a*b", "xaxb", true),
            ("*ab", "abab", true),
            ("a*b", "a/b", false),
            ("a*", "a/b", false),
            ("a?b", "a/b", false),
            ("a[/]b", "a/b", true),
            ("a[^x]b", "a/b", true),
            ("*[a/]*b", "xa/b", false),
            ("pc-[a-q]35", "pc-q35", true),
            ("pc-[a-q]35", "pc-r35", false),
            ("pc-[^a-q]35", "pc-q35", false),
            ("[*]", "*", true),
            ("[\\]a]", "]", true),
            ("[a\\-c]", "-", true),
            ("[a\\-c]", "b", false),
            ("[a-\\c]", "b", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, text), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn a_malformed_glob_fits_nothing() {
        for (pattern, text) in [
            ("[", "["),
            ("[]a]", "]"),
            ("[-a]", "-"),
            ("[a-]", "a"),
            ("[a", "a"),
            ("[a-c", "b"),
            ("[^", "a"),
            ("a\\", "a\\"),
        ] {
            assert!(!glob(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn ck15_regular_expressions_are_those_of_go() {
        for (pattern, text, fits) in [
            ("^pc-(q35|i440fx)-.*$", "pc-q35-9.0", true),
            ("^pc-(q35|i440fx)-.*$", "pc-i440fx-rhel7.6.0", true),
            ("^pc-(q35|i440fx)-.*$", "pc-q36-9.0", false),
            ("^pc-(q35|i440fx)-.*$", "my-pc-q35-9.0", false),
            ("q35*", "foo-q35", true),
            ("q35*", "pc-q3-old", true),
            ("^q35*$", "foo-q35", false),
            ("s390-ccw-virtio*", "pc-q35-9.0", false),
            ("virt|pc", "pc", true),
            ("q[0-9]{2}", "pc-q35", true),
            ("(?i)Q35", "pc-q35", true),
            ("rhel\\d+\\.\\d", "pc-q35-rhel9.4.0", true),
            ("[[:digit:]]$", "pc-q35", true),
            ("", "pc-q35", true),
        ] {
            assert_eq!(regex(pattern, text), Some(fits), "{pattern} {text}");
        }
        for pattern in ["*q35", "pc-(q35", "[z-a]", "a{2,1}", "q35\\"] {
            assert_eq!(regex(pattern, "pc-q35"), None, "{pattern}");
        }
    }

    /// As `regexp.Compile` of Go 1.23 answers.
    #[test]
    fn a_repetition_is_not_repeated() {
        for pattern in [
            "q**",
            "q++",
            "q*+",
            "q+*",
            "q?*",
            "q???",
            "q*??",
            "q{2}{3}",
            "q{2}*",
            "(pc)*+",
            "[q*]**",
            "pc|q**",
            "q{1001}",
            "q{1001,}",
            "q{0,1001}",
        ] {
            assert_eq!(regex(pattern, "pc-q35"), None, "{pattern}");
        }
        for pattern in [
            "q*",
            "q*?",
            "q+?",
            "q??",
            "q{1}?",
            "(q*)*",
            "(?:q+)+",
            "q\\**",
            "q[*]*",
            "[**]*q",
            "q*3*",
            "q{0,1000}",
        ] {
            assert_eq!(regex(pattern, "pc-q35"), Some(true), "{pattern}");
        }
    }
}
