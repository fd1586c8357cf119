//! Changes of one document by path, as the tests make them.

use crate::field_path::{FieldPath, Segment};
use crate::yaml::edit::{CannotEdit, EditSet};
use crate::yaml::{Document, Entry, Node, Origin, Value};

/// A document on its way to another value, changed by path. The text follows at the end, in [`Self::finish`].
#[derive(Debug)]
pub(super) struct Editor<'a> {
    bytes: &'a [u8],
    document: &'a Document,
    intended: Node,
}

impl<'a> Editor<'a> {
    /// An editor of one document of the source `bytes`.
    pub(super) fn new(bytes: &'a [u8], document: &'a Document) -> Self {
        Self {
            bytes,
            document,
            intended: document.root.clone(),
        }
    }

    /// The value so far.
    pub(super) const fn intended(&self) -> &Node {
        &self.intended
    }

    /// Takes a key or an item out; says whether it was there. A mapping that loses its last key becomes `{}`.
    pub(super) fn remove(&mut self, path: &FieldPath) -> bool {
        let Some(last) = path.segments().last() else {
            return false;
        };
        let Some(parent) = path.parent().find_mut(&mut self.intended) else {
            return false;
        };
        match (last, &mut parent.value) {
            (Segment::Field(key), Value::Map(map)) => map.remove(key).is_some(),
            (Segment::Index(at), Value::Seq(items)) if *at < items.len() => {
                items.remove(*at);
                true
            }
            _ => false,
        }
    }

    /// Gives a key or an item that exists another value; says whether it exists.
    pub(super) fn replace(&mut self, path: &FieldPath, node: Node) -> bool {
        path.find_mut(&mut self.intended)
            .map(|old| *old = node)
            .is_some()
    }

    /// Gives a key another name, keeping its value and place; says whether it exists and the new name is free.
    pub(super) fn rename(&mut self, path: &FieldPath, name: &str) -> bool {
        let Some(Segment::Field(key)) = path.segments().last() else {
            return false;
        };
        let map = path
            .parent()
            .find_mut(&mut self.intended)
            .and_then(Node::as_map_mut);
        let Some(map) = map.filter(|map| map.get(name).is_none()) else {
            return false;
        };
        map.entries_mut()
            .iter_mut()
            .find(|entry| entry.key == *key)
            .map(|entry| entry.key = name.into())
            .is_some()
    }

    /// Sets a key of the mapping at `path`, after `sibling` if that is there and the key is new, else at the end.
    pub(super) fn insert(
        &mut self,
        path: &FieldPath,
        key: &str,
        node: Node,
        sibling: Option<&str>,
    ) -> bool {
        let Some(map) = path.find_mut(&mut self.intended).and_then(Node::as_map_mut) else {
            return false;
        };
        let after = sibling
            .filter(|_| map.get(key).is_none())
            .and_then(|sibling| map.entries().iter().position(|entry| entry.key == sibling));
        match after {
            Some(at) => map.entries_mut().insert(
                at + 1,
                Entry {
                    key: key.into(),
                    key_origin: Origin::None,
                    node,
                },
            ),
            None => map.insert(key, node),
        }
        true
    }

    /// Adds an item to the list at `path`, before the one at `index` or at the end.
    pub(super) fn insert_item(
        &mut self,
        path: &FieldPath,
        index: Option<usize>,
        node: Node,
    ) -> bool {
        let Some(items) = path.find_mut(&mut self.intended).and_then(Node::items_mut) else {
            return false;
        };
        let at = index.unwrap_or(items.len()).min(items.len());
        items.insert(at, node);
        true
    }

    /// The edits, proven: see [`EditSet::between`].
    pub(super) fn finish(&self) -> Result<EditSet, CannotEdit> {
        EditSet::between(self.bytes, self.document, &self.intended)
    }
}
