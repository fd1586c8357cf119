//! Unusual and hostile input: alias bombs, deep nesting, large sizes, bytes that are no text. Random damage to recorded texts is in the
//! conformance test.
#![allow(clippy::format_push_string, reason = "a test need not be fast")]

use proptest::prelude::*;

use crate::source::FileId;
use crate::yaml::*;

fn first(bytes: &[u8]) -> Result<Document, Error> {
    parse(FileId(0), bytes)
        .documents
        .into_iter()
        .next()
        .expect("the text has a document")
}

fn refused(text: &str) -> Error {
    first(text.as_bytes()).expect_err("refused")
}

/// Text of `depth` collections inside each other.
fn nested(depth: usize) -> [String; 5] {
    let block: String = (0..depth.min(600)).fold(String::new(), |text, level| {
        text + &" ".repeat(level) + "a:\n"
    });
    [
        format!("{}x{}", "[".repeat(depth), "]".repeat(depth)),
        format!("{}x{}", "{a: ".repeat(depth), "}".repeat(depth)),
        format!("{}x\n", "- ".repeat(depth)),
        format!("{}x\n", "- a: ".repeat(depth).replace(": -", ":\n-")),
        block,
    ]
}

#[test]
fn deep_documents_are_refused_before_the_stack_ends() {
    for depth in [501, 9_999, 10_001, 200_000] {
        let texts = nested(depth);
        for text in [&texts[0], &texts[1], &texts[2], &texts[4]] {
            assert!(first(text.as_bytes()).is_err(), "{depth} {}", &text[..40]);
        }
        assert!(first("? ".repeat(depth).as_bytes()).is_err());
        assert!(first("{\"a\":".repeat(depth).as_bytes()).is_err());
        // Indentation that only opens and a list that only repeats.
        _ = first(texts[3].as_bytes());
    }
    for depth in [501, 10_001] {
        assert_eq!(refused(&nested(depth)[0]).kind, ErrorKind::TooLarge);
    }
    let message = refused(&nested(10_000)[2]).message;
    assert!(message.contains("500"), "{message}");
}

#[test]
fn the_deepest_tree_can_be_used() {
    for text in [
        nested(500)[0].clone(),
        nested(500)[1].clone(),
        nested(500)[2].clone(),
        nested(500)[4].clone(),
    ] {
        let root = first(text.as_bytes()).unwrap().root;
        let copy = root.clone();
        assert!(root.same_value(&copy));
        let emitted = emit::to_string(&root);
        assert!(first(emitted.as_bytes()).unwrap().root.same_value(&root));
        assert!(Node::from_json(&root.to_json()).same_value(&root));
    }
}

#[test]
fn alias_bombs_are_refused() {
    let mut lists = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    let mut merges = "a0: &a0 {k: 1}\n".to_owned();
    for level in 1..20 {
        let below = format!("*a{},", level - 1).repeat(10);
        lists += &format!("a{level}: &a{level} [{below}]\n");
        merges += &format!("a{level}: &a{level} {{<<: [{below}], k{level}: 1}}\n");
    }
    assert_eq!(refused(&lists).kind, ErrorKind::TooLarge);
    assert_eq!(refused(&merges).kind, ErrorKind::TooLarge);
    assert!(refused("a: &a [*a]\n").message.contains("itself"));
    assert!(refused("a: &a {<<: *a}\n").message.contains("itself"));
    let deep = (1..200).fold("a0: &a0 [[[[x]]]]\n".to_owned(), |text, level| {
        text + &format!("a{level}: &a{level} [[[*a{}]]]\n", level - 1)
    });
    assert_eq!(refused(&deep).kind, ErrorKind::TooLarge);
}

#[test]
fn a_long_text_named_often_is_kept_once() {
    let text = format!(
        "a: &a [\"{}\"]\nb: [{}]\n",
        "x".repeat(1 << 20),
        "*a,".repeat(5000)
    );
    let root = first(text.as_bytes()).unwrap().root;
    assert_eq!(root.items_at("b").len(), 5000);
}

#[test]
fn large_documents_take_linear_time() {
    let mega = 1 << 16;
    for text in [
        "x".repeat(16 * mega),
        "\"".to_owned() + &"x ".repeat(mega) + "\"",
        "'".repeat(mega),
        "\\".repeat(mega),
        "a ".repeat(mega),
        "\n".repeat(mega),
        "#\n".repeat(mega),
        "---\n".repeat(mega / 4),
        "a: |\n".to_owned() + &"\n".repeat(mega),
        "a: |\n  x\n".to_owned() + &" \n".repeat(mega),
        "a: \"\n".to_owned() + &"\n".repeat(mega),
        "[".to_owned() + &"a,".repeat(mega / 2) + "]",
        "{".to_owned() + &"?".repeat(mega) + "}",
        "- ".to_owned() + &"&a ".repeat(mega / 4),
        "!".repeat(mega),
        "%".repeat(mega),
        ": ".repeat(mega / 2),
        (0..mega / 16).fold(String::new(), |text, at| text + &format!("k{at}: v\n")),
        (0..mega / 16).fold(String::new(), |text, _| text + "k: v\n"),
        (0..mega / 16).fold(String::new(), |text, at| {
            text + &format!("- &a{at} x\n- *a{at}\n")
        }),
        "{}".repeat(mega / 2),
        "{\"a\":[".to_owned() + &"{\"b\":\"\\u0041\"},".repeat(mega / 16) + "1]}",
    ] {
        _ = parse(FileId(0), text.as_bytes());
        _ = reader::parse_first(FileId(0), text.as_bytes());
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert_eq!(first(b"a: \0\n").unwrap_err().kind, ErrorKind::Syntax);
    assert_eq!(first(b"a: \xC3\n").unwrap_err().kind, ErrorKind::NotUtf8);
    assert_eq!(first(b"\xC3").unwrap_err().kind, ErrorKind::NotUtf8);
    assert_eq!(
        first(b"\xFF\xFEa\0:\0 \0\x00\xD8\n\0").unwrap_err().kind,
        ErrorKind::NotUtf8
    );
    assert_eq!(
        first(b"\xFE\xFF\0a\0:\0 \0b\0").unwrap_err().kind,
        ErrorKind::NotUtf8
    );
    assert_eq!(
        first(b"\xFE\xFF\0a\0:\0 \0b").unwrap().root.str_at("a"),
        "b"
    );
    for bytes in [
        &b"\xFF\xFE"[..],
        b"\xFE\xFF",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"\xFF",
        b"---",
        b"...",
        b"\\",
        b"\"\\",
        b"a: |\n x",
        b"!",
        b"[!a,b]",
        b"&",
        b"*",
        b"?",
        b"%",
        b"%YAML",
        b"%YAML 1.",
        b"%TAG ! ",
        b"!%C3",
        b"!<",
        b"'",
        b"\"\\x",
        b"\"\\U1234567",
        b"{?}",
        b"[?]",
        b"[? ,a]",
        b"{a:",
        b"{a: b, ?",
        b"- - -",
        b"|",
        b">+",
        b"|2",
        b"a: >-\n  \t",
    ] {
        _ = parse(FileId(0), bytes);
        _ = reader::parse_first(FileId(0), bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn text_of_indicators_never_panics(text in "[ \t\r\n:#'\"\\\\a-b?{}\\[\\],|>&*!%<=~0-1.+x\u{85}\u{2028}\u{feff}é-]{0,40}") {
        for document in parse(FileId(0), text.as_bytes()).documents.into_iter().flatten() {
            let bytes = text.as_bytes();
            let emitted = emit::to_string(&document.root);
            prop_assert!(reader::parse_first(FileId(0), emitted.as_bytes())
                .unwrap()
                .is_none_or(|again| again.root.same_value(&document.root)), "{}", emitted);
            let mut intended = document.root.clone();
            if let Some(map) = intended.as_map_mut() {
                let first = map.entries().first().map(|entry| entry.key.clone());
                first.map(|key| map.remove(&key));
                map.insert("new", Node::from("x: y"));
            }
            _ = edit::EditSet::between(bytes, &document, &intended);
        }
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        _ = parse(FileId(0), &bytes);
        _ = reader::parse_first(FileId(0), &bytes);
    }
}
