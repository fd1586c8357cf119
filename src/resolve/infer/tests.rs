//! The twelve chains, their failures, and what the failure policy does to the VM.

use serde_json::{Value as Json, json};

use super::*;
use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::release::Release;
use crate::resource::Resource;

/// What the volume that a matcher names leads to.
fn inferred(
    resolver: &Resolver<'_>,
    vm: &Node,
    side: Matcher,
) -> Option<Result<Inferred, InferError>> {
    let volume = inferring(vm, side)?.str_at("inferFromVolume");
    Some(InferenceWalk::new(resolver, vm, "vms", side).follow_volume(volume))
}

fn catalog(objects: &[Json]) -> Catalog {
    Catalog::new(
        objects
            .iter()
            .map(|object| {
                Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).unwrap()
            })
            .collect(),
    )
}

fn labels() -> Json {
    json!({
        "instancetype.kubevirt.io/default-instancetype": "u1.small",
        "instancetype.kubevirt.io/default-instancetype-kind": "VirtualMachineClusterInstancetype",
        "instancetype.kubevirt.io/default-preference": "fedora",
    })
}

fn object(api_version: &str, kind: &str, namespace: &str, labels: &Json, spec: &Json) -> Json {
    json!({"apiVersion": api_version, "kind": kind, "spec": spec,
        "metadata": {"name": kind.to_lowercase(), "namespace": namespace, "labels": labels}})
}

fn claim(labels: &Json) -> Json {
    object("v1", "PersistentVolumeClaim", "golden", labels, &json!({}))
}

fn snapshot(labels: &Json) -> Json {
    let version = "snapshot.storage.k8s.io/v1";
    object(version, "VolumeSnapshot", "golden", labels, &json!({}))
}

fn data_source(labels: &Json, source: &Json) -> Json {
    let version = "cdi.kubevirt.io/v1beta1";
    object(
        version,
        "DataSource",
        "golden",
        labels,
        &json!({"source": source}),
    )
}

fn data_volume(labels: &Json, spec: &Json) -> Json {
    object("cdi.kubevirt.io/v1beta1", "DataVolume", "vms", labels, spec)
}

/// A VM whose volume `root` is the data volume of [`data_volume`], as template where `template` is given.
fn vm(template: Option<&Json>) -> Json {
    let mut vm = json!({"metadata": {"name": "vm", "namespace": "vms"}, "spec": {
        "instancetype": {"inferFromVolume": "root"}, "preference": {"inferFromVolume": "root"},
        "template": {"spec": {
            "domain": {"memory": {"guest": "512Mi", "maxGuest": "2Gi"}},
            "volumes": [{"name": "root", "dataVolume": {"name": "datavolume"}}]}}}});
    if let Some(spec) = template {
        vm["spec"]["dataVolumeTemplates"] =
            json!([{"metadata": {"name": "datavolume"}, "spec": spec}]);
    }
    vm
}

fn infer_on(release: Release, vm: &Json, objects: &[Json]) -> Result<Json, InferError> {
    let catalog = catalog(objects);
    let target = Target {
        release,
        ..Target::default()
    };
    let resolver = Resolver::new(&target, vec![&catalog]);
    let mut vm = Node::from_json(vm);
    infer(&mut vm, "vms", &resolver)?;
    Ok(vm.to_json()["spec"].take())
}

fn source(kind: &str) -> Json {
    match kind {
        "pvc" => json!({"pvc": {"name": "persistentvolumeclaim", "namespace": "golden"}}),
        _ => json!({"snapshot": {"name": "volumesnapshot", "namespace": "golden"}}),
    }
}

fn source_ref() -> Json {
    json!({"sourceRef": {"kind": "DataSource", "name": "datasource", "namespace": "golden"}})
}

/// Every chain of the module's list: the VM, the objects on the way, and whether it needs snapshots.
fn chains() -> Vec<(&'static str, Json, Vec<Json>, bool)> {
    let none = json!({});
    let mut of_claim = vm(None);
    of_claim["spec"]["template"]["spec"]["volumes"] = json!([{"name": "root",
        "persistentVolumeClaim": {"claimName": "persistentvolumeclaim"}}]);
    let mut claim_here = claim(&labels());
    claim_here["metadata"]["namespace"] = json!("vms");
    let (pvc, snap) = (
        json!({"source": source("pvc")}),
        json!({"source": source("snapshot")}),
    );
    let reference = source_ref();
    vec![
        ("claim", of_claim, vec![claim_here], false),
        (
            "data volume",
            vm(None),
            vec![data_volume(&labels(), &none)],
            false,
        ),
        (
            "data volume, claim",
            vm(None),
            vec![data_volume(&none, &pvc), claim(&labels())],
            false,
        ),
        (
            "data volume, snapshot",
            vm(None),
            vec![data_volume(&none, &snap), snapshot(&labels())],
            true,
        ),
        (
            "data volume, data source",
            vm(None),
            vec![
                data_volume(&none, &reference),
                data_source(&labels(), &none),
            ],
            false,
        ),
        (
            "data volume, data source, claim",
            vm(None),
            vec![
                data_volume(&none, &reference),
                data_source(&none, &source("pvc")),
                claim(&labels()),
            ],
            false,
        ),
        (
            "data volume, data source, snapshot",
            vm(None),
            vec![
                data_volume(&none, &reference),
                data_source(&none, &source("snapshot")),
                snapshot(&labels()),
            ],
            true,
        ),
        (
            "template, claim",
            vm(Some(&pvc)),
            vec![claim(&labels())],
            false,
        ),
        (
            "template, snapshot",
            vm(Some(&snap)),
            vec![snapshot(&labels())],
            true,
        ),
        (
            "template, data source",
            vm(Some(&reference)),
            vec![data_source(&labels(), &none)],
            false,
        ),
        (
            "template, data source, claim",
            vm(Some(&reference)),
            vec![data_source(&none, &source("pvc")), claim(&labels())],
            false,
        ),
        (
            "template, data source, snapshot",
            vm(Some(&reference)),
            vec![data_source(&none, &source("snapshot")), snapshot(&labels())],
            true,
        ),
    ]
}

#[test]
fn every_chain_leads_to_the_label() {
    let chains = chains();
    assert_eq!(chains.len(), 12);
    for (name, vm, objects, needs_snapshots) in chains {
        for release in [Release::V1_5, Release::V1_8, Release::V1_9] {
            let answer = infer_on(release, &vm, &objects);
            if needs_snapshots && !release.has(Behaviour::InfersFromSnapshots) {
                assert!(answer.unwrap_err().is_ignorable(), "{name} on {release}");
                continue;
            }
            let spec = answer.unwrap();
            assert_eq!(
                spec["instancetype"],
                json!({"name": "u1.small", "kind": "VirtualMachineClusterInstancetype"}),
                "{name} on {release}"
            );
            assert_eq!(
                spec["preference"],
                json!({"name": "fedora"}),
                "{name} on {release}"
            );
        }
    }
}

#[test]
fn a_walk_names_every_resource_it_passed() {
    let (_, vm, objects, _) = chains().remove(6);
    let catalog = catalog(&objects);
    let target = Target::default();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let inferred = inferred(&resolver, &Node::from_json(&vm), Matcher::Preference);
    let inferred = inferred.unwrap().unwrap();
    let kinds: Vec<_> = inferred.through.iter().map(|id| id.kind.as_str()).collect();
    assert_eq!(kinds, ["DataVolume", "DataSource", "VolumeSnapshot"]);
}

#[test]
fn a_template_hides_a_data_volume_and_its_own_labels_are_not_read() {
    let mut with_labels = vm(Some(&json!({"source": {"blank": {}}})));
    with_labels["spec"]["dataVolumeTemplates"][0]["metadata"]["labels"] = labels();
    let error = infer_on(
        Release::V1_9,
        &with_labels,
        &[data_volume(&labels(), &json!({}))],
    )
    .unwrap_err();
    assert_eq!(
        error,
        InferError::UnsupportedSource {
            source_name: "blank".into()
        }
    );
}

#[test]
fn a_missing_object_is_named_and_never_ignored() {
    let mut ignoring = vm(Some(&source_ref()));
    ignoring["spec"]["instancetype"]["inferFromVolumeFailurePolicy"] = json!("Ignore");
    let error = infer_on(Release::V1_9, &ignoring, &[]).unwrap_err();
    assert!(!error.is_ignorable());
    assert_eq!(
        error.to_string(),
        "datasources.cdi.kubevirt.io \"datasource\" not found"
    );
    assert_eq!(
        error.missing()[0].to_string(),
        "DataSource golden/datasource"
    );

    let error = infer_on(Release::V1_9, &vm(None), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "persistentvolumeclaims \"datavolume\" not found"
    );
    let missing: Vec<_> = error.missing().iter().map(ToString::to_string).collect();
    assert_eq!(
        missing,
        [
            "DataVolume vms/datavolume",
            "PersistentVolumeClaim vms/datavolume"
        ]
    );
}

#[test]
fn a_source_reference_without_namespace_lies_beside_the_vm() {
    let reference = json!({"sourceRef": {"kind": "DataSource", "name": "datasource"}});
    let mut here = data_source(&labels(), &json!({}));
    here["metadata"]["namespace"] = json!("vms");
    assert!(infer_on(Release::V1_9, &vm(Some(&reference)), &[here]).is_ok());
    let other = json!({"sourceRef": {"kind": "Other", "name": "x"}});
    let error = infer_on(Release::V1_9, &vm(Some(&other)), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unable to infer defaults from DataVolumeSourceRef as Kind Other is not supported"
    );
}

#[test]
fn ignore_policy_clears_memory() {
    let mut ignoring = vm(None);
    ignoring["spec"]["instancetype"]["inferFromVolumeFailurePolicy"] = json!("Ignore");
    let spec = infer_on(
        Release::V1_9,
        &ignoring,
        &[data_volume(&labels(), &json!({}))],
    )
    .unwrap();
    assert_eq!(spec["template"]["spec"]["domain"], json!({}));
    assert_eq!(spec["instancetype"]["name"], json!("u1.small"));
}

#[test]
fn an_ignored_failure_removes_the_matcher_and_keeps_memory() {
    let mut ignoring = vm(None);
    for matcher in ["instancetype", "preference"] {
        ignoring["spec"][matcher]["inferFromVolumeFailurePolicy"] = json!("Ignore");
    }
    let unlabelled = data_volume(
        &json!({}),
        &json!({"source": {"registry": {"url": "docker://x"}}}),
    );
    let spec = infer_on(Release::V1_9, &ignoring, &[unlabelled]).unwrap();
    assert_eq!(spec.get("instancetype"), None);
    assert_eq!(spec.get("preference"), None);
    assert_eq!(
        spec["template"]["spec"]["domain"]["memory"]["guest"],
        json!("512Mi")
    );
}

#[test]
fn a_preference_under_ignore_leaves_memory_alone() {
    let mut ignoring = vm(None);
    ignoring["spec"]["preference"]["inferFromVolumeFailurePolicy"] = json!("Ignore");
    let objects = [data_volume(&labels(), &json!({}))];
    let spec = infer_on(Release::V1_9, &ignoring, &objects).unwrap();
    assert_eq!(
        spec["template"]["spec"]["domain"]["memory"]["maxGuest"],
        json!("2Gi")
    );
}

#[test]
fn sources_without_labels_cannot_be_inferred_from() {
    for source in [
        "registry", "http", "blank", "upload", "s3", "imageio", "vddk", "gcs",
    ] {
        let error = infer_on(
            Release::V1_9,
            &vm(Some(&json!({"source": {source: {}}}))),
            &[],
        )
        .unwrap_err();
        assert_eq!(
            error,
            InferError::UnsupportedSource {
                source_name: source.into()
            }
        );
        assert!(error.is_ignorable());
    }
}

#[test]
fn a_collected_data_volume_is_stood_in_for_by_its_claim() {
    let left = json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "datavolume", "namespace": "vms", "labels": labels()}});
    let spec = infer_on(Release::V1_9, &vm(None), &[left]).unwrap();
    assert_eq!(spec["preference"], json!({"name": "fedora"}));
}

#[test]
fn labels_on_nothing_that_is_read_are_missed() {
    let unlabelled = claim(&json!({}));
    let error = infer_on(
        Release::V1_9,
        &vm(Some(&json!({"source": source("pvc")}))),
        &[unlabelled],
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unable to find required instancetype.kubevirt.io/default-instancetype label on the volume"
    );
}

#[test]
fn a_matcher_keeps_nothing_but_name_and_kind() {
    let mut pinned = vm(None);
    pinned["spec"]["instancetype"]["inferFromVolumeFailurePolicy"] = json!("Reject");
    pinned["spec"]["instancetype"]["revisionName"] = json!("old");
    let objects = [data_volume(&labels(), &json!({}))];
    let spec = infer_on(Release::V1_9, &pinned, &objects).unwrap();
    assert_eq!(
        spec["instancetype"],
        json!({"name": "u1.small", "kind": "VirtualMachineClusterInstancetype"})
    );
}

#[test]
fn volumes_that_lead_nowhere_say_so() {
    let mut nowhere = vm(None);
    nowhere["spec"]["instancetype"]["inferFromVolume"] = json!("nope");
    let error = infer_on(Release::V1_9, &nowhere, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unable to find volume nope to infer defaults"
    );
    assert!(!error.is_ignorable());

    let mut disk = vm(None);
    disk["spec"]["template"]["spec"]["volumes"] =
        json!([{"name": "root", "persistentVolumeClaim": null, "containerDisk": {"image": "x"}}]);
    let error = infer_on(Release::V1_9, &disk, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unable to infer defaults from volume root as type is not supported"
    );

    let empty = [data_source(&json!({}), &json!({}))];
    for (release, end) in [
        (Release::V1_8, "DataVolumeSourcePVC"),
        (
            Release::V1_9,
            "DataVolumeSourcePVC or DataVolumeSourceSnapshot",
        ),
    ] {
        let error = infer_on(release, &vm(Some(&source_ref())), &empty).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("unable to infer defaults from DataSource that doesn't provide {end}")
        );
    }
}

#[test]
fn stated_answers_stand_in_for_objects_and_win_over_their_labels() {
    let stated = |labels: Json| {
        catalog(&[
            json!({"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataSource",
            "metadata": {"name": "datasource", "namespace": "golden", "labels": labels}}),
        ])
    };
    let target = Target::default();
    let walk = |answers: &Catalog, objects: &[Json]| {
        let objects = catalog(objects);
        let resolver = Resolver::new(&target, vec![&objects]).with_answers(answers);
        let vm = Node::from_json(&vm(Some(&source_ref())));
        let name = |side| {
            let inferred = inferred(&resolver, &vm, side).unwrap()?;
            Ok::<_, InferError>(inferred.name.as_str().unwrap().to_owned())
        };
        (name(Matcher::Instancetype), name(Matcher::Preference))
    };
    let answer = stated(json!({"instancetype.kubevirt.io/default-instancetype": "stated"}));
    let (instancetype, preference) = walk(&answer, &[]);
    assert_eq!(instancetype.unwrap(), "stated");
    assert!(!preference.unwrap_err().missing().is_empty());
    let (instancetype, preference) = walk(&answer, &[data_source(&labels(), &json!({}))]);
    assert_eq!(instancetype.unwrap(), "stated");
    assert_eq!(preference.unwrap(), "fedora");
}

#[test]
fn objects_that_differ_under_one_name_are_no_answer() {
    let mut other = data_volume(&labels(), &json!({}));
    other["metadata"]["labels"]["instancetype.kubevirt.io/default-preference"] = json!("rhel.9");
    let objects = [data_volume(&labels(), &json!({})), other];
    let error = infer_on(Release::V1_9, &vm(None), &objects).unwrap_err();
    assert!(matches!(error, InferError::Ambiguous { .. }));
    let refusal: Refusal = error.into();
    assert!(refusal.message().contains("more than once"));
}
