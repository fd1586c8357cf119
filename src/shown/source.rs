//! Lines of a source as they are shown: the tree says where secrets are; without a tree, the keys do.

use std::ops::Range;

use super::secret::{NOT_SHOWN, holds_secrets, is_data, is_name, visit};
use super::whole;
use crate::source::{FileId, Span};
use crate::yaml;

/// The text of a file with `(not shown)` for every value that may not be shown, on each line it takes. Of a document that
/// cannot be read only the keys stay.
pub fn masked(bytes: &[u8]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for document in yaml::parse(FileId(0), bytes)
        .documents
        .into_iter()
        .flatten()
    {
        let part = document.span.range();
        unread(&bytes[at..part.start], &mut out);
        at = part.start;
        let mut root = document.root;
        let mut secrets: Vec<Range<usize>> = Vec::new();
        visit(&mut root, false, false, &mut |secret| {
            secrets.extend(secret.origin.span().map(Span::range));
        });
        // An alias stands where its anchor does.
        secrets.sort_by_key(|secret| (secret.start, secret.end));
        for secret in secrets
            .into_iter()
            .filter(|secret| part.contains(&secret.start))
        {
            if secret.start >= at {
                out.push_str(&String::from_utf8_lossy(&bytes[at..secret.start]));
                out.push_str(&hidden(&String::from_utf8_lossy(&bytes[secret.clone()])));
                at = secret.end;
            }
        }
        out.push_str(&String::from_utf8_lossy(&bytes[at..part.end]));
        at = part.end;
    }
    unread(&bytes[at..], &mut out);
    out.split_inclusive('\n').map(without_comment).collect()
}

/// Lines of no document that could be read.
fn unread(bytes: &[u8], out: &mut String) {
    for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        if bare.trim_start().starts_with('#') || bare.trim().is_empty() {
            out.push_str(bare);
        } else {
            out.push_str(&broken_source(bare));
        }
        out.push_str(&line[bare.len()..]);
    }
}

/// A value that may not be shown, with as many lines as it has.
fn hidden(value: &str) -> String {
    let mut lines = value.split_inclusive('\n');
    let ended = |line: &str| if line.ends_with('\n') { "\n" } else { "" };
    let mut out = format!("{NOT_SHOWN}{}", lines.next().map_or("", ended));
    for line in lines {
        let body = line.trim();
        if !body.is_empty() {
            out.push_str(&line[..line.len() - line.trim_start().len()]);
            out.push_str(NOT_SHOWN);
        }
        out.push_str(ended(line));
    }
    out
}

/// A line without what its comment gives away.
fn without_comment(line: &str) -> String {
    let comment = if line.trim_start().starts_with('#') {
        Some(0)
    } else {
        line.find(" #")
    };
    match comment.and_then(|from| Some(from + cut_at(&line[from..])?)) {
        Some(at) => format!(
            "{}…{}",
            &line[..at],
            if line.ends_with('\n') { "\n" } else { "" }
        ),
        None => line.to_owned(),
    }
}

/// A source line without what follows a key that may hold a secret.
pub fn source(text: &str) -> String {
    match cut_at(text) {
        Some(at) => format!("{}…", whole(&text[..at])),
        None => whole(text),
    }
}

/// Where the first secret of a line starts.
fn cut_at(text: &str) -> Option<usize> {
    let encrypted = text.to_ascii_lowercase().find("enc[");
    [secret_at(text), encrypted].into_iter().flatten().min()
}

/// A source line around the characters `from..to`, and where they are in it. Of a line that holds several values only the
/// one in question is shown; after a key whose value is not to be shown, nothing.
pub fn around(text: &str, from: usize, to: usize, is_key: bool) -> (String, usize, usize) {
    let chars: Vec<char> = text.chars().collect();
    let (from, to) = (
        from.min(chars.len()),
        to.clamp(from.min(chars.len()), chars.len()),
    );
    let part = |range: Range<usize>| chars[range].iter().collect::<String>();
    let opens = |c: &char| matches!(c, '{' | '[');
    let mut head = part(0..from);
    let first = chars[..from].iter().position(opens);
    let last = chars[..from].iter().rposition(|c| opens(c) || *c == ',');
    if let (Some(first), Some(last)) = (first, last)
        && first < last
    {
        head = format!("{}…{}", part(0..first + 1), part(last..from));
    }
    let rest = part(to..chars.len());
    let tail = if is_key && rest.trim().len() > 1 {
        ": …".to_owned()
    } else if first.is_some() && !rest.trim().is_empty() {
        " …".to_owned()
    } else if let Some(at) = rest
        .find(['{', '['])
        .filter(|at| !matches!(rest[*at..].trim_end(), "{}" | "[]"))
    {
        format!("{}…", &rest[..at])
    } else {
        rest
    };
    let start = head.chars().count();
    let end = start + (to - from);
    (
        source(&format!("{head}{}{tail}", part(from..to))),
        start,
        end,
    )
}

/// A source line of a document that could not be read: only keys are sure not to be secrets.
pub(crate) fn broken_source(text: &str) -> String {
    let body = text.trim_start();
    let indent = &text[..text.len() - body.len()];
    let dash = if body.starts_with("- ") { "- " } else { "" };
    let rest = &body[dash.len()..];
    let key = rest.split_once(':').map(|(key, _)| key).filter(|key| {
        key.len() <= 40
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.\"'/".contains(c))
    });
    match key {
        Some(key) if rest.len() == key.len() + 1 => whole(text),
        Some(key) => format!("{}{dash}{}: …", whole(indent), whole(key)),
        None if ["---", "...", "<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|mark| body.starts_with(mark)) =>
        {
            whole(text)
        }
        None => format!("{}{dash}…", whole(indent)),
    }
}

/// Where the value of the first key that may hold a secret starts.
fn secret_at(text: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(colon) = text[from..].find([':', '=']).map(|at| from + at) {
        let key_start = text[..colon]
            .rfind([' ', '{', ',', '\t', '?', '&'])
            .map_or(0, |at| at + 1);
        let key = text[key_start..colon].trim_matches(['"', '\'']);
        let rest = text[colon + 1..].trim();
        let no_value = rest.is_empty() || (rest.len() <= 3 && rest.starts_with(['|', '>']));
        if (holds_secrets(key) || is_data(key)) && !is_name(key) && !no_value {
            return Some(colon + 1);
        }
        from = colon + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut() {
        assert_eq!(
            source("  userData: \"#cloud-config\\npassword: x\""),
            "  userData:…"
        );
        assert_eq!(source("  a: {b: 1, passwd: x}"), "  a: {b: 1, passwd:…");
        assert_eq!(source("  secretRef: {name: a}"), "  secretRef: {name: a}");
        assert_eq!(source("  size: ENC[AES256_GCM,data:x]"), "  size: …");
        assert_eq!(source("  cores: 2"), "  cores: 2");
        assert_eq!(source("  userData: |-"), "  userData: |-");
    }

    #[test]
    fn masked_text_keeps_its_lines() {
        let text = "# password: a\nkind: VM\nuserData: |\n  a: b\n\n  c\nx: {token: abc, n: 1} # token: abc\n---\n\
                    {\"kind\": \"Secret\", \"data\": {\"a\": \"b\"}, \"z\": 1}\n---\na: [\npw: x\n";
        let masked = masked(text.as_bytes());
        assert_eq!(
            masked,
            "# password:…\nkind: VM\nuserData: (not shown)\n  (not shown)\n\n  (not shown)\nx: {token: (not shown), n: 1} # token:…\n---\n\
             {\"kind\": \"Secret\", \"data\": {\"a\": (not shown)}, \"z\": 1}\n---\na: …\npw: …\n"
        );
    }

    #[test]
    fn of_a_line_with_several_values_one_is_shown() {
        let line = "  a: {b: secret, c: 2, d: secret}";
        let (text, start, end) = around(line, 20, 21, false);
        assert_eq!(text, "  a: {…, c: 2 …");
        assert_eq!(
            text.chars()
                .skip(start)
                .take(end - start)
                .collect::<String>(),
            "2"
        );
        assert_eq!(around(line, 2, 3, false).0, "  a: …");
        assert_eq!(around("  devices: {}", 2, 9, false).0, "  devices: {}");
        assert_eq!(around("  a: secret", 2, 3, true).0, "  a: …");
        assert_eq!(around("  a: 2 # two", 5, 6, false).0, "  a: 2 # two");
    }

    #[test]
    fn of_a_broken_line_only_the_key_stays() {
        assert_eq!(broken_source("   pass: 'a"), "   pass: …");
        assert_eq!(broken_source("  - ssh-rsa AAAA"), "  - …");
        assert_eq!(broken_source("spec:"), "spec:");
        assert_eq!(broken_source("<<<<<<< HEAD"), "<<<<<<< HEAD");
    }
}
