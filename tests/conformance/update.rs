//! What the VM controller does to a running guest: live-update, volumes and instancetype-edit.
//! It is long because three families share how a change is planned and compared.

use std::collections::BTreeSet;

use driftless::catalog::Catalog;
use driftless::change::Sided;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::plan::{Apply, Names, Sides, plan};
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::rules::admission::review::review;
use driftless::schema::decode;
use driftless::source::Sources;
use driftless::transform::admit::{RANDOM_UUID, mutate};
use driftless::update::claims::CatalogClaims;
use driftless::update::decide::decide;
use driftless::update::guest::RunningGuest;
use driftless::update::types::Types;
use driftless::update::volumes::{self, MigrationRefusal};
use driftless::update::{Action, Situation, VolumeChange, VolumeVerdict};
use driftless::yaml::Node;
use serde_json::Value as Json;

use crate::Case;

/// The UUID that a guest has.
const UUID: &str = "spec.template.spec.domain.firmware.uuid";

/// One recorded pair of VMs, ready to be judged.
struct Pair {
    target: Target,
    catalog: Catalog,
    old: Node,
    new: Node,
}

fn pair(case: &Case, old: &str, new: &str, objects: &Json) -> Pair {
    let target = case.target();
    let catalog = Catalog::new(
        objects
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|object| {
                Resource::from_node(Node::from_json(object), None, 0, FieldPath::root()).ok()
            })
            .collect(),
    );
    let resolver = Resolver::new(&target, vec![&catalog]);
    let vm = |json: &Json| {
        let written = Node::from_json(json);
        mutate(&written, None, &resolver).map_or_else(
            |_| decode(case.release, "v1.VirtualMachine", &written).node,
            |admitted| admitted.vm,
        )
    };
    let (old, new) = (vm(&case.input[old]), vm(&case.input[new]));
    drop(resolver);
    Pair {
        target,
        catalog,
        old,
        new,
    }
}

fn check(case: &Case, new: &str) -> Result<(), String> {
    let pair = pair(case, "old", new, &case.input["objects"]);
    let namespace = pair.old.str_at("metadata.namespace").to_owned();
    let catalogs = [&pair.catalog];
    let claims = CatalogClaims::new(&catalogs, &namespace, "default", true);
    let resolver = Resolver::new(&pair.target, vec![&pair.catalog]);
    let types = Types::of(&pair.old, &namespace, &resolver).map_err(|error| error.to_string())?;
    let guest = RunningGuest::start(case.release, &pair.target.configuration, &pair.old, &types)
        .map_err(|error| error.to_string())?;
    let types_of = |vm: &Node| Types::of(vm, &namespace, &resolver);
    let current = types_of(&pair.new).and_then(|types| types.apply(case.release, &pair.new));
    let last_seen = types_of(&pair.old)
        .and_then(|types| types.apply_to_last_seen(case.release, &pair.old, current.as_ref()));
    let situation = Situation {
        release: case.release,
        configuration: &pair.target.configuration,
        old: &pair.old,
        last_seen: last_seen.as_ref(),
        vm: &pair.new,
        current: current.as_ref(),
        guest: &guest,
        next: None,
        claims: &claims,
        owed: None,
    };
    let decision = decide(&situation);
    let expected = &case.expected;
    let mut wrong = Vec::new();
    let mut compare = |what: &str, expected: String, got: String| {
        if expected != got {
            wrong.push(format!("{what}: expected {expected}, got {got}"));
        }
    };
    let flow = &expected["flow"];
    compare(
        "flow.restartRequired",
        flow["restartRequired"].to_string(),
        decision.flow.restart_required.to_string(),
    );
    compare(
        "flow.message",
        flow["message"].as_str().unwrap_or_default().to_owned(),
        decision.flow.message.clone(),
    );
    let by: BTreeSet<&str> = flow["liveSpecBy"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let ours: BTreeSet<&str> = decision
        .flow
        .live
        .iter()
        .map(|step| step.as_str())
        .collect();
    compare("flow.liveSpecBy", format!("{by:?}"), format!("{ours:?}"));
    compare(
        "flow.error",
        flow["error"].is_string().to_string(),
        decision.flow.error.is_some().to_string(),
    );
    if !expected["syncRestartRequired"].is_null() {
        compare(
            "syncRestartRequired",
            expected["syncRestartRequired"]["restartRequired"].to_string(),
            decision.flow.template_differs.to_string(),
        );
    }
    if !expected["handler"].is_null() {
        let ours = volumes::handle(&situation);
        let handler = &expected["handler"];
        compare(
            "handler.restartRequired",
            handler["restartRequired"].to_string(),
            ours.restart.is_some().to_string(),
        );
        compare(
            "handler.message",
            handler["message"].as_str().unwrap_or_default().to_owned(),
            ours.restart.unwrap_or_default(),
        );
        compare(
            "handler.error",
            handler["error"].is_string().to_string(),
            ours.error.is_some().to_string(),
        );
        compare(
            "handler.panic",
            (!handler["panic"].is_null()).to_string(),
            ours.crash.is_some().to_string(),
        );
        let said = match volumes::validate(&situation) {
            Ok(()) => String::new(),
            Err(MigrationRefusal::Missing(message) | MigrationRefusal::Invalid { message, .. }) => {
                message
            }
        };
        compare(
            "validateVolumes",
            expected["validateVolumes"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            said,
        );
        let moves = volumes::moves(
            &guest.spec,
            pair.new.path("spec.template.spec").expect("a template"),
        );
        let recorded: Vec<_> = expected["migratedVolumes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| {
                format!(
                    "{} {} {}",
                    one["volumeName"].as_str().unwrap_or_default(),
                    one["sourcePVCInfo"]["claimName"]
                        .as_str()
                        .unwrap_or_default(),
                    one["destinationPVCInfo"]["claimName"]
                        .as_str()
                        .unwrap_or_default()
                )
            })
            .collect();
        let ours: Vec<_> = moves
            .iter()
            .map(|one| format!("{} {} {}", one.name, one.from, one.to))
            .collect();
        compare(
            "migratedVolumes",
            format!("{recorded:?}"),
            format!("{ours:?}"),
        );
        let rest = volumes::validate_rest(&situation, &moves).is_err();
        compare(
            "validateUpdateMigration",
            expected["validateUpdateMigration"].is_string().to_string(),
            rest.to_string(),
        );
        compare(
            "validLiveUpdateVolumes",
            expected["validLiveUpdateVolumes"].to_string(),
            volumes::volumes_are_live(&situation, &pair.old, &pair.new).to_string(),
        );
        let disks = volumes::disks_are_live(&situation, &pair.old, &pair.new);
        compare(
            "validLiveUpdateDisks",
            expected["validLiveUpdateDisks"].to_string(),
            disks.map_or_else(ToOwned::to_owned, |live| live.to_string()),
        );
    }
    let written = Node::from_json(&case.input[new]);
    let refused = !review(&written, Some(&pair.old), &resolver).is_accepted();
    let (wanted, got) = if expected["admit"]["allowed"] == Json::Bool(true) {
        (action(&pair, expected), decision.action)
    } else {
        (vec![Action::Rejected], Action::Rejected)
    };
    compare(
        "admit.allowed",
        expected["admit"]["allowed"].to_string(),
        (!refused).to_string(),
    );
    if !wanted.contains(&got) {
        compare("action", format!("{wanted:?}"), format!("{got:?}"));
    }
    let objects = &case.input["objects"];
    let submitted = with_the_old_run_fields(case, new);
    let planned = planned(
        &pair.target,
        Apply::Replace,
        (&case.input["old"], objects),
        (&submitted, objects),
    );
    // What nothing touches is neither admitted nor judged again.
    let is_touched = case.input["old"] != submitted;
    if is_touched && !wanted.contains(&planned) || !is_touched && planned != Action::None {
        compare("planned", format!("{wanted:?}"), format!("{planned:?}"));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}

/// The new VM. What turns the guest off or on comes before everything in a plan, and no recording has it: where the VM is
/// admitted, the old one's word stays.
fn with_the_old_run_fields(case: &Case, new: &str) -> Json {
    let mut submitted = case.input[new].clone();
    let is_admitted = case.expected["admit"]["allowed"] == Json::Bool(true);
    for field in ["running", "runStrategy"]
        .into_iter()
        .filter(|_| is_admitted)
    {
        match case.input["old"]["spec"].get(field) {
            Some(value) => submitted["spec"][field] = value.clone(),
            None => {
                if let Some(spec) = submitted["spec"].as_object_mut() {
                    spec.remove(field);
                }
            }
        }
    }
    submitted
}

/// The action of a plan whose new object is applied over the stored old one.
pub(crate) fn check_update_wide(case: &Case) -> Result<(), String> {
    let objects = &case.input["objects"];
    let pair = pair(case, "old", "new", objects);
    let expected = &case.expected;
    let wanted = if expected["admit"]["allowed"] == Json::Bool(true) {
        action(&pair, expected)
    } else {
        vec![Action::Rejected]
    };
    let submitted = with_the_old_run_fields(case, "new");
    let named = |object: &Json| (object["kind"].clone(), object["metadata"]["name"].clone());
    let mut head = objects.as_array().cloned().unwrap_or_default();
    for object in case.input["headObjects"].as_array().into_iter().flatten() {
        head.retain(|other| named(other) != named(object));
        head.push(object.clone());
    }
    let head = Json::Array(head);
    let planned = planned(
        &pair.target,
        Apply::Merge,
        (&case.input["old"], objects),
        (&submitted, &head),
    );
    // The guest's own UUID was made at random: the plan cannot know that what Git adds is another.
    let adds_uuid = pair.old.str_at(UUID) == RANDOM_UUID && !pair.new.str_at(UUID).is_empty();
    let planned = match planned {
        Action::Unknown if adds_uuid => Action::Restart,
        planned => planned,
    };
    let is_touched = case.input["old"] != submitted || head != *objects;
    if is_touched && !wanted.contains(&planned) || !is_touched && planned != Action::None {
        return Err(format!("planned {planned:?}, KubeVirt {expected}"));
    }
    Ok(())
}

/// The action of a whole plan over the VM and objects of each side; none where the plan leaves the VM out.
fn planned(target: &Target, apply: Apply, base: (&Json, &Json), head: (&Json, &Json)) -> Action {
    let catalog = |(vm, objects): (&Json, &Json)| {
        let objects = objects.as_array().into_iter().flatten();
        let resources = std::iter::once(vm).chain(objects).filter_map(|json| {
            Resource::from_node(Node::from_json(json), None, 0, FieldPath::root()).ok()
        });
        Catalog::new(resources.collect())
    };
    let (base, head) = (catalog(base), catalog(head));
    let before = Resolver::new(target, vec![&base]);
    let after = Resolver::new(target, vec![&head]);
    let sources = Sources::default();
    let plan = plan(
        Sides {
            base: subjects(&base, &before),
            head: subjects(&head, &after),
            migration_base: Vec::new(),
            deliveries: &[],
            exports: &[],
            sources: &sources,
            apply,
        },
        Names {
            base: String::new(),
            head: String::new(),
        },
    );
    let Some(vm) = plan.virtual_machines.first() else {
        return Action::None;
    };
    // What the guest loses beyond the controller's word stands before it, a swapped disc after it.
    let mut discs = vm.volumes.iter().filter(|volume| {
        let spec = vm
            .before
            .as_ref()
            .and_then(|vm| vm.path("spec.template.spec"));
        let disks = spec.map_or(&[][..], |spec| spec.items_at("domain.devices.disks"));
        let disk = disks.iter().find(|disk| disk.str_at("name") == volume.name);
        disk.is_some_and(|disk| disk.get("cdrom").is_some())
    });
    let is_left_out = |volume: &VolumeChange| volume.verdict == VolumeVerdict::NotMigrated;
    let is_smaller = |volume: &VolumeChange| volume.verdict == VolumeVerdict::Refused;
    match vm.action {
        // The recordings end before a migration that starts fails on a destination that is too small.
        Action::Rejected if vm.volumes.iter().any(is_smaller) => Action::MigrateVolumes,
        Action::DataLoss if vm.volumes.iter().any(is_left_out) => vm.also[0],
        Action::Restart
            if discs.any(|volume| volume.verdict == VolumeVerdict::ReplacedAtRestart) =>
        {
            Action::DataLoss
        }
        action => action,
    }
}

fn subjects<'a>(catalog: &'a Catalog, resolver: &'a Resolver<'a>) -> Vec<Sided<'a>> {
    catalog
        .resources()
        .iter()
        .map(|resource| Sided {
            resource,
            place: "",
            roots: &[],
            overlays: &[],
            resolver,
        })
        .collect()
}

/// The action the README reads from a recording; several where all are equal.
fn action(pair: &Pair, expected: &Json) -> Vec<Action> {
    let flow = &expected["flow"];
    let handler = &expected["handler"];
    let migrating = pair.new.str_at("spec.updateVolumesStrategy") == "Migration";
    if flow["error"].is_string() || handler["error"].is_string() {
        return vec![Action::Rejected];
    }
    if flow["restartRequired"] == Json::Bool(true) || handler["restartRequired"] == Json::Bool(true)
    {
        let claims = |vm: &Node| -> Vec<(String, String)> {
            vm.items_at("spec.template.spec.volumes")
                .iter()
                .map(|volume| {
                    (
                        volume.str_at("name").to_owned(),
                        volumes::claim_of(volume).to_owned(),
                    )
                })
                .filter(|(_, claim)| !claim.is_empty())
                .collect()
        };
        let new = claims(&pair.new);
        let changes = claims(&pair.old)
            .iter()
            .any(|(name, claim)| new.iter().any(|(other, to)| other == name && to != claim));
        return vec![if changes && !migrating {
            Action::DataLoss
        } else {
            Action::Restart
        }];
    }
    let says = expected["validateVolumes"].as_str().unwrap_or_default();
    if migrating && says.ends_with("doesn't exist") {
        return vec![Action::Pending];
    }
    if migrating
        && expected["migratedVolumes"]
            .as_array()
            .is_some_and(|moved| !moved.is_empty())
    {
        return vec![Action::MigrateVolumes];
    }
    if flow["liveSpec"] == Json::Bool(true) {
        if flow["denied"]
            .as_array()
            .is_some_and(|denied| !denied.is_empty())
        {
            return vec![Action::Live, Action::Rejected];
        }
        return vec![Action::Live];
    }
    vec![Action::None, Action::NextStart]
}

pub(crate) fn check_live_update(case: &Case) -> Result<(), String> {
    check(case, "new")
}

pub(crate) fn check_volumes(case: &Case) -> Result<(), String> {
    check(case, "vm")
}

/// The unchanged VM whose instance type or preference was edited after it started.
pub(crate) fn check_instancetype_edit(case: &Case) -> Result<(), String> {
    let base = pair(case, "vm", "vm", &case.input["base"]);
    let head = pair(case, "vm", "vm", &case.input["head"]);
    let namespace = base.old.str_at("metadata.namespace").to_owned();
    let catalogs = [&head.catalog];
    let claims = CatalogClaims::new(&catalogs, &namespace, "default", true);
    let captured = Resolver::new(&base.target, vec![&base.catalog]);
    let live = Resolver::new(&head.target, vec![&head.catalog]);
    let types = Types::of(&base.old, &namespace, &captured).map_err(|error| error.to_string())?;
    let release = case.release;
    let configuration = &base.target.configuration;
    let flow = &case.expected["captured"]["flow"];
    let wanted = flow["restartRequired"] == Json::Bool(true);
    let Ok(guest) = RunningGuest::start(release, configuration, &base.old, &types) else {
        // A VM that conflicts with its captured type never started.
        return if wanted {
            Err("the guest does not start".to_owned())
        } else {
            Ok(())
        };
    };
    let current = types.apply(release, &base.old);
    let last_seen = Types::of(&base.old, &namespace, &live)
        .and_then(|types| types.apply_to_last_seen(release, &base.old, current.as_ref()));
    let decision = decide(&Situation {
        release,
        configuration,
        old: &base.old,
        last_seen: last_seen.as_ref(),
        vm: &base.old,
        current: current.as_ref(),
        guest: &guest,
        next: None,
        claims: &claims,
        owed: None,
    });
    let vm = &case.input["vm"];
    let planned = planned(
        &base.target,
        Apply::Replace,
        (vm, &case.input["base"]),
        (vm, &case.input["head"]),
    );
    if wanted != (planned == Action::Restart) {
        return Err(format!(
            "restart required: recorded {wanted}, planned {planned:?}"
        ));
    }
    let said = flow["message"].as_str().unwrap_or_default();
    if wanted == decision.flow.restart_required && said == decision.flow.message {
        Ok(())
    } else {
        Err(format!(
            "restart required: recorded {wanted} `{said}`, got {} `{}`",
            decision.flow.restart_required, decision.flow.message
        ))
    }
}
