//! From each VM's references to the revisions that replace what they name.

use super::builder::{Lifted, Moves, UpgradeBuilder};
use super::capture::{self, controller_revision, label};
use super::remarks::{compare_names, missing, say_shared};
use super::sight::address;
use super::steps::set;
use super::stored_revision::{find, name_as_matcher, revision_object, stores_same, version_label};
use super::{Created, Remark, RevisionReference, UpgradeRow, is_vm, name, references};
use crate::field_path::FieldPath;
use crate::resolve::{Resolution, Resolver};
use crate::resource::Resource;
use crate::stored::{self, Conversion, Form, LATEST};
use crate::yaml::Node;

impl<'a> UpgradeBuilder<'a, '_> {
    /// Moves every VM's references.
    pub(super) fn vms(&mut self) {
        for (resolver, vm) in self.own().filter(|(_, resource)| is_vm(resource)) {
            let moves = self.vm(resolver, vm);
            self.carry_out(vm, moves);
        }
    }

    fn vm(&self, resolver: &Resolver<'a>, vm: &'a Resource) -> Moves<'a> {
        let mut moves = Moves::default();
        for reference in references(&vm.node) {
            if let Err(remark) = self.reference(resolver, vm, &reference, &mut moves) {
                moves.remarks.push(*remark);
            }
        }
        if vm.node.get("sops").is_some() && !moves.steps.is_empty() {
            moves.remarks.push(
                Remark::error(vm,
                    "its references should move, and its file is encrypted with SOPS: driftless does not write such files",
                )
                .help("decrypt it, upgrade, and encrypt it again"),
            );
        }
        let ownerless = vm.node.str_at("metadata.uid").is_empty();
        if ownerless && !moves.created.is_empty() {
            moves.remarks.push(Remark::note(vm,
                "its upgraded revisions name no owner, because the manifest carries no uid: KubeVirt uses them all the \
                 same, but deleting the VM does not delete them",
            ));
        }
        moves
    }

    fn reference(
        &self,
        resolver: &Resolver<'a>,
        vm: &'a Resource,
        reference: &RevisionReference,
        moves: &mut Moves<'a>,
    ) -> Result<(), Box<Remark<'a>>> {
        let error = |message: String| Box::new(Remark::error(vm, message).at(&reference.field));
        let namespace = vm.namespace_or(&resolver.target().namespace);
        let old = match find(resolver, namespace, &reference.name) {
            Resolution::Found(revision) => revision,
            Resolution::Ambiguous(_) => {
                return Err(Box::new(
                    error(format!(
                        "revision `{}` is in this repository more than once, with different content",
                        reference.name
                    ))
                    .help("keep one of them"),
                ));
            }
            _ => {
                moves.remarks.push(missing(resolver, vm, reference));
                return Ok(());
            }
        };
        let Some(lifted) = self.lift(resolver, vm, reference, old, moves)? else {
            return Ok(());
        };
        let revision = controller_revision(&vm.node, &lifted.object);
        let new = revision.str_at("metadata.name").to_owned();
        if let Some(refusal) = name::refusal(&new, &revision_object(&revision)) {
            return Err(Box::new(error(refusal).help(
                "the API server would refuse it: give the VM or the object a shorter name, or start the VM anew from the live object",
            )));
        }
        if new == reference.name {
            return relabel(old, &revision, moves, &lifted, vm).map_err(error);
        }
        let mut created = moves.created.iter();
        let known = created.find(|created| created.name() == new).or_else(|| {
            let key = (address(old), namespace.to_owned(), new.clone());
            self.out.created.get(*self.created_at.get(&key)?)
        });
        let existing = match (known, find(resolver, namespace, &new)) {
            (Some(created), _) => Some(created.node.clone()),
            (None, Resolution::Found(resource)) => Some(resource.node.clone()),
            (None, Resolution::Ambiguous(all)) => all.first().map(|one| one.node.clone()),
            (None, _) => None,
        };
        match &existing {
            Some(existing) if self.is_kubevirts_own(resolver, vm, existing, &lifted, &revision) => {
                moves.remarks.push(
                    Remark::warning(vm,
                        format!(
                            "revision `{new}` is already in this repository, as KubeVirt's own upgrade wrote it: {} are set in it, and conflict with a VM that sets them too",
                            stored::MADE_OPTIONAL.join(", ")
                        ),
                    )
                    .at(&reference.field),
                );
            }
            Some(existing) if !stores_same(resolver.release(), existing, &revision) => {
                return Err(Box::new(
                    error(format!(
                        "revision `{new}`, which `{}` upgrades to, is already in this repository with other data",
                        reference.name
                    ))
                    .help("compare the two, and delete the one that is wrong"),
                ));
            }
            Some(_) => {}
            None => {
                moves.created.push(Created {
                    node: revision,
                    namespace: namespace.to_owned(),
                    old,
                    vm: Some(vm),
                });
            }
        }
        if existing.is_none() || !moves.rows.iter().any(|row| row.to == new) {
            let row = self.row(Some(vm), old, &lifted.stored, &new);
            moves.rows.push(row);
        }
        let step = set(reference.field.clone(), Node::from(new.as_str()));
        moves.steps.push(step);
        moves.replaced.push(old);
        Ok(())
    }

    /// Whether a revision that is here already is what KubeVirt makes of the old one, and not what this makes of it.
    fn is_kubevirts_own(
        &self,
        resolver: &Resolver<'a>,
        vm: &Resource,
        existing: &Node,
        lifted: &Lifted,
        ours: &Node,
    ) -> bool {
        let release = resolver.release();
        let object = lifted.stored.to_v1beta1(release, Conversion::AsKubevirt);
        let theirs = controller_revision(&vm.node, &object);
        !self.options.bug_compatible
            && !stores_same(release, existing, ours)
            && stores_same(release, existing, &theirs)
    }

    /// The v1beta1 object of an old revision; `None` where it is up to date.
    fn lift(
        &self,
        resolver: &Resolver<'a>,
        vm: &'a Resource,
        reference: &RevisionReference,
        old: &'a Resource,
        moves: &mut Moves<'a>,
    ) -> Result<Option<Lifted>, Box<Remark<'a>>> {
        let error = |message: String| Box::new(Remark::error(vm, message).at(&reference.field));
        let RevisionReference { matcher, name, .. } = reference;
        let empty = Node::new(crate::yaml::Value::Null);
        let data = old.node.get("data").unwrap_or(&empty);
        let stored = if self.options.bug_compatible {
            stored::read_as_kubevirt(resolver.release(), data)
        } else {
            stored::read(resolver.release(), data, Some(*matcher))
        };
        let stored = stored.map_err(|why| {
            Box::new(
                error(format!(
                    "the VM names revision `{name}` as its {matcher}, and the revision does not store one: {why}"
                ))
                .help(format!(
                    "remove the reference: KubeVirt then captures the {matcher} anew"
                )),
            )
        })?;
        if stored.matcher != *matcher {
            let message = format!(
                "revision `{name}` stores {}, and the VM names it as its {matcher}",
                stored.matcher.one()
            );
            if !self.options.bug_compatible {
                return Err(Box::new(error(message).help(format!(
                    "KubeVirt refuses it: name a revision that stores {}, or remove the reference",
                    matcher.one()
                ))));
            }
            moves
                .remarks
                .push(Remark::warning(vm, message).at(&reference.field));
        }
        let says = version_label(&old.node);
        match (says, stored.form) {
            (Some(LATEST), Form::V1beta1) => {
                compare_names(vm, reference, old, &stored, moves);
                return Ok(None);
            }
            (Some(LATEST), form) if self.options.bug_compatible => {
                moves.remarks.push(
                    Remark::warning(vm,
                        format!(
                            "revision `{name}` is labelled {LATEST} and stores {form}: KubeVirt goes by the label and leaves it"
                        ),
                    )
                    .at(&reference.field),
                );
                return Ok(None);
            }
            (Some(LATEST), form) => {
                return Err(Box::new(
                    error(format!(
                        "the label of revision `{name}` says {LATEST}, and its data is {form}"
                    ))
                    .help(format!(
                        "because of the label no KubeVirt ever upgraded it, and none since 1.7 can read it: set the label `{}` to {}, or remove it, and upgrade again",
                        label::VERSION,
                        form.version()
                    )),
                ));
            }
            (Some(label), form) if label != form.version() => {
                moves.remarks.push(
                    Remark::note(vm,
                        format!(
                            "the label of revision `{name}` says `{label}`, and its data is {form}: the data counts"
                        ),
                    )
                    .at(&reference.field),
                );
            }
            _ => {}
        }
        compare_names(vm, reference, old, &stored, moves);
        say_shared(self, vm, reference, old, moves);
        let mut object = stored.to_v1beta1(resolver.release(), self.options.conversion());
        if stored.form == Form::BareSpec && !self.options.bug_compatible {
            name_as_matcher(vm, *matcher, &mut object);
            moves.remarks.push(
                Remark::note(vm,
                    format!(
                        "revision `{name}` stores a bare spec without a name: the upgraded one takes `{}`, as the VM says; KubeVirt's own is called `old-version-of-{}-object`, which it then ignores",
                        object.str_at("metadata.name"),
                        matcher.field()
                    ),
                )
                .at(&reference.field),
            );
        }
        Ok(Some(Lifted { stored, object }))
    }
}

/// A revision that has the right name and data already only lacks labels.
fn relabel<'a>(
    old: &'a Resource,
    revision: &Node,
    moves: &mut Moves<'a>,
    lifted: &Lifted,
    vm: &Resource,
) -> Result<(), String> {
    if lifted.stored.form != Form::V1beta1 {
        return Err(format!(
            "revision `{}` stores {} under the name its upgraded form would have",
            old.id.name, lifted.stored.form
        ));
    }
    let labels = FieldPath::root().field("metadata").field("labels");
    let steps: Vec<_> = capture::labels(&revision_object(revision))
        .into_iter()
        .map(|(key, value)| (labels.field(key), value))
        .filter(|(path, value)| path.find(&old.node).and_then(Node::as_str) != Some(value.as_str()))
        .map(|(path, value)| set(path, Node::string(value)))
        .collect();
    let name = &old.id.name;
    moves.rows.push(UpgradeRow::new(
        Some(vm),
        old,
        "v1beta1 without labels",
        name,
    ));
    moves.labels.push((old, steps));
    Ok(())
}
