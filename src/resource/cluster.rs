//! `spec.configuration` of the `KubeVirt` object, with `KubeVirt`'s defaults.

use crate::yaml::Node;

/// Where the configuration came from: decides whether a refusal that hangs on it is a verdict or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConfigSource {
    /// Nothing given or found; `KubeVirt`'s defaults stand in.
    #[default]
    Assumed,
    /// Given with `--cluster-config`, or found in the tree.
    Known,
}

/// The cluster's configuration over `KubeVirt`'s defaults.
#[derive(Clone, Debug)]
pub struct ClusterConfig {
    /// `spec.configuration`, decoded as `v1.KubeVirtConfiguration`.
    pub node: Node,
    /// Whether it is known or assumed.
    pub source: ConfigSource,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        Self {
            node: Node::map(),
            source: ConfigSource::Assumed,
        }
    }
}

impl ClusterConfig {
    /// A known configuration, even an empty one.
    pub const fn known(node: Node) -> Self {
        Self {
            node,
            source: ConfigSource::Known,
        }
    }

    /// Whether the configuration is known.
    pub fn is_known(&self) -> bool {
        self.source == ConfigSource::Known
    }
}
