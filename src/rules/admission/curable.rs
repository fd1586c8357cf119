//! Which refusals an instance type or a preference that is not in the repository may cure.
//!
//! Both only give what the VM leaves out: a value of the VM that is refused stays refused. What is refused for something that is
//! absent, or for a default in its place, may not be.

use super::causes::Hit;
use crate::yaml::Node;

/// Rules that refuse a guest for what it lacks.
const LACKING: [&str; 18] = [
    "dedicated-cpu-count",
    "dedicated-cpu-threads",
    "dedicated-cpu-unequal-memory",
    "dedicated-cpu-without-memory",
    "default-binding-not-permitted",
    "fractional-dedicated-cpu",
    "grace-gpu-requirements",
    "interface-without-one-binding",
    "invalid-hugepages",
    "invalid-io-threads",
    "io-thread-without-virtio",
    "isolated-emulator-without-dedicated-cpu",
    "launch-security-requirements",
    "memory-hotplug-requirements",
    "numa-passthrough-requirements",
    "realtime-requirements",
    "secure-boot-without-smm",
    "unsupported-disk-option",
];

/// Rules that refuse a value of the guest, which a preference gives where the VM does not, or an instance type overrides.
const VALUED: [&str; 6] = [
    "invalid-panic-device",
    "invalid-video-device",
    "unsupported-disk-bus",
    "unsupported-input-device",
    "unsupported-interface-model",
    "unsupported-machine-type",
];

/// Whether a type that is not there may take a refusal away from a VM that is written so.
pub(super) fn is_curable(hit: &Hit, written: &Node) -> bool {
    let id = hit.rule.info.id;
    // What a preference requires may come from the instance type.
    if id == "preference-requirement-unmet" {
        return true;
    }
    if !hit.cause.field.starts_with("spec.template.spec.domain") {
        return false;
    }
    // An instance type's maximum stands before the VM's own.
    id == "sockets-exceed-maximum"
        || LACKING.contains(&id)
        || VALUED.contains(&id) && {
            let value = hit.field.find(written).and_then(Node::as_str);
            value.is_none_or(str::is_empty)
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_is_named_is_one_of_admission() {
        for id in LACKING.iter().chain(&VALUED) {
            let rule = crate::rules::find(id);
            assert!(
                rule.is_some_and(|rule| rule.info.family == crate::rule::Family::Admission),
                "{id}"
            );
        }
    }
}
