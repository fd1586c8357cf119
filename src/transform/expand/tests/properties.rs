//! What holds for every VM.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{expanded, vm};
use crate::catalog::Catalog;
use crate::config::Target;
use crate::release::Release;
use crate::resolve::Resolver;
use crate::transform::expand::{ExpandError, expand, expand_stored};
use crate::yaml::Node;

fn maybe(values: &[Json]) -> impl Strategy<Value = Option<Json>> + use<> {
    prop::option::of(prop::sample::select(values.to_vec()))
}

/// A mapping of some of the fields, each with one of its values.
fn some_of(fields: &[(&'static str, &[Json])]) -> impl Strategy<Value = Json> + use<> {
    let fields: Vec<_> = fields
        .iter()
        .map(|&(name, values)| maybe(values).prop_map(move |value| (name, value)).boxed())
        .collect();
    fields.prop_map(|fields| {
        let fields = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Json::Object(fields.collect())
    })
}

fn vmi_spec() -> impl Strategy<Value = Json> {
    let cpu = some_of(&[
        ("cores", &[json!(0), json!(2)]),
        ("sockets", &[json!(1)]),
        ("model", &[json!("host-model"), json!(3)]),
        ("features", &[json!([{"name": "vmx"}]), json!([])]),
    ]);
    let memory = some_of(&[
        ("guest", &[json!("1Gi"), json!(""), json!("x"), json!(1024)]),
        (
            "hugepages",
            &[
                json!({"pageSize": "2Mi"}),
                json!({"pageSize": "big"}),
                json!({}),
            ],
        ),
    ]);
    let devices = some_of(&[
        (
            "disks",
            &[
                json!([{"name": "a", "cdrom": {}}, {}]),
                json!([null]),
                json!({}),
            ],
        ),
        (
            "interfaces",
            &[json!([{"name": "default"}]), json!([{}]), json!([])],
        ),
        ("inputs", &[json!([{}])]),
        ("panicDevices", &[json!([{}])]),
        ("sound", &[json!({})]),
    ]);
    let rest = some_of(&[
        ("nodeSelector", &[json!({}), json!({"a": "b"})]),
        (
            "networks",
            &[json!([{"name": "default", "pod": {}}]), json!([{}])],
        ),
        (
            "volumes",
            &[json!([{"name": "a"}, {"name": "b", "containerDisk": {"image": "x"}}, {}])],
        ),
    ]);
    (cpu, memory, devices, rest).prop_map(|(cpu, memory, devices, mut rest)| {
        rest["domain"] = json!({"cpu": cpu, "memory": memory, "devices": devices});
        rest
    })
}

fn instancetype() -> impl Strategy<Value = Json> {
    some_of(&[
        (
            "cpu",
            &[
                json!({"guest": 4}),
                json!({"guest": 1, "maxSockets": 8}),
                json!({}),
            ],
        ),
        (
            "memory",
            &[
                json!({"guest": "2Gi"}),
                json!({"guest": "1Gi", "overcommitPercent": 15}),
                json!({"overcommitPercent": 500}),
            ],
        ),
        ("nodeSelector", &[json!({}), json!({"a": "b"})]),
        ("annotations", &[json!({"a/b": "c"})]),
    ])
}

fn preference() -> impl Strategy<Value = Json> {
    some_of(&[
        (
            "cpu",
            &[
                json!({"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}),
                json!({"preferredCPUTopology": "cores", "preferredCPUFeatures": [{"name": "aes"}]}),
                json!({"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}}),
            ],
        ),
        (
            "devices",
            &[
                json!({"preferredDiskBus": "virtio", "preferredDiskDedicatedIoThread": true, "preferredInterfaceMasquerade": {},
            "preferredPanicDeviceModel": "isa", "preferredInputBus": "usb", "preferredSoundModel": "ac97"}),
            ],
        ),
        ("firmware", &[json!({"preferredEfi": {}}), json!({})]),
        (
            "features",
            &[json!({"preferredAcpi": {}, "preferredHyperv": {"vapic": {}}})],
        ),
        ("clock", &[json!({"preferredClockOffset": {"utc": {}}})]),
        ("annotations", &[json!({"a/b": "d"})]),
    ])
}

proptest! {
    #[test]
    fn expanding_never_panics_leaves_no_matcher_and_settles(
        spec in vmi_spec(),
        instancetype in prop::option::of(instancetype()),
        preference in prop::option::of(preference()),
        release in prop::sample::select(Release::TARGETS.to_vec()),
    ) {
        let once = match expanded(release, &spec, instancetype, preference) {
            Ok(once) => once,
            Err(ExpandError::Resolve(error)) => return Err(TestCaseError::fail(error.to_string())),
            Err(_) => return Ok(()),
        };
        for path in ["spec.instancetype", "spec.preference"] {
            prop_assert!(once.path(path).is_none());
        }
        let reread = crate::schema::decode(release, "v1.VirtualMachine", &once);
        prop_assert!(
            !reread.problems.iter().any(|problem| problem.kind.loses_the_value()),
            "{:?}",
            reread.problems
        );
        prop_assert!(reread.node.same_value(&once), "{}", once.to_json());
        let (target, catalog) = (Target { release, ..Target::default() }, Catalog::default());
        let twice = expand_stored(&once, "default", &Resolver::new(&target, vec![&catalog]));
        prop_assert!(twice.is_ok_and(|twice| twice.same_value(&once)));
    }

    #[test]
    fn expanding_what_is_no_vm_never_panics(text in "[a-z0-9{}\\[\\]:,\" ]{0,40}") {
        let json = serde_json::from_str(&text).unwrap_or_else(|_| json!({"spec": text}));
        let mut named = vm(&json, true, true);
        named["spec"]["template"] = json;
        let target = Target::default();
        let _ = expand(&Node::from_json(&named), "default", &Resolver::new(&target, Vec::new()));
    }
}
