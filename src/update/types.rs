//! A VM's instance type and preference as its controller applies them while it looks for changes.

use std::sync::Arc;

use crate::release::Release;
use crate::resolve::{Resolver, Spec};
use crate::transform::expand::{self, TemplateBase};
use crate::yaml::Node;

/// The specs one VM's matchers lead to.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// The instance type, where the VM names one.
    pub instancetype: Option<Arc<Spec>>,
    /// The preference, where the VM names one.
    pub preference: Option<Arc<Spec>>,
}

impl Types {
    /// What the matchers of a VM of `namespace` lead to; the error in KubeVirt's words.
    pub fn of(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Self, String> {
        let text = |error: crate::resolve::ResolveError| error.to_string();
        let instancetype = resolver.resolve_instancetype(vm, namespace).map_err(text)?;
        let preference = resolver.resolve_preference(vm, namespace).map_err(text)?;
        Ok(Self {
            instancetype: instancetype.map(|found| found.spec),
            preference: preference.map(|found| found.spec),
        })
    }

    /// The VM with these types applied. Mirrors ApplyToVM, pkg/instancetype/apply/vm.go.
    pub fn apply(&self, release: Release, vm: &Node) -> Result<Node, String> {
        let mut vm = vm.clone();
        if self.instancetype.is_none() && self.preference.is_none() {
            return Ok(vm);
        }
        let Some(template) = vm.path_mut("spec.template") else {
            return Err("the VM has no spec.template".to_owned());
        };
        expand::apply(
            release,
            TemplateBase::APPLIED,
            self.instancetype.as_deref(),
            self.preference.as_deref(),
            template,
        )
        .map_err(|error| error.to_string())?;
        Ok(vm)
    }
}
