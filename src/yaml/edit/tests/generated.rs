//! A thousand manifests, written in every style, changed at random: what stays keeps its bytes.
#![allow(
    clippy::format_push_string,
    reason = "a test generator need not be fast"
)]

use super::*;
use crate::yaml::{Origin, Value, emit};

/// A small generator, the same on every run.
struct Random {
    state: u64,
    step: usize,
    list: usize,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            step: 2,
            list: 0,
        };
        for _ in 0..8 {
            random.below(2);
        }
        random.step = if random.one_in(4) { 4 } else { 2 };
        random.list = [0, 2][random.below(2)];
        random
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 11).unwrap() % limit
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    fn scalar(&mut self) -> &'static str {
        self.pick(&[
            "x",
            "1",
            "true",
            "\"q # : {\"",
            "'it''s'",
            "1Gi",
            "a b",
            "é",
            "~",
            "0x1F",
            "\"\\u00e9\"",
            "yes",
            "null",
        ])
    }

    fn key(&mut self, at: usize) -> String {
        let (open, close) = [
            ("a", ""),
            ("\"b ", "\""),
            ("'d", "'"),
            ("é", ""),
            ("k-", ""),
        ][self.below(5)];
        format!("{open}{at}{close}")
    }

    fn flow(&mut self, depth: usize) -> String {
        if depth == 0 || self.one_in(2) {
            return self.scalar().to_owned();
        }
        let count = self.below(4);
        let map = self.one_in(2);
        let parts: Vec<_> = (0..count)
            .map(|at| {
                let value = self.flow(depth - 1);
                if map {
                    format!("{}: {value}", self.key(at))
                } else {
                    value
                }
            })
            .collect();
        let (open, close) = if map { ('{', '}') } else { ('[', ']') };
        let end = if count > 0 && self.one_in(4) { "," } else { "" };
        format!("{open}{}{end}{close}", parts.join(", "))
    }

    fn above(&mut self, column: usize, out: &mut String) {
        if self.one_in(6) {
            out.push('\n');
        }
        if self.one_in(5) {
            out.push_str(&format!(
                "{}# above {}\n",
                " ".repeat(column),
                self.below(1000)
            ));
        }
    }

    fn line_end(&mut self, out: &mut String) {
        if self.one_in(5) {
            out.push_str(&format!(" # after {}", self.below(1000)));
        }
        out.push('\n');
    }

    /// What follows `key:` or `-`; `column` is that of the key or the dash.
    fn value(&mut self, column: usize, depth: usize, dash: bool, out: &mut String) {
        let kind = self.below(if depth == 0 { 5 } else { 9 });
        match kind {
            0 => self.line_end(out),
            1 => {
                out.push_str(&format!(" {}\n", self.pick(&["|", "|-", ">", "|2"])));
                for _ in 0..=self.below(3) {
                    let line = self.pick(&["#cloud", "a: b", "text", "- x"]);
                    out.push_str(&format!("{}{line}\n", " ".repeat(column + 2)));
                }
            }
            2 => {
                out.push_str(&format!(" {}", self.flow(2)));
                self.line_end(out);
            }
            3 | 4 => {
                out.push_str(&format!(" {}", self.scalar()));
                self.line_end(out);
            }
            _ => {
                let (step, list) = if dash { (2, 2) } else { (self.step, self.list) };
                if dash {
                    out.push(' ');
                } else {
                    self.line_end(out);
                }
                if kind < 8 {
                    self.mapping(column + step, depth - 1, dash, out);
                } else {
                    self.sequence(column + list, depth - 1, dash, out);
                }
            }
        }
    }

    fn mapping(&mut self, column: usize, depth: usize, inline: bool, out: &mut String) {
        for at in 0..=self.below(4) {
            if at > 0 || !inline {
                self.above(column, out);
                *out += &" ".repeat(column);
            }
            out.push_str(&format!("{}:", self.key(at)));
            self.value(column, depth, false, out);
        }
    }

    fn sequence(&mut self, column: usize, depth: usize, inline: bool, out: &mut String) {
        for at in 0..=self.below(3) {
            if at > 0 || !inline {
                self.above(column, out);
                *out += &" ".repeat(column);
            }
            out.push('-');
            self.value(column, depth, true, out);
        }
    }

    /// A path to somewhere in the tree, the root left out.
    fn path(&mut self, root: &Node) -> FieldPath {
        let mut path = FieldPath::root();
        let mut node = root;
        loop {
            let count = node.entries().len() + node.items().len();
            if count == 0 || !path.is_root() && self.one_in(3) {
                return path;
            }
            let at = self.below(count);
            if let Some(entry) = node.entries().get(at) {
                path = path.field(&entry.key);
                node = &entry.node;
            } else {
                path = path.index(at);
                node = &node.items()[at];
            }
        }
    }

    fn new_value(&mut self) -> Node {
        Node::from_json(&match self.below(6) {
            0 => json!("yes"),
            1 => json!({"new": [1, {"deep": "x: y"}], "other": {}}),
            2 => json!(["- a", []]),
            3 => json!("several\nlines\n"),
            4 => json!(null),
            _ => json!(7),
        })
    }

    /// One change; says whether it takes nothing away.
    fn change(&mut self, editor: &mut Editor<'_>) -> bool {
        let path = self.path(editor.intended());
        let name = format!("new-{}", self.below(1000));
        match self.below(6) {
            0 | 1 if editor.intended().entries().len() > 1 || path.segments().len() > 1 => {
                editor.remove(&path);
                false
            }
            2 => {
                let leaf = path
                    .find(editor.intended())
                    .is_some_and(|node| node.entries().is_empty() && node.items().is_empty());
                let value = self.new_value();
                editor.replace(&path, value);
                leaf
            }
            3 => {
                editor.rename(&path, &name);
                true
            }
            4 => {
                let index = self.one_in(2).then(|| self.below(3));
                let value = self.new_value();
                editor.insert_item(&path, index, value);
                true
            }
            _ => {
                let value = self.new_value();
                editor.insert(&path.parent(), &name, value, None);
                true
            }
        }
    }
}

/// Every node of `new` that was in the old text still stands there in the same bytes.
fn assert_bytes_kept(old: &[u8], new: &[u8], intended: &Node, read: &Node) {
    let scalar = intended.entries().is_empty() && intended.items().is_empty();
    if let (Origin::Source(was), Origin::Source(is), true) = (intended.origin, read.origin, scalar)
    {
        let (was, is) = (&old[was.range()], &new[is.range()]);
        let emptied = matches!(intended.value, Value::Map(_) | Value::Seq(_));
        assert!(
            was == is || emptied,
            "{} became {}",
            was.escape_ascii(),
            is.escape_ascii()
        );
    }
    for entry in intended.entries() {
        assert_bytes_kept(old, new, &entry.node, read.get(&entry.key).unwrap());
    }
    for (intended, read) in intended.items().iter().zip(read.items()) {
        assert_bytes_kept(old, new, intended, read);
    }
}

fn comments(bytes: &[u8], document: &Document) -> Vec<String> {
    document
        .comments
        .iter()
        .map(|span| String::from_utf8_lossy(&bytes[span.range()]).into_owned())
        .collect()
}

#[test]
fn a_thousand_manifests_change_only_where_they_should() {
    let (mut done, mut refused) = (0, 0);
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let mut text = String::new();
        random.mapping(0, 4, false, &mut text);
        let (before, after) = [
            ("", ""),
            ("# head\nz: 1\n---\n", ""),
            ("", "---\nz: |\n  - 1\n"),
            ("---\n", "---\n"),
        ][random.below(4)];
        let mut source = format!("{before}{text}{after}");
        if random.one_in(4) {
            source = source.replace('\n', "\r\n");
        }
        if random.one_in(4)
            && !source.ends_with("\n\n")
            && !source.contains('|')
            && !source.contains('>')
        {
            source.truncate(source.trim_end().len());
        }
        let bytes = source.as_bytes();
        let documents = parse(FileId(0), bytes).documents;
        let at = usize::from(before.starts_with('#'));
        let document = documents[at]
            .as_ref()
            .unwrap_or_else(|error| panic!("{error}: {source}"));
        if document.root.entries().is_empty() {
            continue;
        }
        let mut editor = Editor::new(bytes, document);
        let mut only_adds = true;
        for _ in 0..=random.below(3) {
            only_adds &= random.change(&mut editor);
        }
        let set = match editor.finish() {
            Ok(set) => set,
            Err(refusal) => {
                refused += 1;
                // A document that loses every key it had is written anew by whoever does that.
                assert!(
                    matches!(refusal, CannotEdit::Layout(_)),
                    "{refusal:?} for {source}\nto {}",
                    emit::to_string(editor.intended())
                );
                continue;
            }
        };
        done += 1;
        let edited = set.apply(bytes);
        let again = parse(FileId(0), &edited).documents;
        assert_eq!(again.len(), documents.len());
        let read = again[at].as_ref().unwrap();
        assert_bytes_kept(bytes, &edited, editor.intended(), &read.root);
        for (old, new) in documents.iter().zip(&again) {
            let (old, new) = (old.as_ref().unwrap(), new.as_ref().unwrap());
            if old.index != document.index {
                assert_eq!(&bytes[old.span.range()], &edited[new.span.range()]);
            }
        }
        if only_adds {
            assert_eq!(
                comments(bytes, document),
                comments(&edited, read),
                "{source}"
            );
        }
        if source.contains("\r\n") {
            let edited = String::from_utf8(edited).unwrap();
            assert_eq!(edited.matches('\n').count(), edited.matches("\r\n").count());
        }
    }
    assert!(done >= 980, "{done} edited, {refused} refused");
}
