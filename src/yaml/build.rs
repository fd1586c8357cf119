//! Raw nodes to the tree: aliases copied, merges applied, keys made text, duplicates noted.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::document::{StrictKind, StrictProblem};
use super::problem::YamlProblem;
use super::raw::{Raw, RawNode};
use super::resolver::{Scalar, float_key, resolve};
use super::{Entry, Map, Node, Origin, Value};
use crate::source::Span;

/// How deep a tree may be. A cluster stops at 10,000; no manifest comes near, and everything that walks a tree may recurse.
const MAX_DEPTH: usize = 500;

/// Why a tree was refused, and where.
#[derive(Debug)]
pub(super) struct RefusedTree {
    pub(super) span: Span,
    pub(super) problem: YamlProblem,
}

/// A tree built, with what else was met on the way.
pub(super) struct Built {
    pub(super) root: Node,
    pub(super) strict: Vec<StrictProblem>,
    pub(super) aliases: Vec<Span>,
}

/// Makes the tree of `nodes`; `span` turns offsets into a place in the source.
pub(super) fn build(
    nodes: &[RawNode<'_>],
    span: &dyn Fn(usize, usize) -> Span,
) -> Result<Built, RefusedTree> {
    let mut builder = Builder {
        nodes,
        span,
        strict: Vec::new(),
        aliases: Vec::new(),
        expanding: Vec::new(),
        made: 1, // the document itself
        copied: 0,
        not_finite: false,
        texts: HashMap::new(),
        kinds: Vec::new(),
    };
    let root = builder.node(0, 0)?;
    if builder.not_finite {
        refuse_infinite(&root)?;
    }
    Ok(Built {
        root,
        strict: builder.strict,
        aliases: builder.aliases,
    })
}

/// JSON has no infinity and no NaN, so neither has a manifest.
fn refuse_infinite(node: &Node) -> Result<(), RefusedTree> {
    match &node.value {
        Value::Float(value) if !value.is_finite() => Err(RefusedTree {
            span: node
                .origin
                .span()
                .expect("the reader gives every node a span"),
            problem: YamlProblem::NotFinite,
        }),
        Value::Seq(items) => items.iter().try_for_each(refuse_infinite),
        Value::Map(map) => map
            .entries()
            .iter()
            .try_for_each(|entry| refuse_infinite(&entry.node)),
        _ => Ok(()),
    }
}

/// What kind of key a text was made from: go-yaml tells `1` from `"1"`, JSON does not.
#[derive(Clone, Copy, PartialEq)]
enum KeyKind {
    Text,
    Bool,
    Int,
    Float(u64),
}

struct Entries {
    map: Map,
    /// Where the kinds of its keys begin among the builder's.
    kinds_from: usize,
    index: HashMap<SmolStr, usize>,
    /// Inside an alias: its problems were already reported at the anchor.
    copied: bool,
    root: bool,
}

impl Entries {
    fn position(&mut self, key: &SmolStr) -> Option<usize> {
        let entries = self.map.entries();
        if entries.len() < 16 {
            return entries.iter().position(|entry| entry.key == *key);
        }
        for (at, entry) in entries.iter().enumerate().skip(self.index.len()) {
            self.index.insert(entry.key.clone(), at);
        }
        self.index.get(key).copied()
    }
}

struct Builder<'n, 'a> {
    nodes: &'n [RawNode<'a>],
    span: &'n dyn Fn(usize, usize) -> Span,
    strict: Vec<StrictProblem>,
    aliases: Vec<Span>,
    expanding: Vec<usize>,
    made: u64,
    copied: u64,
    not_finite: bool,
    /// Long texts copied by aliases: kept once, however often they are named.
    texts: HashMap<usize, Value>,
    /// For each key of the mappings being built what it was made from, and whether a merge set it.
    kinds: Vec<(KeyKind, bool)>,
}

impl Builder<'_, '_> {
    fn span_of(&self, at: usize) -> Span {
        let node = &self.nodes[at];
        (self.span)(node.start, node.end)
    }

    fn refuse<T>(&self, at: usize, problem: YamlProblem) -> Result<T, RefusedTree> {
        let span = self.span_of(at);
        Err(RefusedTree { span, problem })
    }

    /// Counts one step of go-yaml's decoder and stops where it would: too much of the tree comes from aliases.
    fn count(&mut self, at: usize) -> Result<(), RefusedTree> {
        const LOW: f64 = 400_000.0;
        const HIGH: f64 = 4_000_000.0;
        self.made += 1;
        if !self.expanding.is_empty() {
            self.copied += 1;
        }
        if self.copied > 100 && self.made > 1000 {
            #[allow(clippy::cast_precision_loss, reason = "a ratio")]
            let (made, copied) = (self.made as f64, self.copied as f64);
            let allowed = 0.99 - 0.89 * ((made - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
            if copied / made > allowed {
                return Err(RefusedTree {
                    span: self.span_of(at),
                    problem: YamlProblem::TooManyAliases,
                });
            }
        }
        Ok(())
    }

    fn node(&mut self, at: usize, depth: usize) -> Result<Node, RefusedTree> {
        self.count(at)?;
        let nodes = self.nodes;
        let value = match &nodes[at].raw {
            Raw::Scalar { text, .. } if text.len() > 64 && self.texts.contains_key(&at) => {
                self.texts[&at].clone()
            }
            Raw::Scalar { text, plain, tag } => {
                let scalar = match resolve(text, *plain, tag.as_deref()) {
                    Ok(scalar) => scalar,
                    Err(problem) => return self.refuse(at, problem),
                };
                let value = scalar.into_value();
                if text.len() > 64 && !self.expanding.is_empty() {
                    self.texts.insert(at, value.clone());
                }
                self.not_finite |= matches!(value, Value::Float(value) if !value.is_finite());
                value
            }
            Raw::Sequence(end) => {
                let depth = self.deeper(at, depth)?;
                let mut items = Vec::with_capacity(nodes[at].children as usize);
                let mut child = at + 1;
                while child < *end {
                    items.push(self.node(child, depth)?);
                    child = self.after(child);
                }
                Value::Seq(items)
            }
            Raw::Mapping(_) => {
                let depth = self.deeper(at, depth)?;
                let mut entries = Entries {
                    map: Map::with_capacity(nodes[at].children as usize / 2),
                    kinds_from: self.kinds.len(),
                    index: HashMap::new(),
                    copied: !self.expanding.is_empty(),
                    root: at == 0,
                };
                self.fill(at, &mut entries, false, depth)?;
                self.kinds.truncate(entries.kinds_from);
                Value::Map(entries.map)
            }
            Raw::Alias(target) => {
                self.enter_alias(at, *target)?;
                let node = self.node(*target, depth)?;
                self.expanding.pop();
                node.value
            }
        };
        Ok(Node {
            value,
            origin: Origin::Source(self.span_of(at)),
        })
    }

    fn deeper(&self, at: usize, depth: usize) -> Result<usize, RefusedTree> {
        if depth >= MAX_DEPTH {
            let node = &self.nodes[at];
            return Err(RefusedTree {
                span: (self.span)(node.start, node.start),
                problem: YamlProblem::TooDeep,
            });
        }
        Ok(depth + 1)
    }

    fn enter_alias(&mut self, at: usize, target: usize) -> Result<(), RefusedTree> {
        if self.expanding.is_empty() {
            let span = self.span_of(at);
            self.aliases.push(span);
        }
        let open = match self.nodes[target].raw {
            Raw::Sequence(end) | Raw::Mapping(end) => (target..end).contains(&at),
            _ => false,
        };
        if open || self.expanding.len() > MAX_DEPTH {
            return self.refuse(at, YamlProblem::AnchorInItself);
        }
        self.expanding.push(target);
        Ok(())
    }

    /// The node after `at` and its children.
    fn after(&self, at: usize) -> usize {
        match self.nodes[at].raw {
            Raw::Sequence(end) | Raw::Mapping(end) => end,
            _ => at + 1,
        }
    }

    /// Sets the keys of the mapping at `at`, in order; a merge sets the keys of what it names at its own place.
    fn fill(
        &mut self,
        at: usize,
        entries: &mut Entries,
        merged: bool,
        depth: usize,
    ) -> Result<(), RefusedTree> {
        let Raw::Mapping(end) = self.nodes[at].raw else {
            return Ok(());
        };
        let mut key = at + 1;
        while key < end {
            let value = self.after(key);
            if self.is_merge(key) {
                if self.expanding.is_empty() {
                    let span = self.span_of(key);
                    self.aliases.push(span);
                }
                self.merge(value, entries, depth)?;
            } else {
                let (text, kind) = self.key(key)?;
                let key_span = self.span_of(key);
                let node = self.node(value, depth)?;
                self.set(entries, text, kind, key_span, node, merged);
            }
            key = self.after(value);
        }
        Ok(())
    }

    fn is_merge(&self, at: usize) -> bool {
        match &self.nodes[at].raw {
            Raw::Scalar { text, plain, tag } => {
                text == "<<" && (*plain || tag.as_deref() == Some("tag:yaml.org,2002:merge"))
            }
            _ => false,
        }
    }

    fn merge(&mut self, at: usize, entries: &mut Entries, depth: usize) -> Result<(), RefusedTree> {
        let nodes = self.nodes;
        match nodes[at].raw {
            Raw::Sequence(end) => {
                let mut items = Vec::new();
                let mut child = at + 1;
                while child < end {
                    items.push(child);
                    child = self.after(child);
                }
                // Earlier ones take precedence, so they are set last.
                for item in items.into_iter().rev() {
                    self.merge_one(item, entries, depth)?;
                }
                Ok(())
            }
            _ => self.merge_one(at, entries, depth),
        }
    }

    fn merge_one(
        &mut self,
        at: usize,
        entries: &mut Entries,
        depth: usize,
    ) -> Result<(), RefusedTree> {
        match self.nodes[at].raw {
            Raw::Mapping(_) => {
                self.count(at)?;
                let depth = self.deeper(at, depth)?;
                self.fill(at, entries, true, depth)
            }
            Raw::Alias(target) if matches!(self.nodes[target].raw, Raw::Mapping(_)) => {
                self.count(at)?;
                self.enter_alias(at, target)?;
                self.count(target)?;
                let depth = self.deeper(at, depth)?;
                self.fill(target, entries, true, depth)?;
                self.expanding.pop();
                Ok(())
            }
            _ => self.refuse(at, YamlProblem::MergeOfOther),
        }
    }

    /// A key as JSON spells it.
    fn key(&mut self, at: usize) -> Result<(SmolStr, KeyKind), RefusedTree> {
        self.count(at)?;
        let nodes = self.nodes;
        match &nodes[at].raw {
            Raw::Scalar { text, plain, tag } => match resolve(text, *plain, tag.as_deref()) {
                Ok(Scalar::Text(text)) => Ok((text, KeyKind::Text)),
                Ok(Scalar::Bool(value)) => {
                    Ok((if value { "true" } else { "false" }.into(), KeyKind::Bool))
                }
                Ok(Scalar::Int(value)) => Ok((format!("{value}").into(), KeyKind::Int)),
                Ok(Scalar::Float(value)) => Ok((float_key(value), KeyKind::Float(value.to_bits()))),
                Ok(Scalar::Null) => self.refuse(at, YamlProblem::NullKey),
                Ok(Scalar::UInt(_)) => self.refuse(at, YamlProblem::LargeKey),
                Err(problem) => self.refuse(at, problem),
            },
            Raw::Alias(target) => {
                self.enter_alias(at, *target)?;
                let key = self.key(*target)?;
                self.expanding.pop();
                Ok(key)
            }
            _ => self.refuse(at, YamlProblem::CollectionAsKey),
        }
    }

    fn set(
        &mut self,
        entries: &mut Entries,
        key: SmolStr,
        kind: KeyKind,
        span: Span,
        node: Node,
        merged: bool,
    ) {
        let entry = Entry {
            key,
            key_origin: Origin::Source(span),
            node,
        };
        let Some(at) = entries.position(&entry.key) else {
            entries.map.push(entry);
            self.kinds.push((kind, merged));
            return;
        };
        let old = &mut entries.map.entries_mut()[at];
        let (old_kind, old_merged) = self.kinds[entries.kinds_from + at];
        if !entries.copied {
            self.strict.push(StrictProblem {
                kind: if old_kind != kind {
                    StrictKind::Spellings
                } else if merged || old_merged {
                    StrictKind::Merged
                } else {
                    StrictKind::Duplicate
                },
                key: entry.key.clone(),
                first: old.key_origin.span().unwrap_or(span),
                second: span,
                at_root: entries.root,
            });
        }
        *old = entry;
        self.kinds[entries.kinds_from + at] = (kind, merged);
    }
}
