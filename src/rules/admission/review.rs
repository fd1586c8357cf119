//! What the API server and KubeVirt's webhooks answer to a VM, stage by stage.

use super::causes::{Causes, Hit};
use super::guest::Guest;
use super::{order, structural};
use crate::cause::{Cause, Refusal};
use crate::release::Behaviour;
use crate::resolve::infer::InferError;
use crate::resolve::preference::{Spread, Topology};
use crate::resolve::{ResolveError, Resolved, Resolver};
use crate::rules::instancetypes::{
    instancetype_conflict, preference_requirement_unmet, spread_not_divisible,
    unresolved_instancetype, unresolved_preference,
};
use crate::schema;
use crate::transform::admit::{self, Admitted, NotAdmitted};
use crate::transform::expand::{self, Base, ExpandError, defaults, requirements};
use crate::yaml::Node;

/// The answer to a VM.
#[derive(Debug, Default)]
pub struct Review {
    /// What the API server refuses while reading the VM. KubeVirt is then never asked.
    pub schema: Vec<Cause>,
    /// What KubeVirt refuses, in its order. A real answer lists the first ten.
    pub hits: Vec<Hit>,
    /// What KubeVirt's code would crash on.
    pub crash: Option<String>,
    /// The reference that inference could not follow because its object is not in the repository.
    pub missing: Option<InferError>,
    /// What the mutating webhook made of the VM.
    pub admitted: Option<Admitted>,
    /// The VM that was checked: admitted, with instance type, preference and defaults applied.
    pub applied: Option<Node>,
}

/// The answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Accepted,
    /// Refused.
    Refused,
    /// KubeVirt's code crashes on it.
    Crashed,
    /// Refused or accepted by settings of the cluster, or by objects, that are not known.
    Unknown,
}

impl Review {
    /// The answer in one word; `settings_known` says whether the cluster's configuration is.
    pub fn verdict(&self, settings_known: bool) -> Verdict {
        let refused = self
            .hits
            .iter()
            .any(|hit| settings_known || hit.setting.is_none());
        if !self.schema.is_empty() {
            Verdict::Refused
        } else if self.crash.is_some() {
            Verdict::Crashed
        } else if refused {
            Verdict::Refused
        } else if self.missing.is_some() || !self.hits.is_empty() {
            Verdict::Unknown
        } else {
            Verdict::Accepted
        }
    }

    /// Whether nothing stands against the VM.
    pub fn is_accepted(&self) -> bool {
        self.verdict(true) == Verdict::Accepted
    }

    /// The causes an answer lists, as the API server or KubeVirt would.
    pub fn causes(&self) -> Vec<&Cause> {
        if self.schema.is_empty() {
            let hits = self.hits.iter().take(super::causes::LISTED);
            hits.map(|hit| &hit.cause).collect()
        } else {
            self.schema.iter().collect()
        }
    }

    fn take(&mut self, causes: Causes) {
        self.crash = causes.crashed().map(str::to_owned);
        self.hits = causes.into_hits();
    }
}

/// What a cluster answers to `written`, created where `old` is `None` and updated from `old` otherwise.
pub fn review(written: &Node, old: Option<&Node>, resolver: &Resolver<'_>) -> Review {
    let release = resolver.release();
    let mut review = Review {
        schema: structural::refusals(release, "v1.VirtualMachine", written),
        ..Review::default()
    };
    if !review.schema.is_empty() {
        return review;
    }
    let decoded = schema::decode(release, "v1.VirtualMachine", written);
    match admit::mutate_decoded(decoded.node, old, resolver) {
        Ok(admitted) => {
            if admitted.vm.path("metadata.deletionTimestamp").is_none() {
                validate(&admitted.vm, old, resolver, &mut review);
            }
            review.admitted = Some(admitted);
        }
        Err(NotAdmitted::Refused(Refusal::Crash { message })) => review.crash = Some(message),
        Err(NotAdmitted::Infer(error))
            if !error.missing().is_empty() && !resolver.target().complete =>
        {
            review.missing = Some(error);
        }
        Err(NotAdmitted::Infer(error)) => match Refusal::from(error) {
            Refusal::Crash { message } => review.crash = Some(message),
            Refusal::Refused { message, .. } => {
                let mut causes = Causes::default();
                super::inference_failed::refused(&message, &mut causes);
                review.take(causes);
            }
        },
        Err(error) => {
            let mut causes = Causes::default();
            if let Refusal::Refused { causes: given, .. } = Refusal::from(error) {
                super::invalid_matcher::refused(&given, &mut causes);
            }
            review.take(causes);
        }
    }
    review
}

/// The validating webhook. `vm` is in Go-normal form, as the mutating webhook hands it on.
/// Mirrors VMsAdmitter.Admit, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go @ v1.9.0.
fn validate(vm: &Node, old: Option<&Node>, resolver: &Resolver<'_>, review: &mut Review) {
    let target = resolver.target();
    let known = target.configuration.is_known();
    let mut causes = Causes::default();
    let namespace = match vm.str_at("metadata.namespace") {
        "" => &target.namespace,
        namespace => namespace,
    };
    let wrong = structural::wrong_words(target.release, "v1.VirtualMachine", vm);
    if !wrong.is_empty() {
        review.schema = wrong;
        return;
    }
    let mut applied = vm.clone();
    if apply(&mut applied, namespace, resolver, &mut causes) {
        let guest = Guest::new(&applied, target.release, &target.configuration);
        check(guest, old, namespace, known, &mut causes);
    }
    review.take(causes);
    review.applied = Some(applied);
}

fn check(guest: Guest<'_>, old: Option<&Node>, namespace: &str, known: bool, causes: &mut Causes) {
    if old.is_none() {
        super::discontinued_binding::check_gates(guest, causes);
        if causes.stop(known) {
            return;
        }
        super::discontinued_binding::check_interfaces(guest, causes);
        if causes.stop(known) {
            return;
        }
    }
    order::check(guest, causes);
    if !causes.stop(known) {
        super::foreign_data_volume_template::check(guest, old, namespace, causes);
    }
}

/// Applies instance type, preference and defaults, and holds the result against the preference's requirements. Whether
/// the webhook goes on.
fn apply(vm: &mut Node, namespace: &str, resolver: &Resolver<'_>, causes: &mut Causes) -> bool {
    let target = resolver.target();
    let release = target.release;
    let instancetype = resolver.resolve_instancetype(vm, namespace);
    let preference = resolver.resolve_preference(vm, namespace);
    if release.has(Behaviour::RefusesMissingInstancetype) {
        if let Err(error) = &instancetype {
            unresolved_instancetype::refused(error, target.complete, causes);
        } else if let Err(error) = &preference {
            unresolved_preference::refused(error, target.complete, causes);
        }
        if !causes.is_empty() {
            return false;
        }
    }
    let instancetype = found(instancetype);
    let preference = found(preference);
    let instancetype = instancetype.as_ref().map(|found| &*found.spec);
    let preference = preference.as_ref().map(|found| &*found.spec);
    if let (Some(instancetype), Some(preference)) = (instancetype, preference)
        && Topology::preferred(Some(&preference.node)) == Topology::Spread
    {
        let spread = Spread::preferred(&preference.node);
        spread_not_divisible::check(&instancetype.node, spread, causes);
        if !causes.is_empty() {
            return false;
        }
    }
    let Some(template) = vm.path_mut("spec.template") else {
        causes.crash("spec.template is missing");
        return false;
    };
    match expand::apply(release, Base::TEMPLATE, instancetype, preference, template) {
        Ok(()) => {}
        Err(ExpandError::Conflicts(conflicts)) => {
            instancetype_conflict::refused(&conflicts, causes);
            return false;
        }
        Err(ExpandError::Refused(refusal)) => {
            causes.crash(refusal.message());
            return false;
        }
        Err(error) => {
            causes.crash(error.to_string());
            return false;
        }
    }
    template.ensure_map("spec", crate::yaml::Origin::None);
    let Some(spec) = template.get_mut("spec") else {
        return false;
    };
    if let Err(refusal) = defaults::vmi_spec(release, &target.configuration, spec) {
        super::default_binding_not_permitted::refused(refusal.message(), causes);
        return false;
    }
    let requirements = requirements::check(
        instancetype.map(|spec| &spec.node),
        preference.map(|spec| &spec.node),
        spec,
    );
    if let Err(shortfall) = requirements {
        preference_requirement_unmet::refused(&shortfall, causes);
        return false;
    }
    true
}

/// What was found; the webhook goes on without what was not.
fn found(resolved: Result<Option<Resolved<'_>>, ResolveError>) -> Option<Resolved<'_>> {
    resolved.ok().flatten()
}

/// What stands for a spec that is absent.
static NOTHING: Node = Node::map();

/// What the webhook of instance types or preferences answers to an object of that kind.
pub fn review_object(kind: &str, written: &Node, release: crate::release::Release) -> Review {
    let type_name = schema::type_of("instancetype.kubevirt.io", kind);
    let mut review = Review::default();
    let Some(type_name) = type_name else {
        return review;
    };
    review.schema = structural::refusals(release, type_name, written);
    if !review.schema.is_empty() {
        return review;
    }
    let decoded = schema::decode(release, type_name, written).node;
    let spec = decoded.get("spec").unwrap_or(&NOTHING);
    let mut causes = Causes::default();
    if kind.ends_with("Preference") {
        super::invalid_preferred_topology::check(spec, &mut causes);
    } else {
        super::invalid_overcommit::check(spec, &mut causes);
    }
    review.take(causes);
    review
}
