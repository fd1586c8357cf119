//! Spans, documents and messages; values are compared with kubectl's in the conformance test.

use super::*;
use crate::yaml::{ErrorKind, Node, StrictKind, Value};

fn documents(bytes: &[u8]) -> Vec<Document> {
    parse(FileId(0), bytes)
        .documents
        .into_iter()
        .map(|document| document.unwrap())
        .collect()
}

fn error(bytes: &[u8]) -> Error {
    parse(FileId(0), bytes)
        .documents
        .into_iter()
        .find_map(Result::err)
        .unwrap()
}

fn at(bytes: &[u8], span: Span) -> &[u8] {
    &bytes[span.range()]
}

/// Every key and scalar of a tree with the text its span covers.
fn covered(bytes: &[u8], node: &Node, out: &mut Vec<String>) {
    let text = |span| String::from_utf8_lossy(at(bytes, span)).into_owned();
    match &node.value {
        Value::Map(map) => {
            for entry in map.entries() {
                out.push(text(entry.key_origin.span().unwrap()));
                covered(bytes, &entry.node, out);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| covered(bytes, item, out)),
        _ => out.push(text(node.origin.span().unwrap())),
    }
}

fn spans(bytes: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    covered(bytes, &documents(bytes)[0].root, &mut out);
    out
}

#[test]
fn spans_cover_what_was_written() {
    let text = "\u{feff}é: 'ü' # ö\r\nb:\r\n- \"x\\ty\"\r\n- {k: [1, 2]}\r\nc:\r\nd: |\r\n  a\r\n  b\r\n\r\ne: one\r\n  two\r\n";
    assert_eq!(
        spans(text.as_bytes()),
        [
            "é",
            "'ü'",
            "b",
            "\"x\\ty\"",
            "k",
            "1",
            "2",
            "c",
            "",
            "d",
            "|\r\n  a\r\n  b",
            "e",
            "one\r\n  two"
        ]
    );
    let root = &documents(text.as_bytes())[0].root;
    assert_eq!(root.str_at("d"), "a\nb\n");
    let list = root.get("b").unwrap().origin.span().unwrap();
    assert_eq!(
        String::from_utf8_lossy(at(text.as_bytes(), list)),
        "- \"x\\ty\"\r\n- {k: [1, 2]}"
    );
}

#[test]
fn comments_are_located() {
    let text =
        "# top\n--- # doc\na: 1 # one\nb: |  # block\n  # text\n# low\nc: [1, # in\n 2]\n# end";
    let document = &documents(text.as_bytes())[0];
    let comments: Vec<_> = document
        .comments
        .iter()
        .map(|span| &text[span.range()])
        .collect();
    assert_eq!(
        comments,
        [
            "# top", "# doc", "# one", "# block", "# low", "# in", "# end"
        ]
    );
    assert_eq!(document.root.str_at("b"), "# text\n");
}

#[test]
fn documents_split_as_kubectl_splits() {
    let text = b"a: 1\n---\n# nothing\n--- # comment\nb: |\n  x\n---\n- c\n...\nignored\n";
    let documents = documents(text);
    assert_eq!(documents.len(), 3);
    assert_eq!(documents[1].root.str_at("b"), "x\n");
    assert_eq!(documents[1].index, 2);
    assert_eq!(at(text, documents[1].span), b"b: |\n  x\n");
    assert_eq!(at(text, documents[2].ignored.unwrap()), b"ignored");
    let refused = parse(FileId(0), b"--- {a: 1}\n---\nb: 1\n").documents;
    assert!(refused[0].is_err() && refused[1].is_ok());
    assert!(parse(FileId(0), b"").documents.is_empty());
    assert!(
        parse(FileId(0), b"# only\n---\n\n---\n")
            .documents
            .is_empty()
    );
    assert_eq!(parse(FileId(0), b"a: 1\n---\n").documents.len(), 1);
}

#[test]
fn json_is_read_as_json() {
    let text = br#"{"a": "\/ \ud83d\ude00", "b": 1.50}
{"c": [null, true]}"#;
    let documents = documents(text);
    assert_eq!(documents[0].root.str_at("a"), "/ 😀");
    let span = documents[0].root.get("b").unwrap().origin.span().unwrap();
    assert_eq!(at(text, span), b"1.50");
    assert_eq!(documents[1].root.items_at("c").len(), 2);
    let long = format!("{{\"{}\"\n: 1}}", "k".repeat(2000));
    assert!(parse(FileId(0), long.as_bytes()).documents[0].is_ok());
}

#[test]
fn utf16_keeps_its_offsets() {
    let mut bytes = vec![0xFF, 0xFE];
    for unit in "é: 😀 x\n".encode_utf16() {
        bytes.extend(unit.to_le_bytes());
    }
    let document = &documents(&bytes)[0];
    assert_eq!(document.root.str_at("é"), "😀 x");
    assert!(!document.utf8);
    let span = document.root.entries()[0].node.origin.span().unwrap();
    assert_eq!((span.start, span.end), (8, 16));
}

#[test]
fn strict_problems_name_both_places() {
    let text = "apiVersion: v1\nkind: A\napiVersion: v1\nkind: B\nm: {a: 1, a: 2, 1: x, '1': y}\n";
    let document = &documents(text.as_bytes())[0];
    let found: Vec<_> = document
        .strict
        .iter()
        .map(|problem| (problem.kind, problem.key.as_str(), problem.help().is_some()))
        .collect();
    assert_eq!(
        found,
        [
            (StrictKind::Duplicate, "apiVersion", true),
            (StrictKind::Duplicate, "kind", true),
            (StrictKind::Duplicate, "a", false),
            (StrictKind::Spellings, "1", false),
        ]
    );
    assert_eq!(document.strict[0].first.start, 0);
    assert_eq!(document.strict[0].second.start, 23);
    assert_eq!(document.root.str_at("kind"), "B");
}

#[test]
fn aliases_and_merges_are_remembered() {
    let text = "a: &x {k: 1}\nb: *x\nc: {<<: *x}\nd: \"<<\"\n";
    let document = &documents(text.as_bytes())[0];
    let places: Vec<_> = document
        .aliases
        .iter()
        .map(|span| &text[span.range()])
        .collect();
    assert_eq!(places, ["*x", "<<", "*x"]);
    let alias = document.root.get("b").unwrap().origin.span().unwrap();
    assert_eq!(&text[alias.range()], "*x");
}

#[test]
fn errors_say_where_and_what_to_do() {
    let conflict = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n";
    let found = error(conflict.as_bytes());
    assert_eq!(found.kind, ErrorKind::Conflict);
    assert_eq!(at(conflict.as_bytes(), found.span), b"<<<<<<<");
    let found = error(b"a:\n\tb: 1\n");
    assert!(found.help.unwrap().contains("spaces"));
    assert_eq!(error(b"a: \xff\n").kind, ErrorKind::NotUtf8);
    assert_eq!(error(b"a: \xff\n").span.start, 3);
    let nul = error(b"\xEF\xBB\xBFa: x\0y\n");
    assert_eq!((nul.kind, nul.span.start), (ErrorKind::Syntax, 7));
    assert!(error(b"a: @x\n").help.unwrap().contains("quotes"));
    assert!(error(b"a: {{ .x }}\n").help.is_some());
    assert_eq!(error(b"a: .inf\n").kind, ErrorKind::Value);
    assert_eq!(error(b"ok: 1\n---\na: [\n").index, 1);
}

#[test]
fn a_key_may_have_1024_characters() {
    let key = |length: usize| format!("{}: 1\n", "k".repeat(length));
    assert_eq!(documents(key(1024).as_bytes()).len(), 1);
    assert_eq!(error(key(1025).as_bytes()).kind, ErrorKind::Syntax);
    let explicit = format!("? {}\n: 1\n", "k".repeat(1025));
    assert_eq!(documents(explicit.as_bytes()).len(), 1);
}

#[test]
fn aliases_may_make_99_in_100_of_a_document() {
    // go-yaml counts every node it decodes, and those below an alias once more as copied. Of `a`, a list of 200, and `b`,
    // which names it so many times: 4 for the document and its keys, 201 for `a`, 1 for `b`, 1 for each alias.
    let text = |times: usize| {
        let list = vec!["x"; 200].join(", ");
        let aliases = vec!["*a"; times].join(", ");
        format!("a: &a [{list}]\nb: [{aliases}]\n")
    };
    let share = |times: usize| {
        let copied = times * 201;
        (copied, 4 + 201 + 1 + times + copied)
    };
    let (copied, made) = share(199);
    assert!(copied * 100 <= made * 99);
    assert_eq!(documents(text(199).as_bytes()).len(), 1);
    let (copied, made) = share(200);
    assert!(copied * 100 > made * 99);
    assert_eq!(error(text(200).as_bytes()).kind, ErrorKind::TooLarge);
}
