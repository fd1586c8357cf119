//! From a path to a node: the one place that walks a tree by [`FieldPath`].

use crate::field_path::{FieldPath, Segment};
use crate::yaml::{Node, Value};

impl FieldPath {
    /// The node at this path, if the tree has one.
    pub fn find<'a>(&self, root: &'a Node) -> Option<&'a Node> {
        self.segments()
            .iter()
            .try_fold(root, |node, segment| step(node, segment))
    }

    /// The node at this path, to change, if the tree has one.
    pub fn find_mut<'a>(&self, root: &'a mut Node) -> Option<&'a mut Node> {
        self.segments()
            .iter()
            .try_fold(root, |node, segment| match (segment, &mut node.value) {
                (Segment::Field(name), Value::Map(map)) => map.get_mut(name),
                (Segment::Index(index), Value::Seq(items)) => items.get_mut(*index),
                _ => None,
            })
    }

    /// The node at this path or the deepest ancestor that exists, with the path of what was found.
    pub fn nearest<'a>(&self, root: &'a Node) -> (Self, &'a Node) {
        let mut node = root;
        for (depth, segment) in self.segments().iter().enumerate() {
            match step(node, segment) {
                Some(next) => node = next,
                None => {
                    return (self.prefix(depth), node);
                }
            }
        }
        (self.clone(), node)
    }
}

impl Node {
    /// Calls `each` with every scalar and every empty list or mapping of the tree, and with its path, in document order.
    pub fn leaves<'a>(&'a self, each: &mut impl FnMut(&FieldPath, &'a Self)) {
        fn walk<'a>(
            node: &'a Node,
            path: &mut FieldPath,
            each: &mut impl FnMut(&FieldPath, &'a Node),
        ) {
            for (at, item) in node.items().iter().enumerate() {
                path.push(Segment::Index(at));
                walk(item, path, each);
                path.pop();
            }
            for entry in node.entries() {
                path.push(Segment::Field(entry.key.clone()));
                walk(&entry.node, path, each);
                path.pop();
            }
            if node.items().is_empty() && node.entries().is_empty() {
                each(path, node);
            }
        }
        walk(self, &mut FieldPath::root(), each);
    }
}

fn step<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Node> {
    match (segment, &node.value) {
        (Segment::Field(name), Value::Map(map)) => map.get(name),
        (Segment::Index(index), Value::Seq(items)) => items.get(*index),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
