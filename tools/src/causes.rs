//! Every cause that the webhooks of a release can construct, read from their source.

mod list;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use tree_sitter::Node;

pub use self::list::{List, parts};
use crate::go::{GoFile, unquote, walk};
use crate::release::ReleaseTree;

/// A cause: the file and function that constructs it, and its words as the source writes them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// Name of the file: `disks.go`.
    pub file: String,
    /// Name of the function.
    pub function: String,
    /// The words; `%s` and the like stand for values, and a message that is no text there is the expression.
    pub words: String,
}

/// How a source makes what a webhook says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Makes {
    /// `metav1.StatusCause{Message: …}`, or a whole `metav1.Status`.
    Causes,
    /// `field.Invalid(…)` and the like, of Kubernetes' own validation.
    FieldErrors,
    /// `fmt.Errorf(…)`, `errors.New(…)` and `conflict.NewWithMessage(…)`, which a caller makes a cause or a response of.
    Errors,
}

use Makes::{Causes, Errors, FieldErrors};

/// The sources of the webhooks for virtual machines, instance types and preferences: a file, or the files of a folder.
const SOURCES: &[(&str, &[Makes])] = &[
    ("pkg/virt-api/webhooks", &[Causes, Errors]),
    (
        "pkg/virt-api/webhooks/validating-webhook/admitters",
        &[Causes, FieldErrors, Errors],
    ),
    (
        "pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go",
        &[Causes, Errors],
    ),
    ("pkg/network/admitter", &[Causes]),
    ("pkg/network/vmispec/defaults.go", &[Errors]),
    ("pkg/storage/admitters", &[Causes, Errors]),
    ("pkg/dra/admitter", &[Causes]),
    ("pkg/defaults", &[Causes, Errors]),
    ("pkg/liveupdate/memory/memory.go", &[Errors]),
    ("pkg/instancetype/infer", &[Errors]),
    ("pkg/instancetype/instancetype.go", &[Errors]),
    ("pkg/instancetype/preference/requirements", &[Errors]),
    ("pkg/instancetype/preference/validation", &[Causes, Errors]),
    ("pkg/instancetype/preference/webhooks", &[Causes]),
    ("pkg/instancetype/webhooks", &[Causes]),
    ("pkg/instancetype/webhooks/vm", &[Causes, Errors]),
    ("pkg/virt-config/deprecation/validator.go", &[Causes]),
    ("pkg/virt-config/featuregate/validator.go", &[Causes]),
];

/// The sources of CDI's webhooks.
const CDI_SOURCES: &[(&str, &[Makes])] = &[
    ("pkg/apiserver/webhooks", &[Causes, Errors]),
    ("pkg/util/checksum/checksum.go", &[Errors]),
];

/// Files in those folders that are about other kinds.
const OTHER_KINDS: &[&str] = &[
    "backup.go",
    "migration-create-admitter.go",
    "migration-update-admitter.go",
    "migrationpolicy-admitter.go",
    "plugin-admitter.go",
    "pod-eviction-admitter.go",
    "vmclone-admitter.go",
    "vmexport-admitter.go",
    "vmexport.go",
    "vmi-preset-admitter.go",
    "vmi-update-admitter.go",
    "vmirs-admitter.go",
    "vmpool-admitter.go",
    "vmrestore-admitter.go",
    "vmrestore.go",
    "vmsnapshot-admitter.go",
    "vmsnapshot.go",
];

/// Reads the causes of KubeVirt's webhooks in a source tree.
pub fn read(tree: &ReleaseTree) -> anyhow::Result<BTreeSet<Cause>> {
    read_from(tree, SOURCES)
}

/// Reads the causes of CDI's webhooks in a source tree of CDI.
pub fn read_cdi(tree: &ReleaseTree) -> anyhow::Result<BTreeSet<Cause>> {
    read_from(tree, CDI_SOURCES)
}

fn read_from(tree: &ReleaseTree, sources: &[(&str, &[Makes])]) -> anyhow::Result<BTreeSet<Cause>> {
    let mut files = Vec::new();
    for (source, makes) in sources {
        let paths = if source.ends_with(".go") {
            vec![(*source).to_owned()]
        } else {
            tree.files(source, &|file| {
                file.ends_with(".go") && file.rfind('/') == Some(source.len())
            })?
        };
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            if name.ends_with("_test.go")
                || OTHER_KINDS.contains(&name.as_str())
                || !tree.path().join(&path).is_file()
            {
                continue;
            }
            files.push((name, GoFile::parse(&path, tree.read(&path)?)?, *makes));
        }
    }
    let mut texts = BTreeMap::new();
    for (_, file, _) in &files {
        constants(file, &mut texts);
    }
    let mut causes = BTreeSet::new();
    for (name, file, makes) in &files {
        let reader = Reader {
            file,
            texts: &texts,
            makes,
        };
        reader.extract(name, &mut causes);
    }
    if causes.is_empty() {
        bail!("{}: no webhook is there", tree.path().display());
    }
    Ok(causes)
}

/// The constants and variables of a file that are text, joined where it is written in parts.
fn constants(file: &GoFile, texts: &mut BTreeMap<String, String>) {
    walk(file.root(), &mut |node| {
        if matches!(node.kind(), "const_spec" | "var_spec")
            && let Some(name) = node.child_by_field_name("name")
            && let Some(value) = node.child_by_field_name("value")
            && let Some(value) = value.named_child(0)
            && let Some(text) = text(file, value)
        {
            texts.insert(file.text(name).to_owned(), text);
        }
        true
    });
}

/// A text literal, or several joined.
fn text(file: &GoFile, value: Node<'_>) -> Option<String> {
    match value.kind() {
        "interpreted_string_literal" | "raw_string_literal" => Some(unquote(file.text(value))),
        "binary_expression" => {
            let side = |name: &str| text(file, value.child_by_field_name(name)?);
            Some(side("left")? + &side("right")?)
        }
        _ => None,
    }
}

struct Reader<'a> {
    file: &'a GoFile,
    /// Constants of every file read: a message may be one of another package.
    texts: &'a BTreeMap<String, String>,
    makes: &'a [Makes],
}

impl Reader<'_> {
    fn extract(&self, name: &str, causes: &mut BTreeSet<Cause>) {
        let (file, makes) = (self.file, self.makes);
        let root = file.root();
        let mut cursor = root.walk();
        for declared in root.named_children(&mut cursor) {
            if !matches!(
                declared.kind(),
                "function_declaration" | "method_declaration"
            ) {
                continue;
            }
            let function = declared
                .child_by_field_name("name")
                .map_or("", |name| file.text(name));
            walk(declared, &mut |node| {
                let made = match node.kind() {
                    "composite_literal" if makes.contains(&Causes) => self.messages(node),
                    "call_expression" => self.call(node).into_iter().collect(),
                    _ => Vec::new(),
                };
                for words in made {
                    causes.insert(Cause {
                        file: name.to_owned(),
                        function: function.to_owned(),
                        words,
                    });
                }
                true
            });
        }
    }

    /// The messages of a literal of one `StatusCause` or `Status`, or of a list of them whose items leave the type out.
    fn messages(&self, literal: Node<'_>) -> Vec<String> {
        let part = |name: &str| literal.child_by_field_name(name);
        let (Some(of), Some(body)) = (part("type"), part("body")) else {
            return Vec::new();
        };
        let of = self.file.text(of);
        if !matches!(of.rsplit(['.', ']']).next(), Some("StatusCause" | "Status")) {
            return Vec::new();
        }
        if !of.starts_with('[') {
            return self.message(body).into_iter().collect();
        }
        let mut cursor = body.walk();
        body.named_children(&mut cursor)
            .filter_map(|element| element.named_child(0))
            .filter(|item| item.kind() == "literal_value")
            .filter_map(|item| self.message(item))
            .collect()
    }

    fn message(&self, body: Node<'_>) -> Option<String> {
        let mut cursor = body.walk();
        body.named_children(&mut cursor)
            .filter(|element| element.kind() == "keyed_element")
            .find(|element| {
                element
                    .named_child(0)
                    .is_some_and(|key| self.file.text(key) == "Message")
            })
            .and_then(|element| element.named_child(1))
            .map(|value| self.words(value))
    }

    fn call(&self, call: Node<'_>) -> Option<String> {
        let called = self.file.text(call.child_by_field_name("function")?);
        let arguments = call.child_by_field_name("arguments")?;
        match called.split_once('.')? {
            ("field", kind) if self.makes.contains(&FieldErrors) => {
                const KINDS: [&str; 6] = [
                    "Invalid",
                    "Required",
                    "Forbidden",
                    "NotSupported",
                    "Duplicate",
                    "TooLong",
                ];
                KINDS
                    .contains(&kind)
                    .then(|| format!("{kind}{}", flat(self.file.text(arguments))))
            }
            ("fmt" | "errors", "Errorf") | ("errors", "New") | ("conflict", "NewWithMessage")
                if self.makes.contains(&Errors) =>
            {
                arguments.named_child(0).map(|value| self.words(value))
            }
            _ => None,
        }
    }

    /// The words of a message: the text or the format of one, else the expression.
    fn words(&self, value: Node<'_>) -> String {
        match value.kind() {
            "literal_element" | "parenthesized_expression" => value
                .named_child(0)
                .map_or_else(String::new, |inner| self.words(inner)),
            "interpreted_string_literal" | "raw_string_literal" => unquote(self.file.text(value)),
            "call_expression"
                if value
                    .child_by_field_name("function")
                    .is_some_and(|called| self.file.text(called) == "fmt.Sprintf") =>
            {
                value
                    .child_by_field_name("arguments")
                    .and_then(|arguments| arguments.named_child(0))
                    .map_or_else(String::new, |format| self.words(format))
            }
            "binary_expression" => {
                let side = |name: &str| {
                    value
                        .child_by_field_name(name)
                        .map_or_else(String::new, |side| self.words(side))
                };
                side("left") + &side("right")
            }
            "identifier" | "selector_expression" => {
                let text = self.file.text(value);
                let name = text.rsplit('.').next().unwrap_or(text);
                let constant = self.texts.get(name).cloned();
                constant.unwrap_or_else(|| flat(text))
            }
            _ => flat(self.file.text(value)),
        }
    }
}

/// An expression on one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
