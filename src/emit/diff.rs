//! The difference between a resource as written and as rendered, as a unified diff of their YAML.

use similar::TextDiff;

use crate::yaml::{self, Node};

/// The unified diff from `before` to `after`, headed by the two names; empty where the values are the same. Both sides
/// are written the same way, so that layout and comments are no difference.
pub fn unified(before: &Node, after: &Node, names: (&str, &str)) -> String {
    let (before, after) = (yaml::emit::to_string(before), yaml::emit::to_string(after));
    if before == after {
        return String::new();
    }
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(3)
        .header(names.0, names.1)
        .to_string()
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
            unified(&before, &after, ("x", "y")),
            "--- x\n+++ y\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 3\n"
        );
        assert_eq!(unified(&before, &before, ("x", "y")), "");
    }
}
