//! How a tree reaches a cluster, as objects of Argo CD and Flux in it say: what is synced by itself, pruned and healed, and
//! which differences are ignored.

use super::{Action, Change, Reason, VmPlan};
use crate::catalog::path;
use crate::change::Sided;
use crate::field_path::FieldPath;
use crate::resource::Resource;
use crate::yaml::Node;

/// An object that applies directories of the tree to a cluster.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// Kind, namespace and name in words.
    name: String,
    /// What it applies, as places of the tree.
    places: Vec<String>,
    /// Why it does not sync by itself.
    waits: Option<&'static str>,
    /// Why it leaves what is gone from Git.
    keeps: Option<&'static str>,
    /// Why it leaves what somebody changes in the cluster.
    does_not_heal: Option<&'static str>,
    ignored: Vec<Ignored>,
    /// Whether what is ignored is also kept when something else is synced.
    respects_ignored: bool,
}

/// Differences that Argo CD does not look at.
#[derive(Clone, Debug)]
struct Ignored {
    group: String,
    kind: String,
    name: String,
    namespace: String,
    /// The fields; `None` where an expression names them that is not followed here.
    fields: Vec<Option<FieldPath>>,
}

impl Delivery {
    /// Whether a resource is of a kind that applies directories.
    pub fn is_one(resource: &Resource) -> bool {
        resource.is("argoproj.io", "Application")
            || resource.is("argoproj.io", "ApplicationSet")
            || resource.is("kustomize.toolkit.fluxcd.io", "Kustomization")
    }

    /// What a resource says; `None` where it applies nothing. `place` gives the place of a path that the repository names.
    pub fn read(resource: &Resource, place: impl Fn(&str) -> String) -> Option<Self> {
        if !Self::is_one(resource) {
            return None;
        }
        let id = &resource.id;
        let node = &resource.node;
        let namespace = id
            .namespace
            .as_deref()
            .map_or_else(String::new, |namespace| format!("{namespace}/"));
        let name = format!("{} `{namespace}{}`", id.kind, id.name);
        match (id.group.as_str(), id.kind.as_str()) {
            ("argoproj.io", "Application") => {
                Some(argo_cd(format!("Argo CD {name}"), node.get("spec")?, place))
            }
            ("argoproj.io", "ApplicationSet") => Some(argo_cd(
                format!("Argo CD {name}"),
                node.path("spec.template.spec")?,
                place,
            )),
            ("kustomize.toolkit.fluxcd.io", "Kustomization") => {
                Some(flux(format!("Flux {name}"), node.get("spec")?, place))
            }
            _ => None,
        }
    }

    /// How near its places are to one; `None` where it does not apply it.
    fn nearness(&self, place: &str) -> Option<usize> {
        let holding = self
            .places
            .iter()
            .filter(|held| path::is_inside(place, held));
        holding.map(String::len).max()
    }

    /// What it does less than one expects, in sentences for the whole plan.
    fn notes(&self) -> impl Iterator<Item = String> + '_ {
        let waits = self.waits.map(|why| {
            format!(
                "{} does not sync by itself ({why}): nothing here happens before",
                self.name
            )
        });
        let heals = self.does_not_heal.filter(|_| self.waits.is_none()).map(|why| {
            format!(
                "{} does not heal ({why}): what somebody changed in the cluster stays until the next change in Git",
                self.name
            )
        });
        waits.into_iter().chain(heals)
    }
}

fn argo_cd(name: String, spec: &Node, place: impl Fn(&str) -> String) -> Delivery {
    let sources = spec
        .get("source")
        .into_iter()
        .chain(spec.items_at("sources"));
    let places = sources
        .filter(|source| source.str_at("chart").is_empty() && !source.str_at("repoURL").is_empty())
        .map(|source| source.str_at("path"))
        .filter(|path| !path.contains("{{"))
        .map(|path| place(&path::normal(path)))
        .collect();
    let automated = spec.path("syncPolicy.automated").filter(|automated| {
        !automated.is_null() && automated.get("enabled").and_then(Node::as_bool) != Some(false)
    });
    let option = |wanted: &str| {
        let mut options = spec.items_at("syncPolicy.syncOptions").iter();
        options.any(|option| option.as_str() == Some(wanted))
    };
    let is_on = |field: &str| automated.is_some_and(|automated| automated.bool_at(field));
    let keeps = if option("Prune=false") {
        Some("`Prune=false` among its `syncOptions`")
    } else if automated.is_none() {
        Some("it syncs by hand, and prunes only where somebody asks for it")
    } else if is_on("prune") {
        None
    } else {
        Some("`syncPolicy.automated.prune` is off")
    };
    Delivery {
        name,
        places,
        waits: automated.is_none().then_some("no `syncPolicy.automated`"),
        keeps,
        does_not_heal: (!is_on("selfHeal")).then_some("`syncPolicy.automated.selfHeal` is off"),
        ignored: spec
            .items_at("ignoreDifferences")
            .iter()
            .map(ignored)
            .collect(),
        respects_ignored: option("RespectIgnoreDifferences=true"),
    }
}

fn flux(name: String, spec: &Node, place: impl Fn(&str) -> String) -> Delivery {
    Delivery {
        name,
        places: vec![place(&path::normal(spec.str_at("path")))],
        waits: spec.bool_at("suspend").then_some("`spec.suspend`"),
        keeps: (!spec.bool_at("prune")).then_some("`spec.prune` is off"),
        does_not_heal: None,
        ignored: Vec::new(),
        respects_ignored: false,
    }
}

fn ignored(entry: &Node) -> Ignored {
    let text = |field: &str| entry.str_at(field).to_owned();
    let pointers = entry
        .items_at("jsonPointers")
        .iter()
        .filter_map(Node::as_str);
    let expressions = entry
        .items_at("jqPathExpressions")
        .iter()
        .filter_map(Node::as_str);
    Ignored {
        group: text("group"),
        kind: text("kind"),
        name: text("name"),
        namespace: text("namespace"),
        fields: pointers
            .map(|pointer| Some(pointed(pointer)))
            .chain(expressions.map(plain_path))
            .collect(),
    }
}

/// The field that a JSON pointer names.
fn pointed(pointer: &str) -> FieldPath {
    pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .fold(FieldPath::root(), |path, step| match step.parse() {
            Ok(index) => path.index(index),
            Err(_) => path.field(&step),
        })
}

/// The field of a jq expression that only walks into mappings: `.spec.template.metadata`.
fn plain_path(expression: &str) -> Option<FieldPath> {
    let steps = expression.strip_prefix('.')?;
    let is_plain = |step: &str| {
        !step.is_empty()
            && step
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    steps
        .split('.')
        .all(is_plain)
        .then(|| FieldPath::parse(steps))
}

impl Ignored {
    fn is_about(&self, row: &VmPlan) -> bool {
        let fits = |wanted: &str, held: &str| wanted.is_empty() || wanted == "*" || wanted == held;
        fits(&self.kind, &row.kind)
            && (self.group == "*" || self.group.ends_with("kubevirt.io"))
            && fits(&self.name, &row.name)
            && fits(&self.namespace, &row.namespace)
    }
}

/// The objects that apply a resource: those whose directories hold its file most closely, or its roots.
fn applying<'a>(subject: &Sided<'_>, deliveries: &'a [Delivery]) -> Vec<&'a Delivery> {
    let nearest = |place: &str| -> Vec<&'a Delivery> {
        let near: Vec<(usize, &Delivery)> = deliveries
            .iter()
            .filter_map(|delivery| Some((delivery.nearness(place)?, delivery)))
            .collect();
        let most = near.iter().map(|(near, _)| *near).max();
        let held = near.into_iter().filter(|(near, _)| Some(*near) == most);
        held.map(|(_, delivery)| delivery).collect()
    };
    if deliveries.is_empty() {
        return Vec::new();
    }
    let direct = nearest(subject.place);
    if direct.is_empty() {
        subject
            .roots
            .iter()
            .flat_map(|root| nearest(root))
            .collect()
    } else {
        direct
    }
}

/// Why an object that is gone from Git stays in its cluster for now; `None` where something prunes it, or nothing says so.
pub(super) fn stays(subject: &Sided<'_>, deliveries: &[Delivery]) -> Option<Reason> {
    let applying = applying(subject, deliveries);
    let kept: Vec<(&str, &str)> = applying
        .iter()
        .filter_map(|delivery| Some((delivery.name.as_str(), delivery.keeps?)))
        .collect();
    let (name, why) = *kept.first()?;
    (kept.len() == applying.len()).then(|| {
        Reason::new(format!(
            "{name} does not prune ({why}): `{}` stays as it is until somebody deletes it",
            subject.resource.id.name
        ))
    })
}

/// Says of a row what the tool that applies it does less than one expects.
pub(super) fn note(
    base: Option<&Sided<'_>>,
    head: Option<&Sided<'_>>,
    deliveries: &[Delivery],
    row: &mut VmPlan,
) {
    let goes = row.holds(Action::Delete) || row.holds(Action::DataLoss);
    let leaves = head.is_none() || matches!(row.change, Change::Renamed | Change::Moved);
    if let Some(base) = base.filter(|_| goes && leaves) {
        row.reasons.extend(stays(base, deliveries));
    }
    if let (Some(base), Some(head)) = (base, head)
        && row.change == Change::Modified
    {
        row.reasons.extend(left_alone(&base.resource.node));
        for delivery in applying(head, deliveries) {
            row.reasons.extend(ignores(delivery, row));
        }
    }
}

/// The sentences for the whole plan of what applies a resource.
pub(super) fn notes(subject: &Sided<'_>, deliveries: &[Delivery]) -> Vec<String> {
    applying(subject, deliveries)
        .into_iter()
        .flat_map(Delivery::notes)
        .collect()
}

/// Why Flux leaves an object of the cluster as it is.
///
/// Mirrors the ExclusionSelector and IfNotPresentSelector of kustomize-controller's apply.
fn left_alone(node: &Node) -> Option<Reason> {
    const GROUP: &str = "kustomize.toolkit.fluxcd.io";
    let marked = |key: &str, values: &[&str]| {
        let key = format!("{GROUP}/{key}");
        ["metadata.annotations", "metadata.labels"]
            .iter()
            .any(|path| {
                node.path(path)
                    .and_then(|marks| marks.get(&key))
                    .and_then(Node::as_str)
                    .is_some_and(|held| values.iter().any(|value| held.eq_ignore_ascii_case(value)))
            })
    };
    let key = if marked("reconcile", &["disabled"]) {
        "reconcile: disabled"
    } else if marked("ssa", &["Ignore"]) {
        "ssa: Ignore"
    } else if marked("ssa", &["IfNotPresent"]) {
        "ssa: IfNotPresent"
    } else {
        return None;
    };
    Some(Reason::new(format!(
        "Flux leaves the object as it is (`{GROUP}/{key}`): where Flux applies it, nothing of the edit reaches the cluster"
    )))
}

/// What Argo CD makes of changed fields whose differences it ignores.
fn ignores(delivery: &Delivery, row: &VmPlan) -> Vec<Reason> {
    let mut out = Vec::new();
    let about = delivery
        .ignored
        .iter()
        .filter(|ignored| ignored.is_about(row));
    let fields: Vec<&Option<FieldPath>> = about.flat_map(|ignored| &ignored.fields).collect();
    if fields.is_empty() {
        return out;
    }
    let what = if delivery.respects_ignored {
        "the edit does not reach the cluster (`RespectIgnoreDifferences=true`)"
    } else {
        "the edit alone starts no sync, and goes along with the next"
    };
    for changed in &row.fields {
        let is_ignored = fields.iter().any(|field| {
            field
                .as_ref()
                .is_some_and(|field| changed.path.overlaps(field))
        });
        if is_ignored {
            out.push(
                Reason::new(format!(
                    "{} ignores differences here: {what}",
                    delivery.name
                ))
                .at(&changed.path.to_string()),
            );
        }
    }
    if fields.iter().any(|field| field.is_none()) {
        out.push(Reason::new(format!(
            "{} ignores differences by expressions that are not followed here: an edit of such a field does not reach the cluster by itself",
            delivery.name
        )));
    }
    out
}
