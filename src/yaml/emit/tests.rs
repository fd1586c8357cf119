//! What is emitted reads back as the same value; readers that know other YAML see text as text.

use proptest::prelude::*;

use super::*;
use crate::source::FileId;
use crate::yaml::reader::parse_first;
use crate::yaml::{Entry, Origin};

fn read(text: &str) -> Node {
    parse_first(FileId(0), text.as_bytes())
        .unwrap_or_else(|error| panic!("{error} in {text:?}"))
        .map_or(Node::new(Value::Null), |document| document.root)
}

const NASTY: &[&str] = &[
    "",
    " ",
    "  x",
    "x ",
    "\t",
    "\tx",
    "x\t#y",
    "y",
    "Yes",
    "NO",
    "on",
    "oFF",
    "tRue",
    "nUll",
    "~",
    "null",
    "1_000",
    "0o7",
    "0o8",
    "0777",
    "08",
    "0x1F",
    "0xZZ",
    "-0b1",
    "0b+1",
    "12:30:45",
    "190:20:30.15",
    "1:30",
    "2024-01-01",
    "2024-01-01T10:00:00Z",
    "2001-1-1 1:1:1",
    "1e3",
    "1e400",
    "1E+3",
    ".5",
    "1.",
    "+1",
    "-1",
    ".inf",
    "-.INF",
    ".nan",
    "02:00:00:00:00:01",
    "11:22:33:44:55:66",
    "52:54:00:ab:cd:ef",
    "=",
    "<<",
    "a: b",
    "a:",
    ":a",
    "a #b",
    "a#b",
    "#a",
    "- a",
    "-",
    "--",
    "---",
    "--- a",
    "...",
    "-a",
    "?",
    "? a",
    "?a",
    "!",
    "!x",
    "&a",
    "*a",
    "*",
    "|",
    ">",
    "%x",
    "@x",
    "`x`",
    "'",
    "''",
    "it's",
    "\"",
    "\\",
    "{",
    "}",
    "[a]",
    "{a: 1}",
    "a, b",
    ",",
    "{{ x }}",
    "a\u{85}b",
    "\u{2028}",
    "a\u{2029}b",
    "\u{feff}",
    "\u{feff}a",
    "😀",
    "é",
    "\u{a0}x",
    "x\u{a0}",
    "\u{7f}",
    "\0",
    "\u{7}",
    "\r",
    "a\rb",
    "a\r\nb",
    "\n",
    "\n\n",
    "a\n",
    "a\nb",
    "a\nb\n",
    "a\nb\n\n",
    "\na",
    "\n a",
    " a\nb",
    "\ta\nb",
    "a\n\tb\n",
    "a\n  \nb",
    "  \na",
    "a\n  ",
    "a \nb \n",
    "#cloud-config\nusers:\n- name: a\n",
    "a\n---\nb\n",
    "---\na\n",
    "\n\n\u{20}\n",
    "a\u{fffe}",
    "\u{10ffff}",
    "12345678901234567890123",
    "0xFFFFFFFFFFFFFFFFFFFF",
    "1,000",
    "a\n\u{85}\nb",
    "x: |\n  y\n",
    "- a\n- b\n",
    "\u{e000}",
    "infinity",
    "NaN",
    "1.2.3",
    "10.0.0.1",
];

#[test]
fn nasty_strings_survive_everywhere() {
    for text in NASTY {
        let string = Node::string(text);
        let mut map = Map::new();
        map.insert(text, string.clone());
        map.insert(
            "list",
            Node::new(Value::Seq(vec![
                string.clone(),
                Node::new(Value::Map(map.clone())),
            ])),
        );
        map.insert("last", string.clone());
        for tree in [string.clone(), Node::new(Value::Map(map))] {
            let emitted = to_string(&tree);
            assert!(read(&emitted).same_value(&tree), "{text:?} as {emitted:?}");
            let mut line = String::new();
            flow(&mut line, &tree, EmitContext::Block);
            assert!(read(&line).same_value(&tree), "{text:?} as {line:?}");
        }
    }
}

#[test]
fn words_and_numbers_of_other_readers_are_quoted() {
    for word in [
        "yes",
        "No",
        "ON",
        "y",
        "~",
        "null",
        "0o7",
        "0777",
        "0x1F",
        "1_000",
        "12:30:45",
        "2024-01-01",
        "1e3",
        "1e400",
        ".5",
        "=",
        "<<",
        "02:00:00:00:00:01",
        "11:22:33:44:55:66",
        "12345678901234567890123",
        "tRUE",
    ] {
        assert_eq!(to_string(&Node::string(word)), format!("\"{word}\"\n"));
    }
    for word in [
        "1Gi",
        "100m",
        "10.0.0.1",
        "1.2.3",
        "52:54:00:ab:cd:ef",
        "a-b",
        "pc-q35-8.2",
        "/dev/vda",
        "é",
    ] {
        assert_eq!(to_string(&Node::string(word)), format!("{word}\n"));
    }
}

#[test]
fn the_style_is_kubectls() {
    let tree = Node::from_json(&serde_json::json!({
        "a": {"b": [{"c": 1, "d": ["x", ["z"]]}, []], "e": {}},
        "f": "#cloud-config\nx: 1\n",
        "g": "*", "h": null, "i": 1.5,
    }));
    assert_eq!(
        to_string(&tree),
        "a:\n  b:\n  - c: 1\n    d:\n    - x\n    - - z\n  - []\n  e: {}\nf: |\n  #cloud-config\n  x: 1\ng: '*'\nh: null\ni: 1.5\n"
    );
}

#[test]
fn long_keys_are_explicit() {
    let mut map = Map::new();
    map.insert(
        "k".repeat(3000),
        Node::from_json(&serde_json::json!([1, {"a": 2}])),
    );
    let tree = Node::new(Value::Map(map));
    assert!(read(&to_string(&tree)).same_value(&tree));
}

#[test]
fn floats_are_written_as_go_writes_them() {
    for (value, text) in [
        (1e21, "1e+21\n"),
        (1.5e-7, "1.5e-07\n"),
        (0.25, "0.25\n"),
        (1e300, "1e+300\n"),
    ] {
        let node = Node::new(Value::Float(value));
        assert_eq!(to_string(&node), text);
        assert!(read(text).same_value(&node));
    }
}

fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(NASTY).prop_map(str::to_owned),
        "[ -~]{0,12}",
        "[ \t\n:#'\"\\-a-c?{}\\[\\],|>&*!]{0,10}",
        "[0-9a-fxob_.:eE+-]{1,8}",
        proptest::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter),
        (prop::sample::select(NASTY), prop::sample::select(NASTY))
            .prop_map(|(a, b)| format!("{a}{b}")),
    ]
}

/// Any tree the reader could have given.
pub(in crate::yaml) fn trees() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (i64::MAX as u64 + 1..).prop_map(Value::UInt),
        prop::num::f64::NORMAL
            .prop_filter("the reader makes it an integer", |value| value.fract()
                != 0.0
                || value.abs() >= 1e21)
            .prop_map(Value::Float),
        strings().prop_map(|text| Value::String(text.into())),
    ]
    .prop_map(Node::new);
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| Node::new(Value::Seq(items))),
            prop::collection::vec((strings(), inner), 0..5).prop_map(|entries| {
                let mut map = Map::new();
                for (key, node) in entries {
                    if map.get(&key).is_none() {
                        map.push(Entry {
                            key: key.into(),
                            key_origin: Origin::None,
                            node,
                        });
                    }
                }
                Node::new(Value::Map(map))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn emitting_keeps_every_value(tree in trees()) {
        let emitted = to_string(&tree);
        prop_assert!(read(&emitted).same_value(&tree), "{}", emitted);
        prop_assert_eq!(to_string(&read(&emitted)), emitted);
        let mut line = String::new();
        flow(&mut line, &tree, EmitContext::Block);
        prop_assert!(read(&line).same_value(&tree), "{}", line);
    }
}
