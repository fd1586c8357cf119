//! Compares a resource with the field table of the target release and raises what the API server drops or refuses.

use super::{dropped_null, missing_field, unknown_field, unsupported_field, wrong_type};
use crate::config::did_you_mean;
use crate::field_path::{FieldPath, Segment};
use crate::finding::{Applicability, Finding, FixAction};
use crate::release::Release;
use crate::resource::Resource;
use crate::rules::deprecation::removed_field;
use crate::rules::{Context, Rule};
use crate::schema::{self, Decoded, Problem, ProblemKind, Schema, Shape, Type};
use crate::yaml::{Node, Value};

/// The type a resource is read as; `None` for kinds that are not judged.
pub fn type_of(resource: &Resource, release: Release) -> Option<&'static str> {
    match (
        resource.id.group.as_str(),
        resource.version(),
        resource.id.kind.as_str(),
    ) {
        // v1alpha1 is served along with v1beta1; where the table has only the latter, that is near enough.
        ("pool.kubevirt.io", "v1alpha1", "VirtualMachinePool") if has_old_pools(release) => {
            Some("v1alpha1.VirtualMachinePool")
        }
        ("pool.kubevirt.io", "v1beta1", "VirtualMachinePool") if has_old_pools(release) => None,
        // The table has the older versions of these only as far as `upgrade` needs them.
        ("instancetype.kubevirt.io", version, _) if version != "v1beta1" => None,
        (group, _, kind) => schema::type_of(group, kind),
    }
}

fn has_old_pools(release: Release) -> bool {
    let of = Schema::builtin().type_named("v1alpha1.VirtualMachinePool");
    of.and_then(|of| of.field("spec"))
        .is_some_and(|field| field.variant(release).is_some())
}

/// Reads a resource as its type.
pub fn decode(resource: &Resource, release: Release) -> Option<Decoded> {
    let name = type_of(resource, release)?;
    Some(schema::decode(release, name, &resource.node))
}

/// What the API server drops or refuses in a resource.
pub fn check(
    resource: &Resource,
    decoded: Option<&Decoded>,
    context: &Context<'_>,
) -> Vec<Finding> {
    let release = context.target.release;
    let mut found = Vec::new();
    if let (Some(name), Some(decoded)) = (type_of(resource, release), decoded) {
        let Some(of) = Schema::builtin().type_named(name) else {
            return found;
        };
        let root = FieldPath::root();
        problems(resource, of, &decoded.problems, &root, release, &mut found);
        required(
            resource,
            of,
            &resource.node,
            &mut FieldPath::root(),
            release,
            &mut found,
        );
    } else if resource.is("cdi.kubevirt.io", "DataVolume")
        && let Some(spec) = resource.node.get("spec")
        && let Some(of) = Schema::builtin().type_named("v1beta1.DataVolumeSpec")
    {
        let at = FieldPath::root().field("spec");
        let decoded = schema::decode(release, of.name(), spec);
        problems(resource, of, &decoded.problems, &at, release, &mut found);
        required(resource, of, spec, &mut at.clone(), release, &mut found);
    }
    found
}

fn problems(
    resource: &Resource,
    root: &'static Type,
    problems: &[Problem],
    prefix: &FieldPath,
    release: Release,
    found: &mut Vec<Finding>,
) {
    for problem in problems {
        if is_status(&problem.path) && prefix.is_root() {
            continue;
        }
        let path = prefix.join(&problem.path);
        let Some(node) = path.find(&resource.node) else {
            continue;
        };
        let name = last_key(&path);
        match &problem.kind {
            ProblemKind::UnknownField { in_type } => {
                let finding = push(
                    found,
                    &unknown_field::RULE,
                    resource,
                    &path,
                    format!("unknown field `{name}`: the API server drops it"),
                );
                let chain = types_on(root, &problem.path, release);
                if let Some(help) = suggestion(&name, in_type, &chain, release) {
                    finding.help(help);
                }
            }
            ProblemKind::UnsupportedField { releases } => {
                if let Some(until) = releases.last().filter(|last| *last < release) {
                    let gone = until.following();
                    push(
                        found,
                        &removed_field::RULE,
                        resource,
                        &path,
                        format!("`{name}` is gone since KubeVirt {gone}: the API server drops it"),
                    )
                    .help(format!("remove it; {until} was the last release with it"))
                    .fix(
                        Applicability::Safe,
                        format!("remove `{name}`"),
                        [(path.clone(), FixAction::Remove)],
                    );
                } else {
                    let since = releases.first();
                    push(
                        found,
                        &unsupported_field::RULE,
                        resource,
                        &path,
                        format!("`{name}` needs KubeVirt {since}; the target is {release}, whose API server drops it"),
                    )
                    .help(format!(
                        "set `kubevirt: \"{since}\"` in driftless.yaml or pass --kubevirt {since} if that is what the cluster runs"
                    ));
                }
            }
            ProblemKind::DroppedNull => {
                push(
                    found,
                    &dropped_null::RULE,
                    resource,
                    &path,
                    format!("`{name}: null` is dropped by the API server"),
                )
                .help("remove the key, or give it a value");
            }
            ProblemKind::WrongType { expected } => {
                let is = what(node);
                let finding = push(
                    found,
                    &wrong_type::RULE,
                    resource,
                    &path,
                    format!("`{name}` is {is}, not {expected}"),
                );
                if let Some(help) = type_help(node, expected) {
                    finding.help(help);
                }
            }
        }
    }
}

fn push<'f>(
    found: &'f mut Vec<Finding>,
    rule: &'static Rule,
    resource: &Resource,
    path: &FieldPath,
    message: String,
) -> &'f mut Finding {
    // A number or word of the wrong type is worth seeing; anything else may be a secret in the wrong place.
    let shown = rule.info == wrong_type::RULE.info
        && ["a quantity", "a whole number", "a number", "a boolean"]
            .iter()
            .any(|expected| message.ends_with(expected));
    found.push(if shown {
        Finding::at(&rule.info, resource, path.clone(), message)
    } else {
        Finding::at_key(&rule.info, resource, path.clone(), message)
    });
    found.last_mut().expect("just pushed")
}

/// Reports required fields that are absent, and values outside the list a field allows.
fn required(
    resource: &Resource,
    of: &'static Type,
    node: &Node,
    path: &mut FieldPath,
    release: Release,
    found: &mut Vec<Finding>,
) {
    let Value::Map(map) = &node.value else { return };
    for field in of.fields() {
        let Some(variant) = field.variant(release) else {
            continue;
        };
        if path.is_root() && matches!(field.name(), "status" | "metadata") {
            continue;
        }
        let value = map.get(field.name()).filter(|value| !value.is_null());
        let Some(value) = value else {
            if variant.required {
                let at = path.field(field.name());
                let whole = at.to_string();
                found.push(Finding::at(
                    &missing_field::RULE.info,
                    resource,
                    at,
                    format!("`{whole}` is required and missing"),
                ));
            }
            continue;
        };
        path.push(Segment::Field(field.name().into()));
        if let Some(text) = value.as_str()
            && !variant.values.is_empty()
            && !text.is_empty()
            && !variant.values.iter().any(|allowed| allowed == text)
        {
            let mut finding = Finding::at(
                &wrong_type::RULE.info,
                resource,
                path.clone(),
                format!("`{text}` is not a value of `{}`", field.name()),
            );
            let near = did_you_mean(text, variant.values.iter().map(smol_str::SmolStr::as_str));
            finding.help(near.map_or_else(
                || format!("it takes {}", variant.values.join(", ")),
                |near| format!("did you mean `{near}`?"),
            ));
            found.push(finding);
        }
        descend(resource, &variant.shape, value, path, release, found);
        path.pop();
    }
}

fn descend(
    resource: &Resource,
    shape: &'static Shape,
    node: &Node,
    path: &mut FieldPath,
    release: Release,
    found: &mut Vec<Finding>,
) {
    match shape {
        Shape::Struct(index) => {
            let of = Schema::builtin().type_at(*index);
            required(resource, of, node, path, release, found);
        }
        Shape::List(of) if matches!(**of, Shape::Struct(_)) => {
            for (at, item) in node.items().iter().enumerate() {
                path.push(Segment::Index(at));
                descend(resource, of, item, path, release, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The types passed through on the way to a field, outermost first; the last is the one that lacks it.
fn types_on(root: &'static Type, path: &FieldPath, release: Release) -> Vec<&'static Type> {
    let schema = Schema::builtin();
    let mut chain = vec![root];
    let mut shape: Option<&'static Shape> = None;
    for segment in path.segments() {
        shape = match (segment, shape) {
            (Segment::Index(_), Some(Shape::List(of)))
            | (Segment::Field(_), Some(Shape::Map(of))) => Some(of),
            (Segment::Field(name), None | Some(Shape::Struct(_))) => chain
                .last()
                .and_then(|of| of.field(name))
                .and_then(|field| field.variant(release))
                .map(|variant| &variant.shape),
            _ => None,
        };
        match shape {
            Some(Shape::Struct(index)) => chain.push(schema.type_at(*index)),
            Some(_) => {}
            None => break,
        }
    }
    chain
}

/// What the author of an unknown field may have meant.
fn suggestion(
    name: &str,
    in_type: &str,
    chain: &[&'static Type],
    release: Release,
) -> Option<String> {
    let here = Schema::builtin().type_named(in_type)?;
    let known = |of: &'static Type| {
        of.fields()
            .iter()
            .filter(move |field| field.variant(release).is_some())
            .map(schema::Field::name)
    };
    if in_type.starts_with("v1.CloudInit") && CLOUD_CONFIG.contains(&name) {
        return Some(format!(
            "`{name}` is a cloud-init module: it goes into the text of `userData`"
        ));
    }
    if let Some((_, help)) = BEFORE_V1.iter().find(|(old, _)| *old == name) {
        return Some((*help).to_owned());
    }
    if let Some(meant) = did_you_mean(name, known(here)) {
        return Some(format!("did you mean `{meant}`?"));
    }
    let below = here.fields().iter().find_map(|field| {
        let variant = field.variant(release)?;
        let Shape::Struct(index) = variant.shape else {
            return None;
        };
        let of = Schema::builtin().type_at(index);
        known(of).any(|known| known == name).then(|| field.name())
    });
    if let Some(below) = below {
        return Some(format!("`{name}` is a field of `{below}`, one level down"));
    }
    let above = chain
        .iter()
        .rev()
        .skip(1)
        .position(|of| known(of).any(|known| known == name));
    above.map(|levels| match levels {
        0 => format!("`{name}` is a field one level up"),
        levels => format!("`{name}` is a field {} levels up", levels + 1),
    })
}

/// Top-level modules of a cloud-config that people put beside `userData`.
const CLOUD_CONFIG: [&str; 12] = [
    "bootcmd",
    "chpasswd",
    "fqdn",
    "growpart",
    "hostname",
    "package_update",
    "packages",
    "password",
    "runcmd",
    "ssh_authorized_keys",
    "users",
    "write_files",
];

/// Fields from before `kubevirt.io/v1`.
const BEFORE_V1: [(&str, &str); 3] = [
    (
        "volumeName",
        "gone since v1: a disk belongs to the volume of its own name",
    ),
    (
        "registryDisk",
        "gone since v1: the volume source is `containerDisk`",
    ),
    ("machine_type", "the field is `machine.type`"),
];

fn type_help(node: &Node, expected: &str) -> Option<String> {
    match (&node.value, expected) {
        (Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_), "a string") => {
            Some("YAML reads the bare word as something else: put it in quotes".to_owned())
        }
        (Value::String(text), "a boolean") if matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off") => {
            Some(format!("take the quotes off: `{}`", text.to_ascii_lowercase()))
        }
        (Value::String(text), "a whole number") if text.parse::<i64>().is_ok() => {
            Some(format!("take the quotes off: `{text}`"))
        }
        (Value::String(_), "a quantity") => {
            Some("write a number with a suffix of Kubernetes, such as `500m`, `2Gi` or `10G`, without a space".to_owned())
        }
        (Value::Map(_), "a list") => Some("start each item with `- `".to_owned()),
        (Value::String(_), "a list") => Some("write it as a list: `[…]`, or one `- ` a line".to_owned()),
        _ => None,
    }
}

/// A value in words, never the value: it may be a secret.
const fn what(node: &Node) -> &'static str {
    match node.value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::UInt(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::String(_) => "a string",
        Value::Seq(_) => "a list",
        Value::Map(_) => "a mapping",
    }
}

fn is_status(path: &FieldPath) -> bool {
    matches!(path.segments().first(), Some(Segment::Field(name)) if name == "status")
}

fn last_key(path: &FieldPath) -> String {
    match path.segments() {
        [.., Segment::Field(name), Segment::Index(index)] => format!("{name}[{index}]"),
        [.., Segment::Field(name)] => name.to_string(),
        _ => path.to_string(),
    }
}
