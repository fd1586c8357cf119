//! What a cluster answers to a bare instance, a replica set and a pool: their own webhooks, then what they start.

use super::order::Requester;
use super::review::{self, StartReview};
use crate::field_path::FieldPath;
use crate::resolve::Resolver;
use crate::rules::admission::causes::{Causes, Hit};
use crate::rules::admission::guest::AdmittedGuest;
use crate::rules::admission::review as admission;
use crate::rules::admission::{
    discontinued_binding, grace_gpu_requirements, invalid_pool_strategy, order, selector_mismatch,
};
use crate::schema;
use crate::yaml::Node;

/// What stands for a template that is absent.
static NOTHING: Node = Node::map();

/// Where a pool keeps its machines.
const POOLED: &str = "spec.virtualMachineTemplate";

/// The answer to a resource of a kind that makes guests and is no VM; `None` for other kinds. `decoded` is the resource
/// in Go-normal form.
pub fn review(
    group: &str,
    kind: &str,
    decoded: &Node,
    namespace: &str,
    resolver: &Resolver<'_>,
) -> Option<StartReview> {
    Some(match (group, kind) {
        ("kubevirt.io", "VirtualMachineInstance") => instance(decoded, resolver),
        ("kubevirt.io", "VirtualMachineInstanceReplicaSet") => replica_set(decoded, resolver),
        ("pool.kubevirt.io", "VirtualMachinePool") => pool(decoded, namespace, resolver),
        _ => return None,
    })
}

/// A bare instance: the webhooks of instances judge what somebody writes.
fn instance(vmi: &Node, resolver: &Resolver<'_>) -> StartReview {
    let mut review = review::of_instance(vmi, &FieldPath::root(), Requester::User, resolver);
    review.own = std::mem::take(&mut review.hits);
    review
}

/// A replica set: its webhook runs the checks of a guest on the template as it is written; its controller then creates
/// instances of it. Mirrors `VMIRSAdmitter.Admit` and `ValidateVMIRSSpec`, vmirs-admitter.go @ v1.9.0.
fn replica_set(set: &Node, resolver: &Resolver<'_>) -> StartReview {
    let target = resolver.target();
    let guest = AdmittedGuest::new(set, target.release, &target.configuration);
    let mut causes = Causes::default();
    grace_gpu_requirements::check_annotations(guest, &mut causes);
    order::check_guest(guest, &mut causes);
    selector_mismatch::check(set, "spec.template.metadata.labels", &mut causes);
    discontinued_binding::check_gates(guest, &mut causes);
    let crash = causes.crashed().map(str::to_owned);
    let own = StartReview::of_own(causes.into_hits(), crash, resolver);
    let template = set.path("spec.template");
    own.and_then(|| {
        let place = FieldPath::from("spec.template");
        let template = template.unwrap_or(&NOTHING);
        review::of_instance(template, &place, Requester::Controller, resolver)
    })
}

/// A pool: its webhook runs the checks of a machine on the template as it is written; its controller then creates
/// machines of it, which start. Mirrors `ValidateVMPoolSpec`, vmpool-admitter.go @ v1.9.0 and v1.5.3.
fn pool(pool: &Node, namespace: &str, resolver: &Resolver<'_>) -> StartReview {
    let target = resolver.target();
    let mut machine = machine(pool, namespace);
    let guest = AdmittedGuest::new(&machine, target.release, &target.configuration);
    let mut causes = Causes::default();
    order::check(guest, &mut causes);
    let crash = causes.crashed().map(str::to_owned);
    let mut hits = causes.into_hits();
    hits.iter_mut().for_each(in_pool);
    let mut causes = Causes::default();
    let labels = format!("{POOLED}.metadata.labels");
    selector_mismatch::check(pool, &labels, &mut causes);
    invalid_pool_strategy::check(pool, target.release, &mut causes);
    hits.extend(causes.into_hits());
    StartReview::of_own(hits, crash, resolver).and_then(|| {
        schema::encode(target.release, "v1.VirtualMachine", &mut machine);
        let mut answer = admission::review(&machine, None, resolver);
        let mut started = review::review(&machine, &mut answer, namespace, resolver);
        started.move_to(&FieldPath::from(POOLED));
        started.machines = answer.hits;
        for hit in &mut started.machines {
            hit.field = FieldPath::from(POOLED).join(&hit.field);
        }
        started.crash = started.crash.or(answer.crash);
        started
    })
}

/// A machine of a pool, as its controller creates it.
fn machine(pool: &Node, namespace: &str) -> Node {
    let mut machine = pool.path(POOLED).cloned().unwrap_or_else(Node::map);
    machine.set("apiVersion", Node::from("kubevirt.io/v1"));
    machine.set("kind", Node::from("VirtualMachine"));
    machine.set("metadata.namespace", Node::from(namespace));
    let name = format!("{}-0", pool.str_at("metadata.name"));
    machine.set("metadata.name", Node::string(name));
    machine
}

/// The webhook of pools names a field of the machine with all that stands above it.
fn in_pool(hit: &mut Hit) {
    let above = format!("{POOLED}.spec.template.");
    hit.field = FieldPath::from(POOLED).join(&hit.field);
    hit.cause.message = hit.cause.message.replace("spec.template.", &above);
    if hit.cause.field.starts_with("spec") {
        hit.cause.field = format!("{POOLED}.{}", hit.cause.field);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::catalog::Catalog;
    use crate::config::Target;
    use crate::release::Release;
    use crate::resource::cluster::ClusterConfig;

    /// Rules of the own webhook, of the machines' and of the start.
    fn hits(group: &str, kind: &str, spec: &Json) -> [Vec<&'static str>; 3] {
        let target = Target {
            release: Release::NEWEST,
            configuration: ClusterConfig::known(Node::map()),
            complete: true,
            ..Target::default()
        };
        let catalog = Catalog::new(Vec::new());
        let resolver = Resolver::new(&target, vec![&catalog]);
        let written = Node::from_json(&json!({"metadata": {"name": "web"}, "spec": spec}));
        let of = schema::type_of(group, kind).unwrap();
        let decoded = schema::decode(Release::NEWEST, of, &written).node;
        let review = review(group, kind, &decoded, "vms", &resolver).unwrap();
        [&review.own, &review.machines, &review.hits]
            .map(|hits| hits.iter().map(|hit| hit.rule.info.id).collect())
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_bare_instance_is_judged_with_its_defaults() {
        let of = |spec: &Json| hits("kubevirt.io", "VirtualMachineInstance", spec);
        let memory = json!({"guest": "1Gi"});
        assert_eq!(
            of(&json!({"domain": {"memory": memory, "devices": {}}})),
            [NONE, NONE, NONE]
        );
        let [own, ..] = of(&json!({"domain": {"devices": {}}}));
        assert_eq!(own, ["guest-without-memory"]);
        let [own, ..] =
            of(&json!({"domain": {"memory": memory, "devices": {"disks": [{"name": "root"}]}}}));
        assert_eq!(own, ["disk-without-volume"]);
        let iothread = json!({
            "domain": {"memory": memory, "devices": {"disks": [{"name": "a", "dedicatedIOThread": true}]}},
            "volumes": [{"name": "a", "emptyDisk": {"capacity": "1Gi"}}]
        });
        assert_eq!(of(&iothread)[0], ["io-thread-without-virtio"]);
    }

    fn set(labels: &Json, spec: &Json) -> Json {
        json!({"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": labels}, "spec": spec}})
    }

    #[test]
    fn a_replica_set_is_stored_before_its_instances_are_judged() {
        let of = |spec: &Json| hits("kubevirt.io", "VirtualMachineInstanceReplicaSet", spec);
        let guest = json!({"domain": {"memory": {"guest": "1Gi"}, "devices": {}}});
        let labels = json!({"app": "web"});
        assert_eq!(of(&set(&labels, &guest)), [NONE, NONE, NONE]);
        assert_eq!(
            of(&set(&json!({"app": "db"}), &guest))[0],
            ["selector-mismatch"]
        );
        let bare = json!({"domain": {"devices": {}}});
        let [own, _, start] = of(&set(&labels, &bare));
        assert_eq!((own.len(), start), (0, vec!["guest-without-memory"]));
        let [own, _, start] = of(&set(
            &labels,
            &json!({"hostname": "A.", "domain": {"devices": {}}}),
        ));
        assert_eq!((own, start.len()), (vec!["invalid-hostname"], 0));
    }

    #[test]
    fn a_pool_creates_machines_that_start() {
        let of = |vm: &Json| {
            let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": vm});
            let pool = json!({"selector": {"matchLabels": {"app": "web"}}, "virtualMachineTemplate": template});
            hits("pool.kubevirt.io", "VirtualMachinePool", &pool)
        };
        let vm = |domain: &Json| json!({"runStrategy": "Always", "template": {"spec": {"domain": domain}}});
        assert_eq!(
            of(&vm(&json!({"memory": {"guest": "1Gi"}, "devices": {}}))),
            [NONE, NONE, NONE]
        );
        let [own, machines, start] = of(&vm(&json!({"devices": {}})));
        assert_eq!(
            (own.len(), machines.len(), start),
            (0, 0, vec!["guest-without-memory"])
        );
        let [own, ..] = of(
            &json!({"template": {"spec": {"domain": {"memory": {"guest": "1Gi"}, "devices": {}}}}}),
        );
        assert_eq!(own, ["missing-run-strategy"]);
        let mut no_name = vm(&json!({"memory": {"guest": "1Gi"}, "devices": {}}));
        no_name["preference"] = json!({"kind": "VirtualMachinePreference"});
        let [own, machines, start] = of(&no_name);
        assert_eq!(
            (own.len(), machines, start.len()),
            (0, vec!["invalid-matcher"], 0)
        );
    }
}
