//! What the API server and KubeVirt's webhooks answer to a VM, stage by stage.
//!
//! It is long because every stage of an answer is here, in a cluster's order.

use super::causes::{Causes, Hit};
use super::guest::AdmittedGuest;
use super::structural::{self, StructuralRefusal};
use super::{curable, invalid_metadata, order};
use crate::cause::{Cause, Refusal};
use crate::release::{Behaviour, Release};
use crate::resolve::infer::InferError;
use crate::resolve::preference::{Spread, Topology};
use crate::resolve::{ResolveError, Resolved, Resolver};
use crate::rules::instancetypes::{
    instancetype_conflict, preference_requirement_unmet, spread_not_divisible, unresolved,
};
use crate::schema::{self, Problem, Schema, Type};
use crate::stored::Matcher;
use crate::transform::admit::{self, Admitted, NotAdmitted};
use crate::transform::expand::requirements::Unmet;
use crate::transform::expand::{self, ExpandError, TemplateBase, defaults, requirements};
use crate::yaml::Node;

/// What a cluster does with an object, in its order. Each stage sees what the one before hands on, and nothing comes after
/// a stage that refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdmissionStage {
    /// The API server reads it.
    Decode,
    /// The mutating webhook: KubeVirt's own OpenAPI first.
    Mutate,
    /// The API server validates its metadata.
    Metadata,
    /// The API server holds it against the CRD.
    Schema,
    /// The validating webhook reads it against KubeVirt's OpenAPI again, before its own checks.
    Validate,
}

/// The answer to a VM.
#[derive(Debug, Default)]
pub struct Review {
    /// What a stage before KubeVirt's own checks refuses, all of that stage.
    pub schema: Vec<StructuralRefusal>,
    /// What KubeVirt refuses, in its order. A real answer lists the first ten.
    pub hits: Vec<Hit>,
    /// What KubeVirt's code would crash on.
    pub crash: Option<String>,
    /// The reference that inference could not follow because its object is not in the repository.
    pub missing: Option<InferError>,
    /// Whether the VM names an instance type or preference that is not in the repository; it may change any answer.
    pub unresolved: bool,
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
    /// The answer in one word.
    pub fn verdict(&self) -> Verdict {
        if !self.schema.is_empty() {
            Verdict::Refused
        } else if self.crash.is_some() {
            Verdict::Crashed
        } else if self.hits.iter().any(|hit| hit.certain) {
            Verdict::Refused
        } else if self.missing.is_some() || self.unresolved || !self.hits.is_empty() {
            Verdict::Unknown
        } else {
            Verdict::Accepted
        }
    }

    /// Whether nothing stands against the VM.
    pub fn is_accepted(&self) -> bool {
        self.verdict() == Verdict::Accepted
    }

    /// The causes an answer lists for sure, as the API server or KubeVirt would.
    pub fn causes(&self) -> Vec<&Cause> {
        if self.schema.is_empty() {
            let certain = self.hits.iter().filter(|hit| hit.certain);
            let listed = certain.take(super::causes::LISTED);
            listed.map(|hit| &hit.cause).collect()
        } else {
            self.schema.iter().map(|refused| &refused.cause).collect()
        }
    }

    /// Takes what is said to an object that is written so.
    fn take(&mut self, causes: Causes, written: &Node, settings_known: bool) {
        self.crash = causes.crashed().map(str::to_owned);
        self.hits = causes.into_hits();
        for hit in &mut self.hits {
            if self.unresolved && curable::is_curable(hit, written) {
                hit.setting = Some("an object that is not in the repository".to_owned());
                hit.certain = false;
            } else {
                hit.certain = hit.setting.is_none() || settings_known;
            }
        }
    }
}

/// What a cluster answers to `written`, created where `old` is `None` and updated from `old` otherwise.
pub fn review(written: &Node, old: Option<&Node>, resolver: &Resolver<'_>) -> Review {
    let decoded = schema::decode(resolver.release(), "v1.VirtualMachine", written);
    review_decoded(written, decoded.node, &decoded.problems, old, resolver)
}

/// As [`review`], for a VM that is decoded already, with what did not fit.
pub(super) fn review_decoded(
    written: &Node,
    decoded: Node,
    problems: &[Problem],
    old: Option<&Node>,
    resolver: &Resolver<'_>,
) -> Review {
    let known = resolver.target().configuration.is_known();
    let refused = refused("v1.VirtualMachine", written, old.is_some(), problems);
    let mut review = Review::default();
    if refused
        .first()
        .is_some_and(|first| first.stage <= AdmissionStage::Mutate)
    {
        review.schema = refused;
        return review;
    }
    let uninferred = without_inference(&decoded);
    match admit::mutate_decoded(decoded, old, resolver) {
        Ok(admitted) => {
            if !refused.is_empty() {
                review.schema = refused;
            } else if admitted.vm.path("metadata.deletionTimestamp").is_none() {
                validate(written, &admitted.vm, old, resolver, &mut review);
            }
            review.admitted = Some(admitted);
        }
        Err(NotAdmitted::Refused(Refusal::Crash { message })) => review.crash = Some(message),
        Err(NotAdmitted::Infer(error)) if error.is_elsewhere(resolver.target()) => {
            review.missing = Some(error);
            // What no type can cure is refused whatever is inferred.
            if let Some(vm) = uninferred
                && refused.is_empty()
                && let Ok(admitted) = admit::mutate_decoded(vm, None, resolver)
            {
                review.unresolved = true;
                validate(written, &admitted.vm, old, resolver, &mut review);
                review.applied = None;
            } else {
                review.schema = refused;
            }
        }
        Err(NotAdmitted::Infer(error)) => match Refusal::from(error) {
            Refusal::Crash { message } => review.crash = Some(message),
            Refusal::Refused { message, .. } => {
                let mut causes = Causes::default();
                super::inference_failed::refused(&message, &mut causes);
                review.take(causes, &NOTHING, known);
            }
        },
        Err(error) => {
            let mut causes = Causes::default();
            if let Refusal::Refused { causes: given, .. } = Refusal::from(error) {
                super::invalid_matcher::refused(&given, &mut causes);
            }
            review.take(causes, &NOTHING, known);
        }
    }
    review
}

/// The VM without the matchers that follow a volume; `None` where none does.
fn without_inference(vm: &Node) -> Option<Node> {
    let infers = |matcher: Matcher| {
        let spec = vm.get("spec")?;
        let matcher = spec.get(matcher.field())?;
        matcher.get("inferFromVolume")
    };
    if Matcher::ALL.into_iter().all(|side| infers(side).is_none()) {
        return None;
    }
    let mut out = vm.clone();
    for side in Matcher::ALL {
        if infers(side).is_some() {
            out.remove(&format!("spec.{}", side.field()));
        }
    }
    Some(out)
}

/// What the first stage that refuses anything refuses in an object before KubeVirt's own checks. The API server says what
/// is wrong with the metadata and with the rest at once.
fn refused(
    type_name: &str,
    written: &Node,
    is_update: bool,
    problems: &[Problem],
) -> Vec<StructuralRefusal> {
    let metadata = invalid_metadata::check(written, is_update).into_iter();
    let mut refused: Vec<StructuralRefusal> = metadata
        .map(|objection| StructuralRefusal {
            stage: AdmissionStage::Metadata,
            path: objection.path,
            cause: objection.cause,
        })
        .collect();
    refused.extend(structural::check(type_name, written, problems));
    if let Some(first) = refused.iter().map(|refused| refused.stage).min() {
        let last = if first == AdmissionStage::Metadata {
            AdmissionStage::Schema
        } else {
            first
        };
        refused.retain(|refused| refused.stage <= last);
    }
    refused
}

/// The validating webhook. `vm` is in Go-normal form, as the mutating webhook hands it on, and was `written` so.
/// Mirrors VMsAdmitter.Admit, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go @ v1.9.0.
fn validate(
    written: &Node,
    vm: &Node,
    old: Option<&Node>,
    resolver: &Resolver<'_>,
    review: &mut Review,
) {
    let target = resolver.target();
    let known = target.configuration.is_known();
    let mut causes = Causes::default();
    let namespace = match vm.str_at("metadata.namespace") {
        "" => &target.namespace,
        namespace => namespace,
    };
    let mut applied = vm.clone();
    drop_empty_requests(&mut applied, target.release);
    if apply(
        &mut applied,
        namespace,
        resolver,
        &mut causes,
        &mut review.unresolved,
    ) {
        let guest = AdmittedGuest::new(&applied, target.release, &target.configuration);
        check(guest, old, namespace, known, &mut causes);
    }
    review.take(causes, written, known);
    review.applied = Some(applied);
}

/// Takes out what the mutating webhook does not write anew: Go embeds a device's claim by pointer and writes none of its
/// empty fields, so that the VM comes back without a claim. An instance type is stored as it is written, and keeps them.
fn drop_empty_requests(vm: &mut Node, release: Release) {
    for (list, type_name) in [("gpus", "v1.GPU"), ("hostDevices", "v1.HostDevice")] {
        let path = format!("spec.template.spec.domain.devices.{list}");
        let Some(devices) = vm.path_mut(&path).and_then(Node::items_mut) else {
            continue;
        };
        let fields = Schema::builtin()
            .type_named(type_name)
            .map_or(&[][..], Type::fields);
        let embedded = fields.iter().filter(|field| {
            field
                .variant(release)
                .is_some_and(|variant| variant.embedded)
        });
        for field in embedded {
            for device in &mut *devices {
                if device.get(field.name()).is_some_and(Node::is_zero) {
                    device.remove(field.name());
                }
            }
        }
    }
}

fn check(
    guest: AdmittedGuest<'_>,
    old: Option<&Node>,
    namespace: &str,
    known: bool,
    causes: &mut Causes,
) {
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
fn apply(
    vm: &mut Node,
    namespace: &str,
    resolver: &Resolver<'_>,
    causes: &mut Causes,
    unresolved: &mut bool,
) -> bool {
    let target = resolver.target();
    let release = target.release;
    let instancetype = resolver.resolve_instancetype(vm, namespace);
    let preference = resolver.resolve_preference(vm, namespace);
    let refuses = release.has(Behaviour::RefusesMissingInstancetype);
    for (matcher, resolved) in [
        (Matcher::Instancetype, &instancetype),
        (Matcher::Preference, &preference),
    ] {
        let Err(error) = resolved else { continue };
        if error.is_elsewhere(target) {
            *unresolved = true;
        } else if refuses {
            unresolved::refused(matcher, error, causes);
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
    let base = TemplateBase::TEMPLATE;
    match expand::apply(release, base, instancetype, preference, template) {
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
        release,
        instancetype.map(|spec| &spec.node),
        preference.map(|spec| &spec.node),
        spec,
    );
    match requirements {
        Ok(()) => return true,
        Err(Unmet::Shortfall(shortfall)) => {
            preference_requirement_unmet::refused(&shortfall, causes);
        }
        Err(Unmet::Crash(message)) => causes.crash(message),
    }
    false
}

/// What was found; the webhook goes on without what was not.
fn found(resolved: Result<Option<Resolved<'_>>, ResolveError>) -> Option<Resolved<'_>> {
    resolved.ok().flatten()
}

/// What stands for a spec that is absent.
static NOTHING: Node = Node::map();

/// What the webhook of instance types or preferences answers to an object of that kind.
pub fn review_object(kind: &str, written: &Node, release: Release) -> Review {
    let type_name = schema::type_of("instancetype.kubevirt.io", kind);
    let mut review = Review::default();
    let Some(type_name) = type_name else {
        return review;
    };
    let decoded = schema::decode(release, type_name, written);
    review.schema = refused(type_name, written, false, &decoded.problems);
    if !review.schema.is_empty() {
        return review;
    }
    let decoded = decoded.node;
    let spec = decoded.get("spec").unwrap_or(&NOTHING);
    let mut causes = Causes::default();
    if kind.ends_with("Preference") {
        super::invalid_preferred_topology::check(spec, &mut causes);
    } else {
        super::invalid_overcommit::check(spec, &mut causes);
    }
    review.take(causes, spec, true);
    review
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::catalog::Catalog;
    use crate::config::Target;
    use crate::release::Release;
    use crate::rules::testing::{reviewed, rules};

    fn vm(spec: &Json) -> Node {
        Node::from_json(&json!({
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "web"},
            "spec": spec
        }))
    }

    fn offline(spec: &Json) -> Review {
        let target = Target::default();
        let catalog = Catalog::new(Vec::new());
        review(&vm(spec), None, &Resolver::new(&target, vec![&catalog]))
    }

    #[test]
    fn an_answer_lists_ten_causes() {
        let disks: Vec<Json> = (0..12)
            .map(|at| json!({"name": format!("d{at}")}))
            .collect();
        let change =
            json!({"spec": {"template": {"spec": {"domain": {"devices": {"disks": disks}}}}}});
        let review = reviewed(Release::V1_9, &change, &json!({}));
        assert_eq!((review.hits.len(), review.causes().len()), (12, 10));
    }

    #[test]
    fn a_stage_that_refuses_hides_the_next() {
        let change = json!({"spec": {
            "runStrategy": "Sometimes",
            "template": {"spec": {"domain": {"devices": {"interfaces": [{"name": "a", "slirp": {}}]}}}}
        }});
        assert_eq!(
            rules(Release::V1_9, &change, &json!({})),
            ["discontinued-binding"]
        );
    }

    #[test]
    fn what_depends_on_an_unknown_setting_is_uncertain_and_hides_nothing() {
        let review = offline(
            &json!({"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {"autoattachVSOCK": true}}}}}),
        );
        assert_eq!(review.verdict(), Verdict::Unknown);
        let review = offline(
            &json!({"runStrategy": "Often", "template": {"spec": {"domain": {"devices": {"autoattachVSOCK": true}}}}}),
        );
        assert_eq!(review.verdict(), Verdict::Refused);
        let certain: Vec<bool> = review.hits.iter().map(|hit| hit.certain).collect();
        assert_eq!(certain, [false, true]);
    }

    #[test]
    fn an_instance_type_that_is_elsewhere_may_change_the_guest() {
        let spec = |strategy: &str| {
            json!({
                "runStrategy": strategy,
                "preference": {"name": "ours"},
                "template": {"spec": {"domain": {"devices": {}, "firmware": {"bootloader": {"efi": {}}}}}}
            })
        };
        let review = offline(&spec("Always"));
        assert_eq!(review.verdict(), Verdict::Unknown);
        assert!(review.hits.iter().all(|hit| !hit.certain));
        assert_eq!(offline(&spec("Often")).verdict(), Verdict::Refused);
    }

    /// AD07: what no instance type and no preference can cure is refused whatever they say, also where a volume leads to them.
    #[test]
    fn what_no_type_can_cure_is_certain() {
        for matcher in [json!({"name": "ours"}), json!({"inferFromVolume": "data"})] {
            let of = |devices: Json| {
                offline(&json!({
                    "runStrategy": "Always",
                    "instancetype": matcher,
                    "preference": matcher,
                    "template": {"spec": {
                        "domain": {"devices": devices},
                        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
                    }}
                }))
            };
            for devices in [
                json!({"disks": [{"name": "ghost"}]}),
                json!({"disks": [{"name": "data", "disk": {"bus": "nvme"}}]}),
                json!({"gpus": [{"name": "a"}]}),
                json!({"panicDevices": [{"model": "loud"}]}),
                json!({"disks": [{"name": "data", "bootOrder": 1}], "interfaces": [{"name": "n", "masquerade": {}, "bootOrder": 1}]}),
            ] {
                assert_eq!(of(devices.clone()).verdict(), Verdict::Refused, "{devices}");
            }
            // A preference may give the type, and the bus that takes a thread.
            for devices in [
                json!({"inputs": [{"name": "t", "bus": "usb"}]}),
                json!({"disks": [{"name": "data", "dedicatedIOThread": true, "disk": {}}]}),
            ] {
                assert_eq!(of(devices.clone()).verdict(), Verdict::Unknown, "{devices}");
            }
            assert_eq!(of(json!({})).verdict(), Verdict::Unknown);
        }
    }

    #[test]
    fn the_api_server_comes_first() {
        let review = offline(&json!({"runStrategy": "Often"}));
        assert_eq!(review.causes()[0].field, "spec.template");
        assert!(review.hits.is_empty());
        let review = offline(
            &json!({"runStrategy": "Often", "template": {"spec": {"domain": {"devices": {}}, "dnsPolicy": "Maybe"}}}),
        );
        assert_eq!(review.causes()[0].field, "");
        assert_eq!(review.verdict(), Verdict::Refused);
    }

    #[test]
    fn objects_are_judged_by_their_own_webhook() {
        let answer =
            |kind: &str, spec: Json| review_object(kind, &vm(&spec), Release::V1_9).verdict();
        let small = json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}});
        assert_eq!(
            answer("VirtualMachineInstancetype", small),
            Verdict::Accepted
        );
        let over =
            json!({"cpu": {"guest": 1}, "memory": {"guest": "1Gi", "overcommitPercent": 101}});
        assert_eq!(
            answer("VirtualMachineClusterInstancetype", over),
            Verdict::Refused
        );
        let topology = json!({"cpu": {"preferredCPUTopology": "diagonal"}});
        assert_eq!(
            answer("VirtualMachinePreference", topology),
            Verdict::Refused
        );
        assert_eq!(answer("ConfigMap", json!({})), Verdict::Accepted);
    }

    #[test]
    fn a_type_or_preference_that_is_nowhere_is_refused_up_to_1_5() {
        for (matcher, field, words) in [
            (
                "instancetype",
                "spec.instancetype",
                "Failure to find instancetype: virtualmachineclusterinstancetypes.instancetype.kubevirt.io \"nope\" not found",
            ),
            (
                "preference",
                "spec.preference",
                "Failure to find preference: virtualmachineclusterpreferences.instancetype.kubevirt.io \"nope\" not found",
            ),
        ] {
            let change = json!({"spec": {
                matcher: {"name": "nope"},
                "template": {"spec": {"domain": {"memory": null}}},
            }});
            let review = reviewed(Release::V1_5, &change, &json!({}));
            assert_eq!(
                review
                    .causes()
                    .iter()
                    .map(|cause| (&*cause.field, &*cause.message))
                    .collect::<Vec<_>>(),
                [(field, words)]
            );
            assert!(rules(Release::V1_6, &change, &json!({})).is_empty());
        }
    }
}
