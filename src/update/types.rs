//! A VM's instance type and preference as its controller applies them while it looks for changes.

use std::sync::Arc;

use crate::cause::Refusal;
use crate::release::Release;
use crate::resolve::{ResolveError, Resolver, Spec};
use crate::stored::Matcher;
use crate::transform::expand::{self, ExpandError, TemplateBase};
use crate::yaml::Node;

/// Why a VM does not get what its matchers name, in `KubeVirt`'s words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypesError {
    /// The user's reference: a matcher leads nowhere.
    #[error("{error}")]
    Unresolved {
        /// Which matcher.
        matcher: Matcher,
        /// Why.
        error: ResolveError,
    },
    /// The user's VM: what the matchers name cannot be applied to it.
    #[error(transparent)]
    Inapplicable(#[from] ExpandError),
    /// The user's VM: there is nothing to apply to.
    #[error("the VM has no spec.template")]
    NoTemplate,
    /// The user's VM: no guest can be made of it.
    #[error("{}", .0.message())]
    NoGuest(Refusal),
}

impl TypesError {
    /// The field of the VM to blame.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::Unresolved {
                matcher: Matcher::Instancetype,
                ..
            } => "spec.instancetype",
            Self::Unresolved {
                matcher: Matcher::Preference,
                ..
            } => "spec.preference",
            Self::Inapplicable(_) | Self::NoTemplate | Self::NoGuest(_) => "spec.template",
        }
    }
}

/// The specs one VM's matchers lead to.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// The instance type, where the VM names one.
    pub instancetype: Option<Arc<Spec>>,
    /// The preference, where the VM names one.
    pub preference: Option<Arc<Spec>>,
}

impl Types {
    /// What the matchers of a VM of `namespace` lead to.
    pub fn of(vm: &Node, namespace: &str, resolver: &Resolver) -> Result<Self, TypesError> {
        let unresolved = |matcher| move |error| TypesError::Unresolved { matcher, error };
        let instancetype = resolver
            .resolve_instancetype(vm, namespace)
            .map_err(unresolved(Matcher::Instancetype))?;
        let preference = resolver
            .resolve_preference(vm, namespace)
            .map_err(unresolved(Matcher::Preference))?;
        Ok(Self {
            instancetype: instancetype.map(|found| found.spec),
            preference: preference.map(|found| found.spec),
        })
    }

    /// The VM with these types applied. Mirrors ApplyToVM, pkg/instancetype/apply/vm.go.
    pub fn apply(&self, release: Release, vm: &Node) -> Result<Node, TypesError> {
        let mut vm = vm.clone();
        if self.instancetype.is_none() && self.preference.is_none() {
            return Ok(vm);
        }
        let Some(template) = vm.path_mut("spec.template") else {
            return Err(TypesError::NoTemplate);
        };
        expand::apply(
            release,
            TemplateBase::APPLIED,
            self.instancetype.as_deref(),
            self.preference.as_deref(),
            template,
        )?;
        Ok(vm)
    }
}
