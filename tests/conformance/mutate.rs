//! The mutating webhook: the VM it hands on, or its refusal.

use std::collections::BTreeSet;

use driftless::cause::Refusal;
use driftless::resolve::Resolver;
use driftless::schema;
use driftless::transform::admit;
use driftless::yaml::Node;
use serde_json::{Value as Json, json};

use crate::Case;

/// Compares the admitted VM, or message and causes.
pub(crate) fn check(case: &Case) -> Result<(), String> {
    let (vm, catalog) = case.vm_and_objects();
    let target = case.target();
    let resolver = Resolver::new(&target, vec![&catalog]);
    let old = case.input.get("old").map(Node::from_json);
    let answer = admit::mutate(&vm.node, old.as_ref(), &resolver);
    let wanted = &case.expected;
    let differs = |ours: Json, wants: Json| Err(format!("\n  ours  {ours}\n  wants {wants}"));
    match answer {
        Ok(admitted) => {
            let read = schema::decode(
                case.release,
                "v1.VirtualMachine",
                &Node::from_json(&wanted["vm"]),
            );
            let normal = schema::decode(case.release, "v1.VirtualMachine", &admitted.vm).node;
            if !normal.same_value(&admitted.vm) {
                return Err(format!("not in Go-normal form: {}", admitted.vm.to_json()));
            }
            if wanted["allowed"] == json!(true) && admitted.vm.same_value(&read.node) {
                Ok(())
            } else {
                differs(admitted.vm.to_json(), wanted.clone())
            }
        }
        Err(error) => match Refusal::from(error) {
            Refusal::Crash { message } => differs(json!({ "panic": message }), wanted.clone()),
            Refusal::Refused { message, causes } => {
                let ours: BTreeSet<_> = causes
                    .iter()
                    .map(|cause| (cause.field.as_str(), cause.message.as_str()))
                    .collect();
                let theirs: BTreeSet<_> = wanted["causes"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|cause| {
                        let text = |key: &str| cause[key].as_str().unwrap_or_default();
                        (text("field"), text("message"))
                    })
                    .collect();
                if wanted["allowed"] == json!(false)
                    && wanted["message"] == json!(message)
                    && ours == theirs
                {
                    Ok(())
                } else {
                    differs(json!({"message": message, "causes": ours}), wanted.clone())
                }
            }
        },
    }
}
