//! Old revisions that nothing needs any more.

use super::builder::UpgradeBuilder;
use super::sight::address;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::stored::{self, Form, Matcher};

/// Takes out, where asked, the old revisions whose every reference was moved, and those that an earlier upgrade left.
pub(super) fn run(builder: &mut UpgradeBuilder) {
    if !builder.options.prune {
        return;
    }
    let mut removed: Vec<&Resource> = Vec::new();
    for (resolver, old) in builder.own() {
        if !old.is("apps", "ControllerRevision") {
            continue;
        }
        let moved = match builder.uses.get(&address(old)) {
            Some(uses) => uses.moved == uses.named,
            None => {
                builder.replaced.contains(&address(old)) || is_left_over(builder, resolver, old)
            }
        };
        if moved {
            removed.push(old);
        }
    }
    builder.out.removed = removed;
}

fn is_left_over(builder: &UpgradeBuilder, resolver: &Resolver, old: &Resource) -> bool {
    let Some(data) = old.node.get("data").filter(|data| stored::is_ours(data)) else {
        return false;
    };
    Matcher::ALL.into_iter().any(|matcher| {
        stored::read(resolver.release(), data, Some(matcher)).is_ok_and(|stored| {
            stored.form != Form::V1beta1 && builder.stored.supersedes(resolver, old, &stored)
        })
    })
}
