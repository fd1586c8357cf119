//! Revisions that no VM of the tree names.

use super::builder::UpgradeBuilder;
use super::capture::controller_revision;
use super::sight::address;
use super::stored_revision::{find, revision_object, stores_same};
use super::{Created, Remark, name};
use crate::resolve::Resolution;
use crate::stored::{self, Form};
use crate::yaml::Node;

impl UpgradeBuilder<'_, '_> {
    /// Revisions that no VM here names: lifted where they say whose they are.
    pub(super) fn alone(&mut self) {
        for (resolver, old) in self.own() {
            if !old.is("apps", "ControllerRevision") || self.uses.contains_key(&address(old)) {
                continue;
            }
            let release = resolver.release();
            let Some(data) = old.node.get("data").filter(|data| stored::is_ours(data)) else {
                continue;
            };
            let namespace = old.namespace_or(&resolver.target().namespace);
            let stored = match stored::read(release, data, None) {
                Ok(stored) if stored.form == Form::V1beta1 => continue,
                Ok(stored) => stored,
                Err(why) => {
                    let message = match why {
                        stored::StoredError::Ambiguous => why.to_string(),
                        why => format!("it does not store an instance type or preference: {why}"),
                    };
                    let remark = Remark::warning(old, message).blocks();
                    self.out.remarks.push(remark);
                    continue;
                }
            };
            if self.stored.supersedes(resolver, old, &stored) {
                continue;
            }
            let owner = name::vm_of(&old.node, &stored).filter(|_| stored.form != Form::BareSpec);
            let Some(owner) = owner else {
                self.out.remarks.push(
                    Remark::warning(old,
                        format!(
                            "it stores {}, which no KubeVirt since 1.7 can read, and nothing here says which VM it belongs to",
                            stored.form
                        ),
                    )
                    .help("give the VM's manifest too, among the paths or with `--context`")
                    .blocks(),
                );
                continue;
            };
            let mut vm = Node::map();
            vm.set("metadata.name", Node::string(owner));
            if let Some(written) = &old.id.namespace {
                vm.set("metadata.namespace", Node::string(written));
            }
            let object = stored.to_v1beta1(release, self.options.conversion());
            let revision = controller_revision(&vm, &object);
            let new = revision.str_at("metadata.name").to_owned();
            if let Some(refusal) = name::refusal(&new, &revision_object(&revision)) {
                self.out.remarks.push(Remark::error(old, refusal));
                continue;
            }
            if let Resolution::Found(existing) = find(resolver, namespace, &new) {
                if !stores_same(release, &existing.node, &revision) {
                    let message = format!(
                        "revision `{new}`, which it upgrades to, is already in this repository with other data"
                    );
                    self.out.remarks.push(Remark::error(old, message));
                }
                continue;
            }
            self.out.rows.push(self.row(None, old, &stored, &new));
            self.out.created.push(Created {
                node: revision,
                namespace: namespace.to_owned(),
                old,
                vm: None,
            });
            self.replaced.insert(address(old));
        }
    }
}
