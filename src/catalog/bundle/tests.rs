//! What the built-in bundle holds at each release.

use super::compare::{Absence, BundleChange, absence, diff, nearest};
use super::*;

#[test]
fn every_form_of_every_object_fits_its_release() {
    for of in releases() {
        let mut objects = 0;
        for resource in list(of.kubevirt) {
            objects += 1;
            let type_name = crate::schema::type_of("instancetype.kubevirt.io", &resource.id.kind);
            let decoded = crate::schema::decode(
                of.kubevirt,
                type_name.expect("a kind of the group"),
                &resource.node,
            );
            assert!(
                decoded.problems.is_empty(),
                "{}: {:?}",
                resource.id,
                decoded.problems
            );
            assert!(holds(resource));
            assert!(find(of.kubevirt, &resource.id.kind, &resource.id.name).is_some());
        }
        assert!(objects > 60, "{}: {objects}", of.kubevirt);
    }
    let read: Vec<Release> = releases().iter().map(|of| of.kubevirt).collect();
    assert_eq!(
        read,
        Release::TARGETS,
        "add the release's bundle to catalog/common-instancetypes.json: docs/adding-a-release.md"
    );
    assert!(diff(Release::NEWEST, Release::Next).is_empty());
}

#[test]
fn nodes_of_the_bundle_name_their_object() {
    let resource = find(Release::V1_9, INSTANCETYPE, "u1.small").unwrap();
    let guest = resource.node.path("spec.memory.guest").unwrap();
    let Origin::Bundle(entry) = guest.origin else {
        panic!("{:?}", guest.origin)
    };
    assert_eq!((entry.kind, entry.name), (INSTANCETYPE, "u1.small"));
}

#[test]
fn a_removed_instance_type_has_a_nearest_one_of_the_same_size() {
    let last = lifetime(INSTANCETYPE, "server.medium")
        .unwrap()
        .last()
        .unwrap();
    let Some(Absence::Removed {
        last: said,
        nearest: Some(nearest),
    }) = absence(Release::V1_9, INSTANCETYPE, "server.medium")
    else {
        panic!("server.medium is not removed")
    };
    assert_eq!(said, last);
    let old = find(last, INSTANCETYPE, "server.medium").unwrap();
    for path in ["spec.cpu.guest", "spec.memory.guest"] {
        assert!(
            old.node
                .path(path)
                .unwrap()
                .same_value(nearest.node.path(path).unwrap()),
            "{path}"
        );
    }
    assert!(absence(Release::V1_9, INSTANCETYPE, "u1.small").is_none());
    assert!(absence(Release::V1_9, INSTANCETYPE, "never.was").is_none());
}

#[test]
fn an_object_of_a_newer_bundle_is_not_there_yet() {
    let newest = list(Release::V1_9)
        .find(|resource| find(Release::V1_1, &resource.id.kind, &resource.id.name).is_none())
        .unwrap();
    assert!(matches!(
        absence(Release::V1_1, &newest.id.kind, &newest.id.name),
        Some(Absence::NotYet { .. })
    ));
}

#[test]
fn a_preference_is_nearest_to_one_of_its_system() {
    let old = find(Release::V1_1, PREFERENCE, "centos.7").unwrap();
    let near = nearest(old, Release::V1_9).unwrap();
    assert!(near.id.name.starts_with("centos."), "{}", near.id);
}

#[test]
fn two_bundles_differ_by_what_was_added_removed_and_changed() {
    assert!(diff(Release::V1_9, Release::V1_9).is_empty());
    let differences = diff(Release::V1_1, Release::V1_9);
    let change = |name: &str| {
        let found = differences
            .iter()
            .find(|difference| difference.entry.name == name);
        found.map(|difference| &difference.change)
    };
    assert!(matches!(
        change("server.medium"),
        Some(BundleChange::Removed { nearest: Some(_) })
    ));
    let Some(BundleChange::Changed(fields)) = change("cx1.2xlarge") else {
        panic!("cx1.2xlarge did not change")
    };
    assert!(
        fields
            .iter()
            .any(|field| field.path.to_string() == "spec.cpu.maxSockets")
    );
    assert!(
        differences
            .iter()
            .any(|difference| matches!(difference.change, BundleChange::Added))
    );
}
