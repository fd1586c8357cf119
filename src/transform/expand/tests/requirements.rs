//! What a preference requires.

use serde_json::{Value as Json, json};

use crate::release::Release;
use crate::transform::expand::requirements::{Shortfall, Unmet, check};
use crate::yaml::Node;

fn checked(
    instancetype: Option<Json>,
    preference: &Json,
    vmi: &Json,
) -> Result<(), (Vec<String>, String)> {
    let instancetype = instancetype.map(|spec| Node::from_json(&spec));
    check(
        Release::NEWEST,
        instancetype.as_ref(),
        Some(&Node::from_json(preference)),
        &Node::from_json(vmi),
    )
    .map_err(|unmet| match unmet {
        Unmet::Shortfall(Shortfall { fields, message }) => (fields, message),
        Unmet::Crash(message) => panic!("crash: {message}"),
    })
}

fn cpu(field: &str) -> String {
    format!("spec.template.spec.domain.cpu.{field}")
}

#[test]
fn an_instance_type_is_measured_by_its_guest() {
    let preference = json!({"requirements": {"cpu": {"guest": 4}}});
    assert_eq!(
        checked(Some(json!({"cpu": {"guest": 2}})), &preference, &json!({})),
        Err((
            vec!["spec.instancetype".to_owned()],
            "insufficient CPU resources of 2 vCPU provided by instance type, preference requires 4 vCPU".to_owned()
        ))
    );
    assert_eq!(
        checked(Some(json!({"cpu": {"guest": 4}})), &preference, &json!({})),
        Ok(())
    );
}

#[test]
fn a_vm_without_instance_type_is_measured_by_the_preferred_topology() {
    let vmi = json!({"domain": {"cpu": {"cores": 2, "sockets": 3, "threads": 1}}});
    let shortfall = |topology: &str| {
        let preference = json!({"cpu": {"preferredCPUTopology": topology}, "requirements": {"cpu": {"guest": 7}}});
        checked(None, &preference, &vmi).unwrap_err()
    };
    let said = |provided: u32, as_: &str| {
        format!(
            "insufficient CPU resources of {provided} vCPU provided by VirtualMachine, preference requires 7 vCPU provided as {as_}"
        )
    };
    assert_eq!(shortfall("cores"), (vec![cpu("cores")], said(2, "cores")));
    assert_eq!(
        shortfall("preferSockets"),
        (vec![cpu("sockets")], said(3, "sockets"))
    );
    assert_eq!(
        shortfall("threads"),
        (vec![cpu("threads")], said(1, "threads"))
    );
    assert_eq!(
        shortfall("any"),
        (
            vec![cpu("cores"), cpu("sockets"), cpu("threads")],
            said(6, "cores, sockets and threads")
        )
    );
    assert_eq!(
        shortfall("spread"),
        (vec![cpu("sockets"), cpu("cores")], said(6, "SocketsCores"))
    );
    let preference = json!({"requirements": {"cpu": {"guest": 2}}});
    assert_eq!(
        checked(None, &preference, &json!({"domain": {}})).unwrap_err(),
        (
            vec!["spec.template.spec.domain.cpu".to_owned()],
            "no CPU resources provided by VirtualMachine, preference requires 2 vCPU".to_owned()
        )
    );
}

#[test]
fn memory_is_measured_on_the_vmi_and_laid_at_the_instance_type() {
    let preference = json!({"requirements": {"memory": {"guest": "2Gi"}}});
    let vmi = json!({"domain": {"memory": {"guest": "1Gi"}}});
    assert_eq!(
        checked(Some(json!({"memory": {"guest": "4Gi"}})), &preference, &vmi).unwrap_err(),
        (
            vec!["spec.instancetype".to_owned()],
            "insufficient Memory resources of 1Gi provided by instance type, preference requires 2Gi".to_owned()
        )
    );
    assert_eq!(
        checked(None, &preference, &json!({})).unwrap_err(),
        (
            vec!["spec.template.spec.domain.memory".to_owned()],
            "insufficient Memory resources of 0 provided by VirtualMachine, preference requires 2Gi".to_owned()
        )
    );
    let enough = json!({"domain": {"memory": {"guest": "2048Mi"}}});
    assert_eq!(checked(None, &preference, &enough), Ok(()));
}

#[test]
fn the_first_failing_requirement_is_the_only_one_said() {
    let preference = json!({"requirements": {"cpu": {"guest": 1}, "memory": {"guest": "2Gi"}, "architecture": "arm64"}});
    let vmi = json!({"architecture": "amd64", "domain": {"cpu": {"sockets": 1}, "memory": {"guest": "2Gi"}}});
    assert_eq!(
        checked(None, &preference, &vmi).unwrap_err(),
        (
            vec!["spec.template.spec.architecture".to_owned()],
            "preference requires architecture arm64 but amd64 is being requested".to_owned()
        )
    );
    let small = json!({"architecture": "amd64", "domain": {"cpu": {"sockets": 1}}});
    assert!(
        checked(None, &preference, &small)
            .unwrap_err()
            .1
            .contains("Memory")
    );
}
