//! The type declarations of Go packages, with names resolved to the package that declares them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use anyhow::Context as _;
use tree_sitter::Node;

use super::{GoFile, last_part, unquote};
use crate::release::ReleaseTree;

/// A Go type, its names resolved to import paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoType {
    /// A type of the language: `string`, `uint32`.
    Builtin(String),
    /// A declared type.
    Named {
        /// Import path of the package that declares it.
        package: String,
        /// Its name there.
        name: String,
    },
    /// `*T`.
    Pointer(Box<Self>),
    /// `[]T` and `[N]T`.
    List(Box<Self>),
    /// `map[K]T`; the value alone is of interest.
    Map(Box<Self>),
    /// A struct.
    Struct(Vec<Field>),
    /// An interface, a function, a channel: nothing that an API holds by type.
    Opaque,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in JSON; `None` for a field whose own fields stand in its place.
    pub json: Option<String>,
    /// Its type.
    pub of: GoType,
    /// Whether JSON leaves it out when empty.
    pub omitempty: bool,
    /// The lines of its comment.
    pub doc: Vec<String>,
}

type Package = Rc<BTreeMap<String, GoType>>;

/// The packages of a release's source tree, each read once.
pub struct Packages<'a> {
    tree: &'a ReleaseTree,
    read: RefCell<HashMap<String, Package>>,
}

impl<'a> Packages<'a> {
    /// Where packages lie in a source tree: its own modules, then what is vendored.
    const ROOTS: [&'static str; 2] = ["staging/src", "vendor"];

    /// The packages of a tree.
    pub fn new(tree: &'a ReleaseTree) -> Self {
        Self {
            tree,
            read: RefCell::default(),
        }
    }

    /// The declaration of a type; `None` where the tree lacks the package or the package the type.
    pub fn find(&self, package: &str, name: &str) -> anyhow::Result<Option<GoType>> {
        Ok(self.package(package)?.get(name).cloned())
    }

    /// The declaration of a type that must be there.
    pub fn require(&self, package: &str, name: &str) -> anyhow::Result<GoType> {
        self.find(package, name)?.with_context(|| {
            format!(
                "{}: {package} declares no type {name}; the tree must hold staging/src and vendor",
                self.tree.path().display()
            )
        })
    }

    fn package(&self, path: &str) -> anyhow::Result<Package> {
        if let Some(read) = self.read.borrow().get(path) {
            return Ok(Rc::clone(read));
        }
        let mut types = BTreeMap::new();
        for root in Self::ROOTS {
            let folder = format!("{root}/{path}");
            if !self.tree.path().join(&folder).is_dir() {
                continue;
            }
            let files = self.tree.files(&folder, &|file| {
                file.ends_with(".go")
                    && !file.ends_with("_test.go")
                    && file.rfind('/') == Some(folder.len())
            })?;
            for name in files {
                let text = self.tree.read(&name)?;
                // Most of the bytes are generated code without a type.
                if !text.contains("\ntype ") {
                    continue;
                }
                let file = GoFile::parse(&name, text)?;
                declarations(&file, path, &mut types);
            }
            break;
        }
        let package = Rc::new(types);
        self.read
            .borrow_mut()
            .insert(path.to_owned(), Rc::clone(&package));
        Ok(package)
    }
}

fn declarations(file: &GoFile, package: &str, types: &mut BTreeMap<String, GoType>) {
    let reader = Reader {
        file,
        package,
        imports: file.imports(),
    };
    let root = file.root();
    let mut cursor = root.walk();
    for declaration in root.named_children(&mut cursor) {
        if declaration.kind() != "type_declaration" {
            continue;
        }
        let mut inner = declaration.walk();
        for spec in declaration.named_children(&mut inner) {
            if !matches!(spec.kind(), "type_spec" | "type_alias") {
                continue;
            }
            let (Some(name), Some(of)) = (
                spec.child_by_field_name("name"),
                spec.child_by_field_name("type"),
            ) else {
                continue;
            };
            let of = reader.read(of);
            types.insert(file.text(name).to_owned(), of);
        }
    }
}

struct Reader<'a> {
    file: &'a GoFile,
    package: &'a str,
    imports: BTreeMap<String, String>,
}

impl Reader<'_> {
    fn read(&self, node: Node<'_>) -> GoType {
        let part = |name: &str| {
            node.child_by_field_name(name)
                .map_or(GoType::Opaque, |child| self.read(child))
        };
        match node.kind() {
            "type_identifier" => self.named(self.file.text(node)),
            "qualified_type" => {
                let text = |name: &str| {
                    node.child_by_field_name(name)
                        .map_or("", |child| self.file.text(child))
                };
                let alias = text("package");
                GoType::Named {
                    package: self
                        .imports
                        .get(alias)
                        .cloned()
                        .unwrap_or_else(|| alias.to_owned()),
                    name: text("name").to_owned(),
                }
            }
            "pointer_type" => GoType::Pointer(Box::new(
                node.named_child(0)
                    .map_or(GoType::Opaque, |child| self.read(child)),
            )),
            "slice_type" | "array_type" => GoType::List(Box::new(part("element"))),
            "map_type" => GoType::Map(Box::new(part("value"))),
            "parenthesized_type" => node
                .named_child(0)
                .map_or(GoType::Opaque, |child| self.read(child)),
            "struct_type" => GoType::Struct(self.fields(node)),
            _ => GoType::Opaque,
        }
    }

    fn named(&self, name: &str) -> GoType {
        const BUILTIN: [&str; 17] = [
            "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16",
            "uint32", "uint64", "float32", "float64", "byte", "rune", "any",
        ];
        if BUILTIN.contains(&name) {
            GoType::Builtin(name.to_owned())
        } else {
            GoType::Named {
                package: self.package.to_owned(),
                name: name.to_owned(),
            }
        }
    }

    fn fields(&self, node: Node<'_>) -> Vec<Field> {
        let mut fields = Vec::new();
        let Some(list) = node.named_child(0) else {
            return fields;
        };
        let mut cursor = list.walk();
        for declared in list.named_children(&mut cursor) {
            if declared.kind() != "field_declaration" {
                continue;
            }
            let Some(of) = declared.child_by_field_name("type") else {
                continue;
            };
            let mut of = self.read(of);
            let mut names = declared.walk();
            let names: Vec<_> = declared
                .children_by_field_name("name", &mut names)
                .map(|name| self.file.text(name))
                .collect();
            let is_embedded = names.is_empty();
            if is_embedded && declared.child(0).is_some_and(|child| child.kind() == "*") {
                of = GoType::Pointer(Box::new(of));
            }
            let tag = declared
                .child_by_field_name("tag")
                .map(|tag| unquote(self.file.text(tag)))
                .unwrap_or_default();
            let tag = json_tag(&tag);
            let (word, options) = tag.split_once(',').unwrap_or((tag, ""));
            if word == "-" {
                continue;
            }
            let is_inline = is_embedded && word.is_empty();
            // A field that is not exported has no JSON.
            let go_name = names.first().copied().unwrap_or("");
            if !is_embedded && go_name.starts_with(|first: char| !first.is_uppercase()) {
                continue;
            }
            let json = match (is_inline, word) {
                (true, _) => None,
                (false, "") => Some(go_name.to_owned()),
                (false, word) => Some(word.to_owned()),
            };
            let has = |option| options.split(',').any(|known| known == option);
            fields.push(Field {
                json,
                of,
                omitempty: has("omitempty") || has("omitzero"),
                doc: self.doc(declared),
            });
        }
        fields
    }

    /// The comment right above a node, without its marks.
    fn doc(&self, node: Node<'_>) -> Vec<String> {
        let mut lines = Vec::new();
        let mut below = node;
        while let Some(above) = below.prev_sibling() {
            if above.kind() != "comment"
                || above.end_position().row + 1 != below.start_position().row
            {
                break;
            }
            // A comment at the end of a line of code belongs to that line.
            if above
                .prev_sibling()
                .is_some_and(|code| code.end_position().row == above.start_position().row)
            {
                break;
            }
            let text = self.file.text(above);
            if let Some(block) = text.strip_prefix("/*") {
                let block = block.trim_end_matches("*/");
                lines.extend(block.lines().rev().map(|line| line.trim().to_owned()));
            } else {
                lines.push(text.trim_start_matches('/').trim().to_owned());
            }
            below = above;
        }
        lines.reverse();
        lines
    }
}

/// The value of `json` in a struct tag.
fn json_tag(tag: &str) -> &str {
    let Some(at) = tag.find("json:\"") else {
        return "";
    };
    let rest = &tag[at + "json:\"".len()..];
    rest.split('"').next().unwrap_or("")
}

/// The last part of a package's import path: its version in Kubernetes' APIs.
pub fn version(package: &str) -> &str {
    last_part(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> BTreeMap<String, GoType> {
        let file = GoFile::parse("t.go", text.to_owned()).unwrap();
        let mut types = BTreeMap::new();
        declarations(&file, "x.io/v1", &mut types);
        types
    }

    fn fields<'a>(types: &'a BTreeMap<String, GoType>, name: &str) -> &'a [Field] {
        match &types[name] {
            GoType::Struct(fields) => fields,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fields_have_json_names_types_and_comments() {
        let types = read(
            "package v1\nimport core \"y.io/core/v1\"\n// A box.\n// +marker\ntype Box struct {\n\
             \t// How wide.\n\t// +optional\n\tWidth *uint32 `json:\"width,omitempty\" protobuf:\"x\"`\n\
             \tLid core.Lid `json:\"lid\"` // trailing\n\
             \tParts []map[string]Part `json:\"parts,omitempty\"`\n\
             \tcore.Base `json:\",inline\"`\n\t*Part\n\tHidden string `json:\"-\"`\n\tprivate string\n\tBare string\n}\n",
        );
        let fields = fields(&types, "Box");
        let names: Vec<_> = fields.iter().map(|field| field.json.as_deref()).collect();
        assert_eq!(
            names,
            [
                Some("width"),
                Some("lid"),
                Some("parts"),
                None,
                None,
                Some("Bare")
            ]
        );
        let width = &fields[0];
        assert_eq!(
            width.of,
            GoType::Pointer(Box::new(GoType::Builtin("uint32".to_owned())))
        );
        assert!(width.omitempty && !fields[1].omitempty);
        assert_eq!(width.doc, ["How wide.", "+optional"]);
        assert!(
            fields[2].doc.is_empty(),
            "the trailing comment is the lid's"
        );
        assert_eq!(
            fields[1].of,
            GoType::Named {
                package: "y.io/core/v1".to_owned(),
                name: "Lid".to_owned()
            }
        );
        assert!(matches!(fields[4].of, GoType::Pointer(_)));
    }

    #[test]
    fn grouped_declarations_and_aliases_are_types_too() {
        let types = read("package v1\ntype (\n\t// One.\n\tA string\n\n\t// Two.\n\tB = A\n)\n");
        assert_eq!(types["A"], GoType::Builtin("string".to_owned()));
        assert!(matches!(&types["B"], GoType::Named { name, .. } if name == "A"));
    }
}
