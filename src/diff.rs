//! Two values of one type: what differs, quantities by value, lists by the key that identifies their items.

pub(crate) mod spelling;
pub mod tree;

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::field_path::{FieldPath, Segment};
use crate::release::Release;
use crate::resource::quantity::Quantity;
use crate::schema::{Schema, Shape, Variant};
use crate::yaml::{Node, Value};

/// One place where two values differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Where; list positions are those of the right value, or of the left one where the item was removed.
    pub path: FieldPath,
    /// The value before; `None` where the right value adds it.
    pub from: Option<Node>,
    /// The value now; `None` where it was removed.
    pub to: Option<Node>,
}

/// How items of two lists are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// By the key KubeVirt merges them by (mostly `name`); order does not count.
    ByKey,
    /// By position, as Go compares slices.
    ByPosition,
}

/// Everything that differs between two values of a type. Absence, null and the zero value of a plain field are the same.
pub fn differences(
    release: Release,
    type_name: &str,
    from: &Node,
    to: &Node,
    lists: Lists,
) -> Vec<Difference> {
    if from.same_value(to) {
        return Vec::new();
    }
    let schema = Schema::builtin();
    let shape = schema.shape_named(type_name);
    let mut walk = Walk {
        schema,
        release,
        lists,
        path: FieldPath::root(),
        found: Vec::new(),
    };
    walk.compare(shape.as_ref(), &[], from, to);
    walk.found
}

/// Whether Go's semantic comparison calls two values of a type equal.
pub fn same(release: Release, type_name: &str, from: Option<&Node>, to: Option<&Node>) -> bool {
    match (from, to) {
        (None, None) => true,
        (Some(from), Some(to)) => {
            differences(release, type_name, from, to, Lists::ByPosition).is_empty()
        }
        (Some(only), None) | (None, Some(only)) => only.is_null(),
    }
}

struct Walk {
    schema: &'static Schema,
    release: Release,
    lists: Lists,
    path: FieldPath,
    found: Vec<Difference>,
}

impl Walk {
    fn found(&mut self, from: Option<&Node>, to: Option<&Node>) {
        self.found.push(Difference {
            path: self.path.clone(),
            from: from.cloned(),
            to: to.cloned(),
        });
    }

    fn compare(&mut self, shape: Option<&Shape>, keys: &[SmolStr], from: &Node, to: &Node) {
        match (&from.value, &to.value) {
            (Value::Map(left), Value::Map(right)) => {
                let names = left
                    .entries()
                    .iter()
                    .map(|entry| &entry.key)
                    .chain(
                        right
                            .entries()
                            .iter()
                            .map(|entry| &entry.key)
                            .filter(|key| left.get(key).is_none()),
                    )
                    .cloned()
                    .collect::<Vec<_>>();
                for name in names {
                    self.path.push(Segment::Field(name.clone()));
                    self.compare_field(shape, &name, left.get(&name), right.get(&name));
                    self.path.pop();
                }
            }
            (Value::Seq(left), Value::Seq(right)) => {
                let item = match shape {
                    Some(Shape::List(of)) => Some(of.as_ref()),
                    _ => None,
                };
                self.compare_lists(item, keys, left, right);
            }
            _ if same_scalar(shape, from, to) => {}
            _ => self.found(Some(from), Some(to)),
        }
    }

    fn compare_field<'n>(
        &mut self,
        shape: Option<&Shape>,
        name: &str,
        from: Option<&'n Node>,
        to: Option<&'n Node>,
    ) {
        let variant = match shape {
            Some(Shape::Struct(index)) => self.schema.type_at(*index).variant(name, self.release),
            _ => None,
        };
        let inner = match shape {
            Some(Shape::Map(of)) => Some(of.as_ref()),
            _ => variant.map(|variant| &variant.shape),
        };
        let keys = variant.map_or(&[][..], |variant| &variant.keys);
        let written = |node: Option<&'n Node>| node.filter(|node| !node.is_null());
        match (written(from), written(to)) {
            (Some(from), Some(to)) => self.compare(inner, keys, from, to),
            (from, to) => {
                if let Some(only) = from.or(to)
                    && !means_nothing(self.schema, self.release, variant, only)
                {
                    self.found(from, to);
                }
            }
        }
    }

    fn compare_lists(
        &mut self,
        item: Option<&Shape>,
        keys: &[SmolStr],
        left: &[Node],
        right: &[Node],
    ) {
        if self.lists == Lists::ByKey
            && let (Some(ours), Some(theirs)) = (by_key(keys, left), by_key(keys, right))
        {
            for (key, at) in &ours {
                self.path
                    .push(Segment::Index(*theirs.get(key).unwrap_or(at)));
                match theirs.get(key) {
                    Some(other) => self.compare(item, &[], &left[*at], &right[*other]),
                    None => self.found(Some(&left[*at]), None),
                }
                self.path.pop();
            }
            for (key, at) in &theirs {
                if !ours.contains_key(key) {
                    self.path.push(Segment::Index(*at));
                    self.found(None, Some(&right[*at]));
                    self.path.pop();
                }
            }
            return;
        }
        for at in 0..left.len().max(right.len()) {
            self.path.push(Segment::Index(at));
            match (left.get(at), right.get(at)) {
                (Some(from), Some(to)) => self.compare(item, &[], from, to),
                (from, to) => self.found(from, to),
            }
            self.path.pop();
        }
    }
}

/// The items by what identifies them; `None` where they are not mappings with unique keys.
fn by_key(keys: &[SmolStr], items: &[Node]) -> Option<BTreeMap<Vec<SmolStr>, usize>> {
    const NAME: [&str; 1] = ["name"];
    const METADATA_NAME: [&str; 1] = ["metadata.name"];
    let own: Vec<&str> = keys.iter().map(SmolStr::as_str).collect();
    [own.as_slice(), NAME.as_slice(), METADATA_NAME.as_slice()]
        .into_iter()
        .filter(|paths| !paths.is_empty())
        .find_map(|paths| {
            let mut out = BTreeMap::new();
            for (at, item) in items.iter().enumerate() {
                let key = paths
                    .iter()
                    .map(|path| item.path(path).and_then(Node::as_str).map(SmolStr::from))
                    .collect::<Option<Vec<_>>>()?;
                if out.insert(key, at).is_some() {
                    return None;
                }
            }
            Some(out)
        })
}

fn same_scalar(shape: Option<&Shape>, from: &Node, to: &Node) -> bool {
    if from.same_value(to) {
        return true;
    }
    match shape {
        Some(Shape::Quantity) => match (Quantity::from_node(from), Quantity::from_node(to)) {
            (Some(from), Some(to)) => from == to,
            _ => false,
        },
        Some(Shape::Integer(_) | Shape::Float) => match (number(from), number(to)) {
            (Some(from), Some(to)) => from.to_bits() == to.to_bits(),
            _ => false,
        },
        _ => false,
    }
}

fn number(node: &Node) -> Option<f64> {
    #[allow(
        clippy::cast_precision_loss,
        reason = "an integer written as a float is small"
    )]
    match node.value {
        Value::Int(value) => Some(value as f64),
        Value::UInt(value) => Some(value as f64),
        Value::Float(value) => Some(value),
        _ => None,
    }
}

/// Whether a value cannot be told from its absence.
fn means_nothing(
    schema: &Schema,
    release: Release,
    variant: Option<&Variant>,
    node: &Node,
) -> bool {
    node.is_null()
        || variant.is_some_and(|variant| {
            !variant.pointer && is_zero(schema, release, &variant.shape, node)
        })
}

fn is_zero(schema: &Schema, release: Release, shape: &Shape, node: &Node) -> bool {
    if let (Shape::Struct(index), Value::Map(map)) = (shape, &node.value) {
        let of = schema.type_at(*index);
        return map.entries().iter().all(|entry| {
            let variant = of.variant(&entry.key, release);
            means_nothing(schema, release, variant, &entry.node)
        });
    }
    shape.is_zero(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(type_name: &str, from: &serde_json::Value, to: &serde_json::Value) -> Vec<String> {
        differences(
            Release::V1_9,
            type_name,
            &Node::from_json(from),
            &Node::from_json(to),
            Lists::ByKey,
        )
        .iter()
        .map(|difference| difference.path.to_string())
        .collect()
    }

    #[test]
    fn quantities_compare_by_value_at_typed_paths_only() {
        let spec = "v1.VirtualMachineInstanceSpec";
        let with = |guest: &str| json!({"domain": {"memory": {"guest": guest}}, "hostname": guest});
        assert_eq!(paths(spec, &with("1Gi"), &with("1024Mi")), ["hostname"]);
    }

    #[test]
    fn list_items_are_paired_by_name() {
        let spec = "v1.VirtualMachineInstanceSpec";
        let a =
            json!({"volumes": [{"name": "a", "emptyDisk": {"capacity": "1Gi"}}, {"name": "b"}]});
        let b = json!({"volumes": [{"name": "b"}, {"name": "a", "emptyDisk": {"capacity": "2Gi"}}, {"name": "c"}]});
        assert_eq!(
            paths(spec, &a, &b),
            ["volumes[1].emptyDisk.capacity", "volumes[2]"]
        );
    }

    #[test]
    fn absence_null_and_zero_are_one_where_go_cannot_tell() {
        let spec = "v1.VirtualMachineInstanceSpec";
        let a = json!({"domain": {"devices": {"disks": []}, "cpu": null, "resources": {"requests": {}}}});
        assert!(paths(spec, &a, &json!({"domain": {}})).is_empty());
        let b = json!({"domain": {"cpu": {}}});
        assert_eq!(paths(spec, &b, &json!({"domain": {}})), ["domain.cpu"]);
    }
}
