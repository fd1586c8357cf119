//! Volumes that change their claim: what migrates, what is refused, what waits.

use std::collections::BTreeMap;

use super::hotplug::{disks, is_declarative, is_hotplug, volumes};
use super::{Flow, Situation, SyncError, VolumeChange, VolumeVerdict, named, template_spec};
use crate::diff::same;
use crate::release::Behaviour;
use crate::yaml::{Node, Value};

/// The claims and data volumes that can be seen, all of the VM's namespace.
pub trait Claims: std::fmt::Debug {
    /// The PersistentVolumeClaim of that name.
    fn claim(&self, name: &str) -> Option<&Node>;
    /// The DataVolume of that name.
    fn data_volume(&self, name: &str) -> Option<&Node>;
    /// Whether what cannot be seen does not exist.
    fn is_complete(&self) -> bool;

    /// The access modes of a claim, from the claim itself or from the data volume that makes it; `None` where neither
    /// says them.
    fn access_modes(&self, name: &str) -> Option<&[Node]> {
        if let Some(claim) = self.claim(name) {
            return Some(claim.items_at("spec.accessModes"));
        }
        let made = self.data_volume(name)?;
        ["spec.pvc.accessModes", "spec.storage.accessModes"]
            .into_iter()
            .map(|path| made.items_at(path))
            .find(|modes| !modes.is_empty())
    }
}

/// A volume that moves from one claim to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Volume name.
    pub name: String,
    /// Claim the guest uses.
    pub from: String,
    /// Claim the new VM names.
    pub to: String,
}

/// Why a migration does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MigrationRefusal {
    /// A restart is asked for, with this message.
    Invalid {
        /// KubeVirt's words.
        message: String,
        /// Names of the volumes to blame.
        volumes: Vec<String>,
    },
    /// The migration waits for a claim or data volume.
    Missing(String),
}

/// The claim of a volume, whether it names a claim or a data volume; empty for other volumes.
pub fn claim_of(volume: &Node) -> &str {
    if volume.get("dataVolume").is_some() {
        return volume.str_at("dataVolume.name");
    }
    volume.str_at("persistentVolumeClaim.claimName")
}

/// Volumes whose claim changes, in the order of the new VM. Mirrors GenerateMigratedVolumes, volume-migration.go.
pub fn moves(guest: &Node, wanted: &Node) -> Vec<Move> {
    volumes(wanted)
        .iter()
        .filter_map(|volume| {
            let name = volume.str_at("name");
            let to = claim_of(volume);
            let from = volumes(guest)
                .iter()
                .rev()
                .find(|other| other.str_at("name") == name && !claim_of(other).is_empty())
                .map(claim_of)?;
            (!to.is_empty() && from != to).then(|| Move {
                name: name.to_owned(),
                from: from.to_owned(),
                to: to.to_owned(),
            })
        })
        .collect()
}

/// Whether every volume difference can be applied live. Mirrors validLiveUpdateVolumes, vm.go.
pub fn volumes_are_live(situation: &Situation, last_seen: &Node, current: &Node) -> bool {
    let mut old: BTreeMap<&str, &Node> = by_name(volumes(template_spec(last_seen)));
    for volume in volumes(template_spec(current)) {
        let name = volume.str_at("name");
        let before = old.get(name).copied();
        let persistent =
            volume.get("persistentVolumeClaim").is_some() || volume.get("dataVolume").is_some();
        let unchanged = match before {
            _ if is_hotplug(volume) => true,
            None => false,
            Some(_) if persistent && situation.volumes_strategy() == "Migration" => true,
            Some(before) => same(situation.release, "v1.Volume", Some(before), Some(volume)),
        };
        if !unchanged {
            return false;
        }
        old.remove(name);
    }
    old.values().all(|volume| is_hotplug(volume))
}

/// Whether every disk difference can be applied live; `Err` where KubeVirt's code would crash. Mirrors
/// validLiveUpdateDisks, vm.go.
pub fn disks_are_live(
    situation: &Situation,
    last_seen: &Node,
    current: &Node,
) -> Result<bool, &'static str> {
    let forgiving = situation.release.has(Behaviour::ForgivesDisksWithoutVolume);
    let old_spec = template_spec(last_seen);
    let new_spec = template_spec(current);
    let mut old: BTreeMap<&str, &Node> = by_name(disks(old_spec));
    for disk in disks(new_spec) {
        let name = disk.str_at("name");
        let volume = named(volumes(new_spec), name);
        if volume.is_some_and(is_hotplug) {
            old.remove(name);
            continue;
        }
        match old.get(name) {
            Some(before) if same(situation.release, "v1.Disk", Some(before), Some(disk)) => {}
            _ => return Ok(false),
        }
        if volume.is_none() && !forgiving {
            return Err("a disk without a volume while the controller compares disks");
        }
        old.remove(name);
    }
    for (name, disk) in old {
        let volume = named(volumes(old_spec), name);
        match volume {
            Some(volume) if is_hotplug(volume) => {}
            None if forgiving => {}
            _ => return Ok(false),
        }
        if forgiving && disk.get("cdrom").is_some() && named(disks(new_spec), name).is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn by_name(items: &[Node]) -> BTreeMap<&str, &Node> {
    items
        .iter()
        .map(|item| (item.str_at("name"), item))
        .collect()
}

/// Checks that the moved volumes can migrate. Mirrors ValidateVolumes, volume-migration.go.
pub fn validate(situation: &Situation) -> Result<(), MigrationRefusal> {
    let guest = &situation.guest.spec;
    let wanted = template_spec(situation.vm);
    let moved: Vec<String> = moves(guest, wanted)
        .into_iter()
        .map(|one| one.name)
        .collect();
    let mut filesystems = Vec::new();
    let mut shareable = Vec::new();
    let mut luns = Vec::new();
    let mut without_populator = Vec::new();
    for volume in volumes(wanted) {
        let name = volume.str_at("name");
        if !moved.iter().any(|other| other == name) {
            continue;
        }
        if named(guest.items_at("domain.devices.filesystems"), name).is_some() {
            filesystems.push(name);
            continue;
        }
        let Some(disk) = named(disks(guest), name) else {
            continue;
        };
        if disk.bool_at("shareable") {
            shareable.push(name);
            continue;
        }
        if disk.get("lun").is_some() {
            luns.push(name);
            continue;
        }
        let claims = situation.claims;
        let claim = volume.str_at("persistentVolumeClaim.claimName");
        if situation.release.has(Behaviour::ChecksDestinationClaims)
            && volume.get("persistentVolumeClaim").is_some()
            && claims.claim(claim).is_none()
            && claims.is_complete()
        {
            return Err(MigrationRefusal::Missing(format!(
                "the pvc {claim} doesn't exist"
            )));
        }
        if volume.get("dataVolume").is_none() {
            continue;
        }
        let data_volume = volume.str_at("dataVolume.name");
        let made = claims.data_volume(data_volume);
        if made.is_none() && claims.is_complete() {
            return Err(MigrationRefusal::Missing(format!(
                "the datavolume {data_volume} doesn't exist"
            )));
        }
        if made.is_none_or(|made| made.str_at("status.phase") == "Succeeded") {
            continue;
        }
        match claims.claim(data_volume) {
            None if claims.is_complete() => {
                return Err(MigrationRefusal::Missing(format!(
                    "the pvc {data_volume} doesn't exist"
                )));
            }
            Some(claim) if claim.path("spec.dataSourceRef").is_none_or(Node::is_null) => {
                without_populator.push(name);
            }
            _ => {}
        }
    }
    let mut message = String::from("invalid volumes to update with migration:");
    let mut invalid = Vec::new();
    for (label, names) in [
        ("filesystems", filesystems),
        ("shareable", shareable),
        ("luns", luns),
        (
            "DV storage class isn't a CSI or not using volume populators",
            without_populator,
        ),
    ] {
        if !names.is_empty() {
            message = format!("{message} {label}: [{}]", names.join(" "));
            invalid.extend(names.into_iter().map(str::to_owned));
        }
    }
    if invalid.is_empty() {
        Ok(())
    } else {
        Err(MigrationRefusal::Invalid {
            message,
            volumes: invalid,
        })
    }
}

/// Checks that no volume that only one node can use stays behind. Mirrors ValidateVolumesUpdateMigration,
/// volume-migration.go; the guest is live-migratable but for its disks.
pub fn validate_rest(situation: &Situation, moved: &[Move]) -> Result<(), MigrationRefusal> {
    if moved.is_empty() {
        return Ok(());
    }
    for volume in volumes(&situation.guest.spec) {
        let name = volume.str_at("name");
        let modes = if situation.claims.is_complete() {
            situation
                .claims
                .claim(claim_of(volume))
                .map(|claim| claim.items_at("spec.accessModes"))
        } else {
            situation.claims.access_modes(claim_of(volume))
        };
        let Some(modes) = modes else { continue };
        if claim_of(volume).is_empty() || moved.iter().any(|one| one.name == name) {
            continue;
        }
        if is_read_write_once(modes) {
            return Err(MigrationRefusal::Invalid {
                message: format!(
                    "cannot migrate the VM. The volume {name} is RWO and not included in the migration volumes"
                ),
                volumes: vec![name.to_owned()],
            });
        }
    }
    Ok(())
}

/// Whether a claim can be used from one node only; so is one without access modes.
pub fn is_read_write_once(modes: &[Node]) -> bool {
    !modes
        .iter()
        .any(|mode| matches!(mode.as_str(), Some("ReadOnlyMany" | "ReadWriteMany")))
}

/// What the volume handler leaves behind.
#[derive(Clone, Debug, Default)]
pub struct Handled {
    /// RestartRequired with this message.
    pub restart: Option<String>,
    /// Volumes to blame for it.
    pub blamed: Vec<String>,
    /// The sync stops here.
    pub error: Option<SyncError>,
    /// The migration waits.
    pub waits: Option<String>,
    /// Volumes that start to migrate.
    pub migrates: Vec<Move>,
    /// KubeVirt's code would crash.
    pub crash: Option<&'static str>,
}

impl Handled {
    fn refused(refusal: MigrationRefusal) -> Self {
        match refusal {
            MigrationRefusal::Missing(message) => Self {
                waits: Some(message),
                ..Self::default()
            },
            MigrationRefusal::Invalid { message, volumes } => Self {
                restart: Some(message),
                blamed: volumes,
                ..Self::default()
            },
        }
    }
}

/// Runs the volume handler by itself. Mirrors handleVolumeUpdateRequest, vm.go; no migration is under way.
pub fn handle(situation: &Situation) -> Handled {
    let guest = &situation.guest.spec;
    let wanted = template_spec(situation.vm);
    let is_gated = |gate: &str| {
        situation.release.has(Behaviour::VolumesStrategyNeedsGates)
            && !situation
                .configuration
                .gate_enabled(gate, situation.release)
    };
    if is_gated("VolumesUpdateStrategy") {
        return Handled::default();
    }
    if situation.release.has(Behaviour::VolumeHandlerComparesLists) {
        match lists_differ(situation, guest, wanted) {
            Err(crash) => {
                return Handled {
                    crash: Some(crash),
                    ..Handled::default()
                };
            }
            Ok(false) => return Handled::default(),
            Ok(true) => {}
        }
    }
    let strategy = situation.vm.path("spec.updateVolumesStrategy");
    match strategy.map(|strategy| strategy.as_str().unwrap_or_default()) {
        None | Some("Replacement") => {
            if situation.release.has(Behaviour::VolumeHandlerComparesLists) {
                return Handled {
                    restart: Some(
                        "the volumes replacement is effective only after restart".to_owned(),
                    ),
                    ..Handled::default()
                };
            }
            Handled::default()
        }
        Some("Migration") if is_gated("VolumeMigration") => Handled::default(),
        Some("Migration") => {
            let moved = moves(guest, wanted);
            if moved.is_empty() && !situation.release.has(Behaviour::VolumeHandlerComparesLists) {
                return Handled::default();
            }
            let refusal = validate(situation).and_then(|()| validate_rest(situation, &moved));
            match refusal {
                Err(MigrationRefusal::Missing(message))
                    if !situation.release.has(Behaviour::WaitsForDestination) =>
                {
                    Handled {
                        restart: Some(message),
                        ..Handled::default()
                    }
                }
                Err(refusal) => Handled::refused(refusal),
                Ok(()) => Handled {
                    migrates: moved,
                    ..Handled::default()
                },
            }
        }
        Some(other) => Handled {
            error: Some(SyncError::UnknownStrategy(other.to_owned())),
            ..Handled::default()
        },
    }
}

/// The first release's comparison of whole lists; `Err` where its code would crash.
fn lists_differ(situation: &Situation, guest: &Node, wanted: &Node) -> Result<bool, &'static str> {
    let mut wanted = volumes(wanted).to_vec();
    for volume in &mut wanted {
        let Some(running) = named(volumes(guest), volume.str_at("name")) else {
            continue;
        };
        if running.get("containerDisk").is_none() {
            continue;
        }
        if volume.get("containerDisk").is_none() {
            return Err("a container disk that becomes a claim under the same volume name");
        }
        match running.path("containerDisk.imagePullPolicy") {
            Some(policy) => volume.set("containerDisk.imagePullPolicy", policy.clone()),
            None => {
                volume.remove("containerDisk.imagePullPolicy");
            }
        }
    }
    let unplugged = volumes(guest)
        .iter()
        .any(|volume| is_declarative(volume) && named(&wanted, volume.str_at("name")).is_none());
    if unplugged {
        return Ok(false);
    }
    let list = |items: &[Node]| Node::new(Value::Seq(items.to_vec()));
    Ok(!same(
        situation.release,
        "[]v1.Volume",
        Some(&list(volumes(guest))),
        Some(&list(&wanted)),
    ))
}

/// Runs the volume handler as the last step of the chain.
pub fn run(situation: &Situation, flow: &mut Flow) -> Handled {
    let handled = handle(situation);
    if let Some(message) = &handled.restart {
        flow.require_restart(message.clone());
    }
    flow.error.clone_from(&handled.error);
    flow.crash = flow.crash.or(handled.crash);
    handled
}

/// The moved volumes for a report, each with what becomes of it.
pub fn report(moved: &[Move], verdict: VolumeVerdict) -> Vec<VolumeChange> {
    moved
        .iter()
        .map(|one| VolumeChange {
            name: one.name.clone(),
            from: one.from.clone(),
            to: one.to.clone(),
            verdict,
        })
        .collect()
}
