//! Proof by expanding: a preference may be rewritten where every VM expands to what it expanded to before.

use serde_json::json;

use super::sight::in_sight;
use super::{ToUpgrade, is_vm};
use crate::catalog::Catalog;
use crate::field_path::FieldPath;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::stored::{GROUP, LATEST};
use crate::transform::expand::expand_stored;
use crate::yaml::Node;

/// What expanding both forms showed.
pub(super) enum Proof {
    /// Every VM stays the same, those made up for the proof too.
    Same,
    /// The VMs here stay the same; one made up does not: says what it sets.
    SameHere(&'static str),
    /// Something would change: says whom.
    Differs(String),
}

/// The VMs that use each preference.
pub(super) struct Users<'a, 'r> {
    judged: &'r [ToUpgrade<'a, 'r>],
    found: Option<Vec<User<'a, 'r>>>,
}

struct User<'a, 'r> {
    resolver: &'r Resolver<'a>,
    vm: &'a Resource,
    preference: &'a Resource,
}

/// Name of the instance type made up for the proof.
const PROBE: &str = "driftless-proof";

/// VMs that bring out what a preference's topology and firmware fields do, and what each sets by itself.
const PROBES: &[(&str, &str)] = &[
    ("that sets no bootloader", "{}"),
    ("with `efi: {}`", r#"{"bootloader":{"efi":{}}}"#),
    (
        "with `efi: {secureBoot: false}`",
        r#"{"bootloader":{"efi":{"secureBoot":false}}}"#,
    ),
    (
        "with `efi: {secureBoot: true}`",
        r#"{"bootloader":{"efi":{"secureBoot":true}}}"#,
    ),
    ("with `bios: {}`", r#"{"bootloader":{"bios":{}}}"#),
    ("with a firmware uuid only", r#"{"uuid":"u"}"#),
];

impl<'a, 'r> Users<'a, 'r> {
    pub(super) const fn new(judged: &'r [ToUpgrade<'a, 'r>]) -> Self {
        Self {
            judged,
            found: None,
        }
    }

    /// Whether VMs expand alike with both forms of a preference.
    pub(super) fn prove(&mut self, preference: &Resource, before: &Node, after: &Node) -> Proof {
        let judged = self.judged;
        let users = self.found.get_or_insert_with(|| find(judged));
        let mut used = false;
        for user in users.iter() {
            if !std::ptr::eq(user.preference, preference) {
                continue;
            }
            used = true;
            let namespace = user.vm.namespace_or(&user.resolver.target().namespace);
            let same = alike(
                user.resolver,
                &user.vm.node,
                namespace,
                preference,
                before,
                after,
            );
            if !same {
                return Proof::Differs(user.vm.id.to_string());
            }
        }
        let Some((resolver, _)) = judged
            .iter()
            .find(|(_, resource)| std::ptr::eq(*resource, preference))
        else {
            return Proof::Same;
        };
        for (sets, firmware) in PROBES {
            for instancetype in [false, true] {
                let vm = probe(preference, firmware, instancetype);
                let namespace = preference.namespace_or(&resolver.target().namespace);
                if !alike(resolver, &vm, namespace, preference, before, after) {
                    return if used {
                        Proof::SameHere(sets)
                    } else {
                        Proof::Differs(format!("a VM {sets}"))
                    };
                }
            }
        }
        Proof::Same
    }
}

/// The VMs in sight, whether they are upgraded or not.
fn find<'a, 'r>(judged: &'r [ToUpgrade<'a, 'r>]) -> Vec<User<'a, 'r>> {
    let mut users = Vec::new();
    for (resolver, vm) in in_sight(judged).filter(|(_, resource)| is_vm(resource)) {
        let namespace = vm.namespace_or(&resolver.target().namespace);
        if let Ok(Some(resolved)) = resolver.resolve_preference(&vm.node, namespace) {
            users.push(User {
                resolver,
                vm,
                preference: resolved.resource,
            });
        }
    }
    users
}

fn alike(
    resolver: &Resolver,
    vm: &Node,
    namespace: &str,
    preference: &Resource,
    before: &Node,
    after: &Node,
) -> bool {
    let expanded = |form: &Node| {
        let mut form = form.clone();
        form.set("apiVersion", Node::string(format!("{GROUP}/{LATEST}")));
        let resources = [form, Node::from_json(&probe_instancetype())]
            .into_iter()
            .filter_map(|node| {
                Resource::from_node(node, preference.file, 0, FieldPath::root()).ok()
            });
        let first = Catalog::new(resources.collect());
        let mut catalogs = vec![&first];
        catalogs.extend(resolver.catalogs());
        expand_stored(vm, namespace, &Resolver::new(resolver.target(), catalogs))
            .map_err(|error| error.to_string())
    };
    match (expanded(before), expanded(after)) {
        (Ok(before), Ok(after)) => before.same_value(&after),
        (Err(before), Err(after)) => before == after,
        _ => false,
    }
}

fn probe_instancetype() -> serde_json::Value {
    json!({
        "apiVersion": format!("{GROUP}/{LATEST}"),
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": PROBE},
        "spec": {"cpu": {"guest": 12}, "memory": {"guest": "1Gi"}},
    })
}

fn probe(preference: &Resource, firmware: &str, instancetype: bool) -> Node {
    let firmware: serde_json::Value = serde_json::from_str(firmware).unwrap_or_default();
    let mut vm = json!({
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": PROBE},
        "spec": {
            "preference": {"kind": preference.id.kind.as_str(), "name": preference.id.name.as_str()},
            "template": {"spec": {"domain": {"firmware": firmware, "devices": {}}}},
        },
    });
    if instancetype {
        vm["spec"]["instancetype"] =
            json!({"kind": "VirtualMachineClusterInstancetype", "name": PROBE});
    }
    Node::from_json(&vm)
}
