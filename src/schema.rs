//! What a release's API knows: types, fields, and how `KubeVirt`'s Go types read and write them.
//!
//! `schemas/fields.json` holds one merged table for all releases. A field's `pointer` and `always` say how Go stores it:
//! a plain field does not tell a zero value from its absence, a pointer does.

pub mod explain;
mod limit;
mod table;
mod walk;

use smol_str::SmolStr;

pub use self::limit::{Limit, Test};
pub use self::table::{Expected, Field, Schema, Shape, Type, Variant, Width};

use crate::field_path::FieldPath;
use crate::release::{Release, ReleaseRange};
use crate::yaml::Node;

/// A tree as the release's Go types hold it, and everything that does not fit.
#[derive(Debug)]
pub struct Decoded {
    /// The tree in Go-normal form: no unknown fields, no nulls, no zero values of plain fields, no empty lists, maps
    /// and plain structs, quantities in `KubeVirt`'s text. Two trees of one type are equal to Go exactly when equal here.
    pub node: Node,
    /// What is dropped, cannot be read or is refused, in document order; what a mapping lacks comes before what it has.
    pub problems: Vec<Problem>,
}

/// One thing that does not fit the type it is read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub path: FieldPath,
    /// What.
    pub kind: ProblemKind,
}

/// The kinds of [`Problem`]. The last four are not raised in the status and the metadata of the kind itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// No release has this field in this type; dropped.
    UnknownField {
        /// The types on the way to it, outermost first; the last one lacks the field.
        within: Vec<&'static str>,
    },
    /// Other releases have the field; dropped.
    UnsupportedField {
        /// The releases that have it.
        releases: ReleaseRange,
    },
    /// A null where the type has a value; dropped.
    DroppedNull,
    /// The value is of another type; refused.
    WrongType {
        /// What the type wants.
        expected: Expected,
    },
    /// The field must be written and is not; refused.
    Missing,
    /// Go cannot read the number into the field's type; refused.
    OutOfRange {
        /// The number.
        number: i64,
    },
    /// The word is none that `KubeVirt`'s own OpenAPI lists; refused after the mutating webhook.
    NotListed {
        /// The words it lists.
        allowed: &'static [SmolStr],
    },
    /// The CRD's schema does not allow the value; refused.
    BeyondLimit {
        /// What it demands.
        limit: &'static Limit,
    },
}

impl ProblemKind {
    /// Whether Go does not get the value that is written: no field takes it, or it is of another type.
    pub(crate) const fn loses_the_value(&self) -> bool {
        matches!(
            self,
            Self::UnknownField { .. } | Self::UnsupportedField { .. } | Self::WrongType { .. }
        )
    }
}

/// The first value of another type than its field's: where it is, and what the field takes.
pub fn wrong_type(problems: &[Problem]) -> Option<(&FieldPath, Expected)> {
    problems.iter().find_map(|problem| match problem.kind {
        ProblemKind::WrongType { expected } => Some((&problem.path, expected)),
        _ => None,
    })
}

/// The type of each kind, by its group.
const TYPES: [(&str, &str); 9] = [
    ("kubevirt.io", "v1.VirtualMachine"),
    ("kubevirt.io", "v1.VirtualMachineInstance"),
    ("kubevirt.io", "v1.VirtualMachineInstanceReplicaSet"),
    ("kubevirt.io", "v1.KubeVirt"),
    ("pool.kubevirt.io", "v1beta1.VirtualMachinePool"),
    (
        "instancetype.kubevirt.io",
        "v1beta1.VirtualMachineInstancetype",
    ),
    (
        "instancetype.kubevirt.io",
        "v1beta1.VirtualMachineClusterInstancetype",
    ),
    (
        "instancetype.kubevirt.io",
        "v1beta1.VirtualMachinePreference",
    ),
    (
        "instancetype.kubevirt.io",
        "v1beta1.VirtualMachineClusterPreference",
    ),
];

/// The type of a kind, by group and kind: `v1.VirtualMachine`.
pub fn type_of(group: &str, kind: &str) -> Option<&'static str> {
    let is = |name: &str| name.split_once('.').is_some_and(|(_, of)| of == kind);
    let mut types = TYPES.into_iter();
    let found = types.find(|(known, name)| *known == group && is(name));
    found.map(|(_, name)| name)
}

/// Reads a tree as the named type of a release. An unknown type name gives the tree back unchanged.
pub fn decode(release: Release, type_name: &str, node: &Node) -> Decoded {
    match Schema::builtin().type_named(type_name) {
        Some(of) => walk::read(release, of, node),
        None => Decoded {
            node: node.clone(),
            problems: Vec::new(),
        },
    }
}

/// Adds what Go always writes for the type: empty structs and zero values of fields without `omitempty`.
pub fn encode(release: Release, type_name: &str, node: &mut Node) {
    visit(release, type_name, node, |shape, node| {
        if let Shape::Struct(index) = shape {
            walk::fill(release, Schema::builtin().type_at(*index), node);
        }
    });
}

/// Calls `each` with every value that the named type describes, and with its shape; the parts of a value come before
/// it. An unknown type name describes nothing.
pub(crate) fn visit(
    release: Release,
    type_name: &str,
    node: &mut Node,
    mut each: impl FnMut(&Shape, &mut Node),
) {
    if let Some(shape) = Schema::builtin().shape_named(type_name) {
        walk::visit(release, &shape, node, &mut each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn vm(release: Release, json: &serde_json::Value) -> Decoded {
        decode(release, "v1.VirtualMachine", &Node::from_json(json))
    }

    #[test]
    fn zero_values_of_plain_fields_vanish_and_pointers_stay() {
        let read = vm(
            Release::V1_9,
            &json!({"spec": {"running": false, "template": {"spec": {"domain": {
                "cpu": {"cores": 0, "dedicatedCpuPlacement": false}, "devices": {"disks": [], "rng": {}},
                "resources": {}}}}}}),
        );
        assert_eq!(
            read.node.to_json(),
            json!({"spec": {"running": false, "template": {"spec": {"domain": {"cpu": {}, "devices": {"rng": {}}}}}}})
        );
        assert!(read.problems.is_empty());
    }

    #[test]
    fn a_kubevirt_object_is_held_to_its_definition_alone() {
        // No webhook reads it against the types, and its definition has a plain number and no list of policies here.
        let json = json!({"spec": {"infra": {"replicas": 2}, "imagePullPolicy": "Sometimes"}});
        let read = decode(Release::V1_9, "v1.KubeVirt", &Node::from_json(&json));
        assert!(read.problems.is_empty(), "{:?}", read.problems);
        assert_eq!(read.node.to_json(), json);
    }

    #[test]
    fn what_the_api_server_drops_is_said() {
        let read = vm(
            Release::V1_5,
            &json!({"spec": {"nope": 1, "template": {"spec": {"domain": {"devices": {
                "video": {"type": "vga"}, "disks": null, "rng": 3}}}}}}),
        );
        let kinds: Vec<_> = read
            .problems
            .iter()
            .map(|problem| (problem.path.to_string(), &problem.kind))
            .collect();
        assert_eq!(kinds.len(), 4, "{kinds:?}");
        assert_eq!(kinds[0].0, "spec.nope");
        assert!(matches!(
            kinds[1].1,
            ProblemKind::UnsupportedField { releases } if releases.first() == Release::V1_6
        ));
        assert_eq!(kinds[2].1, &ProblemKind::DroppedNull);
        assert!(matches!(kinds[3].1, ProblemKind::WrongType { .. }));
    }

    fn places(json: &serde_json::Value) -> Vec<String> {
        let problems = vm(Release::NEWEST, json).problems;
        problems
            .iter()
            .map(|problem| problem.path.to_string())
            .collect()
    }

    #[test]
    fn what_is_missing_is_said_of_the_mapping_that_lacks_it() {
        assert_eq!(places(&json!({})), ["spec"]);
        assert_eq!(
            places(
                &json!({"spec": {"template": {"spec": {"domain": {"devices": {"disks": [{}]}}}}}})
            ),
            ["spec.template.spec.domain.devices.disks[0].name"]
        );
    }

    #[test]
    fn a_number_has_to_fit_gos_type() {
        let cores = |cores: i64| {
            let domain = json!({"devices": {"disks": [{"name": "a", "bootOrder": cores}]}, "cpu": {"cores": cores}});
            places(
                &json!({"spec": {"template": {"spec": {"domain": domain, "terminationGracePeriodSeconds": cores}}}}),
            )
        };
        let cpu = "spec.template.spec.domain.cpu.cores";
        let boot_order = "spec.template.spec.domain.devices.disks[0].bootOrder";
        assert_eq!(cores(-1), [boot_order, cpu]);
        assert!(cores(0).is_empty());
        assert!(cores(i64::from(u32::MAX)).is_empty());
        assert_eq!(cores(i64::from(u32::MAX) + 1), [cpu]);
    }

    #[test]
    fn words_outside_a_list_are_told_by_who_lists_them() {
        let vm = vm(
            Release::NEWEST,
            &json!({"spec": {
                "dataVolumeTemplates": [{"spec": {"storage": {"accessModes": ["ReadWriteOnce", "RWX"]}}}],
                "template": {"spec": {"domain": {"devices": {}, "rebootPolicy": "Never"}, "dnsPolicy": "Maybe"}}}}),
        );
        let kinds: Vec<_> = vm
            .problems
            .iter()
            .map(|problem| {
                (
                    problem.path.to_string(),
                    matches!(problem.kind, ProblemKind::NotListed { .. }),
                )
            })
            .collect();
        let place = |path: &str, is_openapi: bool| (path.to_owned(), is_openapi);
        assert_eq!(
            kinds,
            [
                place(
                    "spec.dataVolumeTemplates[0].spec.storage.accessModes[1]",
                    true
                ),
                place("spec.template.spec.domain.rebootPolicy", false),
                place("spec.template.spec.dnsPolicy", true),
            ]
        );
    }

    #[test]
    fn the_crds_limits_are_held() {
        let path = |path: &str| {
            json!({"spec": {"template": {"spec": {"domain": {"devices": {}},
            "volumes": [{"name": "a", "containerPath": {"path": path, "readOnly": true}}]}}}})
        };
        assert!(places(&path("/a")).is_empty());
        let at = "spec.template.spec.volumes[0].containerPath.path";
        assert_eq!(places(&path("a/..")), [at, at]);
    }

    #[test]
    fn the_servers_own_fields_are_read_and_not_judged() {
        let valid = json!({"metadata": {"ownerReferences": [{}]}, "status": {"conditions": [{}]},
            "spec": {"template": {"spec": {"domain": {"devices": {}}}}}});
        assert!(places(&valid).is_empty());
    }

    #[test]
    fn a_number_is_a_quantity_in_the_text_go_writes_it() {
        for (number, text) in [
            (json!(1.5), "1500m"),
            (json!(1e3), "1k"),
            (json!(1e21), "1e+21"),
            (json!(1e-7), "100e-9"),
        ] {
            let read = vm(
                Release::V1_9,
                &json!({"spec": {"template": {"spec": {"domain": {"memory": {"guest": number}}}}}}),
            );
            assert_eq!(
                read.node.str_at("spec.template.spec.domain.memory.guest"),
                text
            );
        }
    }

    #[test]
    fn writing_adds_what_go_always_writes() {
        let mut node = vm(
            Release::V1_9,
            &json!({"spec": {"template": {"spec": {"domain": {}}}}}),
        )
        .node;
        encode(Release::V1_9, "v1.VirtualMachine", &mut node);
        assert!(node.path("spec.template.spec.domain.devices").is_some());
    }
}
