//! Upgrade: stored revisions upgraded to v1beta1 and every reference moved, old API versions and deprecated fields
//! replaced. KubeVirt's package of that name upgrades revisions in a cluster, up to 1.6; this one upgrades manifests.

mod alone;
mod builder;
pub mod capture;
mod name;
pub mod objects;
mod proof;
mod prune;
pub(crate) mod references;
mod remarks;
mod revisions;
mod sight;
mod steps;
mod stock;
mod stored_revision;
#[cfg(test)]
mod tests;
pub mod text;

use std::collections::HashMap;

use crate::field_path::FieldPath;
use crate::finding::FixStep;
use crate::resolve::Resolver;
use crate::resource::{Resource, ResourceId};
use crate::rule::Severity;
use crate::stored::{Conversion, Matcher};
use crate::yaml::Node;

pub use self::references::{RevisionReference, references};

/// What the user asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Write what KubeVirt's own upgrade writes, even where it changes what a VM means.
    pub bug_compatible: bool,
    /// Drop revisions that nothing needs any more.
    pub prune: bool,
}

impl Options {
    const fn conversion(self) -> Conversion {
        if self.bug_compatible {
            Conversion::AsKubevirt
        } else {
            Conversion::KeepMeaning
        }
    }
}

/// Everything an upgrade does, each list in the order of the catalogs. The safe order is the order of the fields: new
/// revisions, then the resources that name them, then the revisions that are no longer named.
#[derive(Debug, Default)]
pub struct Upgrade<'a> {
    /// New revisions.
    pub created: Vec<Created<'a>>,
    /// Resources that change.
    pub changed: Vec<ChangedResource<'a>>,
    /// Old revisions that are removed.
    pub removed: Vec<&'a Resource>,
    /// Each old revision with each VM that no longer names it.
    pub moved: Vec<(&'a Resource, &'a Resource)>,
    /// One line for people per revision or object.
    pub rows: Vec<UpgradeRow>,
    /// What people should know, and what prevents the upgrade.
    pub remarks: Vec<Remark<'a>>,
    /// The index of a resource in `changed`, by its address.
    changed_at: HashMap<usize, usize>,
}

impl<'a> Upgrade<'a> {
    /// Adds steps to a resource that changes.
    fn change(&mut self, resource: &'a Resource, steps: Vec<FixStep>) {
        let at = *self
            .changed_at
            .entry(std::ptr::from_ref(resource).addr())
            .or_insert(self.changed.len());
        match self.changed.get_mut(at) {
            Some(one) => one.steps.extend(steps),
            None => self.changed.push(ChangedResource {
                resource,
                steps,
                node: Node::map(),
            }),
        }
    }

    fn apply_steps(&mut self) {
        for changed in &mut self.changed {
            changed.node = steps::apply(&changed.resource.node, &changed.steps);
        }
    }

    /// Whether there is anything to do.
    pub const fn is_owed(&self) -> bool {
        !(self.created.is_empty() && self.changed.is_empty() && self.removed.is_empty())
    }

    /// Whether something could not be upgraded.
    pub fn is_blocked(&self) -> bool {
        self.remarks.iter().any(|remark| remark.blocks)
    }
}

/// A new revision.
#[derive(Clone, Debug)]
pub struct Created<'a> {
    /// The revision.
    pub node: Node,
    /// Its namespace, written or assumed.
    pub namespace: String,
    /// The old revision it replaces; it is written beside that one.
    pub old: &'a Resource,
    /// The VM that names it, where one does.
    pub vm: Option<&'a Resource>,
}

impl Created<'_> {
    /// The revision's name.
    pub fn name(&self) -> &str {
        self.node.str_at("metadata.name")
    }
}

/// A resource that changes in place.
#[derive(Clone, Debug)]
pub struct ChangedResource<'a> {
    /// The resource before.
    pub resource: &'a Resource,
    /// What changes.
    pub steps: Vec<FixStep>,
    /// The resource afterwards.
    pub node: Node,
}

/// One line of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpgradeRow {
    /// The VM, where one is concerned.
    pub vm: Option<ResourceId>,
    /// The old revision, or the object that changes.
    pub object: ResourceId,
    /// What it was: `v1alpha2`.
    pub from: String,
    /// What it becomes: the new revision's name, or an API version.
    pub to: String,
    /// What changes in meaning; empty when nothing does.
    pub meaning: Vec<String>,
    /// Fields that KubeVirt's own conversion would set and this leaves unset, as they were.
    pub kept_unset: Vec<&'static str>,
}

impl UpgradeRow {
    fn new(vm: Option<&Resource>, object: &Resource, from: impl Into<String>, to: &str) -> Self {
        Self {
            vm: vm.map(|vm| vm.id.clone()),
            object: object.id.clone(),
            from: from.into(),
            to: to.to_owned(),
            meaning: Vec::new(),
            kept_unset: Vec::new(),
        }
    }
}

/// Something to say about a resource.
#[derive(Clone, Debug)]
pub struct Remark<'a> {
    /// How severe it is: an error prevents the upgrade.
    pub severity: Severity,
    /// What it is about.
    pub resource: &'a Resource,
    /// Where, when it is about one field.
    pub field: Option<FieldPath>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Whether something that should be upgraded is not, because of this. Every error does.
    pub blocks: bool,
}

impl<'a> Remark<'a> {
    fn new(severity: Severity, resource: &'a Resource, message: impl Into<String>) -> Self {
        Self {
            severity,
            resource,
            field: None,
            message: message.into(),
            help: None,
            blocks: severity == Severity::Error,
        }
    }

    fn note(resource: &'a Resource, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, resource, message)
    }

    fn warning(resource: &'a Resource, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, resource, message)
    }

    fn error(resource: &'a Resource, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, resource, message)
    }

    fn blocks(mut self) -> Self {
        self.blocks = true;
        self
    }

    fn at(mut self, field: &FieldPath) -> Self {
        self.field = Some(field.clone());
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A resource to upgrade, with the resolver of its root and target.
pub type ToUpgrade<'a, 'r> = (&'r Resolver<'a>, &'a Resource);

/// Upgrades the resources given; what else their resolvers see is only looked at. A VM is moved whole or not at all.
pub fn upgrade<'a>(judged: &[ToUpgrade<'a, '_>], options: Options) -> Upgrade<'a> {
    let mut builder = builder::UpgradeBuilder::new(judged, options);
    builder.vms();
    builder.alone();
    prune::run(&mut builder);
    let mut out = builder.finish();
    objects::lift(judged, options, &mut out);
    out.apply_steps();
    out
}

/// What becomes of objects in old API versions and of deprecated fields, by itself: revisions and references stay.
pub fn objects<'a>(judged: &[ToUpgrade<'a, '_>]) -> Vec<ChangedResource<'a>> {
    let mut out = Upgrade::default();
    objects::lift(judged, Options::default(), &mut out);
    out.apply_steps();
    out.changed
}

/// The text as one word of a POSIX shell.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Whether the resource is a VM, at either of the versions KubeVirt served it in.
fn is_vm(resource: &Resource) -> bool {
    resource.is("kubevirt.io", "VirtualMachine")
}

/// The field of a matcher in a VM's spec: `spec.instancetype`.
fn matcher_field(matcher: Matcher) -> FieldPath {
    FieldPath::root().field("spec").field(matcher.field())
}
