//! What an upgrade says about references that mislead, are shared or name nothing that exists.

use super::builder::{Moves, UpgradeBuilder};
use super::capture::label;
use super::sight::address;
use super::stored_revision::version_label;
use super::{Remark, RevisionReference, matcher_field, references};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::rule::Severity;
use crate::stored::{Form, LATEST, Stored};
use crate::yaml::Node;

/// Says where the VM's own words count for nothing: the revision wins over the name beside it.
pub(super) fn compare_names<'a>(
    vm: &'a Resource,
    reference: &RevisionReference,
    old: &Resource,
    stored: &Stored,
    moves: &mut Moves<'a>,
) {
    let written = matcher_field(reference.matcher).field("name");
    let Some(wanted) = written.find(&vm.node).and_then(Node::as_str) else {
        return;
    };
    let labels = old.node.path("metadata.labels");
    let labelled = labels
        .and_then(|labels| labels.get(label::NAME))
        .and_then(Node::as_str);
    let named = stored.object.str_at("metadata.name");
    let holds = labelled.or(Some(named).filter(|name| !name.is_empty()));
    let (matcher, name) = (reference.matcher, &reference.name);
    if reference.in_spec {
        if let Some(holds) = holds.filter(|holds| *holds != wanted) {
            moves.remarks.push(
                Remark::warning(vm,
                    format!(
                        "the VM names {matcher} `{wanted}`, and revision `{name}` stores `{holds}`: the revision wins, the name is ignored"
                    ),
                )
                .at(&written)
                .help("remove `revisionName` to get what the name says"),
            );
        }
    } else if labelled != Some(wanted)
        && version_label(&old.node) != Some(LATEST)
        && !references(&vm.node)
            .iter()
            .any(|other| other.in_spec && other.matcher == matcher)
    {
        moves.remarks.push(
            Remark::note(vm,
                format!(
                    "revision `{name}` carries no label that names {matcher} `{wanted}`, so KubeVirt used the live object where it did not upgrade the revision; the upgraded one counts{}",
                    if stored.form == Form::BareSpec || named == wanted {
                        ""
                    } else {
                        " only when the names are the same"
                    }
                ),
            )
            .at(&reference.field),
        );
    }
}

/// Says who else names the revision.
pub(super) fn say_shared<'a>(
    builder: &UpgradeBuilder,
    vm: &'a Resource,
    reference: &RevisionReference,
    old: &Resource,
    moves: &mut Moves<'a>,
) {
    let own = vm.id.to_string();
    let all = builder.uses.get(&address(old));
    let mut others = all
        .map(|uses| uses.vms.as_slice())
        .unwrap_or_default()
        .iter()
        .filter(|name| **name != own)
        .map(String::as_str);
    let mut named: Vec<&str> = others.by_ref().take(3).collect();
    let more = others.count();
    let rest = format!("{more} more");
    if more > 0 {
        named.push(&rest);
    }
    if !named.is_empty() {
        moves.remarks.push(
            Remark::note(vm,
                format!(
                    "revision `{}` is shared with {}: each VM gets a revision of its own, as KubeVirt would capture it",
                    reference.name,
                    named.join(", ")
                ),
            )
            .at(&reference.field),
        );
    }
}

/// What a reference to a revision that is not here means: its name often tells the version.
pub(super) fn missing<'a>(
    resolver: &Resolver,
    vm: &'a Resource,
    reference: &RevisionReference,
) -> Remark<'a> {
    let RevisionReference { matcher, name, .. } = reference;
    if name.contains(&format!("-{LATEST}-")) {
        let message =
            format!("revision `{name}` is not in this repository; its name says {LATEST}");
        return Remark::note(vm, message).at(&reference.field);
    }
    let target = resolver.target();
    let namespace = vm.namespace_or(&target.namespace);
    let complete = target.holds("ControllerRevision", Some(namespace), name);
    let message = if complete {
        format!("revision `{name}` does not exist: the VM cannot start")
    } else {
        format!("revision `{name}` is not in this repository, so what it stores cannot be upgraded")
    };
    let severity = if complete {
        Severity::Error
    } else {
        Severity::Warning
    };
    Remark::new(severity, vm, message)
        .at(&reference.field)
        .blocks()
        .help(format!(
            "give the revision's manifest too, among the paths or with `--context`; or remove the reference, and KubeVirt captures the {matcher} anew"
        ))
}
