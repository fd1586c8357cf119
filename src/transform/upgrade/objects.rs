//! Objects in old API versions, and deprecated fields of preferences: replaced where every expansion stays the same.

use super::steps::{self, remove, set};
use super::stored_revision::set_by_kubevirt;
use super::{Options, Remark, ToUpgrade, Upgrade, UpgradeRow, proof};
use crate::field_path::FieldPath;
use crate::finding::FixStep;
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::schema::{self, Schema};
use crate::stored::{self, Conversion, Form, LATEST, Matcher, Stored};
use crate::yaml::{Map, Node, Value};

/// Lifts every object that is judged.
pub(super) fn lift<'a>(judged: &[ToUpgrade<'a, '_>], options: Options, out: &mut Upgrade<'a>) {
    let mut users = proof::Users::new(judged);
    for &(resolver, resource) in judged {
        let Some(lifted) = lift_one(resolver, resource, options, &mut users, out) else {
            continue;
        };
        if resource.node.get("sops").is_some() {
            out.remarks.push(Remark::error(resource,
                    format!("it should become {}, and its file is encrypted with SOPS: driftless does not write such files", lifted.row.to),
                ));
            continue;
        }
        out.rows.push(lifted.row);
        out.change(resource, lifted.steps);
    }
}

/// What becomes of one object.
struct LiftedObject {
    steps: Vec<FixStep>,
    row: UpgradeRow,
}

impl LiftedObject {
    fn new(resource: &Resource, from: impl Into<String>, to: &str) -> Self {
        Self {
            steps: Vec::new(),
            row: UpgradeRow::new(None, resource, from, to),
        }
    }
}

fn lift_one<'a>(
    resolver: &Resolver<'a>,
    resource: &'a Resource,
    options: Options,
    users: &mut proof::Users<'a, '_>,
    out: &mut Upgrade<'a>,
) -> Option<LiftedObject> {
    let version = resource.version();
    if resource.id.group == "kubevirt.io" && version == "v1alpha3" {
        schema::type_of("kubevirt.io", &resource.id.kind)?;
        let new = "kubevirt.io/v1";
        let mut lifted = LiftedObject::new(resource, "kubevirt.io/v1alpha3", new);
        let field = FieldPath::root().field("apiVersion");
        lifted.steps.push(set(field, Node::from(new)));
        return Some(lifted);
    }
    if resource.id.group != stored::GROUP {
        return None;
    }
    let matcher = Matcher::of_kind(&resource.id.kind)?;
    let form = Form::of_version(version)?;
    let mut lifted = LiftedObject::new(resource, form.to_string(), LATEST);
    if form != Form::V1beta1 {
        match stored::read(resolver.release(), &resource.node, Some(matcher)) {
            Ok(stored) => lift_version(resource, &stored, options, &mut lifted),
            Err(why) => {
                out.remarks.push(
                    Remark::error(resource, format!("it is not {}: {why}", matcher.one()))
                        .help("correct the field, and upgrade again"),
                );
                return None;
            }
        }
    }
    if matcher == Matcher::Preference && !options.bug_compatible {
        let deprecated = deprecated_fields(resolver, resource, &lifted.steps);
        for replacement in deprecated {
            replace(resource, &replacement, &mut lifted, users, out);
        }
    }
    (!lifted.steps.is_empty()).then_some(lifted)
}

/// From v1alpha1 or v1alpha2 to v1beta1: the fields have the same names, but absence and zero became different things,
/// and fields that the old version dropped would come alive.
fn lift_version(resource: &Resource, stored: &Stored, options: Options, lifted: &mut LiftedObject) {
    lifted.steps.push(set(
        FieldPath::root().field("apiVersion"),
        Node::string(format!("{}/{LATEST}", stored::GROUP)),
    ));
    for path in &stored.dropped {
        let meaning = &mut lifted.row.meaning;
        meaning.push(format!("drops {path}, which {} does not have", stored.form));
        lifted.steps.push(remove(path.clone()));
    }
    let cpu = FieldPath::root().field("spec").field("cpu");
    let topology = cpu.field("preferredCPUTopology");
    if topology
        .find(&resource.node)
        .is_some_and(|node| node.as_str() == Some(""))
    {
        lifted.steps.push(remove(topology));
    }
    if stored.matcher != Matcher::Instancetype {
        return;
    }
    for field in stored::MADE_OPTIONAL {
        let path = cpu.field(field);
        if path.find(&stored.object).is_some() {
            continue;
        }
        let written = path.find(&resource.node).is_some();
        if options.conversion() == Conversion::AsKubevirt {
            let zero = if field == "model" {
                Node::from("")
            } else {
                Node::from(false)
            };
            lifted.steps.push(set(path, zero));
        } else if written {
            lifted.steps.push(remove(path));
        }
        lifted.row.kept_unset.push(field);
    }
    if options.bug_compatible {
        let set = set_by_kubevirt(&lifted.row.kept_unset);
        lifted.row.meaning.extend(set);
        lifted.row.kept_unset.clear();
    }
}

/// A deprecated field and what says the same today.
struct Replacement {
    /// What was written.
    from: String,
    /// What is written instead.
    to: String,
    steps: Vec<FixStep>,
}

/// The replacements that may apply to a preference, each still to be proved.
fn deprecated_fields(
    resolver: &Resolver,
    resource: &Resource,
    before: &[FixStep],
) -> Vec<Replacement> {
    // The topologies' new names and `preferredEfi` came with one release.
    let known = Schema::builtin()
        .type_named("v1beta1.FirmwarePreferences")
        .and_then(|of| of.field("preferredEfi"))
        .is_some_and(|field| field.variant(resolver.release()).is_some());
    if !known {
        return Vec::new();
    }
    let node = steps::apply(&resource.node, before);
    let mut found = Vec::new();
    let topology = FieldPath::parse("spec.cpu.preferredCPUTopology");
    let name = topology.find(&node).and_then(Node::as_str);
    if let Some(old) = name
        && let Some(new) = topology_name(old)
    {
        found.push(Replacement {
            from: format!("preferredCPUTopology: {old}"),
            to: format!("preferredCPUTopology: {new}"),
            steps: vec![set(topology, Node::from(new))],
        });
    }
    found.extend(firmware(&node));
    found
}

/// Today's name of a topology.
pub(crate) fn topology_name(old: &str) -> Option<&'static str> {
    Some(match old {
        "preferCores" => "cores",
        "preferSockets" => "sockets",
        "preferThreads" => "threads",
        "preferSpread" => "spread",
        "preferAny" => "any",
        _ => return None,
    })
}

fn firmware(node: &Node) -> Option<Replacement> {
    let at = FieldPath::parse("spec.firmware");
    let written = at.find(node)?;
    let efi = written.get("preferredUseEfi").and_then(Node::as_bool)?;
    let secure = written
        .get("preferredUseSecureBoot")
        .and_then(Node::as_bool);
    let mut from = format!("preferredUseEfi: {efi}");
    let mut steps = vec![remove(at.field("preferredUseEfi"))];
    let mut to = "nothing".to_owned();
    if let Some(secure) = secure.filter(|_| efi) {
        from = format!("{from}, preferredUseSecureBoot: {secure}");
        steps.push(remove(at.field("preferredUseSecureBoot")));
    }
    if efi && written.get("preferredEfi").is_none_or(Node::is_null) {
        let mut map = Map::new();
        if let Some(secure) = secure {
            map.insert("secureBoot", Node::from(secure));
        }
        to = secure.map_or("preferredEfi: {}".to_owned(), |secure| {
            format!("preferredEfi: {{secureBoot: {secure}}}")
        });
        steps.push(set(at.field("preferredEfi"), Node::new(Value::Map(map))));
    } else if written.entries().len() == steps.len() {
        // An empty `firmware` still gives a VM a bootloader, so the mapping stays.
        steps = vec![set(at, Node::map())];
    }
    Some(Replacement { from, to, steps })
}

fn replace<'a>(
    resource: &'a Resource,
    replacement: &Replacement,
    lifted: &mut LiftedObject,
    users: &mut proof::Users<'a, '_>,
    out: &mut Upgrade<'a>,
) {
    let before = steps::apply(&resource.node, &lifted.steps);
    let after = steps::apply(&before, &replacement.steps);
    let Replacement { from, to, steps } = replacement;
    match users.prove(resource, &before, &after) {
        proof::Proof::Same => {}
        proof::Proof::SameHere(other) => out.remarks.push(Remark::note(resource,
            format!("every VM here stays the same when `{from}` becomes `{to}`; a VM elsewhere {other} would not"),
        )),
        proof::Proof::Differs(who) => {
            out.remarks.push(
                Remark::note(resource,
                    format!("`{from}` is deprecated and stays: with `{to}` {who} would change"),
                )
                .at(&FieldPath::root().field("spec")),
            );
            return;
        }
    }
    lifted.steps.extend(steps.iter().cloned());
    let meaning = &mut lifted.row.meaning;
    meaning.push(format!("`{from}` becomes `{to}`, which says the same"));
}
