//! A problem in the user's manifests: what, where, and what to do about it.

use sha1::{Digest, Sha1};
use smol_str::SmolStr;

use crate::cause::Cause;
use crate::field_path::{FieldPath, Segment};
use crate::resource::{Resource, ResourceId};
use crate::rule::{RuleInfo, Severity};
use crate::shown::secret::is_digestible;
use crate::source::{FileId, Span};
use crate::yaml::{Entry, Node, Value};

/// A place in a source plus a note.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The source; `None` for the built-in bundle and values made in memory.
    pub file: Option<FileId>,
    /// Index of the document in its file.
    pub document: usize,
    /// What to underline; `None` where only the file is known.
    pub span: Option<Span>,
    /// Whether the span is a key whose value is not to be shown: nobody knows what it is.
    pub is_key: bool,
    /// What is to be seen there; may be empty.
    pub note: String,
}

impl Location {
    /// The place of a field. Where it is absent, the key of its nearest present ancestor; never a whole resource.
    pub fn at(resource: &Resource, path: &FieldPath) -> Self {
        Self {
            file: resource.file,
            document: resource.document,
            span: place(&resource.node, path),
            is_key: false,
            note: String::new(),
        }
    }

    /// The key of a field, where the value is not to be shown.
    pub fn key(resource: &Resource, path: &FieldPath) -> Self {
        let mut named = path.clone();
        while matches!(named.segments().last(), Some(Segment::Index(_))) {
            named.pop();
        }
        let key = match named.segments().last() {
            Some(Segment::Field(name)) => named
                .parent()
                .find(&resource.node)
                .and_then(Node::as_map)
                .and_then(|map| map.entry(name)?.key_origin.span()),
            _ => None,
        };
        let at = Self::at(resource, path);
        Self {
            span: key.or(at.span),
            is_key: true,
            ..at
        }
    }

    /// A bare span of a document.
    pub const fn span(span: Span, document: usize) -> Self {
        Self {
            file: Some(span.file),
            document,
            span: Some(span),
            is_key: false,
            note: String::new(),
        }
    }

    /// A file as a whole.
    pub const fn file(file: FileId) -> Self {
        Self {
            file: Some(file),
            document: 0,
            span: None,
            is_key: false,
            note: String::new(),
        }
    }

    /// This location with a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// The span to underline for a path, from the root of a resource.
fn place(root: &Node, path: &FieldPath) -> Option<Span> {
    let mut node = root;
    let mut best = None;
    for segment in path.segments() {
        match (segment, &node.value) {
            (Segment::Field(name), Value::Map(map)) => {
                let Some(entry) = map.entry(name) else { break };
                best = of_entry(entry).or(best);
                node = &entry.node;
            }
            (Segment::Index(index), Value::Seq(items)) => {
                let Some(item) = items.get(*index) else { break };
                best = of_item(item).or(best);
                node = item;
            }
            _ => break,
        }
    }
    best.or_else(|| of_resource(root))
}

/// A one-line scalar is underlined itself, anything larger by its key.
fn of_entry(entry: &Entry) -> Option<Span> {
    let key = entry.key_origin.span();
    if is_one_line(&entry.node) {
        entry
            .node
            .origin
            .span()
            .filter(|span| span.start < span.end)
            .or(key)
    } else {
        key
    }
}

/// A mapping in a list is underlined by its name, else its first key.
fn of_item(item: &Node) -> Option<Span> {
    match &item.value {
        Value::Map(map) => {
            let entry = map.entry("name").or_else(|| map.entries().first());
            entry.and_then(of_entry).or_else(|| item.origin.span())
        }
        _ => item.origin.span(),
    }
}

/// A resource is underlined by its name, else its kind, else its first key.
fn of_resource(root: &Node) -> Option<Span> {
    let name = root
        .get("metadata")
        .and_then(Node::as_map)
        .and_then(|metadata| metadata.entry("name"));
    let map = root.as_map()?;
    name.or_else(|| map.entry("kind"))
        .or_else(|| map.entries().first())
        .and_then(of_entry)
}

fn is_one_line(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => !text.contains('\n'),
        Value::Seq(_) | Value::Map(_) => false,
        _ => true,
    }
}

/// How far a fix can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Applicability {
    /// The desired state stays the same.
    Safe,
    /// The desired state changes, probably as wanted.
    Unsafe,
}

impl Applicability {
    /// `safe` or `unsafe`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// One change of a [`Fix`], by path; turned into edits of the text when it is applied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FixStep {
    /// The field, from the resource's root.
    pub path: FieldPath,
    /// What happens to it.
    pub action: FixAction,
}

/// What a [`FixStep`] does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FixAction {
    /// The key or list item goes.
    Remove,
    /// The value becomes this, the key added where absent.
    Set(Node),
    /// The key is spelled so; the value stays.
    Rename(SmolStr),
}

/// A proposed change.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fix {
    /// What it does, in the imperative: `replace with runStrategy: Always`.
    pub title: String,
    /// Whether it may run unasked.
    pub applicability: Applicability,
    /// The changes; all or none.
    pub steps: Vec<FixStep>,
}

/// Which resource a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// `apiVersion` as written.
    pub api_version: SmolStr,
    /// Identity as written.
    pub id: ResourceId,
}

/// One hit of a rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static RuleInfo,
    /// How much it weighs.
    pub severity: Severity,
    /// The resource, where the document has an identity.
    pub subject: Option<Subject>,
    /// The field; may be absent from the document.
    pub field: Option<FieldPath>,
    /// What is wrong: lower case, no full stop, values in backticks. Never a secret.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The cluster's own words, verbatim.
    pub kubevirt: Option<Cause>,
    /// Where.
    pub primary: Location,
    /// Places that explain it.
    pub related: Vec<Location>,
    /// A proposed change.
    pub fix: Option<Fix>,
    /// The same problem where the value comes from: the field of an instance type or a preference. Its message lacks the
    /// guests that it hits at its end.
    pub given: Option<Box<Self>>,
    /// The field with list positions replaced by names, and a digest of its value: what survives a moved line.
    key: String,
}

impl Finding {
    /// A finding at a field of a resource.
    pub fn at(
        rule: &'static RuleInfo,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> Self {
        let path = path.into();
        let key = key_of(&resource.node, &path);
        Self {
            subject: Some(Subject {
                api_version: resource.api_version.clone(),
                id: resource.id.clone(),
            }),
            primary: Location::at(resource, &path),
            field: (!path.is_root()).then_some(path),
            key,
            ..Self::new(rule, Location::file(FileId(0)), message)
        }
    }

    /// A finding at the key of a field of a resource, whose value is not to be shown.
    pub(crate) fn at_key(
        rule: &'static RuleInfo,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> Self {
        let path = path.into();
        let primary = Location::key(resource, &path);
        Self {
            primary,
            ..Self::at(rule, resource, path, message)
        }
    }

    /// A finding at a place that belongs to no resource.
    pub fn new(rule: &'static RuleInfo, primary: Location, message: impl Into<String>) -> Self {
        let severity = rule.level.severity().or(rule.strict.severity());
        Self {
            rule,
            severity: severity.unwrap_or(Severity::Note),
            subject: None,
            field: None,
            message: message.into(),
            help: None,
            kubevirt: None,
            primary,
            related: Vec::new(),
            fix: None,
            given: None,
            key: String::new(),
        }
    }

    /// Says what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the cluster's own words.
    pub fn kubevirt(&mut self, cause: Cause) -> &mut Self {
        self.kubevirt = Some(cause);
        self
    }

    /// Adds a place that explains it.
    pub fn related(&mut self, location: Location) -> &mut Self {
        self.related.push(location);
        self
    }

    /// Keeps the same problem where the value comes from.
    pub(crate) fn given(&mut self, there: Self) -> &mut Self {
        self.given = Some(Box::new(there));
        self
    }

    /// Weighs this hit otherwise than the rule's default. A level in the configuration still wins.
    pub fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    /// Proposes a change.
    pub fn fix(
        &mut self,
        applicability: Applicability,
        title: impl Into<String>,
        steps: impl IntoIterator<Item = (FieldPath, FixAction)>,
    ) -> &mut Self {
        self.fix = Some(Fix {
            title: title.into(),
            applicability,
            steps: steps
                .into_iter()
                .map(|(path, action)| FixStep { path, action })
                .collect(),
        });
        self
    }

    /// A digest that stays the same when lines move or files are renamed: rule, resource, field and value. `path` is the
    /// file's, used where the finding belongs to no resource.
    pub fn fingerprint(&self, path: &str) -> String {
        let mut hash = Sha1::new();
        hash.update(self.rule.id);
        hash.update([0]);
        if let Some(subject) = &self.subject {
            hash.update(&subject.id.group);
            hash.update([0]);
            hash.update(&subject.id.kind);
            hash.update([0]);
            hash.update(subject.id.namespace.as_deref().unwrap_or_default());
            hash.update([0]);
            hash.update(&subject.id.name);
        } else {
            hash.update(path);
            hash.update([0]);
            hash.update(&self.message);
        }
        hash.update([0]);
        hash.update(&self.key);
        hex(&hash.finalize())
    }
}

fn key_of(root: &Node, path: &FieldPath) -> String {
    let mut key = String::new();
    let mut node = Some(root);
    for segment in path.segments() {
        key.push('/');
        match segment {
            Segment::Field(name) => {
                key.push_str(name);
                node = node.and_then(|node| node.get(name));
            }
            Segment::Index(index) => {
                node = node.and_then(|node| node.items().get(*index));
                let name = node.and_then(|item| {
                    item.get("name")
                        .or_else(|| item.path("metadata.name"))
                        .and_then(Node::as_str)
                });
                match name {
                    Some(name) => key.push_str(name),
                    None => key.push_str(&index.to_string()),
                }
            }
        }
    }
    let value = node
        .filter(|node| is_digestible(path, node))
        .and_then(|node| match &node.value {
            Value::Seq(_) | Value::Map(_) => None,
            _ => Some(node.to_json().to_string()),
        });
    if let Some(value) = value {
        key.push('=');
        key.push_str(&hex(&Sha1::digest(value.as_bytes())));
    }
    key
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
