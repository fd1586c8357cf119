//! Families about revisions: `convert`, `upgrade-revision`, `create-revision`.

use driftless::catalog::Catalog;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::stored::{self, Conversion, LAST_TO_CONVERT, Matcher};
use driftless::transform::expand::expand;
use driftless::transform::upgrade::{self, Options, ToUpgrade, capture};
use driftless::yaml::Node;
use serde_json::{Value as Json, json};

use crate::Case;

/// A raw v1alpha1 or v1alpha2 object as v1beta1.
pub(crate) fn convert(case: &Case) -> Result<(), String> {
    let object = Node::from_json(&case.input["object"]);
    let stored = stored::read(LAST_TO_CONVERT, &object, None).map_err(|error| error.to_string())?;
    let lifted = stored.to_v1beta1(LAST_TO_CONVERT, Conversion::AsKubevirt);
    same("object", &lifted.to_json(), &case.expected["object"])
}

/// An old revision: what it decodes to, and what the upgrade makes of it and its VM.
pub(crate) fn upgrade(case: &Case) -> Result<(), String> {
    let data = Node::from_json(&case.input["revision"]["data"]);
    let decoded = stored::decode(Release::V1_6, &data);
    match (&decoded, case.expected["decode"]["error"].as_str()) {
        (Ok(object), None) => same(
            "decode",
            &object.to_json(),
            &case.expected["decode"]["object"],
        )?,
        (Err(_), Some(_)) => {}
        (Ok(_), Some(error)) => return Err(format!("decoded, but KubeVirt says: {error}")),
        (Err(error), None) => return Err(format!("not decoded: {error}")),
    }
    upgraded_as_kubevirt(case)?;
    upgraded_in_meaning(case)
}

/// By default the result differs from KubeVirt's only where its own changes what the VM means: three fields that nobody
/// set, and the name of what a bare spec stores. The VM expands in 1.9 to what it expanded to in 1.6.
fn upgraded_in_meaning(case: &Case) -> Result<(), String> {
    let (vm, old) = (&case.input["vm"], &case.input["revision"]);
    let catalog = catalog(&[vm, old]);
    let mut upgraded = Vec::new();
    for bug_compatible in [false, true] {
        let target = target(LAST_TO_CONVERT);
        let resolver = Resolver::new(&target, vec![&catalog]);
        let options = Options {
            bug_compatible,
            prune: false,
        };
        let ours = upgrade::upgrade(&judged(&catalog, &resolver), options);
        upgraded.push(ours.created.first().map(|created| created.node.to_json()));
    }
    let [Some(meant), Some(literal)] = upgraded.as_slice() else {
        return Ok(());
    };
    let bare = old["data"]["kind"].is_null();
    same(
        "default, where it may not differ",
        &comparable(meant, bare),
        &comparable(literal, bare),
    )?;

    let expanded = |release: Release, revision: &Json| {
        let mut vm = vm.clone();
        for field in ["instancetype", "preference"] {
            if vm["spec"][field].is_object() {
                vm["spec"][field]["revisionName"] = revision["metadata"]["name"].clone();
            }
        }
        let catalog = self::catalog(&[&vm, revision]);
        let target = target(release);
        let resolver = Resolver::new(&target, vec![&catalog]);
        expand(&catalog.resources()[0].node, "vms", &resolver)
            .map(|vm| without_nulls(&vm.to_json()))
            .map_err(|error| error.to_string())
    };
    // KubeVirt's own conversion lies on the way of 1.6 to the old revision, so where it conflicts there is no answer.
    let before = expanded(Release::V1_6, old);
    let after = expanded(Release::V1_9, meant);
    match (&before, &after) {
        (Ok(before), Ok(_)) => {
            same(
                "1.6, old and upgraded",
                &ok(expanded(Release::V1_6, meant))?,
                before,
            )?;
        }
        (Err(error), Ok(_)) if !error.contains("conflict") => {
            return Err(format!("expands now, and did not in 1.6: {error}"));
        }
        _ => {}
    }
    // Where 1.6 and 1.9 read one and the same revision differently, the releases differ, not the revisions.
    let (then, now) = (
        expanded(Release::V1_6, literal),
        expanded(Release::V1_9, literal),
    );
    if then == now && before.is_ok() {
        same("1.6 old, 1.9 upgraded", &ok(after.clone())?, &ok(before)?)?;
    }
    if let Ok(now) = now {
        same("1.9, default and KubeVirt's", &ok(after)?, &now)?;
    }
    Ok(())
}

fn ok(result: Result<Json, String>) -> Result<Json, String> {
    result.map_err(|error| format!("does not expand: {error}"))
}

/// A revision without what the default may write differently.
fn comparable(revision: &Json, bare: bool) -> Json {
    let mut revision = revision.clone();
    if let Some(cpu) = revision["data"]["spec"]["cpu"].as_object_mut() {
        for field in stored::MADE_OPTIONAL {
            if cpu
                .get(field)
                .is_some_and(|value| *value == json!("") || *value == json!(false))
            {
                cpu.remove(field);
            }
        }
    }
    if bare {
        revision["metadata"]["name"] = Json::Null;
        revision["data"]["metadata"]["name"] = Json::Null;
        revision["data"]["kind"] = Json::Null;
        for label in [capture::label::NAME, capture::label::KIND] {
            revision["metadata"]["labels"][label] = Json::Null;
        }
    }
    revision
}

/// With `--bug-compatible --prune` everything is KubeVirt's: what is created, patched and deleted.
fn upgraded_as_kubevirt(case: &Case) -> Result<(), String> {
    let expected = &case.expected["upgrade"];
    let catalog = catalog(&[&case.input["vm"], &case.input["revision"]]);
    let target = target(LAST_TO_CONVERT);
    let resolver = Resolver::new(&target, vec![&catalog]);
    let options = Options {
        bug_compatible: true,
        prune: true,
    };
    let ours = upgrade::upgrade(&judged(&catalog, &resolver), options);
    if ours.is_blocked() != expected["error"].is_string() {
        return Err(format!("blocked: {:?}", ours.remarks));
    }
    let created: Json = ours
        .created
        .iter()
        .map(|created| created.node.to_json())
        .collect();
    let theirs: Json = expected["created"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|revision| {
            let mut whole = json!({"apiVersion": "apps/v1", "kind": "ControllerRevision"});
            for (key, value) in revision.as_object().into_iter().flatten() {
                whole[key] = value.clone();
            }
            whole
        })
        .collect();
    same("created", &created, &theirs)?;
    let removed: Json = ours
        .removed
        .iter()
        .map(|resource| resource.id.name.to_string())
        .collect();
    same("deleted", &removed, &expected["deleted"])?;
    let vm = ours.changed.first().map(|changed| &changed.node);
    let vm = vm.unwrap_or(&catalog.resources()[0].node);
    for matcher in Matcher::ALL {
        let at = format!("status.{}", matcher.status_field());
        let ours = vm.path(&at).map_or(Json::Null, Node::to_json);
        let theirs = &expected["storedVM"]["status"][matcher.status_field()];
        same(&at, &ours, theirs)?;
    }
    Ok(())
}

fn judged<'a, 'r>(catalog: &'a Catalog, resolver: &'r Resolver<'a>) -> Vec<ToUpgrade<'a, 'r>> {
    let resources = catalog.resources().iter();
    resources.map(|resource| (resolver, resource)).collect()
}

fn catalog(objects: &[&Json]) -> Catalog {
    let resources = objects.iter().map(|object| {
        Resource::from_node(Node::from_json(object), None, 0, FieldPath::root())
            .expect("a recorded object is a resource")
    });
    Catalog::new(resources.collect())
}

fn target(release: Release) -> Target {
    Target {
        release,
        complete: true,
        ..Target::default()
    }
}

/// The revisions KubeVirt captures of a VM's instance type and preference when the VM starts.
pub(crate) fn create(case: &Case) -> Result<(), String> {
    let objects: Vec<&Json> = case.input["objects"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let catalog = catalog(&objects);
    let target = target(case.release);
    let resolver = Resolver::new(&target, vec![&catalog]);
    let vm = &catalog.resources()[0];
    let captured = capture::capture(&vm.node, vm.namespace_or("default"), &resolver);
    let captured = match (captured, case.expected["error"].as_str()) {
        (Ok(captured), None) => captured,
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(error)) => return Err(format!("captured, but KubeVirt says: {error}")),
        (Err(error), None) => return Err(format!("not captured: {error}")),
    };
    let ours: Json = captured.revisions.iter().map(Node::to_json).collect();
    same("revisions", &ours, &case.expected["revisions"])?;
    let theirs = case.expected["patches"][0]["patch"].clone();
    same("patch", &captured.patch().unwrap_or(Json::Null), &theirs)
}

fn same(what: &str, ours: &Json, theirs: &Json) -> Result<(), String> {
    let (ours, theirs) = (without_nulls(ours), without_nulls(theirs));
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{what}:\n  ours   {ours}\n  theirs {theirs}"))
    }
}

/// The value with sorted keys and without nulls: KubeVirt writes `creationTimestamp: null`, the recordings leave it out.
fn without_nulls(json: &Json) -> Json {
    match json {
        Json::Array(items) => items.iter().map(without_nulls).collect(),
        Json::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(fields.into_iter().collect())
        }
        other => other.clone(),
    }
}
