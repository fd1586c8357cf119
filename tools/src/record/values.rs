//! Values by type: valid ones, ones at and beyond a limit, and ones of another type.

use rand::{RngExt as _, SeedableRng as _};
use rand_xorshift::XorShiftRng;
use serde_json::{Value, json};

use crate::table::Form;

/// Of a hundred values: how many are at or beyond a limit, and how many are of another type.
const BOUNDARY: u32 = 15;
const WRONG: u32 = 8;

/// Choices by seed, the same on every machine.
pub(super) struct Dice(XorShiftRng);

impl Dice {
    /// The choices of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(XorShiftRng::seed_from_u64(seed))
    }

    /// A number below `end`, which is above zero.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        self.0.random_range(0..end) as usize
    }

    /// Whether something that happens `percent` times in a hundred does.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100) < percent
    }

    /// One of several.
    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Words for fields that list none, by the end of the field's name.
const WORDS: &[(&str, &[&str])] = &[
    ("bus", &["virtio", "sata", "scsi", "usb", "sd"]),
    ("Bus", &["virtio", "sata", "scsi", "usb", "ps2"]),
    ("cache", &["none", "writethrough", "writeback", "unsafe"]),
    ("io", &["native", "threads", "default"]),
    ("errorPolicy", &["stop", "ignore", "report", "enospace"]),
    (
        "ioThreadsPolicy",
        &["auto", "shared", "supplementalPool", "none"],
    ),
    (
        "runStrategy",
        &[
            "Always",
            "Halted",
            "Manual",
            "RerunOnFailure",
            "Once",
            "WaitAsReceiver",
        ],
    ),
    (
        "evictionStrategy",
        &["LiveMigrate", "LiveMigrateIfPossible", "External", "None"],
    ),
    ("architecture", &["amd64", "arm64", "s390x", "ppc64le"]),
    ("Architecture", &["amd64", "arm64", "s390x"]),
    ("startStrategy", &["Paused"]),
    ("updateVolumesStrategy", &["Migration", "Replacement"]),
    ("inferFromVolume", &["vol0", "vol1"]),
    ("inferFromVolumeFailurePolicy", &["Ignore", "Reject"]),
    (
        "preferredCPUTopology",
        &[
            "sockets",
            "cores",
            "threads",
            "spread",
            "any",
            "preferCores",
        ],
    ),
    (
        "across",
        &["SocketsCores", "CoresThreads", "SocketsCoresThreads"],
    ),
    ("pageSize", &["2Mi", "1Gi", "3Mi", "64Ki"]),
    (
        "macAddress",
        &[
            "02:00:00:00:00:01",
            "02-00-00-00-00-01",
            "02:00:00:00:00",
            "ff:ff:ff:ff:ff:ff",
        ],
    ),
    (
        "pciAddress",
        &["0000:81:01.1", "0000:80:11.1", "0000:81:01"],
    ),
    (
        "model",
        &[
            "virtio",
            "e1000",
            "e1000e",
            "host-passthrough",
            "host-model",
            "ich9",
            "Haswell",
        ],
    ),
    ("state", &["up", "down", "absent"]),
    (
        "policy",
        &["force", "require", "optional", "disable", "forbid"],
    ),
    ("tickPolicy", &["delay", "catchup", "merge", "discard"]),
    ("track", &["guest", "wall"]),
    ("timezone", &["UTC", "Europe/Prague"]),
    ("protocol", &["TCP", "UDP", "SCTP"]),
    ("hostname", &["web", "Web", "-web", "web.example"]),
    ("subdomain", &["vms", "Vms", "vms."]),
    ("serial", &["abc-1", "a b"]),
    (
        "uuid",
        &["5d307ca9-b3ef-428c-8861-06e72d69f223", "5D307CA9"],
    ),
    (
        "kind",
        &[
            "VirtualMachineInstancetype",
            "virtualmachineclusterpreference",
            "DataSource",
            "PersistentVolumeClaim",
        ],
    ),
    (
        "type",
        &[
            "q35",
            "pc-q35-rhel9.4.0",
            "virt",
            "vga",
            "ramfb",
            "tablet",
            "keyboard",
            "hyperv",
        ],
    ),
    ("Type", &["q35", "virt", "vga", "tablet"]),
    ("path", &["/data", "data", "/a/../b"]),
    ("image", &["registry.example/image:v1"]),
    ("capacity", &["1Gi"]),
    ("storage", &["1Gi"]),
    ("networkName", &["default/net", "net", "a/b/c"]),
    ("key", &["example.com/zone", "kubevirt.io/a", "-bad"]),
    ("topologyKey", &["kubernetes.io/hostname", ""]),
];

/// Texts that stand for any name.
const NAMES: &[&str] = &["a", "vol0", "vol1", "default", "net1", "x-y.z"];

/// A value of a type that is no struct, list or map. `form` is that of the field.
pub(super) fn scalar(dice: &mut Dice, of: &str, field: &str, form: &Form) -> Value {
    let roll = dice.below(100);
    let wrong = WRONG as usize;
    if roll < wrong {
        return other_type(dice, of);
    }
    if roll < wrong + BOUNDARY as usize {
        return boundary(dice, of, form);
    }
    valid(dice, of, field, form)
}

/// A value that the field's schema allows, where it lists what it allows.
pub(super) fn valid(dice: &mut Dice, of: &str, field: &str, form: &Form) -> Value {
    match of {
        "bool" => dice.chance(60).into(),
        "int32" | "int64" | "uint32" | "uint64" => {
            let pool = [1, 2, 3, 4, 8, 16, 64, 512, 4096];
            limit(form, "minimum").map_or_else(|| (*dice.pick(&pool)).into(), Value::from)
        }
        "float" | "double" => (*dice.pick(&[0.5, 1.0, 20.0])).into(),
        "quantity" => (*dice.pick(&["1", "2", "500m", "64Mi", "512Mi", "1Gi", "2Gi", "1G"])).into(),
        "duration" => (*dice.pick(&["5m", "1h30m", "10s"])).into(),
        "time" => "2024-01-31T12:00:00Z".into(),
        "bytes" => "aGVsbG8=".into(),
        "intOrString" => dice
            .pick(&[json!(80), json!("http"), json!(1), json!(65535)])
            .clone(),
        "any" => json!({}),
        _ => word(dice, field, form),
    }
}

fn word(dice: &mut Dice, field: &str, form: &Form) -> Value {
    let listed = words_of(form);
    if !listed.is_empty() {
        return dice.pick(&listed).clone();
    }
    let known = WORDS.iter().filter(|(end, _)| field.ends_with(end));
    // The longest end says most.
    match known.max_by_key(|(end, _)| end.len()) {
        Some((_, words)) => (*dice.pick(words)).into(),
        None => (*dice.pick(NAMES)).into(),
    }
}

/// The words that the OpenAPI or the CRD lists.
fn words_of(form: &Form) -> Vec<Value> {
    let limits = form.get("limits").and_then(|limits| limits.get("enum"));
    let listed = form.get("enum").into_iter().chain(limits);
    listed
        .filter_map(Value::as_array)
        .flatten()
        .cloned()
        .collect()
}

fn limit(form: &Form, key: &str) -> Option<i64> {
    form.get("limits")?.get(key)?.as_i64()
}

fn boundary(dice: &mut Dice, of: &str, form: &Form) -> Value {
    let mut pool: Vec<Value> = match of {
        "int32" | "int64" | "uint32" | "uint64" => vec![
            json!(0),
            json!(-1),
            json!(255),
            json!(256),
            json!(65_535),
            json!(65_536),
            json!(i32::MAX),
            json!(i64::from(i32::MAX) + 1),
            json!(u32::MAX),
            json!(u64::from(u32::MAX) + 1),
            json!(i64::MAX),
            json!(u64::MAX),
            json!(1.0),
            json!(1.5),
        ],
        "float" | "double" => vec![json!(0), json!(-1), json!(1e300)],
        "quantity" => [
            "0",
            "-1",
            "-1Gi",
            "1.5Gi",
            "0.5",
            ".5Gi",
            "1.",
            "1e3",
            "1E3",
            "1Ki",
            "1k",
            "1K",
            "1gi",
            "1000m",
            "1n",
            "1e-7",
            "+1Gi",
            " 1Gi",
            "1Mi ",
            "1Ei",
            "128974848",
            "0x10",
            "1Gi1",
            "",
            "9223372036854775807",
            "9223372036854775808",
            "1000000000000000000000",
        ]
        .map(Value::from)
        .into_iter()
        .chain([json!(0), json!(-1), json!(1.5), json!(1e21)])
        .collect(),
        "duration" => ["", "0s", "-1s", "1d", "5"].map(Value::from).into(),
        "time" => ["", "2024-01-31", "0001-01-01T00:00:00Z"]
            .map(Value::from)
            .into(),
        "bytes" => ["", "a", "==", "aGVsbG8"].map(Value::from).into(),
        "intOrString" => vec![
            json!(0),
            json!(-1),
            json!(65_536),
            json!(""),
            json!("80"),
            json!("1%"),
        ],
        "bool" => vec![json!(false), json!(true)],
        "any" => vec![json!([]), json!(""), json!({"a": null})],
        _ => vec![
            json!(""),
            json!(" "),
            json!("A_b"),
            json!("é"),
            json!("a".repeat(63)),
            json!("a".repeat(64)),
            json!("a".repeat(253)),
            json!("a".repeat(254)),
            json!("%s"),
            json!("a/b/c"),
        ],
    };
    for (key, steps) in [("minimum", [-1, 0]), ("maximum", [0, 1])] {
        if let Some(limit) = limit(form, key) {
            pool = steps.iter().map(|step| json!(limit + step)).collect();
        }
    }
    for (key, steps) in [("minLength", [-1, 0]), ("maxLength", [0, 1])] {
        if let Some(limit) = limit(form, key) {
            let text = |step| "/".repeat(usize::try_from(limit + step).unwrap_or(0));
            pool.extend(steps.iter().map(|step| json!(text(*step))));
        }
    }
    let words = words_of(form);
    if let Some(word) = words.first().and_then(Value::as_str) {
        // A word in another case is another word.
        pool = vec![
            json!(""),
            json!(word.to_lowercase()),
            json!(word.to_uppercase()),
            json!("Other"),
        ];
    }
    dice.pick(&pool).clone()
}

/// A value of another type, or none.
pub(super) fn other_type(dice: &mut Dice, of: &str) -> Value {
    let pool = [
        json!(null),
        json!(null),
        json!("1"),
        json!("true"),
        json!("yes"),
        json!(1),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!({"a": "b"}),
    ];
    let fits = |value: &Value| match of {
        "bool" => value.is_boolean(),
        "string" => value.is_string(),
        "quantity" | "intOrString" => value.is_string() || value.is_number(),
        "any" => false,
        of if of.starts_with("[]") => value.is_array(),
        of if of.starts_with("map[]") || of.contains('.') => value.is_object(),
        of if of.contains("int") => value.is_number(),
        _ => value.is_string(),
    };
    let pool: Vec<_> = pool.into_iter().filter(|value| !fits(value)).collect();
    dice.pick(&pool).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(of: &str, field: &str, form: &Form) -> Vec<Value> {
        let mut dice = Dice::new(1);
        (0..2000)
            .map(|_| scalar(&mut dice, of, field, form))
            .collect()
    }

    #[test]
    fn numbers_reach_every_edge_of_every_width() {
        let values = many("uint32", "cores", &Form::new());
        for edge in [
            json!(0),
            json!(-1),
            json!(2_147_483_648_i64),
            json!(4_294_967_296_i64),
            json!(null),
            json!("1"),
            json!(1.5),
        ] {
            assert!(values.contains(&edge), "{edge}");
        }
        let valid = values.iter().filter(|value| {
            value
                .as_i64()
                .is_some_and(|number| [1, 2, 3, 4, 8, 16, 64, 512, 4096].contains(&number))
        });
        assert!(valid.count() > 1300);
    }

    #[test]
    fn limits_are_tried_on_both_sides() {
        let form = Form::from([("limits".to_owned(), json!({"minimum": 10, "maximum": 100}))]);
        let values = many("int64", "percent", &form);
        for edge in [json!(10), json!(100), json!(101)] {
            assert!(values.contains(&edge), "{edge}");
        }
    }

    #[test]
    fn listed_words_come_with_near_misses() {
        let form = Form::from([("enum".to_owned(), json!(["Exists", "Equal"]))]);
        let values = many("string", "operator", &form);
        for word in ["Exists", "Equal", "", "exists", "Other"] {
            assert!(values.contains(&json!(word)), "{word}");
        }
        // A word's field is told by the end of its name.
        assert!(many("string", "preferredDiskBus", &Form::new()).contains(&json!("sata")));
    }

    #[test]
    fn quantities_come_in_odd_spellings() {
        let values = many("quantity", "guest", &Form::new());
        for spelling in [
            json!("1.5Gi"),
            json!("1e3"),
            json!(" 1Gi"),
            json!("-1Gi"),
            json!(1.5),
        ] {
            assert!(values.contains(&spelling), "{spelling}");
        }
    }

    #[test]
    fn another_type_never_fits() {
        let mut dice = Dice::new(3);
        for _ in 0..200 {
            assert!(!other_type(&mut dice, "bool").is_boolean());
            assert!(!other_type(&mut dice, "[]v1.Disk").is_array());
            assert!(!other_type(&mut dice, "v1.CPU").is_object());
            assert!(!other_type(&mut dice, "int32").is_number());
        }
    }
}
