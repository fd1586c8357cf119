//! What a release's API knows: types, fields, and how `KubeVirt`'s Go types read and write them.
//!
//! `schemas/fields.json` holds one merged table for all releases. A field's `pointer` and `always` say how Go stores it:
//! a plain field does not tell a zero value from its absence, a pointer does.

pub mod explain;
pub mod kinds;
mod limit;
mod table;
mod time;
mod walk;

use std::fmt;

use smol_str::SmolStr;

pub use self::limit::{Limit, Test};
pub use self::table::{Expected, Field, Preserve, Schema, Shape, Type, Variant, Width};

use crate::field_path::{FieldPath, Segment};
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

/// The kinds of [`Problem`]. Those from `Missing` on are not raised in the status and the metadata of the kind itself.
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
    /// A null in the metadata's free keys; stored as an empty value.
    EmptyNull,
    /// No field takes it and the API server keeps it; `KubeVirt`'s own OpenAPI refuses it.
    Forbidden {
        /// The types on the way to it, outermost first; the last one lacks the field.
        within: Vec<&'static str>,
    },
    /// The value is of another type; refused.
    WrongType {
        /// What the type wants.
        expected: Expected,
    },
    /// The field must be written and is not; refused.
    Missing,
    /// The field must be written and is not; the mutating webhook writes it empty, which is refused only where the field
    /// has a list of words.
    LeftEmpty {
        /// The words that `KubeVirt`'s own OpenAPI lists; none where it lists none.
        allowed: &'static [SmolStr],
    },
    /// The list has an earlier item with the same keys, or, without keys, the same value; refused.
    Repeated {
        /// The keys that tell items apart.
        keys: &'static [SmolStr],
    },
    /// Go cannot read the number into the field's type; refused.
    OutOfRange {
        /// The number.
        number: i128,
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
            Self::UnknownField { .. }
                | Self::UnsupportedField { .. }
                | Self::Forbidden { .. }
                | Self::WrongType { .. }
        )
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind } = self;
        match kind {
            ProblemKind::WrongType { expected } => write!(f, "{path} is not {expected}"),
            ProblemKind::OutOfRange { number } => write!(f, "{path} cannot hold {number}"),
            ProblemKind::NotListed { allowed } => {
                write!(f, "{path} is not one of {}", allowed.join(", "))
            }
            ProblemKind::Missing | ProblemKind::LeftEmpty { .. } => {
                write!(f, "{path} is required and missing")
            }
            ProblemKind::UnknownField { .. }
            | ProblemKind::UnsupportedField { .. }
            | ProblemKind::Forbidden { .. } => write!(f, "there is no field {path}"),
            ProblemKind::DroppedNull | ProblemKind::EmptyNull => write!(f, "{path} is null"),
            ProblemKind::Repeated { .. } => write!(f, "{path} repeats an earlier item"),
            ProblemKind::BeyondLimit { .. } => write!(f, "{path} is beyond its limit"),
        }
    }
}

/// The first thing that the API server cannot read or `KubeVirt`'s own OpenAPI validation refuses in a VM; its status is
/// not looked at.
pub fn invalid(problems: &[Problem]) -> Option<&Problem> {
    problems.iter().find(|problem| {
        let first = problem.path.segments().first();
        let is_status = matches!(first, Some(Segment::Field(name)) if name == "status");
        !is_status
            && matches!(
                problem.kind,
                ProblemKind::WrongType { .. }
                    | ProblemKind::OutOfRange { .. }
                    | ProblemKind::NotListed { .. }
                    | ProblemKind::Missing
                    | ProblemKind::Forbidden { .. }
            )
    })
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
        let devices = json!({"devices": {"disks": [{}], "filesystems": [{"name": "a"}]}});
        let problems = vm(
            Release::NEWEST,
            &json!({"spec": {"template": {"spec": {"domain": devices}}}}),
        )
        .problems;
        let kinds: Vec<_> = problems
            .iter()
            .map(|problem| (problem.path.to_string(), &problem.kind))
            .collect();
        assert_eq!(kinds.len(), 2);
        assert_eq!(
            kinds[0].0,
            "spec.template.spec.domain.devices.disks[0].name"
        );
        assert_eq!(kinds[0].1, &ProblemKind::LeftEmpty { allowed: &[] });
        assert_eq!(kinds[1].1, &ProblemKind::Missing);
        assert_eq!(invalid(&problems), Some(&problems[1]));
    }

    #[test]
    fn the_api_server_writes_the_crds_defaults() {
        let volume = |path: serde_json::Value| {
            let read = vm(
                Release::NEWEST,
                &json!({"spec": {"template": {"spec": {"volumes": [{"name": "a", "containerPath": path}]}}}}),
            );
            let volume = &read.node.items_at("spec.template.spec.volumes")[0];
            volume.path("containerPath.readOnly").unwrap().to_json()
        };
        assert_eq!(volume(json!({"path": "/a"})), json!(true));
        assert_eq!(volume(json!({"path": "/a", "readOnly": null})), json!(true));
        assert_eq!(
            volume(json!({"path": "/a", "readOnly": false})),
            json!(false)
        );
    }

    #[test]
    fn writing_what_go_embeds_by_pointer_makes_it() {
        let gpu = json!({"name": "a", "claimName": ""});
        let of = |release| {
            let mut node = vm(
                release,
                &json!({"spec": {"template": {"spec": {"domain": {"devices": {"gpus": [gpu]}}}}}}),
            )
            .node;
            let read = node.items_at("spec.template.spec.domain.devices.gpus")[0]
                .get("claimName")
                .is_some();
            encode(release, "v1.VirtualMachine", &mut node);
            (
                read,
                node.items_at("spec.template.spec.domain.devices.gpus")[0]
                    .get("claimName")
                    .is_some(),
            )
        };
        assert_eq!(of(Release::V1_9), (true, false));
        assert_eq!(of(Release::V1_8), (true, true));
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
        let grace = "spec.template.spec.terminationGracePeriodSeconds";
        assert_eq!(cores(-1), [boot_order, cpu]);
        assert!(cores(0).is_empty());
        assert!(cores(i64::from(u32::MAX)).is_empty());
        assert_eq!(cores(i64::from(u32::MAX) + 1), [cpu]);
        assert_eq!(cores(1 << 53), [boot_order, cpu, grace]);
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
