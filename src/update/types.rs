//! A VM's instance type and preference as its controller applies them while it looks for changes.

use std::sync::Arc;

use crate::cause::Refusal;
use crate::config::Target;
use crate::release::{Behaviour, Release};
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
    /// Whether the target's tree would hold what a matcher names, if the cluster had it.
    pub fn is_certain(&self, target: &Target) -> bool {
        let is_elsewhere =
            matches!(self, Self::Unresolved { error, .. } if error.is_elsewhere(target));
        target.complete && !is_elsewhere
    }

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
        Self::of_changed(vm, namespace, resolver, &Self::default(), |_| false)
    }

    /// As [`Self::of`], for a VM that is updated: a matcher that `keeps` what the controller captured leads to that.
    pub fn of_changed(
        vm: &Node,
        namespace: &str,
        resolver: &Resolver,
        captured: &Self,
        keeps: impl Fn(Matcher) -> bool,
    ) -> Result<Self, TypesError> {
        let resolve = |matcher, captured: &Option<Arc<Spec>>| {
            if keeps(matcher) {
                return Ok::<_, TypesError>(captured.clone());
            }
            let found = resolver.resolve(matcher, vm, namespace);
            let found = found.map_err(|error| TypesError::Unresolved { matcher, error })?;
            Ok(found.map(|found| found.spec))
        };
        Ok(Self {
            instancetype: resolve(Matcher::Instancetype, &captured.instancetype)?,
            preference: resolve(Matcher::Preference, &captured.preference)?,
        })
    }

    /// The VM with these types applied. Mirrors ApplyToVM, pkg/instancetype/apply/vm.go, and instancetype.go @ v1.4.1.
    pub fn apply(&self, release: Release, vm: &Node) -> Result<Node, TypesError> {
        let mut vm = vm.clone();
        if self.instancetype.is_none() && self.preference.is_none() {
            return Ok(vm);
        }
        let own = release
            .has(Behaviour::AnnotatesVmItself)
            .then(|| vm.remove("metadata").unwrap_or_else(Node::map));
        let Some(template) = vm.path_mut("spec.template") else {
            return Err(TypesError::NoTemplate);
        };
        let (base, apart) = match own {
            None => (TemplateBase::APPLIED, None),
            Some(own) => {
                let apart = template.remove("metadata");
                template.set("metadata", own);
                (TemplateBase::ANNOTATED, Some(apart))
            }
        };
        expand::apply(
            release,
            base,
            self.instancetype.as_deref(),
            self.preference.as_deref(),
            template,
        )?;
        if let Some(apart) = apart {
            let own = template.remove("metadata");
            if let Some(metadata) = apart {
                template.set("metadata", metadata);
            }
            if let Some(own) = own {
                vm.set("metadata", own);
            }
        }
        Ok(vm)
    }

    /// The VM that the guest was started from with these types applied, as it is compared with `current`, the new VM with
    /// its own: the controller gives it that VM's metadata. Mirrors addRestartRequiredIfNeeded, vm.go.
    pub fn apply_to_last_seen(
        &self,
        release: Release,
        vm: &Node,
        current: Result<&Node, &TypesError>,
    ) -> Result<Node, TypesError> {
        let Ok(current) = current else {
            return self.apply(release, vm);
        };
        if !release.has(Behaviour::AnnotatesVmItself) {
            return self.apply(release, vm);
        }
        let mut vm = vm.clone();
        if let Some(metadata) = current.get("metadata") {
            vm.set("metadata", metadata.clone());
        }
        self.apply(release, &vm)
    }
}
