//! What a preference requires of a VM and its instance type.

use crate::release::{Behaviour, Release};
use crate::resolve::preference::{Spread, Topology};
use crate::resource::quantity::{Quantity, QuantityFormat};
use crate::yaml::Node;

/// A requirement that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    /// The fields that fall short, from the VM's root, as `KubeVirt` names them.
    pub fields: Vec<String>,
    /// What is required and what is there, in `KubeVirt`'s words.
    pub message: String,
}

/// What the webhook does where a requirement is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// It refuses.
    Shortfall(Shortfall),
    /// It crashes.
    Crash(&'static str),
}

impl From<Shortfall> for Unmet {
    fn from(shortfall: Shortfall) -> Self {
        Self::Shortfall(shortfall)
    }
}

const CPU: &str = "spec.template.spec.domain.cpu";

/// The first requirement of a preference that is not met: CPU, then memory, then architecture (from 1.7 on). All three are
/// decoded; `vmi` is the VMI spec after instance type and preference were applied.
/// Mirrors Check, pkg/instancetype/preference/requirements/checker.go @ v1.9.0.
pub(crate) fn check(
    release: Release,
    instancetype: Option<&Node>,
    preference: Option<&Node>,
    vmi: &Node,
) -> Result<(), Unmet> {
    let Some(preference) = preference else {
        return Ok(());
    };
    let Some(required) = preference.get("requirements") else {
        return Ok(());
    };
    if let Some(cpu) = required.get("cpu") {
        check_cpu(instancetype, preference, vcpus(cpu, "guest"), vmi)?;
    }
    if let Some(memory) = required.get("memory") {
        if release.has(Behaviour::RequirementCrashesWithoutMemory) && instancetype.is_none() {
            match vmi.path("domain.memory") {
                None => return Ok(()),
                Some(memory) if memory.get("guest").is_none() => {
                    return Err(Unmet::Crash(
                        "the preference requires memory, and domain.memory.guest is missing",
                    ));
                }
                Some(_) => {}
            }
        }
        check_memory(instancetype, memory.get("guest"), vmi)?;
    }
    if let Some(architecture) = required.get("architecture").and_then(Node::as_str) {
        let used = vmi.str_at("architecture");
        if used != architecture {
            shortfall(
                ["spec.template.spec.architecture".to_owned()],
                format!(
                    "preference requires architecture {architecture} but {used} is being requested"
                ),
            )?;
        }
    }
    Ok(())
}

fn check_cpu(
    instancetype: Option<&Node>,
    preference: &Node,
    required: u32,
    vmi: &Node,
) -> Result<(), Shortfall> {
    if let Some(instancetype) = instancetype {
        let provided = vcpus(instancetype, "cpu.guest");
        if provided < required {
            return shortfall(
                ["spec.instancetype".to_owned()],
                format!(
                    "insufficient CPU resources of {provided} vCPU provided by instance type, preference requires {required} vCPU"
                ),
            );
        }
        return Ok(());
    }
    let Some(cpu) = vmi.path("domain.cpu") else {
        return shortfall(
            [CPU.to_owned()],
            format!(
                "no CPU resources provided by VirtualMachine, preference requires {required} vCPU"
            ),
        );
    };
    let (counts, provided_as): (&[&str], &str) = match Topology::preferred(Some(preference)) {
        Topology::Threads => (&["threads"], "threads"),
        Topology::Cores => (&["cores"], "cores"),
        Topology::Sockets => (&["sockets"], "sockets"),
        Topology::Any => (
            &["cores", "sockets", "threads"],
            "cores, sockets and threads",
        ),
        Topology::Spread => {
            let across = Spread::preferred(preference).across;
            let counts: &[&str] = match across {
                "SocketsCores" => &["sockets", "cores"],
                "CoresThreads" => &["cores", "threads"],
                "SocketsCoresThreads" => &["sockets", "cores", "threads"],
                _ => &[],
            };
            (counts, across)
        }
        Topology::Unknown => return Ok(()),
    };
    // An unknown spread counts nothing; the product wraps as in Go.
    let provided = if counts.is_empty() {
        0
    } else {
        counts.iter().fold(1_u32, |product, count| {
            product.wrapping_mul(vcpus(cpu, count))
        })
    };
    if provided < required {
        return shortfall(
            counts.iter().map(|count| format!("{CPU}.{count}")),
            format!(
                "insufficient CPU resources of {provided} vCPU provided by VirtualMachine, preference requires {required} vCPU provided as {provided_as}"
            ),
        );
    }
    Ok(())
}

fn check_memory(
    instancetype: Option<&Node>,
    required: Option<&Node>,
    vmi: &Node,
) -> Result<(), Shortfall> {
    let none = || Quantity::from_value(0, QuantityFormat::BinarySI);
    let amount = |node: Option<&Node>| node.and_then(Quantity::from_node);
    let required = amount(required).unwrap_or_else(none);
    let provided = amount(vmi.path("domain.memory.guest"))
        .or_else(|| amount(instancetype.and_then(|spec| spec.path("memory.guest"))))
        .unwrap_or_else(none);
    if provided >= required {
        return Ok(());
    }
    let (field, by) = if instancetype.is_some() {
        ("spec.instancetype", "instance type")
    } else {
        ("spec.template.spec.domain.memory", "VirtualMachine")
    };
    shortfall(
        [field.to_owned()],
        format!(
            "insufficient Memory resources of {provided} provided by {by}, preference requires {required}"
        ),
    )
}

fn vcpus(node: &Node, path: &str) -> u32 {
    u32::try_from(node.int_at(path)).unwrap_or(u32::MAX)
}

fn shortfall(fields: impl IntoIterator<Item = String>, message: String) -> Result<(), Shortfall> {
    Err(Shortfall {
        fields: fields.into_iter().collect(),
        message,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What a preference of this topology and these options says of 2 sockets, 3 cores and 5 threads.
    fn checked(topology: &str, across: &str, required: u32) -> Result<(), Unmet> {
        let preference = json!({
            "cpu": {"preferredCPUTopology": topology, "spreadOptions": {"across": across}},
            "requirements": {"cpu": {"guest": required}}});
        let vmi = json!({"domain": {"cpu": {"sockets": 2, "cores": 3, "threads": 5}}});
        check(
            Release::NEWEST,
            None,
            Some(&Node::from_json(&preference)),
            &Node::from_json(&vmi),
        )
    }

    #[test]
    fn each_topology_counts_the_parts_it_names_and_no_others() {
        for (topology, across, provided, fields, words) in [
            ("sockets", "", 2, &["sockets"][..], "sockets"),
            ("cores", "", 3, &["cores"], "cores"),
            ("threads", "", 5, &["threads"], "threads"),
            (
                "any",
                "",
                30,
                &["cores", "sockets", "threads"],
                "cores, sockets and threads",
            ),
            (
                "spread",
                "SocketsCores",
                6,
                &["sockets", "cores"],
                "SocketsCores",
            ),
            (
                "spread",
                "CoresThreads",
                15,
                &["cores", "threads"],
                "CoresThreads",
            ),
            (
                "spread",
                "SocketsCoresThreads",
                30,
                &["sockets", "cores", "threads"],
                "SocketsCoresThreads",
            ),
        ] {
            assert_eq!(checked(topology, across, provided), Ok(()), "{words}");
            let required = provided + 1;
            let expected = Shortfall {
                fields: fields
                    .iter()
                    .map(|field| format!("{CPU}.{field}"))
                    .collect(),
                message: format!(
                    "insufficient CPU resources of {provided} vCPU provided by VirtualMachine, preference requires {required} vCPU provided as {words}"
                ),
            };
            assert_eq!(
                checked(topology, across, required),
                Err(Unmet::Shortfall(expected)),
                "{words}"
            );
        }
    }

    #[test]
    fn a_memory_block_without_guest_memory_crashes_1_4_alone() {
        let preference = json!({"requirements": {"memory": {"guest": "1Gi"}}});
        let answer = |release, domain: serde_json::Value| {
            let vmi = json!({ "domain": domain });
            let [preference, vmi] = [&preference, &vmi].map(Node::from_json);
            check(release, None, Some(&preference), &vmi)
        };
        let empty = json!({"memory": {}});
        let is_crash = |answer| matches!(answer, Err(Unmet::Crash(_)));
        assert!(is_crash(answer(Release::V1_4, empty.clone())));
        let refused = answer(Release::V1_5, empty);
        assert!(matches!(refused, Err(Unmet::Shortfall(_))), "{refused:?}");
        assert_eq!(answer(Release::V1_4, json!({})), Ok(()));
        let half = answer(Release::V1_4, json!({"memory": {"guest": "512Mi"}}));
        assert!(matches!(half, Err(Unmet::Shortfall(_))), "{half:?}");
        let whole = json!({"memory": {"guest": "1Gi"}});
        assert_eq!(answer(Release::V1_4, whole), Ok(()));
    }

    #[test]
    fn an_unknown_spread_counts_nothing() {
        assert_eq!(checked("spread", "Dies", 0), Ok(()));
        assert!(checked("spread", "Dies", 1).is_err());
    }
}
