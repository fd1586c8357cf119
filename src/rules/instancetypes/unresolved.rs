//! What is said of a matcher that leads nowhere, for both of its rules.

use crate::catalog::bundle;
use crate::cause::Cause;
use crate::config::did_you_mean;
use crate::field_path::FieldPath;
use crate::resolve::{Resolution, ResolveError};
use crate::rule::Severity;
use crate::rules::admission::causes::Causes;
use crate::rules::{Context, Findings, Vm};
use crate::stored::{GROUP, Matcher};

/// Reports a matcher that leads nowhere; what other rules explain is left to them.
pub(super) fn report(
    matcher: Matcher,
    error: &ResolveError,
    vm: &Vm<'_>,
    context: &Context<'_>,
    findings: &mut Findings,
) {
    let at = FieldPath::root().field("spec").field(matcher.field());
    let written = vm
        .decoded
        .node
        .get("spec")
        .and_then(|spec| spec.get(matcher.field()));
    match error {
        ResolveError::UnexpectedKind { kind, .. } => {
            let kinds = [matcher.kind(), matcher.cluster_kind()];
            let finding = findings.report(
                vm.resource,
                at.field("kind"),
                format!("`{kind}` is not a kind of {matcher}"),
            );
            finding
                .severity(Severity::Error)
                .kubevirt(Cause::new("", error.to_string()));
            let near = did_you_mean(kind, kinds.into_iter());
            finding.help(near.map_or_else(
                || format!("it is one of {} and {}", kinds[0], kinds[1]),
                |near| format!("did you mean `{near}`?"),
            ));
        }
        ResolveError::NotFound {
            kind,
            name,
            namespace,
            ..
        } if *kind != "ControllerRevision" => {
            // Admission puts the name it infers in place.
            if written.is_some_and(|written| !written.str_at("inferFromVolume").is_empty()) {
                return;
            }
            let is_external = context.target.is_external(kind, namespace.as_deref(), name);
            let is_common = bundle::lifetime(kind, name).is_some();
            let is_shipped =
                is_common && context.target.configuration.deploys_common_instancetypes();
            if is_external || is_shipped {
                return;
            }
            let scope = match namespace {
                Some(namespace) => format!("{kind} `{name}` of namespace `{namespace}`"),
                None => format!("{kind} `{name}`"),
            };
            let finding = findings.report(
                vm.resource,
                at.field("name"),
                format!("there is no {scope} in the tree"),
            );
            let must_be_here = !error.is_elsewhere(context.target);
            if must_be_here {
                finding
                    .severity(Severity::Error)
                    .kubevirt(Cause::new("", error.to_string()));
            } else {
                finding.severity(Severity::Note);
            }
            if let Some(help) = elsewhere(matcher, kind, name, vm, context) {
                finding.severity(if must_be_here {
                    Severity::Error
                } else {
                    Severity::Warning
                });
                finding.help(help);
            } else if is_common {
                finding.help(
                    "the cluster's configuration turns `commonInstancetypesDeployment` off: KubeVirt does not install its own",
                );
            } else {
                finding.help(
                    "add it to the tree, name its place with --context, or leave it to the cluster",
                );
            }
        }
        _ => {}
    }
}

/// Says where an object of that name is, when it is of the other scope or in another namespace.
fn elsewhere(
    matcher: Matcher,
    kind: &str,
    name: &str,
    vm: &Vm<'_>,
    context: &Context<'_>,
) -> Option<String> {
    let cluster = kind == matcher.cluster_kind();
    let (other, namespace) = if cluster {
        (matcher.kind(), Some(vm.namespace))
    } else {
        (matcher.cluster_kind(), None)
    };
    if let Resolution::Found(_) = context.resolver.find(GROUP, other, namespace, name) {
        return Some(if cluster {
            format!("`{name}` is a {other}: set `kind: {other}`, which is not the default")
        } else {
            format!("`{name}` is a {other}: set `kind: {other}`, or leave `kind` out")
        });
    }
    let elsewhere = context.catalog.resources().iter().find(|resource| {
        resource.id.group == GROUP && resource.id.name == name && resource.id.kind == matcher.kind()
    })?;
    let namespace = elsewhere.namespace_or(&context.target.namespace);
    Some(format!(
        "there is one in namespace `{namespace}`; a VM sees only those of its own"
    ))
}

/// What KubeVirt up to 1.5 says of it.
pub(in crate::rules) fn refused(matcher: Matcher, error: &ResolveError, causes: &mut Causes) {
    let rule = match matcher {
        Matcher::Instancetype => &super::unresolved_instancetype::RULE,
        Matcher::Preference => &super::unresolved_preference::RULE,
    };
    let field = matcher.field();
    let message = format!("Failure to find {field}: {error}");
    rule.refuse(causes, FieldPath::from("spec").field(field))
        .because(message)
        .help("correct the name and kind, or add the object");
}
