//! Mappings and lists in block style, line by line.

use super::CannotEdit;
use super::plan::EditPlan;
use super::rewrite::{Rewriter, ValuePlace};
use crate::yaml::emit::{self, EmitContext};
use crate::yaml::{Node, Value};

/// A key with its value, or a dash with its item.
struct BlockPart {
    /// The key or the dash.
    start: usize,
    /// One past the colon or the dash.
    indicator: usize,
    /// Where the value ends.
    end: usize,
}

impl Rewriter<'_> {
    /// Turns a block collection into another, part by part.
    pub(super) fn block(
        &mut self,
        old: &Node,
        new: &Node,
        plan: &EditPlan,
        place: ValuePlace,
    ) -> Result<(), CannotEdit> {
        let parts = self.parts(old)?;
        let column = self.column(parts[0].start);
        for (at, part) in parts.iter().enumerate() {
            let known = self.starts_line(part.start) || at == 0 && self.follows_dashes(part.start);
            if !known || self.column(part.start) != column {
                return self.refuse(part.start);
            }
        }
        for (at, (part, kept)) in parts.iter().zip(&plan.kept).enumerate() {
            let Some(to) = kept else { continue };
            match (&old.value, &new.value) {
                (Value::Map(old), Value::Map(new)) => {
                    let (old, new) = (&old.entries()[at], &new.entries()[*to]);
                    if old.key != new.key {
                        let key = old
                            .key_origin
                            .span()
                            .map_or(part.start, |span| span.end as usize);
                        let text = emit::text(&new.key, EmitContext::Block);
                        self.edit(part.start, key, &text);
                    }
                    let colon = part.indicator;
                    self.value(&old.node, &new.node, ValuePlace::AfterKey { colon, column })?;
                }
                (Value::Seq(old), Value::Seq(new)) => {
                    let dash = part.indicator;
                    self.value(&old[at], &new[*to], ValuePlace::AfterDash { dash, column })?;
                }
                _ => return self.refuse(part.start),
            }
        }
        for (first, last) in plan.removed() {
            let header = first == 0 && matches!(place, ValuePlace::Root);
            self.remove_lines(&parts, first, last, header)?;
        }
        self.insert_lines(new, plan, &parts, column, matches!(place, ValuePlace::Root));
        Ok(())
    }

    fn parts(&self, node: &Node) -> Result<Vec<BlockPart>, CannotEdit> {
        let mut parts = Vec::new();
        for entry in node.entries() {
            let Some(key) = entry.key_origin.span() else {
                return self.refuse(self.start);
            };
            let (_, end) = self.extent(&entry.node)?;
            let colon = self.skip_trivia(key.end as usize);
            if self.bytes.get(colon) != Some(&b':') {
                return self.refuse(key.start as usize);
            }
            parts.push(BlockPart {
                start: key.start as usize,
                indicator: colon + 1,
                end: end.max(colon + 1),
            });
        }
        let (mut at, _) = self.extent(node)?;
        for item in node.items() {
            let (_, end) = self.extent(item)?;
            let dash = self.skip_trivia(at);
            if self.bytes.get(dash) != Some(&b'-') {
                return self.refuse(dash);
            }
            at = end.max(dash + 1);
            parts.push(BlockPart {
                start: dash,
                indicator: dash + 1,
                end: at,
            });
        }
        Ok(parts)
    }

    /// Takes the lines of a run of parts out, with their comments. `header`: comments above the first key of a document
    /// stay, they are about the file.
    fn remove_lines(
        &mut self,
        parts: &[BlockPart],
        first: usize,
        last: usize,
        header: bool,
    ) -> Result<(), CannotEdit> {
        let start = parts[first].start;
        let column = self.column(start);
        if self.starts_line(start) {
            let line = self.line_start(start);
            let from = if header {
                line
            } else {
                self.above(line, column)
            };
            let to = self.below(parts[last].end, column);
            self.edit(from, to, "");
            return Ok(());
        }
        // The next part, or a comment above it, moves up to the dash.
        let Some(next) = parts.get(last + 1) else {
            return self.refuse(start);
        };
        let line = self.line_start(next.start);
        let above = self
            .above(line, column)
            .max(self.next_line(parts[last].end));
        let to = if above < line {
            above + column
        } else {
            next.start
        };
        self.edit(start, to, "");
        Ok(())
    }

    fn insert_lines(
        &mut self,
        new: &Node,
        plan: &EditPlan,
        parts: &[BlockPart],
        column: usize,
        root: bool,
    ) {
        let write = |out: &mut String, to: usize| {
            if let Some(entry) = new.entries().get(to) {
                emit::entry(out, &entry.key, &entry.node, column, self.layout);
            } else {
                out.push_str("- ");
                emit::value_after_dash(out, &new.items()[to], column, self.layout);
            }
        };
        let mut places: Vec<(usize, String)> = Vec::new();
        let mut previous = None;
        for (after, to) in &plan.inserted {
            let mut text = String::new();
            let at = match after {
                Some(part) => {
                    emit::spaces(&mut text, column);
                    write(&mut text, *to);
                    self.below(parts[*part].end, column)
                }
                None if self.starts_line(parts[0].start) => {
                    emit::spaces(&mut text, column);
                    write(&mut text, *to);
                    let line = self.line_start(parts[0].start);
                    if root { line } else { self.above(line, column) }
                }
                None => {
                    write(&mut text, *to);
                    emit::spaces(&mut text, column);
                    parts[0].start
                }
            };
            if previous == Some(at)
                && let Some((_, before)) = places.last_mut()
            {
                before.push_str(&text);
            } else {
                places.push((at, text));
            }
            previous = Some(at);
        }
        for (at, mut text) in places {
            // The last line of a source may have no line end; then the new last line has none either, unless it needs one.
            let open_end = at == self.end && at > self.start && self.bytes[at - 1] != b'\n';
            if open_end {
                if !needs_line_end(new) {
                    text.pop();
                }
                text.insert(0, '\n');
            }
            self.edit(at, at, &text);
        }
    }
}

/// Whether a value ends in a text of several lines whose last line is a whole one.
pub(super) fn needs_line_end(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => emit::is_literal(text) && text.ends_with('\n'),
        Value::Seq(items) => items.last().is_some_and(needs_line_end),
        Value::Map(map) => map
            .entries()
            .last()
            .is_some_and(|entry| needs_line_end(&entry.node)),
        _ => false,
    }
}
