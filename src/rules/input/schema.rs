//! Compares a resource with the field table of the target release and raises what the API server drops or refuses.

use smol_str::SmolStr;

use super::{
    dropped_null, forbidden_field, missing_field, repeated_list_item, unknown_field,
    unsupported_field, wrong_type,
};
use crate::config::did_you_mean;
use crate::field_path::{FieldPath, Segment};
use crate::finding::{Applicability, Finding, FixAction};
use crate::release::Release;
use crate::resource::Resource;
use crate::rule::Severity;
use crate::rules::admission::{invalid_metadata, structural};
use crate::rules::cdi;
use crate::rules::deprecation::removed_field;
use crate::rules::{Context, Rule};
use crate::schema::kinds::Kinds;
use crate::schema::{self, Decoded, Expected, Problem, ProblemKind, Schema, Shape, Type};
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

/// The version of CDI's kinds.
const CDI: &str = "cdi.kubevirt.io/v1beta1";

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

/// What the API server drops or refuses in a resource, and what KubeVirt's own schema refuses.
pub fn check(
    resource: &Resource,
    decoded: Option<&Decoded>,
    context: &Context<'_>,
) -> Vec<Finding> {
    let release = context.target.release;
    let mut found = Vec::new();
    if let Some(decoded) = decoded {
        let type_name = type_of(resource, release).unwrap_or_default();
        for problem in &decoded.problems {
            if !is_status(&problem.path) {
                let from = found.len();
                report(resource, problem, problem.path.clone(), release, &mut found);
                // Of a value that cannot be read the rule says more than the cluster.
                let is_unread = matches!(
                    problem.kind,
                    ProblemKind::WrongType { .. } | ProblemKind::OutOfRange { .. }
                );
                let refused = structural::of(type_name, &resource.node, problem);
                let refused = refused.filter(|_| !is_unread);
                if let (Some(refused), Some(finding)) = (refused, found.get_mut(from)) {
                    finding.kubevirt(refused.cause);
                }
            }
        }
    } else if resource.is("cdi.kubevirt.io", "DataVolume")
        && let Some(spec) = resource.node.get("spec")
    {
        let at = FieldPath::root().field("spec");
        let mut problems = schema::decode(release, "v1beta1.DataVolumeSpec", spec).problems;
        problems.retain(|problem| {
            let is_newer = matches!(problem.kind, ProblemKind::UnknownField { .. })
                && Kinds::builtin().knows(
                    CDI,
                    "DataVolume",
                    &FieldPath::from("spec").join(&problem.path),
                );
            !is_newer && !cdi::review::is_left_to_webhook(problem)
        });
        for problem in problems {
            report(
                resource,
                &problem,
                at.join(&problem.path),
                release,
                &mut found,
            );
        }
    }
    if decoded.is_some() || is_held(resource) {
        for objection in invalid_metadata::check(&resource.node, false) {
            let info = &invalid_metadata::RULE.info;
            let mut finding = Finding::at(info, resource, objection.path, info.summary);
            finding.kubevirt(objection.cause);
            found.push(finding);
        }
    }
    found
}

/// Whether the API server holds the metadata of a kind without a type here as it does that of the others.
fn is_held(resource: &Resource) -> bool {
    let group = resource.id.group.as_str();
    group == "kubevirt.io"
        || group.ends_with(".kubevirt.io")
        || resource.is("apps", "ControllerRevision")
        || resource.is("", "PersistentVolumeClaim")
}

fn report(
    resource: &Resource,
    problem: &Problem,
    path: FieldPath,
    release: Release,
    found: &mut Vec<Finding>,
) {
    let name = last_key(&path);
    let info = &missing_field::RULE.info;
    if problem.kind == ProblemKind::Missing {
        let message = format!("`{path}` is required and missing");
        found.push(Finding::at(info, resource, path, message));
        return;
    }
    if let ProblemKind::LeftEmpty { allowed } = problem.kind {
        let mut finding = if allowed.is_empty() {
            let message = format!("`{path}` is missing: KubeVirt stores it empty");
            let mut finding = Finding::at(info, resource, path, message);
            finding.severity(Severity::Warning);
            finding
        } else {
            let message = format!("`{path}` is required and missing");
            Finding::at(info, resource, path, message)
        };
        if !allowed.is_empty() {
            finding.help(format!("it takes {}", allowed.join(", ")));
        }
        found.push(finding);
        return;
    }
    let Some(node) = path.find(&resource.node) else {
        return;
    };
    match &problem.kind {
        ProblemKind::UnknownField { within } => {
            let finding = push(
                found,
                &unknown_field::RULE,
                resource,
                &path,
                format!("unknown field `{name}`: the API server drops it"),
            );
            let beside = |key: &str| stands_beside(resource, &path, key);
            if let Some(help) = suggestion(&name, within, release, beside) {
                finding.help(help);
            }
            if let Some(meant) = respelled(&name, within, release).filter(|meant| !beside(meant)) {
                finding.fix(
                    Applicability::Safe,
                    format!("write `{meant}`"),
                    [(path.clone(), FixAction::Rename(meant.into()))],
                );
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
            .help("remove the key, or give it a value; under server-side apply (Flux, Argo CD with ServerSideApply, Helm 4) the API server refuses the null instead");
        }
        ProblemKind::EmptyNull => {
            push(
                found,
                &dropped_null::RULE,
                resource,
                &path,
                format!("`{name}: null` is stored as an empty text"),
            )
            .help("remove the key, or give it a value");
        }
        ProblemKind::Forbidden { within } => {
            let message = format!("KubeVirt refuses the unknown field `{name}`");
            let finding = push(found, &forbidden_field::RULE, resource, &path, message);
            let beside = |key: &str| stands_beside(resource, &path, key);
            if let Some(help) = suggestion(&name, within, release, beside) {
                finding.help(help);
            }
        }
        ProblemKind::Repeated { .. } => {
            let message = format!("`{name}` repeats an earlier item");
            push(found, &repeated_list_item::RULE, resource, &path, message);
        }
        ProblemKind::OutOfRange { number } => {
            let message = format!("`{name}` cannot hold {number}");
            let info = &wrong_type::RULE.info;
            found.push(Finding::at(info, resource, path, message));
        }
        ProblemKind::BeyondLimit { limit } => {
            if structural::beyond(limit, node).is_some() {
                let message = format!("the API server refuses the value of `{name}`");
                let info = &wrong_type::RULE.info;
                found.push(Finding::at(info, resource, path, message));
            }
        }
        ProblemKind::WrongType { expected } => {
            let message = format!("`{name}` is {}, not {expected}", what(node));
            let info = &wrong_type::RULE.info;
            // A number or word of the wrong type is worth seeing; anything else may be a secret in the wrong place.
            let mut finding = if matches!(
                expected,
                Expected::Quantity | Expected::WholeNumber | Expected::Number | Expected::Boolean
            ) {
                Finding::at(info, resource, path, message)
            } else {
                Finding::at_key(info, resource, path, message)
            };
            if let Some(help) = type_help(node, *expected) {
                finding.help(help);
            }
            found.push(finding);
        }
        ProblemKind::NotListed { allowed } => {
            let word = node.as_str().unwrap_or_default();
            let message = format!("`{word}` is not a value of `{name}`");
            let mut finding = Finding::at(&wrong_type::RULE.info, resource, path, message);
            let near = did_you_mean(word, allowed.iter().map(SmolStr::as_str));
            finding.help(near.map_or_else(
                || format!("it takes {}", allowed.join(", ")),
                |near| format!("did you mean `{near}`?"),
            ));
            found.push(finding);
        }
        // Both are reported above.
        ProblemKind::Missing | ProblemKind::LeftEmpty { .. } => {}
    }
}

fn push<'f>(
    found: &'f mut Vec<Finding>,
    rule: &'static Rule,
    resource: &Resource,
    path: &FieldPath,
    message: String,
) -> &'f mut Finding {
    found.push(Finding::at_key(&rule.info, resource, path.clone(), message));
    found.last_mut().expect("just pushed")
}

/// Whether a key stands beside a field.
fn stands_beside(resource: &Resource, path: &FieldPath, key: &str) -> bool {
    let parent = path.parent();
    let siblings = parent.find(&resource.node);
    siblings.is_some_and(|node| node.get(key).is_some())
}

/// The one field of the same letters: another case, or with dashes or underscores.
fn respelled(name: &str, within: &[&str], release: Release) -> Option<&'static str> {
    let here = Schema::builtin().type_named(within.last()?)?;
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    let mut meant = here
        .fields()
        .iter()
        .filter(|field| field.variant(release).is_some())
        .map(schema::Field::name)
        .filter(|known| plain(known) == plain(name));
    let first = meant.next();
    first.filter(|_| meant.next().is_none())
}

/// What the author of an unknown field may have meant; `beside` tells which keys stand beside it.
fn suggestion(
    name: &str,
    within: &[&str],
    release: Release,
    beside: impl Fn(&str) -> bool,
) -> Option<String> {
    let named = |name: &&str| Schema::builtin().type_named(name);
    let here = named(within.last()?)?;
    let known = |of: &'static Type| {
        of.fields()
            .iter()
            .filter(move |field| field.variant(release).is_some())
            .map(schema::Field::name)
    };
    if here.name().starts_with("v1.CloudInit") && CLOUD_CONFIG.contains(&name) {
        return Some(format!(
            "`{name}` is a cloud-init module: it goes into the text of `userData`"
        ));
    }
    if let Some((_, help)) = BEFORE_V1.iter().find(|(old, _)| *old == name) {
        return Some((*help).to_owned());
    }
    if let Some(meant) = respelled(name, within, release) {
        return Some(format!("did you mean `{meant}`?"));
    }
    let mut below: Vec<&str> = here
        .fields()
        .iter()
        .filter(|field| {
            let variant = field.variant(release);
            variant.is_some_and(|variant| match variant.shape {
                Shape::Struct(index) => {
                    known(Schema::builtin().type_at(index)).any(|known| known == name)
                }
                _ => false,
            })
        })
        .map(schema::Field::name)
        .collect();
    // Where the author has begun one of them, that is the one.
    if let Some(begun) = below.iter().find(|field| beside(field)) {
        below = vec![*begun];
    }
    if !below.is_empty() && below.len() <= 3 {
        let fields: Vec<String> = below.iter().map(|field| format!("`{field}`")).collect();
        return Some(format!(
            "`{name}` is a field of {}, one level down",
            fields.join(" or ")
        ));
    }
    let above = within
        .iter()
        .rev()
        .skip(1)
        .position(|of| named(of).is_some_and(|of| known(of).any(|known| known == name)));
    let above = above.map(|levels| match levels {
        0 => format!("`{name}` is a field one level up"),
        levels => format!("`{name}` is a field {} levels up", levels + 1),
    });
    above
        .or_else(|| did_you_mean(name, known(here)).map(|meant| format!("did you mean `{meant}`?")))
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

fn type_help(node: &Node, expected: Expected) -> Option<String> {
    match (&node.value, expected) {
        (Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_), Expected::String) => {
            Some("YAML reads the bare word as something else: put it in quotes".to_owned())
        }
        (Value::String(text), Expected::Boolean) if matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off") => {
            Some(format!("take the quotes off: `{}`", text.to_ascii_lowercase()))
        }
        (Value::String(text), Expected::WholeNumber) if text.parse::<i64>().is_ok() => {
            Some(format!("take the quotes off: `{text}`"))
        }
        (Value::String(_), Expected::Quantity) => {
            Some("write a number with a suffix of Kubernetes, such as `500m`, `2Gi` or `10G`, without a space".to_owned())
        }
        (Value::Map(_), Expected::List) => Some("start each item with `- `".to_owned()),
        (Value::String(_), Expected::List) => Some("write it as a list: `[…]`, or one `- ` a line".to_owned()),
        _ => None,
    }
}

/// A value in words, never the value: it may be a secret.
pub(super) const fn what(node: &Node) -> &'static str {
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
