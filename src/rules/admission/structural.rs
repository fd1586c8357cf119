//! What the API server refuses before KubeVirt is asked: wrong types, missing fields, numbers and words out of range.

use crate::cause::Cause;
use crate::field_path::{FieldPath, Segment};
use crate::release::Release;
use crate::schema::{Problem, ProblemKind, Schema, Shape, Type, Variant};
use crate::yaml::{Node, Value};

/// Fields Go holds in unsigned numbers of 32 bits; a negative one cannot be read.
const UNSIGNED: [(&str, &str); 16] = [
    ("v1.CPU", "cores"),
    ("v1.CPU", "sockets"),
    ("v1.CPU", "threads"),
    ("v1.CPU", "maxSockets"),
    ("v1.Disk", "bootOrder"),
    ("v1.Interface", "bootOrder"),
    ("v1.CustomBlockSize", "logical"),
    ("v1.CustomBlockSize", "physical"),
    ("v1.CustomBlockSize", "discardGranularity"),
    ("v1.DiskIOThreads", "supplementalPoolThreadCount"),
    ("v1.FeatureSpinlocks", "spinlocks"),
    ("v1beta1.CPUInstancetype", "guest"),
    ("v1beta1.CPUInstancetype", "maxSockets"),
    ("v1beta1.SpreadOptions", "ratio"),
    (
        "v1beta1.VirtualMachinePreferenceSpec",
        "preferSpreadSocketToCoreRatio",
    ),
    ("v1beta1.CPUPreferenceRequirement", "guest"),
];

/// Words the API server's schema lists and the field table does not.
const WORDS: [(&str, &str, &[&str]); 3] = [
    (
        "v1beta1.DataVolumeSpec",
        "contentType",
        &["kubevirt", "archive"],
    ),
    ("v1.DomainSpec", "rebootPolicy", &["Reboot", "Terminate"]),
    (
        "v1.ReservedOverhead",
        "memLock",
        &["NotRequired", "Required"],
    ),
];

/// Access modes KubeVirt's own schema lists.
const ACCESS_MODES: [&str; 4] = [
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

/// Lists the API server's schema limits to [`MOST_ITEMS`].
const LIMITED: [(&str, &str); 6] = [
    ("v1.VirtualMachineInstanceSpec", "accessCredentials"),
    ("v1.VirtualMachineInstanceSpec", "networks"),
    ("v1.VirtualMachineInstanceSpec", "utilityVolumes"),
    ("v1.VirtualMachineInstanceSpec", "volumes"),
    ("v1.Devices", "disks"),
    ("v1.Devices", "interfaces"),
];

const MOST_ITEMS: usize = 256;

/// What is wrong with a tree before any check of KubeVirt's runs.
#[derive(Debug, Default)]
pub(super) struct Wrong {
    /// What the API server refuses.
    pub(super) refused: Vec<Cause>,
    /// Words outside the list a field allows: KubeVirt's own schema refuses them once its mutating webhook is through.
    pub(super) words: Vec<Cause>,
}

/// What is wrong with a tree of that type, in the order of the tree. `problems` are those of decoding it.
pub(super) fn check(
    release: Release,
    type_name: &str,
    written: &Node,
    problems: &[Problem],
) -> Wrong {
    let schema = Schema::builtin();
    let Some(of) = schema.type_named(type_name) else {
        return Wrong::default();
    };
    let mut walk = Walk {
        schema,
        release,
        path: FieldPath::root(),
        wrong: Wrong::default(),
    };
    for problem in problems {
        if let ProblemKind::WrongType { expected } = problem.kind
            && !is_servers(&problem.path)
        {
            walk.wrong.refused.push(Cause::new(
                problem.path.to_string(),
                format!("Invalid value: must be {expected}"),
            ));
        }
    }
    walk.types(of, written);
    walk.wrong
}

/// Whether the path lies in what the API server owns.
fn is_servers(path: &FieldPath) -> bool {
    matches!(path.segments().first(), Some(Segment::Field(name)) if name == "status")
}

fn is_out_of_range(of: &Type, variant: &Variant, name: &str, number: i64) -> bool {
    if !matches!(variant.shape, Shape::Integer(_)) {
        return false;
    }
    UNSIGNED.contains(&(of.name(), name)) && !(0..=i64::from(u32::MAX)).contains(&number)
}

/// Walks a tree along its types.
struct Walk {
    schema: &'static Schema,
    release: Release,
    path: FieldPath,
    wrong: Wrong,
}

impl Walk {
    fn types(&mut self, of: &'static Type, node: &Node) {
        let Value::Map(map) = &node.value else {
            return;
        };
        for field in of.fields() {
            if let Some(variant) = field.variant(self.release)
                && variant.required
                && map.get(field.name()).is_none_or(Node::is_null)
            {
                let field = self.path.field(field.name());
                self.wrong
                    .refused
                    .push(Cause::new(field.to_string(), "Required value"));
            }
        }
        for entry in map.entries() {
            let Some(field) = of.field(&entry.key) else {
                continue;
            };
            let Some(variant) = field.variant(self.release) else {
                continue;
            };
            // The API server owns the status, and does not look into metadata by this schema.
            if self.path.is_root() && matches!(field.name(), "status" | "metadata") {
                continue;
            }
            self.path.push(Segment::Field(entry.key.clone()));
            self.value(of, variant, field.name(), &entry.node.value);
            self.shapes(&variant.shape, &entry.node);
            self.path.pop();
        }
    }

    fn value(&mut self, of: &Type, variant: &Variant, name: &str, value: &Value) {
        match value {
            Value::Int(number) if is_out_of_range(of, variant, name, *number) => {
                let message = format!("{}: cannot unmarshal number {number}", self.path);
                self.wrong.refused.push(Cause::new("", message));
            }
            Value::String(word)
                if !variant.values.is_empty()
                    && !word.is_empty()
                    && !variant.values.contains(word) =>
            {
                let known = variant.values.join(" ");
                let message = format!("{} in body should be one of [{known}]", self.path);
                self.wrong.words.push(Cause::new("", message));
            }
            Value::String(word) => self.text(of, name, word),
            Value::Bool(false)
                if (of.name(), name) == ("v1.ContainerPathVolumeSource", "readOnly") =>
            {
                self.refuse("Invalid value: readOnly must be true, write access is not supported");
            }
            Value::Seq(items) => self.items(of, name, items),
            _ => {}
        }
    }

    fn refuse(&mut self, message: &str) {
        let cause = Cause::new(self.path.to_string(), message);
        self.wrong.refused.push(cause);
    }

    fn text(&mut self, of: &Type, name: &str, word: &str) {
        let listed = WORDS
            .iter()
            .find(|(type_name, field, _)| (*type_name, *field) == (of.name(), name));
        if let Some((.., known)) = listed
            && !known.contains(&word)
        {
            let message = format!("Unsupported value: \"{word}\": supported values: {known:?}");
            self.refuse(&message);
        }
        if (of.name(), name) == ("v1.ContainerPathVolumeSource", "path") {
            if !word.starts_with('/') {
                self.refuse("Invalid value: path must be absolute (start with '/')");
            }
            if word.contains("..") {
                self.refuse("Invalid value: path must not contain '..'");
            }
            if word.chars().count() > 4096 {
                self.refuse("Too long: may not be more than 4096 bytes");
            }
        }
    }

    fn items(&mut self, of: &Type, name: &str, items: &[Node]) {
        if items.len() > MOST_ITEMS && LIMITED.contains(&(of.name(), name)) {
            let count = items.len();
            self.refuse(&format!(
                "Too many: {count}: must have at most {MOST_ITEMS} items"
            ));
        }
        let is_claim = matches!(
            of.name(),
            "k8s.PersistentVolumeClaimSpec" | "v1beta1.StorageSpec"
        );
        if is_claim && name == "accessModes" {
            for mode in items.iter().filter_map(Node::as_str) {
                if !ACCESS_MODES.contains(&mode) {
                    let known = ACCESS_MODES.join(" ");
                    let message = format!("{} in body should be one of [{known}]", self.path);
                    self.wrong.words.push(Cause::new("", message));
                }
            }
        }
    }

    fn shapes(&mut self, shape: &'static Shape, node: &Node) {
        match (shape, &node.value) {
            (Shape::Struct(index), _) => {
                let of = self.schema.type_at(*index);
                self.types(of, node);
            }
            (Shape::List(inner), Value::Seq(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.path.push(Segment::Index(at));
                    self.shapes(inner, item);
                    self.path.pop();
                }
            }
            (Shape::Map(inner), Value::Map(map)) => {
                for entry in map.entries() {
                    self.path.push(Segment::Field(entry.key.clone()));
                    self.shapes(inner, &entry.node);
                    self.path.pop();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(vm: &serde_json::Value) -> Wrong {
        let vm = Node::from_json(vm);
        let decoded = crate::schema::decode(Release::V1_9, "v1.VirtualMachine", &vm);
        check(Release::V1_9, "v1.VirtualMachine", &vm, &decoded.problems)
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
