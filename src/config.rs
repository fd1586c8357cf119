//! What the run is for: the target cluster and the user's settings.

use crate::release::Release;
use crate::resource::cluster::ClusterConfig;

/// The cluster the manifests are for. One implicit target exists until the configuration names more.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name from `targets:`; empty for the implicit target.
    pub name: String,
    /// `KubeVirt` release.
    pub release: Release,
    /// Whether the release was given or found, not assumed.
    pub release_known: bool,
    /// `spec.configuration` of the `KubeVirt` object.
    pub configuration: ClusterConfig,
    /// Namespace assumed for objects without one.
    pub namespace: String,
    /// Whether the tree holds everything the VMs name: a missing reference is then an error.
    pub complete: bool,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            name: String::new(),
            release: Release::NEWEST,
            release_known: false,
            configuration: ClusterConfig::default(),
            namespace: "default".to_owned(),
            complete: false,
        }
    }
}
