//! What the embedded table holds, and that every type it names is there.

use super::*;

#[test]
fn every_type_of_the_table_resolves() {
    let schema = Schema::builtin();
    let disk = schema.type_named("v1.Disk").unwrap();
    let boot_order = disk.field("bootOrder").unwrap();
    assert!(boot_order.variant(Release::V1_9).unwrap().pointer);
    let tracking = disk.field("changedBlockTracking").unwrap();
    assert!(tracking.variant(Release::V1_6).is_none());
    assert_eq!(tracking.releases().to_string(), "from 1.7 on");
    let pool = schema.type_named("v1alpha1.VirtualMachinePool").unwrap();
    let spec = pool.field("spec").unwrap();
    assert_eq!(spec.releases().to_string(), "up to 1.6");
}

#[test]
fn the_table_was_read_from_every_release() {
    let table: serde_json::Value =
        serde_json::from_str(include_str!("../../../schemas/fields.json")).unwrap();
    let read: Vec<&str> = table["releases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|release| release["kubevirt"].as_str().unwrap())
        .collect();
    let targets: Vec<&str> = Release::TARGETS
        .iter()
        .map(|target| target.as_str())
        .collect();
    assert_eq!(
        read, targets,
        "regenerate schemas/fields.json: docs/adding-a-release.md"
    );
}

#[test]
fn every_field_of_the_next_release_is_the_newests() {
    for of in &Schema::builtin().types {
        for field in &of.fields {
            let at = |release| field.variant(release).map(std::ptr::from_ref);
            assert_eq!(
                at(Release::NEWEST),
                at(Release::Next),
                "{}.{}",
                of.name,
                field.name
            );
        }
    }
}
