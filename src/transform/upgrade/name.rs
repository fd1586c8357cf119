//! What the API server takes for a revision's name and labels, and whose revision an old one is.

use super::capture;
use crate::stored::Stored;
use crate::yaml::Node;

/// Longest name of an object.
const NAME_LIMIT: usize = 253;
/// Longest value of a label.
const LABEL_LIMIT: usize = 63;

/// Why the API server would refuse a revision of that name that stores `object`.
pub(super) fn refusal(name: &str, object: &Node) -> Option<String> {
    if name.len() > NAME_LIMIT {
        return Some(format!(
            "the upgraded revision's name would have {} characters, and {NAME_LIMIT} are allowed: `{name}`",
            name.len()
        ));
    }
    if !is_subdomain(name) {
        return Some(format!(
            "the upgraded revision's name is not a DNS subdomain: `{name}`"
        ));
    }
    for (key, value) in capture::labels(object) {
        if value.len() > LABEL_LIMIT {
            return Some(format!(
                "the upgraded revision's label `{key}` would have {} characters, and {LABEL_LIMIT} are allowed: `{value}`",
                value.len()
            ));
        }
        if !is_label_value(&value) {
            return Some(format!(
                "`{value}` is not a valid value of the label `{key}` of the upgraded revision"
            ));
        }
    }
    None
}

fn is_subdomain(name: &str) -> bool {
    name.split('.').all(|label| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty()
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

fn is_label_value(value: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let edge = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    value.bytes().all(inner) && edge(value.bytes().next()) && edge(value.bytes().last())
}

/// The VM a revision belongs to by its owner, or by a name made of the VM's and what it stores.
pub(super) fn vm_of(revision: &Node, stored: &Stored) -> Option<String> {
    let owner = revision
        .items_at("metadata.ownerReferences")
        .iter()
        .find(|owner| owner.str_at("kind") == "VirtualMachine")
        .map(|owner| owner.str_at("name").to_owned());
    if owner.is_some() {
        return owner.filter(|name| !name.is_empty());
    }
    let (object, uid, generation) = (
        stored.object.str_at("metadata.name"),
        stored.object.str_at("metadata.uid"),
        stored.object.int_at("metadata.generation"),
    );
    if object.is_empty() || uid.is_empty() {
        return None;
    }
    let name = revision.str_at("metadata.name");
    let version = stored.form.version();
    [
        format!("-{object}-{version}-{uid}-{generation}"),
        format!("-{object}-{uid}-{generation}"),
    ]
    .iter()
    .find_map(|tail| name.strip_suffix(tail.as_str()))
    .filter(|vm| !vm.is_empty())
    .map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_are_checked_as_the_api_server_does() {
        assert!(is_subdomain("v-it-v1beta1--0") && is_subdomain("a.b"));
        for bad in ["", "A", "-a", "a-", "a..b", "a_b", "a\nb", "a'b"] {
            assert!(!is_subdomain(bad), "{bad:?}");
        }
        assert!(is_label_value("") && is_label_value("U1.small"));
        assert!(!is_label_value("-a") && !is_label_value("a/b"));
    }

    #[test]
    fn a_label_has_63_characters_at_most() {
        let said = |length: usize| {
            let object = Node::from_json(&serde_json::json!({
                "apiVersion": "instancetype.kubevirt.io/v1", "kind": "k".repeat(length),
                "metadata": {"name": "it", "uid": "1", "generation": 1}}));
            refusal("vm-it", &object)
        };
        assert_eq!((said(62), said(63)), (None, None));
        for length in [64, 65] {
            let words = format!("would have {length} characters, and 63 are allowed");
            assert!(said(length).is_some_and(|said| said.contains(&words)));
        }
    }

    #[test]
    fn a_name_has_253_characters_at_most() {
        let said = |length: usize| refusal(&"a".repeat(length), &Node::map()).unwrap_or_default();
        assert!(!said(253).contains("would have 253"), "{}", said(253));
        for length in [254, 300] {
            let words = format!("would have {length} characters, and 253 are allowed");
            assert!(said(length).contains(&words), "{}", said(length));
        }
    }
}
