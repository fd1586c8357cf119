//! Unified diffs, as they are shown: of a secret only that it changed, and nothing that a terminal acts on.

use similar::TextDiff;

use crate::shown;
use crate::shown::secret::{CHANGED, mark_changed, redacted};
use crate::shown::source::masked;
use crate::yaml::{self, Node};

/// The unified diff from `before` to `after`, headed by the two names; empty where the values are the same. Both sides
/// are written the same way, so layout and comments do not count.
pub fn unified(before: Option<&Node>, after: Option<&Node>, names: (&str, &str)) -> String {
    let emitted = |node: Option<&Node>| node.map_or_else(String::new, yaml::emit::to_string);
    let is_same = emitted(before) == emitted(after);
    let mut marked = after.map(redacted);
    if let (Some(before), Some(after), Some(marked)) = (before, after, &mut marked) {
        mark_changed(before, after, marked);
    }
    let before = emitted(before.map(redacted).as_ref());
    of_texts(&before, &emitted(marked.as_ref()), is_same, names)
}

/// The unified diff of a file whose text was edited; empty where it was not.
pub fn of_edited(path: &str, before: &[u8], after: &[u8]) -> String {
    let names = (format!("a/{path}"), format!("b/{path}"));
    of_texts(
        &masked(before),
        &masked(after),
        before == after,
        (&names.0, &names.1),
    )
}

/// The unified diff of two texts without their secrets, headed by the two names; empty where the texts were the same with
/// them.
fn of_texts(before: &str, after: &str, is_same: bool, names: (&str, &str)) -> String {
    if is_same {
        return String::new();
    }
    let names = (shown::whole(names.0), shown::whole(names.1));
    if before == after {
        return format!("--- {}\n+++ {}\n{CHANGED}\n", names.0, names.1);
    }
    let text = TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&names.0, &names.1)
        .to_string();
    shown::lines(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_differ_by_line() {
        let before = Node::from_json(&json!({"a": 1, "b": 2}));
        let after = Node::from_json(&json!({"a": 1, "b": 3}));
        assert_eq!(
            unified(Some(&before), Some(&after), ("x", "y")),
            "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3\n"
        );
        assert_eq!(unified(Some(&before), Some(&before), ("x", "y")), "");
    }

    #[test]
    fn secrets_and_commands_are_not_shown() {
        let side = |secret: &str, n: i64| {
            Node::from_json(&json!({
                "kind": "Secret", "stringData": {"a": secret}, "text": "x\n::stop-commands::y\n##[error]\n", "n": n,
            }))
        };
        let diff = unified(
            Some(&side("one", 1)),
            Some(&side("two", 2)),
            ("a\n::b", "y"),
        );
        assert!(diff.starts_with("--- a ::b\n+++ y\n"), "{diff}");
        assert!(
            !diff.contains("one") && !diff.contains("two") && !diff.contains("##["),
            "{diff}"
        );
        assert!(
            diff.contains(" (not shown)\n+  a: (not shown, changed)\n"),
            "{diff}"
        );
        assert!(diff.contains("\u{fffd}::stop"), "{diff}");
        assert_eq!(
            of_texts("a\n", "a\n", false, ("x", "y")),
            "--- x\n+++ y\n(not shown, changed)\n"
        );
    }
}
