//! Mappings and lists in brackets.

use super::CannotEdit;
use super::plan::EditPlan;
use super::rewrite::{Rewriter, ValuePlace};
use crate::yaml::emit::{self, EmitContext};
use crate::yaml::{Entry, Node, Value};

impl Rewriter<'_> {
    /// Turns a collection in brackets into another, part by part.
    pub(super) fn flow(
        &mut self,
        old: &Node,
        new: &Node,
        plan: &EditPlan,
    ) -> Result<(), CannotEdit> {
        let parts = self.flow_parts(old)?;
        for (at, kept) in plan.kept.iter().enumerate() {
            let Some(to) = kept else { continue };
            match (&old.value, &new.value) {
                (Value::Map(old), Value::Map(new)) => {
                    let (old, new) = (&old.entries()[at], &new.entries()[*to]);
                    let key = old.key_origin.span().map(|span| span.end as usize);
                    if let (true, Some(end)) = (old.key != new.key, key) {
                        let text = self.flow_key(new);
                        self.edit(parts[at].0, end, &text);
                    }
                    self.value(&old.node, &new.node, ValuePlace::Flow { key })?;
                }
                (Value::Seq(old), Value::Seq(new)) => {
                    self.value(&old[at], &new[*to], ValuePlace::Flow { key: None })?;
                }
                _ => return self.refuse(parts[at].0),
            }
        }
        for (first, last) in plan.removed() {
            if first > 0 {
                self.edit(parts[first - 1].1, parts[last].1, "");
            } else {
                self.edit(parts[0].0, parts[last + 1].0, "");
            }
        }
        let mut previous = None;
        let mut text = String::new();
        for (at, (after, to)) in plan.inserted.iter().enumerate() {
            if at > 0 && previous != Some(*after) {
                self.insert_in_flow(&parts, previous.flatten(), &text);
                text.clear();
            }
            previous = Some(*after);
            let part = match &new.value {
                Value::Map(map) => {
                    let entry = &map.entries()[*to];
                    let value = self.scalar(&entry.node, 0, EmitContext::Flow);
                    format!("{}: {value}", self.flow_key(entry))
                }
                _ => self.scalar(&new.items()[*to], 0, EmitContext::Flow),
            };
            let separator = self.separator(&parts);
            match after {
                Some(_) => text = format!("{text}{separator}{part}"),
                None => text = format!("{text}{part}{separator}"),
            }
        }
        if let Some(after) = previous {
            self.insert_in_flow(&parts, after, &text);
        }
        Ok(())
    }

    fn insert_in_flow(&mut self, parts: &[(usize, usize)], after: Option<usize>, text: &str) {
        let at = after.map_or(parts[0].0, |part| parts[part].1);
        self.edit(at, at, text);
    }

    fn flow_key(&self, entry: &Entry) -> String {
        if self.json {
            Node::string(&entry.key).to_json().to_string()
        } else {
            emit::text(&entry.key, EmitContext::Flow)
        }
    }

    /// The text between two parts: a comma, and a new line where each part has a line of its own.
    fn separator(&self, parts: &[(usize, usize)]) -> String {
        let line = self.line_start(parts[0].0);
        let own_line = line > self.start && self.starts_line(parts[0].0);
        if own_line {
            format!(",\n{}", " ".repeat(parts[0].0 - line))
        } else {
            ", ".to_owned()
        }
    }

    /// Where each part starts and ends.
    fn flow_parts(&self, node: &Node) -> Result<Vec<(usize, usize)>, CannotEdit> {
        let (mut at, _) = self.extent(node)?;
        at += 1;
        let mut parts = Vec::new();
        let mut push = |start: usize, end: usize| {
            // There is one comma between two parts; a `?` or an anchor there is not moved.
            let first = self.skip_trivia(at);
            let first = match self.bytes.get(first) {
                Some(b',') if !parts.is_empty() => self.skip_trivia(first + 1),
                _ => first,
            };
            if first != start {
                return self.refuse(start);
            }
            at = end;
            parts.push((start, end));
            Ok(())
        };
        for entry in node.entries() {
            let Some(key) = entry.key_origin.span() else {
                return self.refuse(self.start);
            };
            let (_, end) = self.extent(&entry.node)?;
            push(key.start as usize, end.max(key.end as usize))?;
        }
        for item in node.items() {
            let (start, end) = self.extent(item)?;
            push(start, end)?;
        }
        Ok(parts)
    }

    /// Writes a value between brackets anew.
    pub(super) fn replace_in_flow(
        &mut self,
        start: usize,
        end: usize,
        new: &Node,
        key: Option<usize>,
    ) -> Result<(), CannotEdit> {
        let text = self.scalar(new, self.bytes[start.min(self.end - 1)], EmitContext::Flow);
        if start < end {
            self.edit(start, end, &text);
            return Ok(());
        }
        let Some(key) = key else {
            return self.refuse(start);
        };
        let colon = self.bytes[key..start].contains(&b':');
        let text = if colon {
            format!(" {text}")
        } else {
            format!(": {text}")
        };
        self.edit(start, end, &text);
        Ok(())
    }
}
