//! From one tree to another: walks both, and leaves each collection to the style it is written in.

use super::block::needs_line_end;
use super::plan::{self, EditPlan};
use super::{CannotEdit, Edit};
use crate::source::Span;
use crate::yaml::emit::{self, EmitContext, Layout};
use crate::yaml::{Document, Node, Value};

/// The place of a value that is written anew.
#[derive(Clone, Copy)]
pub(super) enum ValuePlace {
    /// The whole document.
    Root,
    /// After the colon that ends here, of a key in this column.
    AfterKey { colon: usize, column: usize },
    /// After the dash that ends here, which is in this column.
    AfterDash { dash: usize, column: usize },
    /// Between brackets, after the key that ends here.
    Flow { key: Option<usize> },
}

/// Collects the edits of one document.
pub(super) struct Rewriter<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) document: &'a Document,
    /// The document's bytes, without a byte order mark.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) layout: Layout,
    /// Written as JSON: new text must be JSON too.
    pub(super) json: bool,
    crlf: bool,
    edits: Vec<Edit>,
}

/// The edits that turn the document into `intended`, not yet proven.
pub(super) fn edits(
    bytes: &[u8],
    document: &Document,
    intended: &Node,
) -> Result<Vec<Edit>, CannotEdit> {
    let span = document.span.range();
    let text = &bytes[span.clone()];
    let mark = if text.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let root = document
        .root
        .origin
        .span()
        .map_or(0, |span| span.start as usize);
    let first_key = document
        .root
        .entries()
        .first()
        .and_then(|entry| entry.key_origin.span());
    let mut rewriter = Rewriter {
        bytes,
        document,
        start: span.start + mark,
        end: span.end,
        layout: Layout::default(),
        json: bytes.get(root) == Some(&b'{')
            && first_key.is_none_or(|key| bytes[key.start as usize] == b'"'),
        crlf: text
            .iter()
            .position(|byte| *byte == b'\n')
            .is_some_and(|at| at > 0 && text[at - 1] == b'\r'),
        edits: Vec::new(),
    };
    rewriter.layout = rewriter.find_layout(&document.root);
    rewriter.value(&document.root, intended, ValuePlace::Root)?;
    Ok(rewriter.edits)
}

impl Rewriter<'_> {
    pub(super) fn refuse<T>(&self, at: usize) -> Result<T, CannotEdit> {
        Err(CannotEdit::Layout(self.span(at, at)))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::of(self.document.file, start, end)
    }

    /// Adds an edit; line feeds become the document's line ends.
    pub(super) fn edit(&mut self, start: usize, end: usize, text: &str) {
        let text = if self.crlf {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        };
        let span = self.span(start, end);
        self.edits.push(Edit { span, text });
    }

    /// The bytes of a node of the document.
    pub(super) fn extent(&self, node: &Node) -> Result<(usize, usize), CannotEdit> {
        match node.origin.span() {
            Some(span) => Ok((span.start as usize, span.end as usize)),
            None => self.refuse(self.start),
        }
    }

    /// How the document indents: the first mapping and the first list below a key say so.
    fn find_layout(&self, root: &Node) -> Layout {
        let (mut step, mut lists) = (None, None);
        self.measure(root, &mut step, &mut lists);
        let default = Layout::default();
        Layout {
            step: step.unwrap_or(default.step),
            lists: lists.unwrap_or(default.lists),
        }
    }

    fn measure(&self, node: &Node, step: &mut Option<usize>, lists: &mut Option<usize>) {
        if step.is_some() && lists.is_some() {
            return;
        }
        for entry in node.entries() {
            let (Some(key), Some(value)) = (entry.key_origin.span(), entry.node.origin.span())
            else {
                continue;
            };
            let (key, value) = (key.start as usize, value.start as usize);
            if self.is_block(&entry.node) && self.starts_line(value) {
                let found = self.column(value).checked_sub(self.column(key));
                match entry.node.value {
                    Value::Map(_) => *step = step.or(found.filter(|step| *step > 0)),
                    _ => *lists = lists.or(found),
                }
            }
            self.measure(&entry.node, step, lists);
        }
        for item in node.items() {
            self.measure(item, step, lists);
        }
    }

    /// Whether a collection is written without brackets.
    fn is_block(&self, node: &Node) -> bool {
        let first = |node: &Node| {
            node.origin
                .span()
                .and_then(|span| self.bytes.get(span.start as usize))
                .copied()
        };
        match &node.value {
            Value::Map(map) => !map.is_empty() && first(node) != Some(b'{'),
            Value::Seq(items) => !items.is_empty() && first(node) != Some(b'['),
            _ => false,
        }
    }

    /// Turns one value into another.
    pub(super) fn value(
        &mut self,
        old: &Node,
        new: &Node,
        place: ValuePlace,
    ) -> Result<(), CannotEdit> {
        if old.same_value(new) {
            return Ok(());
        }
        let (start, _) = self.extent(old)?;
        let first = self.bytes.get(start).copied();
        let plan = match (&old.value, &new.value) {
            (Value::Map(old), Value::Map(new)) => Some(plan::mapping(old, new)),
            (Value::Seq(old), Value::Seq(new)) => plan::sequence(old, new),
            _ => None,
        };
        match plan.filter(EditPlan::keeps_any) {
            // A tag or an anchor comes before the collection itself.
            Some(_) if matches!(first, Some(b'!' | b'&')) => self.refuse(start),
            Some(plan) if self.is_block(old) && !matches!(place, ValuePlace::Flow { .. }) => {
                self.block(old, new, &plan, place)
            }
            Some(plan) if matches!(first, Some(b'{' | b'[')) => self.flow(old, new, &plan),
            Some(_) => self.refuse(start),
            None => self.replace(old, new, place),
        }
    }

    /// Writes a value anew.
    fn replace(&mut self, old: &Node, new: &Node, place: ValuePlace) -> Result<(), CannotEdit> {
        let (start, end) = self.extent(old)?;
        let (from, column) = match place {
            ValuePlace::Root => return self.refuse(start),
            ValuePlace::Flow { key } => return self.replace_in_flow(start, end, new, key),
            ValuePlace::AfterKey { colon, column } => (colon, column),
            ValuePlace::AfterDash { dash, column } => (dash, column),
        };
        let old_is_inline = start < end
            && !self.is_block(old)
            && !matches!(self.bytes[start], b'|' | b'>' | b'!' | b'&');
        let new_is_inline = match &new.value {
            Value::String(text) => !emit::is_literal(text),
            Value::Map(map) => map.is_empty(),
            Value::Seq(items) => items.is_empty(),
            _ => true,
        };
        if new_is_inline {
            let text = self.scalar(new, self.bytes[start.min(self.end - 1)], EmitContext::Block);
            if old_is_inline {
                self.edit(start, end, &text);
            } else {
                self.edit(from, end, &format!(" {text}"));
            }
            return Ok(());
        }
        let mut text = String::new();
        match place {
            ValuePlace::AfterDash { .. } => {
                text.push(' ');
                emit::value_after_dash(&mut text, new, column, self.layout);
            }
            _ => emit::value_after_key(&mut text, new, column, self.layout),
        }
        // A comment after the old value moves to the first line: after the last it might become part of a text.
        let rest_end = self.text_end(end);
        let rest = self.bytes[end..rest_end].trim_ascii();
        let mut to = end;
        if rest.starts_with(b"#") {
            to = rest_end;
            let comment = String::from_utf8_lossy(rest).into_owned();
            let first = text.find('\n').unwrap_or(text.len());
            text.insert_str(first, &format!(" {comment}"));
        }
        if self.next_line(to) > self.text_end(to) || !needs_line_end(new) {
            text.pop();
        }
        self.edit(from, to, &text);
        Ok(())
    }

    /// A value on one line. Text keeps the quotes the old value had.
    pub(super) fn scalar(&self, new: &Node, old_first: u8, context: EmitContext) -> String {
        if self.json {
            return new.to_json().to_string();
        }
        match &new.value {
            Value::String(text) if old_first == b'"' => emit::double_quoted(text),
            _ => {
                let mut out = String::new();
                emit::flow(&mut out, new, context);
                out
            }
        }
    }
}
