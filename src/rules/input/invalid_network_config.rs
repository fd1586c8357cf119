//! A network attachment definition whose configuration no pod can use.

use serde_json::Value as Json;

use super::kinds::names;

rule! {
    /// ## What it does
    ///
    /// Reports a NetworkAttachmentDefinition whose `spec.config` is no JSON object, or names neither the `type` of a plugin nor
    /// a list of `plugins` whose first has a `type`.
    ///
    /// ## Why it matters
    ///
    /// The API server stores any text. Multus reads it when a pod starts and refuses the pod, so that no virtual machine on
    /// the network starts (`LoadDelegateNetConf`).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: k8s.cni.cncf.io/v1
    /// kind: NetworkAttachmentDefinition
    /// metadata:
    ///   name: vlan7
    ///   annotations:
    ///     k8s.v1.cni.cncf.io/resourceName: bridge.network.kubevirt.io/br1
    /// spec:
    ///   config: '{"cniVersion": "0.3.1", "name": "vlan7", "type": "bridge", "vlan": 7,}'
    /// ```
    ///
    /// ```text
    /// spec.config: the configuration of a network cannot be used: it is no JSON: trailing comma at line 1 column 70
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: k8s.cni.cncf.io/v1
    /// kind: NetworkAttachmentDefinition
    /// metadata:
    ///   name: vlan7
    ///   annotations:
    ///     k8s.v1.cni.cncf.io/resourceName: bridge.network.kubevirt.io/br1
    /// spec:
    ///   config: '{"cniVersion": "0.3.1", "name": "vlan7", "type": "bridge", "vlan": 7}'
    /// ```
    ///
    /// ## Limits
    ///
    /// What a plugin demands of its own fields is not looked at. Without `spec.config` Multus takes the configuration of that
    /// name from the node.
    "invalid-network-config": "the configuration of a network cannot be used",
    level: Error,
    check: Input
}

/// What is wrong with a configuration, and what to do.
pub(super) fn wrong(config: &str) -> Option<(String, &'static str)> {
    if config.trim().is_empty() {
        return None;
    }
    let json: Json = match serde_json::from_str(config) {
        Ok(json) => json,
        Err(error) => {
            let message = format!("it is no JSON: {error}");
            return Some((message, "mend the JSON; it is the text of `spec.config`"));
        }
    };
    if !json.is_object() {
        let message = "it is no JSON object".to_owned();
        return Some((
            message,
            "write an object with `cniVersion`, `name` and `type`",
        ));
    }
    if names(&json, "type") {
        return None;
    }
    match json.get("plugins").and_then(Json::as_array) {
        None => Some((
            "it names neither `type` nor `plugins`".to_owned(),
            "name the plugin: `\"type\": \"bridge\"`",
        )),
        Some(plugins) if plugins.first().is_some_and(|plugin| names(plugin, "type")) => None,
        Some(_) => Some((
            "its first plugin has no `type`".to_owned(),
            "name the plugin: `\"type\": \"bridge\"`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multus_reads_a_plugin_or_a_list_of_them() {
        for fine in [
            "",
            r#"{"type": "bridge"}"#,
            r#"{"plugins": [{"type": "bridge"}, {}]}"#,
        ] {
            assert_eq!(wrong(fine), None, "{fine}");
        }
        for (config, words) in [
            ("{", "it is no JSON"),
            ("[]", "no JSON object"),
            ("{}", "neither `type` nor `plugins`"),
            (r#"{"type": ""}"#, "neither `type` nor `plugins`"),
            (r#"{"plugins": []}"#, "first plugin"),
            (r#"{"plugins": [{"name": "a"}]}"#, "first plugin"),
        ] {
            let (said, _) = wrong(config).unwrap();
            assert!(said.contains(words), "{config}: {said}");
        }
    }
}
