//! Edits by hand; generated manifests are in `generated`.
#![allow(
    clippy::needless_pass_by_value,
    reason = "`json!` in a test's arguments"
)]

use serde_json::json;

use self::editor::Editor;
use super::*;
use crate::field_path::FieldPath;
use crate::source::FileId;
use crate::yaml::Node;

mod editor;
mod generated;

fn document(bytes: &[u8]) -> Document {
    parse(FileId(0), bytes)
        .documents
        .into_iter()
        .find_map(Result::ok)
        .unwrap()
}

fn edited(text: &str, change: impl FnOnce(&mut Editor<'_>)) -> String {
    let document = document(text.as_bytes());
    let mut editor = Editor::new(text.as_bytes(), &document);
    change(&mut editor);
    let set = editor
        .finish()
        .unwrap_or_else(|refusal| panic!("{refusal:?} for {text:?}"));
    String::from_utf8(set.apply(text.as_bytes())).unwrap()
}

/// Removes, in the text as given and with CRLF.
fn without(text: &str, path: &str) -> String {
    let path = FieldPath::parse(path);
    let remove = |editor: &mut Editor<'_>| assert!(editor.remove(&path), "{path}");
    let result = edited(text, remove);
    let crlf = edited(&text.replace('\n', "\r\n"), remove);
    assert_eq!(crlf, result.replace('\n', "\r\n"));
    let marked = edited(&format!("\u{feff}{text}"), remove);
    assert_eq!(marked, format!("\u{feff}{result}"));
    result
}

fn with(text: &str, path: &str, value: serde_json::Value) -> String {
    let path = FieldPath::parse(path);
    let node = Node::from_json(&value);
    let replace = |editor: &mut Editor<'_>| assert!(editor.replace(&path, node.clone()), "{path}");
    let result = edited(text, replace);
    if text.contains('\n') {
        let crlf = edited(&text.replace('\n', "\r\n"), replace);
        assert_eq!(crlf, result.replace('\n', "\r\n"));
    }
    result
}

fn inserted(text: &str, path: &str, key: &str, value: serde_json::Value) -> String {
    let path = FieldPath::parse(path);
    edited(text, |editor| {
        assert!(editor.insert(&path, key, Node::from_json(&value), None));
    })
}

const VM: &str = "\
# header
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: a  # the name
  labels: {x: \"1\", w: z}
spec:
  # power
  running: true # on

  template:
    spec:
      domain:
        devices:
          disks:
          - name: root
            disk: {}
          # second
          - name: data
            disk:
              bus: virtio
            # in data
      volumes:
        - containerDisk:
            image: x
          name: root
        - name: data
          cloudInitNoCloud:
            userData: |
              #cloud-config
              a: 1
";

#[test]
fn keys_go_with_their_lines_and_comments() {
    assert_eq!(
        without(VM, "spec.running"),
        VM.replace("  # power\n  running: true # on\n", "")
    );
    assert_eq!(
        without(VM, "apiVersion"),
        VM.replace("apiVersion: kubevirt.io/v1\n", "")
    );
    assert_eq!(
        without(VM, "spec.template.spec.volumes[1].cloudInitNoCloud"),
        VM.replace(
            "          cloudInitNoCloud:\n            userData: |\n              #cloud-config\n              a: 1\n",
            ""
        )
    );
    assert_eq!(
        without(VM, "spec.template.spec.domain.devices.disks[1].disk"),
        VM.replace("            disk:\n              bus: virtio\n", "")
    );
    assert_eq!(without("a: 1\nb: 2", "b"), "a: 1\n");
    assert_eq!(without("a: 1\nb: 2", "a"), "b: 2");
    assert_eq!(
        without("a:\n- x\nb: |+\n  y\n\nc: 1\n", "b"),
        "a:\n- x\nc: 1\n"
    );
}

#[test]
fn the_first_key_of_an_item_leaves_the_dash() {
    assert_eq!(
        without(VM, "spec.template.spec.volumes[0].containerDisk"),
        VM.replace(
            "- containerDisk:\n            image: x\n          name: root",
            "- name: root"
        )
    );
    assert_eq!(
        without("- a: 1\n  # b\n  b: 2\n", "[0].a"),
        "- # b\n  b: 2\n"
    );
    assert_eq!(without("- - a: 1\n    b: 2\n", "[0][0].a"), "- - b: 2\n");
    assert_eq!(without("- - 1\n  - 2\n- 3\n", "[0][0]"), "- - 2\n- 3\n");
}

#[test]
fn items_go_with_their_dash() {
    assert_eq!(
        without(VM, "spec.template.spec.domain.devices.disks[1]"),
        VM.replace(
            "          # second\n          - name: data\n            disk:\n              bus: virtio\n            # in data\n",
            ""
        )
    );
    assert_eq!(without("a:\n- 1\n-\n- 3\n", "a[1]"), "a:\n- 1\n- 3\n");
}

#[test]
fn the_last_key_leaves_an_empty_collection() {
    assert_eq!(without("a:\n  # c\n  b: 1\nd: 2\n", "a.b"), "a: {}\nd: 2\n");
    assert_eq!(without("a:\n- b\nd: 2\n", "a[0]"), "a: []\nd: 2\n");
    assert_eq!(without("a: {b: 1} # c\n", "a.b"), "a: {} # c\n");
}

#[test]
fn brackets_keep_their_commas() {
    for (text, path, result) in [
        ("a: {x: 1, w: 2, z: 3}\n", "a.x", "a: {w: 2, z: 3}\n"),
        ("a: {x: 1, w: 2, z: 3}\n", "a.w", "a: {x: 1, z: 3}\n"),
        ("a: {x: 1, w: 2, z: 3}\n", "a.z", "a: {x: 1, w: 2}\n"),
        ("a: [1, 2, 3,]\n", "a[2]", "a: [1, 2,]\n"),
        (
            "{\"a\": 1,\n \"b\": [1,\n 2]}\n",
            "b[0]",
            "{\"a\": 1,\n \"b\": [2]}\n",
        ),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}\n", "b", "{\n  \"a\": 1\n}\n"),
    ] {
        assert_eq!(without(text, path), result);
    }
    let both = edited("a: {x: 1, w: 2, z: 3}\n", |editor| {
        editor.remove(&"a.x".into());
        editor.remove(&"a.w".into());
        editor.insert(&"a".into(), "v", Node::from("a,b"), None);
    });
    assert_eq!(both, "a: {z: 3, v: 'a,b'}\n");
    assert_eq!(
        inserted("{\n  \"a\": 1\n}\n", "", "b", json!("x\ny")),
        "{\n  \"a\": 1,\n  \"b\": \"x\\ny\"\n}\n"
    );
}

#[test]
fn values_are_replaced_where_they_stand() {
    assert_eq!(
        with(VM, "spec.running", json!(false)),
        VM.replace("true", "false")
    );
    assert_eq!(
        with(VM, "metadata.labels.x", json!("2")),
        VM.replace("\"1\"", "\"2\"")
    );
    assert_eq!(
        with(VM, "metadata.labels.w", json!("a, b")),
        VM.replace("w: z", "w: 'a, b'")
    );
    for (text, value, result) in [
        ("a:\nb: 1\n", json!("x"), "a: x\nb: 1\n"),
        ("a: # c\nb: 1\n", json!({"k": 1}), "a: # c\n  k: 1\nb: 1\n"),
        (
            "a: x # c\nb: 1\n",
            json!("l\nm\n"),
            "a: | # c\n  l\n  m\nb: 1\n",
        ),
        ("a: x", json!("l\nm\n"), "a: |\n  l\n  m\n"),
        ("a: x", json!("l\nm"), "a: |-\n  l\n  m"),
        (
            "a: |\n  x\n  y\n\nb: 1\n",
            json!("yes"),
            "a: \"yes\"\n\nb: 1\n",
        ),
        ("a:\n- 1\nb: 1\n", json!(null), "a: null\nb: 1\n"),
        ("a: one\n  two\nb: 1\n", json!(2), "a: 2\nb: 1\n"),
        (
            "a: {}\nb: 1\n",
            json!(["x", {"y": [1]}]),
            "a:\n- x\n- \"y\":\n  - 1\nb: 1\n",
        ),
    ] {
        assert_eq!(with(text, "a", value), result);
    }
    assert_eq!(with("a: {b, c: }\n", "a.b", json!(1)), "a: {b: 1, c: }\n");
    assert_eq!(with("a: {b, c: }\n", "a.c", json!(1)), "a: {b, c: 1 }\n");
    assert_eq!(with("a:\n-\n- 2\n", "a[0]", json!(1)), "a:\n- 1\n- 2\n");
    assert_eq!(
        with("a:\n- 1\n- 2\n", "a[0]", json!({"k": 1, "l": 2})),
        "a:\n- k: 1\n  l: 2\n- 2\n"
    );
    assert_eq!(
        with("- [1, 2]\n- x\n", "[1]", json!({"k": {"l": 1}})),
        "- [1, 2]\n- k:\n    l: 1\n"
    );
}

#[test]
fn keys_come_at_the_end_in_the_files_own_indentation() {
    let text = "a:\n    b:\n        c: 1\n    d:\n      - x\n# end\n";
    assert_eq!(
        inserted(text, "a.b", "m", json!({"l": [1]})),
        "a:\n    b:\n        c: 1\n        m:\n            l:\n              - 1\n    d:\n      - x\n# end\n"
    );
    assert_eq!(inserted("a: 1", "", "b", json!("x")), "a: 1\nb: x");
    assert_eq!(
        inserted("a:\n- x: 1\n", "a[0]", "y", json!(2)),
        "a:\n- x: 1\n  \"y\": 2\n"
    );
    assert_eq!(
        inserted("a: 1\r\nb: 2\r\n", "", "c", json!("x\ny\n")),
        "a: 1\r\nb: 2\r\nc: |\r\n  x\r\n  y\r\n"
    );
    let after = edited(VM, |editor| {
        editor.insert(
            &"spec".into(),
            "runStrategy",
            Node::from("Always"),
            Some("running"),
        );
        editor.remove(&"spec.running".into());
    });
    assert_eq!(
        after,
        VM.replace(
            "  # power\n  running: true # on\n",
            "  runStrategy: Always\n"
        )
    );
    let items = edited("a:\n  - 1\n  - 2\n", |editor| {
        editor.insert_item(&"a".into(), None, Node::from("x"));
        editor.insert_item(&"a".into(), Some(0), Node::from_json(&json!({"k": [1]})));
    });
    assert_eq!(items, "a:\n  - k:\n      - 1\n  - 1\n  - 2\n  - x\n");
}

#[test]
fn keys_are_renamed_in_place() {
    let renamed = edited(VM, |editor| {
        assert!(editor.rename(&"spec.running".into(), "runStrategy"));
        assert!(editor.replace(&"spec.runStrategy".into(), Node::from("Always")));
        assert!(editor.rename(&"metadata.labels.w".into(), "on"));
    });
    assert_eq!(
        renamed,
        VM.replace("running: true", "runStrategy: Always")
            .replace("w: z", "\"on\": z")
    );
}

#[test]
fn other_documents_keep_their_bytes() {
    let text = "# one\na: 1\n--- # two\na: 2\nb: 3\n---\n!!! broken\n";
    let documents = parse(FileId(0), text.as_bytes()).documents;
    let second = documents[1].as_ref().unwrap();
    let mut editor = Editor::new(text.as_bytes(), second);
    editor.remove(&"b".into());
    let result = editor.finish().unwrap().apply(text.as_bytes());
    assert_eq!(
        String::from_utf8(result).unwrap(),
        text.replace("b: 3\n", "")
    );
}

#[test]
fn what_cannot_be_edited_safely_is_refused() {
    let refusal = |text: &str, path: &str| {
        let document = document(text.as_bytes());
        let mut editor = Editor::new(text.as_bytes(), &document);
        assert!(editor.remove(&path.into()));
        editor.finish().unwrap_err()
    };
    assert!(matches!(
        refusal("a: &x 1\nb: *x\n", "a"),
        CannotEdit::Shared(_)
    ));
    assert!(matches!(
        refusal("a: &x {k: 1}\nb: {<<: *x, c: 1}\n", "b.c"),
        CannotEdit::Shared(_)
    ));
    assert!(matches!(
        refusal("a: 1\na: 2\nb: 1\n", "b"),
        CannotEdit::DuplicateKey(_)
    ));
    assert!(matches!(
        refusal("a: &x\n  b: 1\n  c: 2\n", "a.b"),
        CannotEdit::Layout(_)
    ));
    assert!(matches!(
        refusal("? a\n: 1\n? b\n: 2\n", "a"),
        CannotEdit::Layout(_)
    ));
    assert!(matches!(
        refusal("a: 1\rb: 2\r", "a"),
        CannotEdit::Encoding(_)
    ));
    let mut set = EditSet::new();
    let edit = |start, end| Edit {
        span: Span::new(FileId(0), start, end),
        text: String::new(),
    };
    set.push(edit(4, 8)).unwrap();
    set.push(edit(8, 9)).unwrap();
    set.push(edit(4, 4)).unwrap();
    assert!(matches!(set.push(edit(7, 8)), Err(CannotEdit::Overlap(_))));
    assert!(matches!(set.push(edit(0, 5)), Err(CannotEdit::Overlap(_))));
    assert!(matches!(set.push(edit(5, 5)), Err(CannotEdit::Overlap(_))));
}

#[test]
fn a_value_needs_a_line_end_where_its_last_text_is_of_whole_lines() {
    for (value, needs) in [
        (json!("a\nb\n"), true),
        (json!("a\nb"), false),
        (json!("a"), false),
        (json!(["x", "a\nb\n"]), true),
        (json!(["a\nb\n", "x"]), false),
        (json!([]), false),
        (json!({"k": {"l": "a\nb\n"}}), true),
        (json!({"k": "a\nb\n", "l": 1}), false),
        (json!({"k": ["a\nb\n"]}), true),
        (json!({}), false),
    ] {
        let node = Node::from_json(&value);
        assert_eq!(block::needs_line_end(&node), needs, "{value}");
    }
}
