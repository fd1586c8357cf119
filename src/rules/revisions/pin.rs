//! The revision a VM's matcher names, and how it compares with what the tree says.

use smol_str::SmolStr;

use crate::catalog::Catalog;
use crate::field_path::{FieldPath, Segment};
use crate::resolve::revision::OBJECT_NAME_LABEL;
use crate::resolve::{Resolution, ResolveError};
use crate::resource::Resource;
use crate::rules::{Context, Vm};
use crate::stored::{self, Matcher};
use crate::yaml::{Node, Value};

/// A revision named by a matcher, or by the status beside it.
#[derive(Debug)]
pub(in crate::rules) struct Pin<'a> {
    /// The field that names it.
    pub(in crate::rules) field: FieldPath,
    /// The name.
    pub(in crate::rules) name: SmolStr,
    /// Whether the status names it, not the matcher.
    pub(in crate::rules) in_status: bool,
    /// The matcher's own name.
    pub(in crate::rules) object: SmolStr,
    pub(in crate::rules) state: State<'a>,
}

/// What became of a revision's name.
#[derive(Debug)]
pub(in crate::rules) enum State<'a> {
    /// The tree does not have it.
    Missing,
    /// It is a revision of another object, whose name this is.
    Foreign(&'a Resource, &'a str),
    /// It holds what the object in the tree says.
    Equal,
    /// It holds something else; the fields that differ, from the spec.
    Differs(&'a Resource, Vec<FieldPath>),
    /// It cannot be compared: it is unreadable, or the object is not in the tree.
    Unknown,
}

/// The revisions in the catalog that hold an instance type or preference, each with its data.
pub(super) fn revisions(catalog: &Catalog) -> impl Iterator<Item = (&Resource, &Node)> {
    catalog.resources().iter().filter_map(|revision| {
        let data = revision
            .node
            .get("data")
            .filter(|data| stored::is_ours(data))?;
        revision
            .is("apps", "ControllerRevision")
            .then_some((revision, data))
    })
}

/// The revisions a VM names.
pub(in crate::rules) fn pins<'a>(vm: &Vm<'a>) -> Vec<Pin<'a>> {
    Matcher::ALL
        .into_iter()
        .filter_map(|matcher| pin(vm, matcher))
        .collect()
}

fn pin<'a>(vm: &Vm<'a>, matcher: Matcher) -> Option<Pin<'a>> {
    let context = &vm.context;
    let root = vm.written();
    let written = root.get("spec")?.get(matcher.field())?;
    let mut name = written.str_at("revisionName");
    let mut at = FieldPath::from("spec")
        .field(matcher.field())
        .then("revisionName");
    if name.is_empty() {
        name = root
            .get("status")
            .and_then(|status| status.get(matcher.status_field()))
            .map_or("", |status| status.str_at("controllerRevisionRef.name"));
        at = FieldPath::from("status")
            .field(matcher.status_field())
            .then("controllerRevisionRef.name");
    }
    if name.is_empty() {
        return None;
    }
    let found = context
        .resolver
        .find("apps", "ControllerRevision", Some(vm.namespace), name);
    let object = written.str_at("name");
    let in_status = at.to_string().starts_with("status");
    let state = match found {
        Resolution::Found(revision) => match held_name(revision) {
            // A status reference of another object is not used at all.
            Some(held) if held != object && in_status => return None,
            Some(held) if held != object => State::Foreign(revision, held),
            _ => compare(vm, context, matcher, revision),
        },
        _ => State::Missing,
    };
    Some(Pin {
        field: at,
        name: name.into(),
        object: object.into(),
        in_status,
        state,
    })
}

/// The name of the object a revision's label says it is of.
fn held_name(revision: &Resource) -> Option<&str> {
    let labels = revision.node.path("metadata.labels")?;
    labels.get(OBJECT_NAME_LABEL)?.as_str()
}

fn compare<'a>(
    vm: &Vm<'a>,
    context: &Context<'a>,
    matcher: Matcher,
    revision: &'a Resource,
) -> State<'a> {
    let Some(data) = revision.node.get("data") else {
        return State::Unknown;
    };
    let Ok(held) = stored::read(context.target.release, data, Some(matcher)) else {
        return State::Unknown;
    };
    let held = held.to_v1beta1(context.target.release, stored::Conversion::KeepMeaning);
    let Ok(live) = live_spec(vm, context, matcher) else {
        return State::Unknown;
    };
    let type_name = match matcher {
        Matcher::Instancetype => "v1beta1.VirtualMachineInstancetypeSpec",
        Matcher::Preference => "v1beta1.VirtualMachinePreferenceSpec",
    };
    let empty = Node::map();
    let held = held.get("spec").unwrap_or(&empty);
    let held = crate::schema::decode(context.target.release, type_name, held).node;
    let mut fields = Vec::new();
    differences(&held, &live, &mut FieldPath::root(), &mut fields);
    if fields.is_empty() {
        State::Equal
    } else {
        State::Differs(revision, fields)
    }
}

/// The spec of the object the matcher names, without its revision.
fn live_spec(
    vm: &Vm<'_>,
    context: &Context<'_>,
    matcher: Matcher,
) -> Result<Node, Option<ResolveError>> {
    let mut bare = Node::map();
    let written = vm
        .written()
        .get("spec")
        .and_then(|spec| spec.get(matcher.field()));
    for key in ["name", "kind"] {
        let text = written.map_or("", |written| written.str_at(key));
        bare.set(
            &format!("spec.{}.{key}", matcher.field()),
            Node::string(text),
        );
    }
    let resolved = match matcher {
        Matcher::Instancetype => context.resolver.resolve_instancetype(&bare, vm.namespace),
        Matcher::Preference => context.resolver.resolve_preference(&bare, vm.namespace),
    };
    Ok(resolved.map_err(Some)?.ok_or(None)?.spec.node.clone())
}

/// Every leaf that differs between two decoded trees.
fn differences(a: &Node, b: &Node, path: &mut FieldPath, out: &mut Vec<FieldPath>) {
    if a.same_value(b) {
        return;
    }
    let (Value::Map(left), Value::Map(right)) = (&a.value, &b.value) else {
        out.push(path.clone());
        return;
    };
    let nothing = Node::new(Value::Null);
    let keys = left.entries().iter().map(|entry| &entry.key);
    let more = right
        .entries()
        .iter()
        .map(|entry| &entry.key)
        .filter(|key| left.get(key).is_none());
    for key in keys.chain(more) {
        path.push(Segment::Field(key.clone()));
        let (a, b) = (
            left.get(key).unwrap_or(&nothing),
            right.get(key).unwrap_or(&nothing),
        );
        differences(a, b, path, out);
        path.pop();
    }
}
