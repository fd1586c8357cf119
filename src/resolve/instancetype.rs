//! From a VM's `spec.instancetype` to the instance type's spec.

use super::{Family, ResolveError, Resolved, Resolver};
use crate::yaml::Node;

/// Names of instance types.
pub(crate) const FAMILY: Family = Family {
    matcher: "Instancetype",
    key: "instancetype",
    status_key: "instancetypeRef",
    kind: "VirtualMachineInstancetype",
    plural: "VirtualMachineInstancetypes",
    qualified: "virtualmachineinstancetypes.instancetype.kubevirt.io",
    cluster_kind: "VirtualMachineClusterInstancetype",
    cluster_plural: "VirtualMachineClusterInstancetypes",
    cluster_qualified: "virtualmachineclusterinstancetypes.instancetype.kubevirt.io",
};

impl<'a> Resolver<'a> {
    /// The instance type a VM of `namespace` names; `None` where it names none.
    pub fn resolve_instancetype(
        &self,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<Resolved<'a>>, ResolveError> {
        self.resolve(&FAMILY, vm, namespace)
    }
}
