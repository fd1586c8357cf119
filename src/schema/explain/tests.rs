//! What `explain` says of a field.

use super::*;

#[test]
fn a_field_is_explained_with_its_releases() {
    let page = field("spec.template.spec.domain.devices.video", None).unwrap();
    assert!(page.contains("releases: from 1.6 on"), "{page}");
    assert!(page.contains("  type  a string"), "{page}");
    let page = field("spec.template.spec.domain.firmware.uuid", None).unwrap();
    assert!(page.contains("written at runtime"), "{page}");
    let page = field("VirtualMachinePreference.spec.cpu", None).unwrap();
    assert!(page.contains("preferredCPUTopology"), "{page}");
    let error = field("spec.template.spec.domian", None).unwrap_err();
    assert!(
        error.to_string().contains("did you mean `domain`?"),
        "{error}"
    );
    assert!(field("Nothing.spec", None).is_err());
}
