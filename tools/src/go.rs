//! Go source: the types of a package, read with a real parser.

mod types;

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use tree_sitter::{Node, Parser, Tree};

pub use self::types::{Field, GoType, Packages, version};

/// One parsed Go file.
pub struct GoFile {
    text: String,
    tree: Tree,
}

impl GoFile {
    /// Parses a file; `name` is for the error alone.
    pub fn parse(name: &str, text: String) -> anyhow::Result<Self> {
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_go::LANGUAGE.into())
            .context("the Go grammar does not fit the parser")?;
        let tree = parser
            .parse(&text, None)
            .with_context(|| format!("{name} cannot be parsed"))?;
        if tree.root_node().has_error() {
            let line = first_error(tree.root_node())
                .unwrap_or(tree.root_node())
                .start_position()
                .row
                + 1;
            bail!("{name}:{line} is no Go that the parser knows");
        }
        Ok(Self { text, tree })
    }

    /// The whole file.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The source text of a node.
    pub fn text(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Imported packages by the name the file uses for them.
    pub fn imports(&self) -> BTreeMap<String, String> {
        let mut imports = BTreeMap::new();
        walk(self.root(), &mut |node| {
            if node.kind() == "import_spec"
                && let Some(path) = node.child_by_field_name("path")
            {
                let path = unquote(self.text(path));
                let name = match node.child_by_field_name("name") {
                    Some(name) => self.text(name).to_owned(),
                    None => last_part(&path).to_owned(),
                };
                imports.insert(name, path);
            }
            // Imports stand at the top; nothing inside a function is one.
            !matches!(
                node.kind(),
                "function_declaration" | "method_declaration" | "type_declaration"
            )
        });
        imports
    }
}

/// Every node of a tree, outermost first; `enter` says whether to look inside.
pub fn walk<'tree>(node: Node<'tree>, enter: &mut dyn FnMut(Node<'tree>) -> bool) {
    if !enter(node) {
        return;
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        walk(child, enter);
    }
}

/// The value of a Go string literal, quoted or raw.
pub fn unquote(literal: &str) -> String {
    if let Some(raw) = literal
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        return raw.to_owned();
    }
    let inner = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(literal);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn first_error(node: Node<'_>) -> Option<Node<'_>> {
    if node.is_error() || node.is_missing() {
        return Some(node);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .filter(Node::has_error)
        .find_map(first_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_known_by_alias_or_last_part() {
        let text =
            "package a\nimport (\n\t\"x.io/api/core/v1\"\n\tk8s \"y.io/v1\"\n)\nimport \"fmt\"\n";
        let file = GoFile::parse("a.go", text.to_owned()).unwrap();
        let imports = file.imports();
        assert_eq!(imports["v1"], "x.io/api/core/v1");
        assert_eq!(imports["k8s"], "y.io/v1");
        assert_eq!(imports["fmt"], "fmt");
    }

    #[test]
    fn what_is_no_go_is_an_error_that_names_the_line() {
        let error = GoFile::parse("bad.go", "package a\n\ntype X struct {\n".to_owned())
            .err()
            .unwrap();
        assert!(error.to_string().starts_with("bad.go:3"), "{error}");
    }

    #[test]
    fn literals_lose_their_quotes() {
        assert_eq!(unquote(r#""a\n\"b\"""#), "a\n\"b\"");
        assert_eq!(unquote("`a\\n`"), "a\\n");
    }
}
