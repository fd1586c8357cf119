//! Random inputs: a virtual machine that a cluster would accept, the types that it names, and random fields set in each.
//! It is long because the shape of each part of an input is written out.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

use super::Family;
use super::values::{self, Dice};
use crate::release::Release;
use crate::table::{Column, Form, Table, bare};

/// How deep a struct is filled when a field is set to one.
const DEPTH: usize = 3;

/// Feature gates that a configuration may list.
const GATES: &[&str] = &[
    "HotplugVolumes",
    "DeclarativeHotplugVolumes",
    "GPU",
    "HostDevices",
    "HostDisk",
    "Sidecar",
    "NUMA",
    "CPUManager",
    "WorkloadEncryptionSEV",
    "VSOCK",
    "Snapshot",
    "ExperimentalIgnitionSupport",
    "NoSuchGate",
];

/// Makes inputs, one after the other.
pub(super) struct Generator {
    column: Column,
    /// How much there is to set below each struct, so that what lies deep is reached as well as what lies high.
    weights: BTreeMap<String, usize>,
    dice: Dice,
}

impl Generator {
    /// The inputs of a seed, with the fields of a release.
    pub(super) fn new(table: &Table, release: Release, seed: u64) -> anyhow::Result<Self> {
        if !table.releases.lines().any(|known| known == release) {
            bail!("schemas/fields.json was not read from {release}");
        }
        let column = table.column(release);
        for needed in [VM_SPEC, INSTANCETYPE_SPEC, PREFERENCE_SPEC] {
            column
                .get(needed)
                .with_context(|| format!("schemas/fields.json has no {needed}"))?;
        }
        Ok(Self {
            weights: weights(&column),
            column,
            dice: Dice::new(seed),
        })
    }

    /// The next input of a family.
    pub(super) fn input(&mut self, family: Family) -> Value {
        match family {
            Family::AdmitObject => json!({"object": self.object()}),
            Family::LiveUpdate => self.update(),
            Family::Admit | Family::Mutate | Family::Expand | Family::Start => self.machine(family),
        }
    }

    /// An instance type or a preference.
    fn object(&mut self) -> Value {
        let mut vm = json!({"spec": {"template": {"spec": {"domain": {}}}}});
        if self.dice.chance(50) {
            self.instancetype(&mut vm)
        } else {
            self.named(&mut vm, "preference", "pr", PREFERENCE_SPEC, json!({}))
        }
    }

    fn instancetype(&mut self, vm: &mut Value) -> Value {
        let spec = json!({"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}});
        self.named(vm, "instancetype", "it", INSTANCETYPE_SPEC, spec)
    }

    /// A virtual machine, what it names, and a change of it.
    fn update(&mut self) -> Value {
        let mut machine = self.machine(Family::LiveUpdate);
        let mut objects = machine["objects"].take();
        let old = match objects.as_array_mut() {
            Some(objects) if !objects.is_empty() => objects.remove(0),
            _ => Value::Null,
        };
        let mut new = old.clone();
        let count = 1 + self.dice.below(3);
        self.change(&mut new["spec"], VM_SPEC, count);
        json!({"config": machine["config"], "old": old, "new": new, "objects": objects})
    }

    /// A virtual machine with the types that it names.
    fn machine(&mut self, family: Family) -> Value {
        // An expansion without a type to expand says little.
        let typed = if family == Family::Expand { 90 } else { 35 };
        let mut vm = self.virtual_machine();
        let mut others = Vec::new();
        if self.dice.chance(typed) {
            others.push(self.instancetype(&mut vm));
        }
        if self.dice.chance(typed) {
            others.push(self.named(&mut vm, "preference", "pr", PREFERENCE_SPEC, json!({})));
        }
        let count = self.dice.below(6);
        self.change(&mut vm["spec"], VM_SPEC, count);
        let mut objects = vec![vm];
        objects.append(&mut others);
        json!({"config": self.config(), "objects": objects})
    }

    /// A virtual machine whose disks have volumes and whose interfaces have networks.
    fn virtual_machine(&mut self) -> Value {
        let mut disks = Vec::new();
        let mut volumes = Vec::new();
        for at in 0..self.dice.below(4) {
            let name = format!("vol{at}");
            let mut disk = Map::new();
            disk.insert("name".to_owned(), json!(name));
            if self.dice.chance(70) {
                let target = *self.dice.pick(&["disk", "disk", "cdrom", "lun"]);
                let bus = *self.dice.pick(&["virtio", "sata", "scsi"]);
                disk.insert(target.to_owned(), json!({"bus": bus}));
            }
            disks.push(Value::Object(disk));
            let sources = [
                json!({"containerDisk": {"image": "registry.example/disk:v1"}}),
                json!({"persistentVolumeClaim": {"claimName": format!("claim{at}")}}),
                json!({"dataVolume": {"name": format!("dv{at}")}}),
                json!({"cloudInitNoCloud": {"userData": "#cloud-config\n"}}),
                json!({"emptyDisk": {"capacity": "1Gi"}}),
            ];
            let mut volume = self.dice.pick(&sources).clone();
            volume["name"] = json!(name);
            volumes.push(volume);
        }
        let mut interfaces = Vec::new();
        let mut networks = Vec::new();
        for at in 0..self.dice.below(3) {
            let name = if at == 0 {
                "default".to_owned()
            } else {
                format!("net{at}")
            };
            if at == 0 {
                interfaces.push(json!({"name": name, "masquerade": {}}));
                networks.push(json!({"name": name, "pod": {}}));
            } else {
                interfaces.push(json!({"name": name, "bridge": {}}));
                networks.push(json!({"name": name, "multus": {"networkName": name}}));
            }
        }
        let devices = json!({"disks": disks, "interfaces": interfaces});
        let mut domain = json!({"devices": devices});
        if self.dice.chance(60) {
            domain["memory"] = json!({"guest": *self.dice.pick(&["64Mi", "1Gi", "2Gi"])});
        } else {
            domain["resources"] = json!({"requests": {"memory": "1Gi"}});
        }
        let strategy = *self.dice.pick(&["Always", "Halted", "Manual"]);
        json!({
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "vm", "namespace": "vms"},
            "spec": {
                "runStrategy": strategy,
                "template": {"spec": {"domain": domain, "networks": networks, "volumes": volumes}},
            },
        })
    }

    /// A type that the virtual machine names, with random fields.
    fn named(
        &mut self,
        vm: &mut Value,
        matcher: &str,
        name: &str,
        spec_type: &str,
        mut spec: Value,
    ) -> Value {
        // The memory of a machine and that of its type would be in each other's way in every case.
        if matcher == "instancetype" && self.dice.chance(80) {
            let domain = &mut vm["spec"]["template"]["spec"]["domain"];
            if let Some(domain) = domain.as_object_mut() {
                domain.remove("memory");
                domain.remove("resources");
            }
        }
        let count = 1 + self.dice.below(5);
        self.change(&mut spec, spec_type, count);
        let is_namespaced = self.dice.chance(40);
        let bare = if matcher == "instancetype" {
            "Instancetype"
        } else {
            "Preference"
        };
        let cluster = if is_namespaced { "" } else { "Cluster" };
        let kind = format!("VirtualMachine{cluster}{bare}");
        let mut reference = json!({"name": name});
        if is_namespaced || self.dice.chance(50) {
            reference["kind"] = if self.dice.chance(30) {
                json!(kind.to_lowercase())
            } else {
                json!(kind)
            };
        }
        vm["spec"][matcher] = reference;
        let mut metadata = json!({"name": name, "generation": 1});
        metadata["uid"] = json!(format!(
            "00000000-0000-4000-8000-00000000000{}",
            u8::from(matcher == "preference")
        ));
        if is_namespaced {
            metadata["namespace"] = json!("vms");
        }
        json!({
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": kind,
            "metadata": metadata,
            "spec": spec,
        })
    }

    /// The cluster's configuration.
    fn config(&mut self) -> Value {
        let mut config = Map::new();
        if self.dice.chance(40) {
            let count = 1 + self.dice.below(4);
            let gates: Vec<_> = (0..count).map(|_| *self.dice.pick(GATES)).collect();
            config.insert(
                "developerConfiguration".to_owned(),
                json!({"featureGates": gates}),
            );
        }
        let settings = [
            ("evictionStrategy", json!("LiveMigrate")),
            ("vmRolloutStrategy", json!("Stage")),
            ("vmRolloutStrategy", json!("LiveUpdate")),
            ("cpuRequest", json!("100m")),
            ("liveUpdateConfiguration", json!({"maxGuest": "32Gi"})),
            ("liveUpdateConfiguration", json!({"maxCpuSockets": 8})),
            ("network", json!({"defaultNetworkInterface": "masquerade"})),
            (
                "network",
                json!({"permitBridgeInterfaceOnPodNetwork": false}),
            ),
        ];
        for (key, value) in settings {
            if self.dice.chance(6) {
                config.insert(key.to_owned(), value);
            }
        }
        Value::Object(config)
    }

    /// Sets some random fields below a struct.
    fn change(&mut self, node: &mut Value, type_name: &str, count: usize) {
        for _ in 0..count {
            self.change_one(node, type_name);
        }
    }

    /// Goes down from a struct by random fields, into what is there where something is, and sets the last.
    fn change_one(&mut self, node: &mut Value, type_name: &str) {
        let Some((field, form)) = self.random_field(type_name) else {
            return;
        };
        let of = type_of(&form);
        let inner = bare(&of).to_owned();
        let is_struct = self.column.contains_key(&inner);
        let Some(map) = node.as_object_mut() else {
            return;
        };
        if !is_struct || self.dice.chance(10) {
            let value = self.value(&of, &field, &form, 0);
            map.insert(field, value);
            return;
        }
        if of.starts_with("map[]") {
            let value = self.value(&of, &field, &form, 0);
            map.insert(field, value);
        } else if of.starts_with("[]") {
            let list = map.entry(field).or_insert_with(|| json!([]));
            let Some(items) = list.as_array_mut() else {
                return;
            };
            if items.is_empty() || self.dice.chance(15) {
                items.push(self.filled(&inner, 1));
            } else if self.dice.chance(8) {
                // The same once more: names and keys are to be unique.
                let again = self.dice.pick(items).clone();
                items.push(again);
            } else {
                let at = self.dice.below(items.len());
                self.change_one(&mut items[at], &inner);
            }
        } else {
            let inside = map.entry(field).or_insert_with(|| json!({}));
            self.change_one(inside, &inner);
        }
    }

    fn random_field(&mut self, type_name: &str) -> Option<(String, Form)> {
        let fields: Vec<_> = self
            .column
            .get(type_name)?
            .iter()
            .filter(|(name, _)| !SERVERS.contains(&name.as_str()))
            .collect();
        if fields.is_empty() {
            return None;
        }
        let weight = |form: &Form| {
            let below = self.weights.get(bare(&type_of(form)));
            below.map_or(1, |below| below.isqrt().max(1))
        };
        let total = fields.iter().map(|(_, form)| weight(form)).sum();
        let mut at = self.dice.below(total);
        let (name, form) = fields.into_iter().find(|(_, form)| {
            let weight = weight(form);
            let is_here = at < weight;
            at = at.saturating_sub(weight);
            is_here
        })?;
        Some((name.clone(), form.clone()))
    }

    /// A random value of a type.
    fn value(&mut self, of: &str, field: &str, form: &Form, depth: usize) -> Value {
        let inner = of.strip_prefix("[]").or_else(|| of.strip_prefix("map[]"));
        if (inner.is_some() || self.column.contains_key(of)) && self.dice.chance(6) {
            return values::other_type(&mut self.dice, of);
        }
        if let Some(inner) = of.strip_prefix("[]") {
            let most = form
                .get("limits")
                .and_then(|limits| limits.get("maxItems"))
                .and_then(Value::as_u64)
                .and_then(|most| usize::try_from(most).ok());
            let count = match most {
                Some(most) if self.dice.chance(3) => most + self.dice.below(2),
                _ => self.dice.below(3),
            };
            return (0..count)
                .map(|_| self.value(inner, field, form, depth + 1))
                .collect();
        }
        if let Some(inner) = of.strip_prefix("map[]") {
            let count = self.dice.below(3);
            let keys = ["cpu", "memory", "example.com/a", "kubevirt.io/b", "", "A b"];
            let entries = (0..count).map(|_| {
                let key = (*self.dice.pick(&keys)).to_owned();
                (key, self.value(inner, field, form, depth + 1))
            });
            return Value::Object(entries.collect());
        }
        if self.column.contains_key(of) {
            return self.filled(of, depth + 1);
        }
        values::scalar(&mut self.dice, of, field, form)
    }

    /// A struct with its required fields and a few others.
    fn filled(&mut self, type_name: &str, depth: usize) -> Value {
        let fields = self.column.get(type_name).cloned().unwrap_or_default();
        let mut map = Map::new();
        for (name, form) in &fields {
            let is_required = form.contains_key("required");
            let wanted = if is_required { 95 } else { 12 };
            if SERVERS.contains(&name.as_str()) || !self.dice.chance(wanted) {
                continue;
            }
            let of = type_of(form);
            let value = if depth >= DEPTH && self.column.contains_key(bare(&of)) {
                if !is_required {
                    continue;
                }
                if of.starts_with("[]") {
                    json!([])
                } else {
                    json!({})
                }
            } else {
                self.value(&of, name, form, depth)
            };
            map.insert(name.clone(), value);
        }
        Value::Object(map)
    }
}

/// The fields below each struct, down to the depth that the API has.
fn weights(column: &Column) -> BTreeMap<String, usize> {
    let mut weights: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..8 {
        let below = |form: &Form| weights.get(bare(&type_of(form))).copied().unwrap_or(1);
        weights = column
            .iter()
            .map(|(name, fields)| {
                (
                    name.clone(),
                    fields.values().map(below).sum::<usize>().min(10_000),
                )
            })
            .collect();
    }
    weights
}

const VM_SPEC: &str = "v1.VirtualMachineSpec";
const INSTANCETYPE_SPEC: &str = "v1beta1.VirtualMachineInstancetypeSpec";
const PREFERENCE_SPEC: &str = "v1beta1.VirtualMachinePreferenceSpec";

/// What the API server writes, and the kind of what is nested.
const SERVERS: &[&str] = &["status", "managedFields", "creationTimestamp", "apiVersion"];

fn type_of(form: &Form) -> String {
    form.get("type")
        .and_then(Value::as_str)
        .unwrap_or("any")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"{"releases":[{"kubevirt":"1.1","tag":"v1.1.1"},{"kubevirt":"1.2","tag":"v1.2.0"}],"types":{
        "v1.VirtualMachineSpec":{"runStrategy":{"type":"string"},"template":{"type":"v1.Template","required":true}},
        "v1.Template":{"spec":{"type":"v1.Spec"}},
        "v1.Spec":{"volumes":{"type":"[]v1.Volume"},"newer":{"since":"1.2","type":"uint32"},"labels":{"type":"map[]string"}},
        "v1.Volume":{"name":{"type":"string","required":true},"size":{"type":"quantity"},"self":{"type":"v1.Volume"}},
        "v1beta1.VirtualMachineInstancetypeSpec":{"memory":{"type":"quantity"}},
        "v1beta1.VirtualMachinePreferenceSpec":{"bus":{"type":"string"}}}}"#;

    fn inputs(release: &str, seed: u64, family: Family) -> Vec<Value> {
        let table = Table::parse(TABLE).unwrap();
        let mut generator = Generator::new(&table, release.parse().unwrap(), seed).unwrap();
        (0..400).map(|_| generator.input(family)).collect()
    }

    #[test]
    fn a_seed_makes_the_same_inputs_and_another_makes_others() {
        let first = inputs("1.2", 7, Family::Admit);
        assert_eq!(first, inputs("1.2", 7, Family::Admit));
        assert_ne!(first, inputs("1.2", 8, Family::Admit));
    }

    #[test]
    fn an_input_has_the_fields_of_its_release_alone() {
        let has = |release| {
            let inputs = inputs(release, 1, Family::Admit);
            inputs
                .iter()
                .any(|input| input.to_string().contains("\"newer\""))
        };
        assert!(has("1.2") && !has("1.1"));
        let table = Table::parse(TABLE).unwrap();
        assert!(Generator::new(&table, "1.3".parse().unwrap(), 1).is_err());
    }

    #[test]
    fn a_named_type_is_among_the_objects() {
        let mut typed = 0;
        for input in inputs("1.2", 1, Family::Expand) {
            let objects = input["objects"].as_array().unwrap();
            assert_eq!(objects[0]["kind"], "VirtualMachine");
            for other in &objects[1..] {
                let kind = other["kind"].as_str().unwrap();
                assert_eq!(
                    kind.contains("Cluster"),
                    other["metadata"].get("namespace").is_none()
                );
                typed += 1;
            }
        }
        assert!(typed > 600, "{typed}");
    }

    #[test]
    fn a_change_has_two_machines_of_one_name_and_their_objects_apart() {
        let inputs = inputs("1.2", 1, Family::LiveUpdate);
        let differ = inputs.iter().filter(|input| input["old"] != input["new"]);
        assert!(differ.count() > 300);
        for input in &inputs {
            assert_eq!(input["old"]["metadata"], input["new"]["metadata"]);
            assert_eq!(input["old"]["kind"], "VirtualMachine");
            let objects = input["objects"].as_array().unwrap();
            assert!(
                objects
                    .iter()
                    .all(|object| object["kind"] != "VirtualMachine")
            );
        }
    }

    #[test]
    fn an_object_is_an_instance_type_or_a_preference() {
        let inputs = inputs("1.2", 1, Family::AdmitObject);
        let of = |word: &str| {
            let kinds = inputs.iter().map(|input| &input["object"]["kind"]);
            kinds
                .filter(|kind| kind.as_str().unwrap().ends_with(word))
                .count()
        };
        let (types, preferences) = (of("Instancetype"), of("Preference"));
        assert_eq!(types + preferences, inputs.len());
        assert!(types > 100 && preferences > 100, "{types} {preferences}");
    }

    #[test]
    fn a_field_with_much_below_it_is_chosen_more_often() {
        let table = Table::parse(TABLE).unwrap();
        let mut generator = Generator::new(&table, "1.2".parse().unwrap(), 1).unwrap();
        let chosen = (0..1000).filter(|_| {
            let (name, _) = generator.random_field(VM_SPEC).unwrap();
            name == "template"
        });
        let chosen = chosen.count();
        // Half of the two fields, were they alike.
        assert!((650..1000).contains(&chosen), "{chosen}");
    }

    #[test]
    fn lists_are_changed_inside_lengthened_and_repeated() {
        let inputs = inputs("1.2", 1, Family::Admit);
        let volumes: Vec<&Vec<Value>> = inputs
            .iter()
            .filter_map(|input| {
                input["objects"][0]["spec"]["template"]["spec"]["volumes"].as_array()
            })
            .collect();
        let names = |of: &[Value]| -> Vec<String> {
            of.iter().map(|volume| volume["name"].to_string()).collect()
        };
        assert!(
            volumes
                .iter()
                .any(|of| of.iter().any(|volume| volume.get("size").is_some()))
        );
        assert!(volumes.iter().any(|of| {
            let names = names(of);
            names
                .iter()
                .any(|name| names.iter().filter(|other| *other == name).count() > 1)
        }));
    }
}
