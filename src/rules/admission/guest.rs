//! The guest a VM describes, as the webhook's checks see it: instance type, preference and defaults applied.

use std::cmp::Ordering;
use std::ops::Deref;

use crate::field_path::{FieldPath, Segment};
use crate::release::{Behaviour, Release};
use crate::resource::cluster::ClusterConfig;
use crate::resource::quantity::{Quantity, QuantityFormat};
use crate::yaml::Node;

/// A VM template with the cluster it is for. Trees are in Go-normal form: a pointer field is there or it is nil.
#[derive(Clone, Copy, Debug)]
pub struct AdmittedGuest<'a> {
    /// `spec` of the `VirtualMachine`; nothing where the guest is an instance.
    pub vm: &'a Node,
    /// `spec.template.spec` of the `VirtualMachine`, or `spec` of the instance.
    pub spec: &'a Node,
    /// What has the guest's metadata beside its spec.
    holder: &'a Node,
    /// Where the two lie.
    base: GuestPaths,
    /// The release whose webhook answers.
    pub release: Release,
    /// The cluster's configuration.
    pub config: &'a ClusterConfig,
}

/// The places by which a webhook names the parts of a guest.
#[derive(Clone, Copy, Debug)]
struct GuestPaths {
    spec: &'static str,
    metadata: &'static str,
    /// The VM's spec.
    vm: &'static str,
}

/// As the webhooks of virtual machines and replica sets name them.
const TEMPLATE: GuestPaths = GuestPaths {
    spec: "spec.template.spec",
    metadata: "spec.template.metadata",
    vm: "spec",
};

/// As the webhook of instances names them.
const INSTANCE: GuestPaths = GuestPaths {
    spec: "spec",
    metadata: "metadata",
    vm: "spec",
};

/// What checks look at when the VM has no template.
static NOTHING: Node = Node::map();

impl<'a> AdmittedGuest<'a> {
    /// The guest of a `VirtualMachine`.
    pub fn new(vm: &'a Node, release: Release, config: &'a ClusterConfig) -> Self {
        let spec = vm.get("spec").unwrap_or(&NOTHING);
        let holder = spec.get("template").unwrap_or(&NOTHING);
        Self {
            vm: spec,
            spec: holder.get("spec").unwrap_or(&NOTHING),
            holder,
            base: TEMPLATE,
            release,
            config,
        }
    }

    /// The guest that is a `VirtualMachineInstance`.
    pub fn of_instance(vmi: &'a Node, release: Release, config: &'a ClusterConfig) -> Self {
        Self {
            vm: &NOTHING,
            spec: vmi.get("spec").unwrap_or(&NOTHING),
            holder: vmi,
            base: INSTANCE,
            release,
            config,
        }
    }

    /// A part of the guest's metadata: `labels`.
    pub fn metadata(self, part: &str) -> Option<&'a Node> {
        self.holder.get("metadata")?.get(part)
    }

    /// The path of a part of the guest's metadata.
    pub fn metadata_at(self, part: &str) -> FieldPath {
        FieldPath::from(self.base.metadata).field(part)
    }

    /// The path of the guest's spec.
    pub fn place(self) -> FieldPath {
        FieldPath::from(self.base.spec)
    }

    /// The path of a field of the guest: that of its spec and the keys, plain and dotted.
    pub fn at(self, keys: &str) -> FieldPath {
        let mut path = FieldPath::with_capacity(8);
        for key in self.base.spec.split('.').chain(keys.split('.')) {
            path.push(Segment::Field(key.into()));
        }
        path
    }

    /// The items of a list with their paths: `domain.devices.disks`, `volumes`.
    pub fn each(self, list: &'static str) -> impl Iterator<Item = Item<'a>> {
        Item::all(self.base.spec, list, self.items(list))
    }

    /// The VM's DataVolume templates with their paths.
    pub fn templates(self) -> impl Iterator<Item = Item<'a>> {
        let list = "dataVolumeTemplates";
        Item::all(self.base.vm, list, self.vm.items_at(list))
    }

    /// The text of an annotation of the template; empty when absent.
    pub fn annotation(self, key: &str) -> &'a str {
        let annotations = self.metadata("annotations");
        let value = annotations.and_then(|annotations| annotations.get(key));
        value.and_then(Node::as_str).unwrap_or_default()
    }

    /// Whether the field is there.
    pub fn has(self, path: &str) -> bool {
        self.spec.path(path).is_some()
    }

    /// The text of a field; empty when absent.
    pub fn str(self, path: &str) -> &'a str {
        self.spec.str_at(path)
    }

    /// The truth of a field; false when absent.
    pub fn is(self, path: &str) -> bool {
        self.spec.bool_at(path)
    }

    /// The number of a field; zero when absent.
    pub fn int(self, path: &str) -> i64 {
        self.spec.int_at(path)
    }

    /// The items of a list; none when absent.
    pub fn items(self, path: &str) -> &'a [Node] {
        self.spec.items_at(path)
    }

    /// The amount of a field; zero when absent.
    pub(crate) fn amount(self, path: &str) -> Quantity {
        self.spec
            .path(path)
            .and_then(amount)
            .unwrap_or_else(|| Quantity::from_value(0, QuantityFormat::DecimalSI))
    }

    /// `spec.domain.devices.disks` and the like.
    pub fn devices(self, kind: &str) -> &'a [Node] {
        self.spec
            .path("domain.devices")
            .map(|devices| devices.items_at(kind))
            .unwrap_or_default()
    }

    /// The volumes of the guest.
    pub fn volumes(self) -> &'a [Node] {
        self.items("volumes")
    }

    /// The volume of that name; the last, where several have it.
    pub fn volume(self, name: &str) -> Option<&'a Node> {
        self.volumes().iter().rfind(|volume| named(volume, name))
    }

    /// The network of that name; the last, where several have it.
    pub fn network(self, name: &str) -> Option<&'a Node> {
        self.items("networks")
            .iter()
            .rfind(|network| named(network, name))
    }

    /// Whether the interface's network is the pod network.
    pub fn on_pod_network(self, interface: &Node) -> bool {
        let network = self.network(interface.str_at("name"));
        network.is_some_and(|network| network.get("pod").is_some())
    }

    /// Whether the release behaves so.
    pub fn does(self, behaviour: Behaviour) -> bool {
        self.release.has(behaviour)
    }

    /// Whether the feature gate is on.
    pub fn gate(self, name: &str) -> bool {
        self.config.gate_enabled(name, self.release)
    }

    /// Whether sockets and memory of running guests may change.
    pub fn live_update(self) -> bool {
        self.config.rolls_out_live(self.release)
    }

    /// The guest's architecture, or the cluster's default.
    pub fn architecture(self) -> &'a str {
        match self.str("architecture") {
            "" => self.config.default_architecture(),
            architecture => architecture,
        }
    }
}

/// An item of one of the VM's lists; it reads like its node.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// What the list belongs to: `spec.template.spec`.
    base: &'static str,
    /// The list, below that.
    list: &'static str,
    /// Its place in the list.
    pub index: usize,
    /// What it says.
    pub node: &'a Node,
}

impl<'a> Item<'a> {
    fn all(
        base: &'static str,
        list: &'static str,
        items: &'a [Node],
    ) -> impl Iterator<Item = Self> {
        let items = items.iter().enumerate();
        items.map(move |(index, node)| Self {
            base,
            list,
            index,
            node,
        })
    }

    /// The path of what the list belongs to.
    pub fn base(self) -> FieldPath {
        FieldPath::from(self.base)
    }

    /// Its path.
    pub fn place(self) -> FieldPath {
        let mut path = FieldPath::with_capacity(10);
        for key in self.base.split('.').chain(self.list.split('.')) {
            path.push(Segment::Field(key.into()));
        }
        path.push(Segment::Index(self.index));
        path
    }

    /// Its path as some of KubeVirt's causes have it: with the path of the list twice.
    pub fn doubled_place(self) -> FieldPath {
        FieldPath::from(self.base)
            .then(self.list)
            .then(self.list)
            .index(self.index)
    }

    /// The path of one of its fields: the keys, plain and dotted.
    pub fn at(self, keys: &str) -> FieldPath {
        self.place().then(keys)
    }
}

impl Deref for Item<'_> {
    type Target = Node;

    fn deref(&self) -> &Node {
        self.node
    }
}

/// The amount a node holds.
pub(crate) fn amount(node: &Node) -> Option<Quantity> {
    Quantity::from_node(node)
}

/// Whether the item's `name` is that.
pub fn named(item: &Node, name: &str) -> bool {
    item.str_at("name") == name
}

/// How many of the keys are there.
pub fn count(node: &Node, keys: &[&str]) -> usize {
    keys.iter().filter(|key| node.get(key).is_some()).count()
}

/// Whether an optional switch that is on by default is on: the struct is there, and not `enabled: false`.
pub(crate) fn switched_on(node: Option<&Node>) -> bool {
    node.is_some_and(|node| node.get("enabled").and_then(Node::as_bool) != Some(false))
}

/// How an amount compares to a bare number.
pub fn against(amount: &Quantity, bytes: i64) -> Ordering {
    amount.cmp(&Quantity::from_value(bytes, QuantityFormat::DecimalSI))
}
