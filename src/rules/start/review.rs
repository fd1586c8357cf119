//! What a cluster answers to the start of a guest: its controller, the API server, and the webhooks of instances.
//!
//! It is long because the steps of a start are here, in a cluster's order.

use std::collections::BTreeSet;

use super::order::{self, BY_ARCHITECTURE, Requester};
use super::{
    conflicting_revision, guest_without_memory, refused_expansion, revision_name_too_long,
    unstartable_default,
};
use crate::cause::{Cause, Refusal};
use crate::field_path::FieldPath;
use crate::resolve::{Resolved, ResolvedVia, Resolver};
use crate::resource::cluster::ReferencePolicy;
use crate::rule::Family;
use crate::rules::admission::causes::{Causes, Hit, LISTED};
use crate::rules::admission::default_binding_not_permitted;
use crate::rules::admission::guest::AdmittedGuest;
use crate::rules::admission::order::Part;
use crate::rules::admission::review::{self as admission, Review, Verdict};
use crate::stored::Matcher;
use crate::transform::start::{self, StartError, StartTypes};
use crate::yaml::{Node, Origin};

/// The answer to a start.
#[derive(Debug, Default)]
pub struct StartReview {
    /// What the resource's own webhook refuses, where that is not told apart: nothing of it is then stored.
    pub own: Vec<Hit>,
    /// What the webhook of virtual machines refuses of those that a stored pool creates.
    pub machines: Vec<Hit>,
    /// What is refused, in KubeVirt's order. The cause names a field of the instance, the hit one of the resource.
    pub hits: Vec<Hit>,
    /// What KubeVirt's code would crash on.
    pub crash: Option<String>,
    /// The instance that was judged.
    pub vmi: Option<Node>,
    /// Where the resource keeps what becomes metadata and spec of the instance.
    place: FieldPath,
}

impl StartReview {
    /// Everything refused, stage by stage.
    pub fn all(&self) -> impl Iterator<Item = &Hit> {
        self.own.iter().chain(&self.machines).chain(&self.hits)
    }

    /// Whether no start is accepted, for sure.
    pub fn is_refused(&self) -> bool {
        self.crash.is_some() || self.all().any(|hit| hit.certain)
    }

    /// The causes that an answer lists for sure.
    pub fn causes(&self) -> impl Iterator<Item = &Cause> {
        let certain = self.all().filter(|hit| hit.certain);
        certain.take(LISTED).map(|hit| &hit.cause)
    }

    /// The answer of a resource's own webhook.
    pub(super) fn of_own(own: Vec<Hit>, crash: Option<String>, resolver: &Resolver<'_>) -> Self {
        let known = resolver.target().configuration.is_known();
        let mut review = Self {
            own,
            crash,
            ..Self::default()
        };
        for hit in &mut review.own {
            hit.certain = hit.setting.is_none() || known;
        }
        review
    }

    /// This answer, and where it stores the resource what becomes of it. What was doubted already is not doubted again.
    pub(super) fn and_then(self, started: impl FnOnce() -> Self) -> Self {
        if self.is_refused() {
            return self;
        }
        let mut started = started();
        let is_new = |hit: &Hit| !self.own.iter().any(|said| is_same(said, hit));
        started.machines.retain(is_new);
        started.hits.retain(is_new);
        Self {
            own: self.own,
            ..started
        }
    }

    /// Puts what the answer is about under a place of the resource.
    pub(super) fn move_to(&mut self, place: &FieldPath) {
        for hit in &mut self.hits {
            hit.field = place.join(&hit.field);
        }
        self.place = place.join(&self.place);
    }

    /// The value of the instance that a hit is about.
    pub(super) fn value_of(&self, hit: &Hit) -> Option<&Node> {
        let inside = hit.field.after(&self.place)?;
        inside.find(self.vmi.as_ref()?)
    }

    /// Takes what is refused in the instance that the resource keeps at `place`.
    fn take(&mut self, causes: Causes, place: &FieldPath, settings_known: bool) {
        self.crash = causes.crashed().map(str::to_owned);
        self.hits
            .extend(causes.into_hits().into_iter().map(|mut hit| {
                hit.field = place.join(&hit.field);
                hit.certain = hit.setting.is_none() || settings_known;
                hit
            }));
    }
}

/// The instance type and the preference of a VM, as far as they are in the repository.
struct AppliedTypes<'a> {
    instancetype: Option<Resolved<'a>>,
    preference: Option<Resolved<'a>>,
    lacks_instancetype: bool,
    lacks_preference: bool,
}

impl<'a> AppliedTypes<'a> {
    /// `None` where the controller fails on what is there, or on its absence.
    fn of(vm: &Node, namespace: &str, resolver: &Resolver<'a>) -> Option<Self> {
        let find = |matcher| match resolver.resolve(matcher, vm, namespace) {
            Ok(found) => Some((found, false)),
            Err(error) if error.is_elsewhere(resolver.target()) => Some((None, true)),
            Err(_) => None,
        };
        let (instancetype, lacks_instancetype) = find(Matcher::Instancetype)?;
        let (preference, lacks_preference) = find(Matcher::Preference)?;
        Some(Self {
            instancetype,
            preference,
            lacks_instancetype,
            lacks_preference,
        })
    }

    fn found(&self) -> impl Iterator<Item = (Matcher, &Resolved<'a>)> {
        let instancetype = self
            .instancetype
            .as_ref()
            .map(|found| (Matcher::Instancetype, found));
        let preference = self
            .preference
            .as_ref()
            .map(|found| (Matcher::Preference, found));
        instancetype.into_iter().chain(preference)
    }

    fn applied(&self) -> StartTypes<'_> {
        StartTypes {
            instancetype: self.instancetype.as_ref().map(|found| &*found.spec),
            preference: self.preference.as_ref().map(|found| &*found.spec),
        }
    }

    /// Whether a hit stands whatever the missing types hold.
    fn leave(&self, hit: &Hit, review: &StartReview) -> bool {
        if !self.lacks_instancetype && !self.lacks_preference {
            return true;
        }
        let rule = hit.rule;
        if rule.info.family == Family::Admission {
            return !self.lacks_preference;
        }
        if rule.info == guest_without_memory::RULE.info {
            return !self.lacks_instancetype;
        }
        let is_default = |node: &Node| matches!(node.origin, Origin::Written(_));
        let architecture = review
            .vmi
            .as_ref()
            .and_then(|vmi| vmi.path("spec.architecture"));
        let follows_default = self.lacks_preference
            && BY_ARCHITECTURE.iter().any(|by| by.info == rule.info)
            && architecture.is_none_or(is_default);
        !follows_default && review.value_of(hit).is_some_and(|value| !is_default(value))
    }
}

/// What a cluster answers to the start of a VM of `namespace` that it stores, by its `answer` to the VM itself, from
/// which the stored VM is taken. Nothing where the VM is not stored.
pub fn review(
    written: &Node,
    answer: &mut Review,
    namespace: &str,
    resolver: &Resolver<'_>,
) -> StartReview {
    let mut review = of_stored(answer, namespace, resolver);
    doubt_architecture(&mut review, resolver, |architecture| {
        let mut other = written.clone();
        other.set("spec.template.spec.architecture", Node::from(architecture));
        let mut answer = admission::review(&other, None, resolver);
        (answer.verdict() != Verdict::Refused).then(|| of_stored(&mut answer, namespace, resolver))
    });
    for hit in &mut review.hits {
        // The VM's webhook has the same check; what it could not see is what is filled in later.
        if hit.rule.info.family == Family::Admission {
            hit.rule = &unstartable_default::RULE;
        }
    }
    review
}

fn of_stored(answer: &mut Review, namespace: &str, resolver: &Resolver<'_>) -> StartReview {
    let mut review = StartReview {
        place: FieldPath::from("spec.template"),
        ..StartReview::default()
    };
    let is_stored = !matches!(answer.verdict(), Verdict::Refused | Verdict::Crashed);
    if !is_stored || answer.missing.is_some() {
        return review;
    }
    let Some(stored) = answer.admitted.take() else {
        return review;
    };
    let mut vm = stored.vm;
    start::forget_stale_revisions(&mut vm);
    if vm.path("metadata.deletionTimestamp").is_some() {
        return review;
    }
    let Some(types) = AppliedTypes::of(&vm, namespace, resolver) else {
        return review;
    };
    let mut causes = Causes::default();
    store_revisions(&vm, namespace, &types, resolver, &mut causes);
    let known = resolver.target().configuration.is_known();
    let stops = causes.stop(known);
    review.take(causes, &FieldPath::root(), known);
    if !stops {
        // What the webhook of the VM passed passes again, as long as it is the same.
        let passed = answer.applied.as_ref().filter(|_| answer.hits.is_empty());
        let passed = passed.and_then(|applied| applied.path("spec.template.spec"));
        make(vm, namespace, &types, passed, resolver, &mut review);
    }
    let mut hits = std::mem::take(&mut review.hits);
    hits.retain(|hit| types.leave(hit, &review) && !is_said(hit, answer));
    review.hits = hits;
    review
}

/// Whether the webhook of the VM says the same.
fn is_said(hit: &Hit, answer: &Review) -> bool {
    answer.hits.iter().any(|said| is_same(said, hit))
}

fn is_same(one: &Hit, other: &Hit) -> bool {
    one.rule.info == other.rule.info && one.field == other.field
}

/// What a cluster answers to an instance that is created as it is given: by somebody, or by the controller of the
/// resource that keeps it at `place`.
pub(super) fn of_instance(
    given: &Node,
    place: &FieldPath,
    requester: Requester,
    resolver: &Resolver<'_>,
) -> StartReview {
    let once = |mut vmi: Node| {
        let target = resolver.target();
        let mut review = StartReview {
            place: place.clone(),
            ..StartReview::default()
        };
        match start::store(target.release, &target.configuration, &mut vmi) {
            Ok(()) => judge(vmi, None, requester, resolver, &mut review),
            Err(error) => {
                let mut causes = Causes::default();
                default_binding_not_permitted::refused(&error.to_string(), &mut causes);
                review.take(causes, &FieldPath::root(), target.configuration.is_known());
                for hit in &mut review.hits {
                    hit.field = place.then("spec.domain.devices");
                }
            }
        }
        review
    };
    let mut review = once(given.clone());
    doubt_architecture(&mut review, resolver, |architecture| {
        let mut other = given.clone();
        other.set("spec.architecture", Node::from(architecture));
        Some(once(other))
    });
    review
}

/// What the controller does before it starts anything: it keeps the types of the VM as revisions.
fn store_revisions(
    vm: &Node,
    namespace: &str,
    types: &AppliedTypes<'_>,
    resolver: &Resolver<'_>,
    causes: &mut Causes,
) {
    let policy = resolver
        .target()
        .configuration
        .reference_policy(resolver.release());
    if policy != ReferencePolicy::Reference {
        return;
    }
    for (matcher, found) in types.found() {
        if matches!(found.through, ResolvedVia::Object | ResolvedVia::Bundle) {
            revision_name_too_long::check(vm, matcher, found.resource, causes);
            conflicting_revision::check(vm, namespace, matcher, found, resolver, causes);
        }
    }
}

/// Makes the instance of a VM and judges it; `passed` is the guest's spec that the webhook of the VM had nothing against.
fn make(
    vm: Node,
    namespace: &str,
    types: &AppliedTypes<'_>,
    passed: Option<&Node>,
    resolver: &Resolver<'_>,
    review: &mut StartReview,
) {
    let types = types.applied();
    let before = start::is_expanded(&vm, types, resolver).then(|| vm.clone());
    let expansion = |given: &[Cause]| {
        let mut causes = Causes::default();
        refused_expansion::refused(given, &mut causes);
        causes
    };
    match start::start_with(vm, namespace, types, resolver) {
        Ok(started) => {
            if let (Some(expanded), Some(before)) = (&started.expanded, &before) {
                let answer = admission::review(expanded, Some(before), resolver);
                let refused: Vec<Cause> = answer.causes().into_iter().cloned().collect();
                if !refused.is_empty() {
                    review.take(expansion(&refused), &FieldPath::root(), true);
                    return;
                }
            }
            judge(started.vmi, passed, Requester::Controller, resolver, review);
        }
        Err(StartError::Admit(error)) => {
            let refused = match Refusal::from(error) {
                Refusal::Refused { message, causes } if causes.is_empty() => {
                    vec![Cause::new("", message)]
                }
                Refusal::Refused { causes, .. } => causes,
                Refusal::Crash { message } => {
                    review.crash = Some(message);
                    return;
                }
            };
            review.take(expansion(&refused), &FieldPath::root(), true);
        }
        // The webhook of the VM applies the same types, and says what stands against them.
        Err(StartError::Expand(_)) => {}
    }
}

/// Judges an instance as the API server and the webhook do that validates it.
fn judge(
    vmi: Node,
    passed: Option<&Node>,
    requester: Requester,
    resolver: &Resolver<'_>,
    review: &mut StartReview,
) {
    let target = resolver.target();
    let known = target.configuration.is_known();
    let mut causes = Causes::default();
    let guest = AdmittedGuest::of_instance(&vmi, target.release, &target.configuration);
    order::check_metadata(guest, &mut causes);
    if !causes.stop(known) {
        let part = passed.map_or(Part::Whole, |passed| Part::left_after(passed, guest.spec));
        order::check(guest, part, requester, &mut causes);
    }
    let place = review.place.clone();
    review.take(causes, &place, known);
    review.vmi = Some(vmi);
}

/// Architectures that a cluster may give a guest without one.
const ARCHITECTURES: [&str; 3] = ["amd64", "arm64", "s390x"];

/// Where the cluster's architecture is taken for granted, only what every architecture refuses is certain. `again` gives
/// the answer for another one; `None` where the guest then is not stored at all.
fn doubt_architecture(
    review: &mut StartReview,
    resolver: &Resolver<'_>,
    again: impl Fn(&str) -> Option<StartReview>,
) {
    let architecture = review
        .vmi
        .as_ref()
        .and_then(|vmi| vmi.path("spec.architecture"));
    let Some(taken) = architecture.filter(|node| matches!(node.origin, Origin::Written(_))) else {
        return;
    };
    if resolver.target().configuration.is_known() || review.hits.is_empty() {
        return;
    }
    let taken = taken.as_str().unwrap_or_default();
    let others: Vec<BTreeSet<(&str, FieldPath)>> = ARCHITECTURES
        .into_iter()
        .filter(|other| *other != taken)
        .filter_map(again)
        .map(|other| {
            let hits = other.hits.into_iter();
            hits.map(|hit| (hit.rule.info.id, hit.field)).collect()
        })
        .collect();
    for hit in &mut review.hits {
        let key = (hit.rule.info.id, hit.field.clone());
        if !others.iter().all(|other| other.contains(&key)) {
            hit.setting = Some("the cluster's default architecture".to_owned());
            hit.certain = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::catalog::Catalog;
    use crate::config::Target;
    use crate::resource::Resource;
    use crate::resource::cluster::ClusterConfig;

    fn vm(spec: &Json, more: &Json) -> Node {
        let mut vm = Node::from_json(&json!({
            "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "web"},
            "spec": {"runStrategy": "Always", "template": {"spec": spec}}
        }));
        for entry in Node::from_json(more).entries() {
            vm.set(&format!("spec.{}", entry.key), entry.node.clone());
        }
        vm
    }

    #[test]
    fn a_revision_of_the_status_is_kept_while_the_matcher_says_nothing_else() {
        let spec = |sockets: u32| json!({"cpu": {"guest": sockets}, "memory": {"guest": "1Gi"}});
        let stored = [
            json!({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype",
                "metadata": {"name": "it"}, "spec": spec(2)}),
            json!({"apiVersion": "apps/v1", "kind": "ControllerRevision",
                "metadata": {"name": "rev", "labels": {"instancetype.kubevirt.io/object-name": "it"}},
                "data": {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachineInstancetype",
                    "metadata": {"name": "it"}, "spec": spec(4)}}),
        ];
        let objects = stored.iter().map(|object| {
            Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).unwrap()
        });
        let catalog = Catalog::new(objects.collect());
        let target = Target {
            configuration: ClusterConfig::known(Node::map()),
            ..Target::default()
        };
        let resolver = Resolver::new(&target, vec![&catalog]);
        let sockets = |matcher: Json, kind: &str| {
            let mut vm = vm(
                &json!({"domain": {"devices": {}}}),
                &json!({ "instancetype": matcher }),
            );
            let reference =
                json!({"name": "it", "kind": kind, "controllerRevisionRef": {"name": "rev"}});
            vm.set("status.instancetypeRef", Node::from_json(&reference));
            let mut answer = admission::review(&vm, None, &resolver);
            let started = review(&vm, &mut answer, "default", &resolver);
            let vmi = started.vmi.expect("it starts");
            vmi.int_at("spec.domain.cpu.sockets")
        };
        let kind = "VirtualMachineInstancetype";
        let matcher = || json!({"name": "it", "kind": kind});
        assert_eq!(sockets(matcher(), kind), 4);
        assert_eq!(sockets(matcher(), ""), 2, "captured anew");
        assert_eq!(sockets(json!({"name": "it"}), kind), 4);
    }

    /// Rules with whether each is certain, where nothing of the cluster is known.
    fn offline(vm: &Node, preference: Option<&Json>) -> Vec<(&'static str, bool)> {
        let target = Target::default();
        let objects = preference.map(|spec| {
            let object = json!({
                "apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachinePreference",
                "metadata": {"name": "pr"}, "spec": spec
            });
            let node = Node::from_json(&object);
            Resource::from_node(node, None, 0, FieldPath::root()).unwrap()
        });
        let catalog = Catalog::new(objects.into_iter().collect());
        let resolver = Resolver::new(&target, vec![&catalog]);
        let mut answer = admission::review(vm, None, &resolver);
        let review = review(vm, &mut answer, "default", &resolver);
        let hits = review.hits.iter();
        hits.map(|hit| (hit.rule.info.id, hit.certain)).collect()
    }

    #[test]
    fn only_what_every_architecture_refuses_is_certain_where_none_is_known() {
        let devices = |devices: Json| {
            vm(
                &json!({"domain": {"memory": {"guest": "1Gi"}, "devices": devices}}),
                &json!({}),
            )
        };
        let watchdog = devices(json!({"watchdog": {"name": "w", "diag288": {}}}));
        assert_eq!(offline(&watchdog, None), [("unsupported-watchdog", false)]);
        let video = devices(json!({"video": {}}));
        assert_eq!(offline(&video, None), [("unsupported-video-type", true)]);
        let bare = vm(&json!({"domain": {"devices": {}}}), &json!({}));
        assert_eq!(offline(&bare, None), [("guest-without-memory", true)]);
    }

    #[test]
    fn a_preference_that_is_elsewhere_may_fill_in_another_value() {
        let named = json!({"preference": {"name": "pr", "kind": "VirtualMachinePreference"}});
        let disk = json!({
            "architecture": "amd64",
            "domain": {"memory": {"guest": "1Gi"}, "devices": {"disks": [{"name": "a", "dedicatedIOThread": true}]}},
            "volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a"}}]
        });
        assert!(offline(&vm(&disk, &named), None).is_empty());
        let empty = json!({});
        assert_eq!(
            offline(&vm(&disk, &named), Some(&empty)),
            [("unstartable-default", true)]
        );
        let virtio = json!({"devices": {"preferredDiskBus": "virtio"}});
        assert!(offline(&vm(&disk, &named), Some(&virtio)).is_empty());
        let written = json!({
            "architecture": "arm64",
            "domain": {"memory": {"guest": "1Gi"}, "devices": {"sound": {"name": "s"}}}
        });
        assert_eq!(
            offline(&vm(&written, &named), None),
            [("sound-on-arm64", true)]
        );
    }

    #[test]
    fn a_vm_that_is_not_stored_is_not_started() {
        let refused = vm(
            &json!({"domain": {"devices": {}}}),
            &json!({"runStrategy": "Often"}),
        );
        assert!(offline(&refused, None).is_empty());
    }

    #[test]
    fn what_the_webhook_of_the_vm_doubts_is_not_doubted_again() {
        let vsock =
            json!({"domain": {"memory": {"guest": "1Gi"}, "devices": {"autoattachVSOCK": true}}});
        assert!(offline(&vm(&vsock, &json!({})), None).is_empty());
    }

    #[test]
    fn a_cluster_that_expands_refuses_the_expanded_vm() {
        let config = json!({"instancetype": {"referencePolicy": "expandAll"}});
        let target = Target {
            configuration: ClusterConfig::known(Node::from_json(&config)),
            complete: true,
            ..Target::default()
        };
        let preference = |bus: &str| {
            let object = json!({
                "apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": "VirtualMachinePreference",
                "metadata": {"name": "pr"}, "spec": {"devices": {"preferredDiskBus": bus}}
            });
            let node = Node::from_json(&object);
            Catalog::new(vec![
                Resource::from_node(node, None, 0, FieldPath::root()).unwrap(),
            ])
        };
        let vm = vm(
            &json!({
                "domain": {"memory": {"guest": "1Gi"}, "devices": {}},
                "volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a"}}]
            }),
            &json!({"preference": {"name": "pr", "kind": "VirtualMachinePreference"}}),
        );
        for (bus, rules) in [("ide", vec!["refused-expansion"]), ("scsi", Vec::new())] {
            let catalog = preference(bus);
            let resolver = Resolver::new(&target, vec![&catalog]);
            let mut answer = admission::review(&vm, None, &resolver);
            let review = review(&vm, &mut answer, "default", &resolver);
            let hit: Vec<&str> = review.hits.iter().map(|hit| hit.rule.info.id).collect();
            assert_eq!(hit, rules, "{bus}");
        }
    }
}
