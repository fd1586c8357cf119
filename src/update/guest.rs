//! The running guest: the VMI that KubeVirt built from the VM when it started.

use crate::release::Release;
use crate::resource::cluster::ClusterConfig;
use crate::transform::start::{self, StartTypes};
use crate::update::types::{Types, TypesError};
use crate::yaml::Node;

/// A running guest, as far as the controller's decisions read it.
#[derive(Clone, Debug)]
pub struct RunningGuest {
    /// The VMI's spec.
    pub spec: Node,
    /// Whether its pod names interfaces by number, as old ones did: none can then be unplugged.
    pub has_ordinal_interfaces: bool,
}

impl RunningGuest {
    /// Starts a guest from an admitted VM with its instance type and preference.
    ///
    /// Mirrors startVMI, vm.go, and the mutating webhook of VMIs, pkg/defaults/defaults.go.
    pub fn start(
        release: Release,
        configuration: &ClusterConfig,
        vm: &Node,
        types: &Types,
    ) -> Result<Self, TypesError> {
        if vm.path("spec.template").is_none() {
            return Err(TypesError::NoTemplate);
        }
        let types = StartTypes {
            instancetype: types.instancetype.as_deref(),
            preference: types.preference.as_deref(),
        };
        let namespace = vm.str_at("metadata.namespace");
        let mut vmi = start::make(release, configuration, vm.clone(), namespace, types)?;
        start::store(release, configuration, &mut vmi)?;
        let spec = vmi.remove("spec").unwrap_or_else(Node::map);
        Ok(Self {
            spec,
            has_ordinal_interfaces: false,
        })
    }
}
