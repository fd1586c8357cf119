//! A change: the resources of two sides, paired by what makes them themselves.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use crate::diff::{self, Lists};
use crate::release::Release;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::yaml::Node;

/// A resource of a side, with what resolves its references.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// Directory of its root.
    pub root: &'a str,
    /// The resolver of its root and target.
    pub resolver: &'a Resolver<'a>,
}

impl<'a> Subject<'a> {
    /// Its namespace, or the one assumed.
    pub fn namespace(&self) -> &'a str {
        self.resource
            .namespace_or(&self.resolver.target().namespace)
    }

    /// Group, kind, namespace and name.
    fn identity(&self) -> Identity<'a> {
        let id = &self.resource.id;
        (&id.group, &id.kind, self.namespace(), &id.name)
    }
}

type Identity<'a> = (&'a str, &'a str, &'a str, &'a str);

/// One resource across both sides.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Its form in the base.
    pub base: Option<Subject<'a>>,
    /// Its form in the head.
    pub head: Option<Subject<'a>>,
    /// Whether the two forms are one resource under another name or namespace.
    pub is_renamed: bool,
}

impl<'a> Pair<'a> {
    /// The form that names the pair: the head's, else the base's.
    pub fn named_by(&self) -> Option<Subject<'a>> {
        self.head.or(self.base)
    }
}

/// Pairs resources: within a root first, then anywhere by identity, then virtual machines that go by another name.
pub fn pair<'a>(release: Release, base: Vec<Subject<'a>>, head: Vec<Subject<'a>>) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    let (base, head) = match_by(base, head, &mut pairs, |subject| {
        (subject.root, subject.identity())
    });
    let (base, head) = match_by(base, head, &mut pairs, |subject| ("", subject.identity()));
    let (base, head) = match_renamed(release, base, head, &mut pairs);
    let alone = |subject, is_base: bool| Pair {
        base: is_base.then_some(subject),
        head: (!is_base).then_some(subject),
        is_renamed: false,
    };
    pairs.extend(base.into_iter().map(|subject| alone(subject, true)));
    pairs.extend(head.into_iter().map(|subject| alone(subject, false)));
    pairs.sort_by_cached_key(|pair| {
        pair.named_by().map(|subject| {
            let (group, kind, namespace, name) = subject.identity();
            let text = |text: &str| SmolStr::from(text);
            (
                [
                    text(kind),
                    text(namespace),
                    text(name),
                    text(group),
                    text(subject.root),
                ],
                pair.base.is_none(),
            )
        })
    });
    pairs
}

/// Pairs what has the same key once on each side, in order; gives back the rest.
fn match_by<'a, K: Ord>(
    base: Vec<Subject<'a>>,
    head: Vec<Subject<'a>>,
    pairs: &mut Vec<Pair<'a>>,
    key: impl Fn(&Subject<'a>) -> K,
) -> (Vec<Subject<'a>>, Vec<Subject<'a>>) {
    let mut waiting: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, subject) in base.iter().enumerate().rev() {
        waiting.entry(key(subject)).or_default().push(at);
    }
    let mut taken = BTreeSet::new();
    let mut rest = Vec::new();
    for subject in head {
        match waiting.get_mut(&key(&subject)).and_then(Vec::pop) {
            Some(at) => {
                taken.insert(at);
                pairs.push(Pair {
                    base: Some(base[at]),
                    head: Some(subject),
                    is_renamed: false,
                });
            }
            None => rest.push(subject),
        }
    }
    let left = base
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !taken.contains(at))
        .map(|(_, subject)| subject)
        .collect();
    (left, rest)
}

/// Most comparisons of whole VMs that near-equality is worth.
const MOST_COMPARISONS: usize = 4_000;
/// The fields of a VM that say whether it runs.
const POWER: [&str; 2] = ["running", "runStrategy"];
/// Most differences that two VMs under different names may have and still be one.
const MOST_DIFFERENCES: usize = 3;

fn match_renamed<'a>(
    release: Release,
    base: Vec<Subject<'a>>,
    head: Vec<Subject<'a>>,
    pairs: &mut Vec<Pair<'a>>,
) -> (Vec<Subject<'a>>, Vec<Subject<'a>>) {
    let is_vm = |subject: &Subject| subject.resource.is("kubevirt.io", "VirtualMachine");
    let mut marks: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, subject) in head
        .iter()
        .enumerate()
        .filter(|(_, subject)| is_vm(subject))
    {
        for mark in identity_marks(&subject.resource.node) {
            marks.entry(mark).or_default().push(at);
        }
    }
    let mut taken = BTreeSet::new();
    let mut left = Vec::new();
    let comparable = base.len().saturating_mul(head.len()) <= MOST_COMPARISONS;
    for subject in base {
        let by_mark = is_vm(&subject).then(|| {
            identity_marks(&subject.resource.node)
                .into_iter()
                .filter_map(|mark| marks.get(&mark))
                .flatten()
                .find(|at| !taken.contains(*at))
                .copied()
        });
        let near = || {
            if !comparable {
                return None;
            }
            head.iter().enumerate().find_map(|(at, other)| {
                let fits = is_vm(other)
                    && !taken.contains(&at)
                    && is_near(release, subject.resource, other.resource);
                fits.then_some(at)
            })
        };
        match by_mark.and_then(|found| found.or_else(near)) {
            Some(at) => {
                taken.insert(at);
                pairs.push(Pair {
                    base: Some(subject),
                    head: Some(head[at]),
                    is_renamed: true,
                });
            }
            None => left.push(subject),
        }
    }
    let rest = head
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !taken.contains(at))
        .map(|(_, subject)| subject)
        .collect();
    (left, rest)
}

/// What two VMs cannot share unless they are one: data volumes they own, MAC addresses, firmware UUID.
fn identity_marks(vm: &Node) -> Vec<String> {
    let mut out = Vec::new();
    for template in vm.items_at("spec.dataVolumeTemplates") {
        out.push(format!("disk {}", template.str_at("metadata.name")));
    }
    for interface in vm.items_at("spec.template.spec.domain.devices.interfaces") {
        let mac = interface.str_at("macAddress");
        if !mac.is_empty() {
            out.push(format!("mac {}", mac.to_ascii_lowercase()));
        }
    }
    let uuid = vm.str_at("spec.template.spec.domain.firmware.uuid");
    if !uuid.is_empty() {
        out.push(format!("uuid {}", uuid.to_ascii_lowercase()));
    }
    out
}

/// Whether two VMs differ so little that one is the other under another name. Whether it runs is no part of what it is.
fn is_near(release: Release, base: &Resource, head: &Resource) -> bool {
    let (Some(from), Some(to)) = (base.node.get("spec"), head.node.get("spec")) else {
        return false;
    };
    let (disks, new_disks) = (template_names(from), template_names(to));
    if disks.len() != new_disks.len() {
        return false;
    }
    // Disks are mostly named after their VM; where they are not, everything else has to be equal.
    let named_after = disks
        .iter()
        .zip(&new_disks)
        .all(|(old, new)| old == new || old.replace(&*base.id.name, &head.id.name) == *new);
    let most = if named_after { MOST_DIFFERENCES } else { 0 };
    let (from, to) = (&unnamed(from, &disks), &unnamed(to, &new_disks));
    let mut found = diff::differences(release, "v1.VirtualMachineSpec", from, to, Lists::ByKey);
    found.retain(|difference| !POWER.contains(&difference.path.to_string().as_str()));
    found.len() <= most
        && found
            .iter()
            .all(|difference| difference.path.segments().len() > 2)
}

fn template_names(spec: &Node) -> Vec<String> {
    let templates = spec.items_at("dataVolumeTemplates").iter();
    templates
        .map(|template| template.str_at("metadata.name").to_owned())
        .collect()
}

/// A VM's spec with its own disks named by their place.
fn unnamed(spec: &Node, disks: &[String]) -> Node {
    let mut spec = spec.clone();
    let lists = [
        ("dataVolumeTemplates", &["metadata.name"][..]),
        (
            "template.spec.volumes",
            &["dataVolume.name", "persistentVolumeClaim.claimName"],
        ),
    ];
    for (list, names) in lists {
        let items = spec.path_mut(list).and_then(Node::items_mut);
        for item in items.into_iter().flatten() {
            for name in names {
                let at = disks.iter().position(|disk| disk == item.str_at(name));
                if let Some(at) = at.filter(|_| item.path(name).is_some()) {
                    item.set(name, Node::string(format!("disk {at}")));
                }
            }
        }
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::config::Target;
    use crate::field_path::FieldPath;
    use serde_json::json;

    fn vm(namespace: &str, name: &str, disk: &str) -> Resource {
        let json = json!({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"dataVolumeTemplates": [{"metadata": {"name": disk}}], "template": {"spec": {"domain": {"cpu": {"model": disk}}}}}});
        Resource::from_node(Node::from_json(&json), None, 0, FieldPath::root()).unwrap()
    }

    fn names(base: &[Resource], head: &[Resource]) -> Vec<(String, bool, bool, bool)> {
        let target = Target::default();
        let catalog = Catalog::default();
        let resolver = Resolver::new(&target, vec![&catalog]);
        let subject = |resource, root| Subject {
            resource,
            root,
            resolver: &resolver,
        };
        let base = base.iter().map(|resource| subject(resource, "a")).collect();
        let head = head.iter().map(|resource| subject(resource, "b")).collect();
        pair(Release::V1_9, base, head)
            .iter()
            .map(|pair| {
                let name = pair.named_by().unwrap().resource.id.to_string();
                (
                    name,
                    pair.base.is_some(),
                    pair.head.is_some(),
                    pair.is_renamed,
                )
            })
            .collect()
    }

    #[test]
    fn a_resource_is_itself_in_any_file_and_root() {
        let one = [vm("vms", "web", "web-root")];
        assert_eq!(
            names(&one, &one),
            [("VirtualMachine vms/web".to_owned(), true, true, false)]
        );
    }

    #[test]
    fn a_vm_with_the_same_disks_is_itself_under_another_name() {
        let pairs = names(&[vm("vms", "web", "root")], &[vm("prod", "www", "root")]);
        assert_eq!(
            pairs,
            [("VirtualMachine prod/www".to_owned(), true, true, true)]
        );
        let pairs = names(&[vm("vms", "web", "a")], &[vm("vms", "www", "b")]);
        assert_eq!(pairs.len(), 2);
    }

    #[test]
    fn a_vm_whose_disks_are_renamed_with_it_is_itself() {
        let with = |name: &str, disk: &str| {
            let mut vm = vm("vms", name, disk);
            let volumes = json!([{"name": "root", "dataVolume": {"name": disk}}]);
            vm.node
                .set("spec.template.spec.volumes", Node::from_json(&volumes));
            vm.node
                .set("spec.template.spec.domain.cpu.model", Node::string("host"));
            vm
        };
        let renamed = [("VirtualMachine vms/www".to_owned(), true, true, true)];
        let base = [with("web", "web-root")];
        assert_eq!(names(&base, &[with("www", "www-root")]), renamed);
        assert_eq!(names(&base, &[with("www", "other")]), renamed);
        let mut other = with("www", "www-root");
        other
            .node
            .set("spec.template.spec.domain.cpu.model", Node::string("x"));
        assert_eq!(names(&base, &[other]), renamed);
        let mut other = with("www", "other");
        other
            .node
            .set("spec.template.spec.domain.cpu.model", Node::string("x"));
        assert_eq!(names(&base, &[other]).len(), 2);
    }

    #[test]
    fn a_vm_that_is_renamed_and_stopped_or_spelled_anew_is_itself() {
        let with = |name: &str, field: &str, value: serde_json::Value| {
            let mut vm = vm("vms", name, "");
            vm.node.remove("spec.dataVolumeTemplates");
            let path = format!("spec.{field}");
            vm.node.set(&path, Node::from_json(&value));
            vm
        };
        let base = [with("web", "runStrategy", json!("Always"))];
        for head in [
            with("www", "running", json!(true)),
            with("www", "runStrategy", json!("Halted")),
        ] {
            let pairs = names(&base, &[head]);
            assert_eq!(
                pairs,
                [("VirtualMachine vms/www".to_owned(), true, true, true)]
            );
        }
    }
}
