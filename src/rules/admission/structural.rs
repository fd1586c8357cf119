//! What the API server refuses before KubeVirt is asked: wrong types, missing fields, numbers and words out of range.

use crate::cause::Cause;
use crate::field_path::{FieldPath, Segment};
use crate::schema::{Limit, Problem, ProblemKind};
use crate::yaml::{Node, Value};

/// What is wrong with a tree before any check of KubeVirt's runs.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    /// What the API server refuses.
    pub(super) refused: Vec<Cause>,
    /// Words outside the list a field allows: KubeVirt's own schema refuses them once its mutating webhook is through.
    pub(super) words: Vec<Cause>,
}

/// What is wrong with a tree, by the `problems` of decoding it: wrong types first, then the rest in their order.
pub(super) fn check(written: &Node, problems: &[Problem]) -> Wrong {
    let mut wrong = Wrong::default();
    for problem in problems {
        if let ProblemKind::WrongType { expected } = problem.kind
            && !is_status(&problem.path)
        {
            let message = format!("Invalid value: must be {expected}");
            wrong
                .refused
                .push(Cause::new(problem.path.to_string(), message));
        }
    }
    for Problem { path, kind } in problems {
        match kind {
            ProblemKind::Missing => {
                wrong
                    .refused
                    .push(Cause::new(path.to_string(), "Required value"));
            }
            ProblemKind::OutOfRange { number } => {
                let message = format!("{path}: cannot unmarshal number {number}");
                wrong.refused.push(Cause::new("", message));
            }
            ProblemKind::NotListed { allowed } => {
                let known = allowed.join(" ");
                let message = format!("{path} in body should be one of [{known}]");
                wrong.words.push(Cause::new("", message));
            }
            ProblemKind::BeyondLimit { limit } => {
                let message = path.find(written).and_then(|node| beyond(limit, node));
                let cause = message.map(|message| Cause::new(path.to_string(), message));
                wrong.refused.extend(cause);
            }
            ProblemKind::UnknownField { .. }
            | ProblemKind::UnsupportedField { .. }
            | ProblemKind::DroppedNull
            | ProblemKind::WrongType { .. } => {}
        }
    }
    wrong
}

/// What the API server says to a value beyond a limit. `None` where the webhook that comes after it says the same in words
/// of its own, which are the ones reported.
fn beyond(limit: &Limit, node: &Node) -> Option<String> {
    Some(match (limit, &node.value) {
        (Limit::Enum(known), Value::String(word)) => {
            format!("Unsupported value: \"{word}\": supported values: {known:?}")
        }
        (Limit::MaxItems(most), Value::Seq(items)) => {
            format!("Too many: {}: must have at most {most} items", items.len())
        }
        (Limit::MaxLength(most), _) => format!("Too long: may not be more than {most} bytes"),
        (Limit::Rule { message, .. }, _) => format!("Invalid value: {message}"),
        _ => return None,
    })
}

fn is_status(path: &FieldPath) -> bool {
    matches!(path.segments().first(), Some(Segment::Field(name)) if name == "status")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::Release;

    fn wrong(vm: &serde_json::Value) -> Wrong {
        let vm = Node::from_json(vm);
        let decoded = crate::schema::decode(Release::NEWEST, "v1.VirtualMachine", &vm);
        check(&vm, &decoded.problems)
    }

    fn fields(vm: &serde_json::Value) -> Vec<String> {
        let causes = wrong(vm).refused.into_iter();
        causes.map(|cause| cause.field).collect()
    }

    #[test]
    fn missing_and_mistyped_fields_are_refused() {
        assert_eq!(fields(&json!({})), ["spec"]);
        assert_eq!(
            fields(&json!({"spec": {"runStrategy": "Always"}})),
            ["spec.template"]
        );
        assert_eq!(
            fields(
                &json!({"spec": {"running": "yes", "template": {"spec": {"domain": {"devices": {"disks": [{}]}}}}}})
            ),
            [
                "spec.running",
                "spec.template.spec.domain.devices.disks[0].name"
            ]
        );
    }

    #[test]
    fn negative_numbers_cannot_be_read() {
        let vm = json!({"spec": {"template": {"spec": {"domain": {"devices": {}, "cpu": {"cores": -1}}}}}});
        assert_eq!(fields(&vm), [""]);
    }

    #[test]
    fn words_outside_the_list_are_refused() {
        let vm = json!({"spec": {"template": {"spec": {"domain": {"devices": {}}, "dnsPolicy": "Maybe"}}}});
        let causes = wrong(&vm).words;
        assert_eq!(
            causes[0].message,
            "spec.template.spec.dnsPolicy in body should be one of [ClusterFirst ClusterFirstWithHostNet Default None]"
        );
    }

    #[test]
    fn the_schemas_own_limits_are_kept() {
        let many: Vec<_> = (0..257)
            .map(|at| json!({"name": format!("d{at}")}))
            .collect();
        let vm = json!({"spec": {"template": {"spec": {
            "domain": {"devices": {"disks": many}, "rebootPolicy": "Never"},
            "volumes": [{"name": "a", "containerPath": {"path": "a/..", "readOnly": false}}]
        }}}});
        assert_eq!(
            fields(&vm),
            [
                "spec.template.spec.domain.devices.disks",
                "spec.template.spec.domain.rebootPolicy",
                "spec.template.spec.volumes[0].containerPath.path",
                "spec.template.spec.volumes[0].containerPath.path",
                "spec.template.spec.volumes[0].containerPath.readOnly",
            ]
        );
        let vm = json!({"spec": {"dataVolumeTemplates": [{"spec": {"storage": {"accessModes": ["RWX"]}}}], "template": {"spec": {"domain": {"devices": {}}}}}});
        assert_eq!(wrong(&vm).words.len(), 1);
    }
}
