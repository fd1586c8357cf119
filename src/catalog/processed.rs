//! The objects of OpenShift Templates and of VirtualMachineTemplates, made with the parameters' own values.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::yaml::{Node, Value};

/// An object of a template.
#[derive(Clone, Debug)]
pub struct Processed {
    /// The object; its tree keeps the places of the template's own text.
    pub resource: Resource,
    /// The fields whose value nobody knows: a parameter in them has no value of its own.
    pub holes: Vec<FieldPath>,
}

impl Processed {
    /// Whether what is said of a field may hang on a value that nobody knows: the field holds one, is part of one, or
    /// stands beside one.
    pub fn hides(&self, field: &FieldPath) -> bool {
        self.holes.iter().any(|hole| {
            let shared = field.segments().len().min(hole.segments().len());
            field.prefix(shared) == hole.prefix(shared) || field.parent() == hole.parent()
        })
    }
}

/// Whether a resource is a template that holds objects.
pub fn is_template(resource: &Resource) -> bool {
    matches!(
        (resource.id.group.as_str(), resource.id.kind.as_str()),
        ("template.openshift.io" | "", "Template")
            | ("template.kubevirt.io", "VirtualMachineTemplate")
    )
}

/// The objects of a template; none of anything else. A parameter without a value of its own, and one whose value is made at
/// random, leaves a hole.
pub fn objects(template: &Resource) -> Vec<Processed> {
    let node = &template.node;
    if template.id.group == "template.kubevirt.io" {
        let Some(machine) = node.path("spec.virtualMachine") else {
            return Vec::new();
        };
        let mut machine = machine.clone();
        // The namespace of the request wins over one that is written out.
        let namespace = machine.str_at("metadata.namespace");
        if !namespace.contains("${") {
            machine.remove("metadata.namespace");
        }
        if let Some(map) = machine.as_map_mut() {
            for (key, value) in [("apiVersion", "kubevirt.io/v1"), ("kind", "VirtualMachine")] {
                if map.get(key).is_none() {
                    map.insert(key, Node::string(value));
                }
            }
        }
        let parameters = parameters(node.items_at("spec.parameters"));
        let prefix = template.prefix.field("spec").field("virtualMachine");
        return processed(template, machine, prefix, &parameters)
            .into_iter()
            .collect();
    }
    let parameters = parameters(node.items_at("parameters"));
    let labels = node.get("labels");
    let objects = node.items_at("objects").iter().enumerate();
    objects
        .filter_map(|(at, object)| {
            let mut object = object.clone();
            for label in labels.map_or(&[][..], Node::entries) {
                let path = format!("metadata.labels[\"{}\"]", label.key);
                if FieldPath::parse(&path).find(&object).is_none()
                    && let Some(held) = object
                        .path_mut("metadata.labels")
                        .and_then(Node::as_map_mut)
                {
                    held.insert(&label.key, label.node.clone());
                }
            }
            let prefix = template.prefix.field("objects").index(at);
            processed(template, object, prefix, &parameters)
        })
        .collect()
}

/// The values of parameters by name; `None` for one that has none of its own.
type Parameters<'a> = BTreeMap<&'a str, Option<&'a str>>;

fn parameters(items: &[Node]) -> Parameters<'_> {
    items
        .iter()
        .map(|item| {
            let value = item.str_at("value");
            (item.str_at("name"), (!value.is_empty()).then_some(value))
        })
        .collect()
}

fn processed(
    template: &Resource,
    mut object: Node,
    prefix: FieldPath,
    parameters: &Parameters<'_>,
) -> Option<Processed> {
    let mut filled = Filled {
        parameters,
        holes: Vec::new(),
    };
    filled.fill(&mut object, &FieldPath::root(), "");
    let resource = Resource::from_node(object, template.file, template.document, prefix).ok()?;
    Some(Processed {
        resource,
        holes: filled.holes,
    })
}

/// A reference to a parameter within a text.
static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{([a-zA-Z0-9_]+)\}").expect("the expression is whole"));

/// A text that is a parameter's value and no text: `${{REPLICAS}}`.
static BARE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\$\{\{([a-zA-Z0-9_]+)\}\}$").expect("the expression is whole"));

struct Filled<'a> {
    parameters: &'a Parameters<'a>,
    holes: Vec<FieldPath>,
}

impl Filled<'_> {
    /// Puts the parameters' values into a tree at that path, whose key is given.
    fn fill(&mut self, node: &mut Node, path: &FieldPath, key: &str) {
        match &mut node.value {
            Value::Map(map) => {
                for entry in map.entries_mut() {
                    let path = path.field(&entry.key);
                    let key = entry.key.clone();
                    self.fill(&mut entry.node, &path, &key);
                }
            }
            Value::Seq(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.fill(item, &path.index(at), key);
                }
            }
            Value::String(text) if text.contains("${") => {
                if let Some(value) = self.value(text, path, key) {
                    node.value = value;
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, text: &str, path: &FieldPath, key: &str) -> Option<Value> {
        if let Some(name) = BARE.captures(text) {
            if let Some(value) = self.parameters.get(&name[1]).copied().flatten() {
                return Some(bare(value));
            }
            self.holes.push(path.clone());
            return Some(stand_in(key).unwrap_or_else(|| Value::String(word(&name[1]).into())));
        }
        if !REFERENCE.is_match(text) {
            return None;
        }
        let mut is_hole = false;
        let whole = REFERENCE
            .find(text)
            .is_some_and(|found| found.len() == text.len());
        let filled = REFERENCE.replace_all(text, |found: &Captures<'_>| {
            match self.parameters.get(&found[1]) {
                Some(Some(value)) => (*value).to_owned(),
                Some(None) => {
                    is_hole = true;
                    word(&found[1])
                }
                // No parameter of that name: the text stays, for whoever fills it.
                None => {
                    is_hole = true;
                    found[0].to_owned()
                }
            }
        });
        let filled = filled.into_owned();
        if is_hole {
            self.holes.push(path.clone());
        }
        let guess = (is_hole && whole).then(|| stand_in(key)).flatten();
        Some(guess.unwrap_or_else(|| Value::String(filled.into())))
    }
}

/// A parameter's value where it is no text.
fn bare(value: &str) -> Value {
    serde_json::from_str::<serde_json::Value>(value).map_or_else(
        |_| Value::String(value.into()),
        |json| Node::from_json(&json).value,
    )
}

/// A plain value for a field that takes no name, so that what stands beside it can be judged.
fn stand_in(key: &str) -> Option<Value> {
    Some(match key {
        "guest" | "maxGuest" | "memory" | "storage" => Value::String("1Gi".into()),
        "cpu" => Value::String("1".into()),
        "cores" | "sockets" | "threads" | "maxSockets" | "replicas" | "bootOrder" => Value::Int(1),
        "running" => Value::Bool(false),
        _ => return None,
    })
}

/// A parameter's name as a name of an object.
fn word(parameter: &str) -> String {
    let plain = parameter.to_lowercase().replace('_', "-");
    let plain = plain.trim_matches('-');
    if plain.is_empty() {
        "value".to_owned()
    } else {
        plain.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn template(json: &Json) -> Vec<Processed> {
        let node = Node::from_json(json);
        let template = Resource::from_node(node, None, 0, FieldPath::root()).unwrap();
        assert!(is_template(&template));
        objects(&template)
    }

    #[test]
    fn parameters_give_their_values_and_leave_holes() {
        let made = template(&json!({
            "apiVersion": "template.openshift.io/v1", "kind": "Template", "metadata": {"name": "t"},
            "labels": {"app": "x"},
            "parameters": [{"name": "NAME", "generate": "expression", "from": "vm-[a-z]{5}"}, {"name": "CORES", "value": "2"},
                {"name": "MEMORY"}, {"name": "IMAGE", "value": "a/b"}],
            "objects": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
                "metadata": {"name": "${NAME}", "labels": {"vm": "${NAME}-1"}},
                "spec": {"cores": "${{CORES}}", "guest": "${MEMORY}", "image": "docker://${IMAGE}:${TAG}", "text": "$HOME ${"}},
                {"apiVersion": "v1", "kind": "List"}]
        }));
        let [machine] = &made[..] else {
            panic!("{made:?}")
        };
        assert_eq!(
            machine.resource.node.to_json(),
            json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
                "metadata": {"name": "name", "labels": {"vm": "name-1", "app": "x"}},
                "spec": {"cores": 2, "guest": "1Gi", "image": "docker://a/b:${TAG}", "text": "$HOME ${"}})
        );
        assert_eq!(machine.resource.prefix.to_string(), "objects[0]");
        let holes: Vec<String> = machine.holes.iter().map(ToString::to_string).collect();
        assert_eq!(
            holes,
            [
                "metadata.name",
                "metadata.labels.vm",
                "spec.guest",
                "spec.image"
            ]
        );
    }

    #[test]
    fn what_hangs_on_a_hole_is_not_said() {
        let made = template(&json!({
            "apiVersion": "template.kubevirt.io/v1beta1", "kind": "VirtualMachineTemplate", "metadata": {"name": "t"},
            "spec": {"parameters": [{"name": "MEMORY"}], "virtualMachine": {"metadata": {"name": "a", "namespace": "b"},
                "spec": {"template": {"spec": {"domain": {"memory": {"guest": "${MEMORY}"}}}}}}}
        }));
        let machine = &made[0];
        assert!(machine.resource.is("kubevirt.io", "VirtualMachine"));
        assert_eq!(machine.resource.id.namespace, None);
        for (field, hidden) in [
            ("spec.template.spec.domain.memory.guest", true),
            ("spec.template.spec.domain.memory.maxGuest", true),
            ("spec.template.spec.domain", true),
            ("spec.template.spec.domain.cpu", false),
            ("spec.runStrategy", false),
        ] {
            assert_eq!(machine.hides(&FieldPath::parse(field)), hidden, "{field}");
        }
    }
}
