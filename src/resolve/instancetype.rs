//! From a VM's `spec.instancetype` to the instance type's spec.

use super::{ResolveError, Resolved, Resolver};
use crate::stored::Matcher;
use crate::yaml::Node;

impl<'a> Resolver<'a> {
    /// The instance type a VM of `namespace` names; `None` where it names none.
    pub fn resolve_instancetype(
        &self,
        vm: &Node,
        namespace: &str,
    ) -> Result<Option<Resolved<'a>>, ResolveError> {
        self.resolve(Matcher::Instancetype, vm, namespace)
    }
}
