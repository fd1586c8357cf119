//! What the Hyper-V features of a guest need of each other.

use crate::transform::expand::part;
use crate::yaml::{Node, Value};

/// Features with what each needs, in KubeVirt's order.
pub(crate) const REQUIREMENTS: [(&str, &str); 5] = [
    ("evmcs", "vapic"),
    ("ipi", "vpindex"),
    ("tlbflush", "vpindex"),
    ("synictimer", "synic"),
    ("synic", "vpindex"),
];

/// Whether a Hyper-V feature is on: it is there and says so.
pub(crate) fn is_on(hyperv: &Node, feature: &str) -> bool {
    hyperv
        .get(feature)
        .is_some_and(|feature| feature.bool_at("enabled"))
}

/// Whether nested Hyper-V is wanted, which needs a feature of the processor: it is there and not switched off.
pub(crate) fn wants_evmcs(hyperv: &Node) -> bool {
    let evmcs = hyperv.get("evmcs");
    evmcs.is_some_and(|evmcs| evmcs.get("enabled").and_then(Node::as_bool) != Some(false))
}

/// Switches on what an enabled feature needs. At the first need that is switched off explicitly everything after it is
/// left undone. Mirrors `SetHypervFeatureDependencies`, pkg/defaults/hyperv.go @ v1.9.0.
pub(super) fn set_requirements(spec: &mut Node) {
    const WRITER: &&str = &"SetHypervFeatureDependencies";
    let Some(hyperv) = spec.path_mut("domain.features.hyperv") else {
        return;
    };
    for (feature, needed) in REQUIREMENTS {
        if !is_on(hyperv, feature) || is_on(hyperv, needed) {
            continue;
        }
        if hyperv
            .get(needed)
            .is_some_and(|needed| needed.get("enabled").is_some())
        {
            return;
        }
        let on = Node::written(Value::Bool(true), WRITER);
        hyperv.ensure(needed, on.origin).set("enabled", on);
    }
    if wants_evmcs(hyperv) {
        require_vmx(spec, WRITER);
    }
}

fn require_vmx(spec: &mut Node, writer: &'static &'static str) {
    let require = || Node::written_text("require", writer);
    let cpu = part(part(spec, "domain"), "cpu");
    let features = cpu.get_mut("features").and_then(Node::items_mut);
    if let Some(features) = features {
        let vmx = features
            .iter_mut()
            .find(|feature| feature.str_at("name") == "vmx");
        if let Some(vmx) = vmx {
            if vmx.str_at("policy") != "require" {
                vmx.set("policy", require());
            }
            return;
        }
        features.push(self::vmx(require(), writer));
        return;
    }
    let features = vec![vmx(require(), writer)];
    cpu.set("features", Node::written(Value::Seq(features), writer));
}

fn vmx(policy: Node, writer: &'static &'static str) -> Node {
    let name = Node::written_text("vmx", writer);
    let origin = policy.origin;
    Node::from_entries([("name", name), ("policy", policy)]).with_origin(origin)
}
