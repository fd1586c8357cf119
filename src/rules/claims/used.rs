//! The claims that guests use.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::rules::Context;
use crate::rules::guests::{GuestSpec, guests};
use crate::update::volumes;
use crate::yaml::Node;

/// A claim by namespace and name. A DataVolume and its claim have one name.
pub(super) type ClaimName = (SmolStr, SmolStr);

/// A claim's name in a manifest.
#[derive(Clone, Debug)]
pub(super) struct ClaimUse<'a> {
    /// The resource that names it.
    pub(super) resource: &'a Resource,
    /// The field that names it.
    pub(super) field: FieldPath,
    /// Whether the virtual machine makes the claim from a template of its own.
    pub(super) is_own: bool,
    /// Whether several guests are made of the resource, all with this claim.
    pub(super) is_of_many: bool,
}

impl ClaimUse<'_> {
    /// Of all the uses of one claim, another one than that at `at`, and how many there are besides these two.
    pub(super) fn other(uses: &[Self], at: usize) -> Option<(&Self, usize)> {
        let other = uses.get(usize::from(at == 0))?;
        Some((other, uses.len() - 2))
    }
}

/// Every claim that a guest writes to, with its uses; a claim that no guest writes to is left out.
pub(super) fn written_claims<'a>(context: &Context<'a>) -> BTreeMap<ClaimName, Vec<ClaimUse<'a>>> {
    let mut claims: BTreeMap<ClaimName, Vec<ClaimUse<'_>>> = BTreeMap::new();
    for guest in distinct(context) {
        let namespace = guest.resource.namespace_or(&context.target.namespace);
        let own: BTreeSet<&str> = template_names(&guest).map(|(_, name)| name).collect();
        for (index, volume) in guest.spec.items_at("volumes").iter().enumerate() {
            let Some((key, name)) = claim_of(volume) else {
                continue;
            };
            // A pool gives every machine templates of its own.
            if guest.many && own.contains(name) {
                continue;
            }
            if is_shared_on_purpose(volume, guest.spec) || is_read_only(context, namespace, name) {
                continue;
            }
            claims
                .entry((namespace.into(), name.into()))
                .or_default()
                .push(ClaimUse {
                    resource: guest.resource,
                    field: guest.path.field("volumes").index(index).then(key),
                    is_own: own.contains(name),
                    is_of_many: guest.many && replicas(guest.resource) > 1,
                });
        }
    }
    claims
}

/// Every name of a `dataVolumeTemplate` of a single machine, with its uses.
pub(super) fn templates<'a>(context: &Context<'a>) -> BTreeMap<ClaimName, Vec<ClaimUse<'a>>> {
    let mut templates: BTreeMap<ClaimName, Vec<ClaimUse<'_>>> = BTreeMap::new();
    for guest in distinct(context).filter(|guest| !guest.many) {
        let namespace = guest.resource.namespace_or(&context.target.namespace);
        for (index, name) in template_names(&guest) {
            let field = FieldPath::parse("spec.dataVolumeTemplates")
                .index(index)
                .then("metadata.name");
            templates
                .entry((namespace.into(), name.into()))
                .or_default()
                .push(ClaimUse {
                    resource: guest.resource,
                    field,
                    is_own: true,
                    is_of_many: false,
                });
        }
    }
    templates
}

/// Every guest; of two documents with one identity, which `duplicate-resource` reports, the first.
fn distinct<'a>(context: &Context<'a>) -> impl Iterator<Item = GuestSpec<'a>> + use<'a> {
    let assumed = &context.target.namespace;
    let mut seen = BTreeSet::new();
    guests(context.catalog).filter(move |guest| {
        let resource = guest.resource;
        let (kind, name) = (&resource.id.kind, &resource.id.name);
        name.is_empty() || seen.insert((kind, resource.namespace_or(assumed), name))
    })
}

/// How many guests a pool or replica set makes.
fn replicas(resource: &Resource) -> i64 {
    match resource.node.path("spec.replicas") {
        Some(_) => resource.node.int_at("spec.replicas"),
        None => 1,
    }
}

/// The named templates of a guest, with their places.
fn template_names<'a>(guest: &GuestSpec<'a>) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
    let list = match guest.resource.id.kind.as_str() {
        "VirtualMachine" => "spec.dataVolumeTemplates",
        "VirtualMachinePool" => "spec.virtualMachineTemplate.spec.dataVolumeTemplates",
        _ => "",
    };
    let named = |(index, template): (usize, &'a Node)| {
        let name = template.str_at("metadata.name");
        (!name.is_empty()).then_some((index, name))
    };
    let items = guest.resource.node.items_at(list);
    items.iter().enumerate().filter_map(named)
}

/// The field of a volume that names a claim the guest can write to, and the claim.
fn claim_of(volume: &Node) -> Option<(&'static str, &str)> {
    let key = match volume.get("dataVolume") {
        Some(_) => "dataVolume.name",
        None => "persistentVolumeClaim.claimName",
    };
    let name = volumes::claim_of(volume);
    (!name.is_empty()).then_some((key, name))
}

/// Whether the manifest says that others may use the volume too, or that this guest cannot write to it.
fn is_shared_on_purpose(volume: &Node, spec: &Node) -> bool {
    let name = volume.str_at("name");
    let is_named = |item: &&Node| item.str_at("name") == name;
    let filesystems = spec.items_at("domain.devices.filesystems");
    let disk = spec.items_at("domain.devices.disks").iter().find(is_named);
    volume.bool_at("persistentVolumeClaim.readOnly")
        || filesystems.iter().any(|item| is_named(&item))
        || disk.is_some_and(|disk| {
            disk.bool_at("shareable")
                || disk.get("cdrom").is_some()
                || disk.bool_at("disk.readonly")
                || disk.bool_at("lun.readonly")
                || disk.bool_at("lun.reservation")
        })
}

/// Whether the claim in the tree can only be read.
fn is_read_only(context: &Context<'_>, namespace: &str, name: &str) -> bool {
    let assumed = &context.target.namespace;
    let mut claims =
        context
            .catalog
            .find("", "PersistentVolumeClaim", Some(namespace), name, assumed);
    claims.next().is_some_and(|claim| {
        let modes = claim.node.items_at("spec.accessModes");
        !modes.is_empty()
            && modes
                .iter()
                .all(|mode| mode.as_str() == Some("ReadOnlyMany"))
    })
}
