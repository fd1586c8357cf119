//! One action from the controller's chain, with every reason and everything else that happens. It is long because the reasons
//! of all steps are worded in one place.

use super::values::{self, ValueChange};
use super::volumes::{self, Handled, Move, claim_of, is_read_write_once};
use super::words::shown;
use super::{
    Action, Effect, Flow, Reason, Situation, Step, SyncError, VolumeChange, VolumeVerdict, live,
    named, network, template_spec,
};
use crate::diff::{self, Difference};
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::resource::cluster::WorkloadUpdates;

/// What the change does to a running VM, and why.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The action.
    pub action: Action,
    /// What else holds.
    pub also: Vec<Action>,
    /// Why, and what else happens.
    pub reasons: Vec<Reason>,
    /// Volumes that change their claim.
    pub volumes: Vec<VolumeChange>,
    /// What was assumed.
    pub assumptions: Vec<String>,
    /// Every value that changes, with what becomes of it.
    pub values: Vec<ValueChange>,
    /// Whether RestartRequired is shown though a restart changes nothing of the guest.
    pub condition_only: bool,
    /// Whether KubeVirt evicts the guest to carry the change out.
    pub evicts: bool,
    /// What the chain does.
    pub flow: Flow,
}

/// Decides what a change that admission accepts does to the running guest.
pub fn decide(situation: &Situation) -> Decision {
    let (flow, in_chain) = live::flow(situation);
    let handled = volumes::handle(situation);
    let moved = volumes::moves(&situation.guest.spec, template_spec(situation.vm));
    let migrating = situation.volumes_strategy() == "Migration";
    let mut out = Decision {
        action: Action::None,
        also: Vec::new(),
        reasons: Vec::new(),
        volumes: Vec::new(),
        assumptions: Vec::new(),
        values: Vec::new(),
        condition_only: false,
        evicts: false,
        flow,
    };
    out.values = values::list(
        situation,
        &out.flow,
        migrating && situation.is_live_update() && !handled.migrates.is_empty(),
    );
    out.condition_only = out.flow.restart_required
        && moved.is_empty()
        && out
            .values
            .iter()
            .all(|value| value.effect != Effect::Restart);
    if let Some(crash) = out.flow.crash {
        out.action = Action::Rejected;
        out.reasons.push(
            Reason::new(format!(
                "kubevirt-would-crash: this release's VM controller crashes on {crash}"
            ))
            .at("spec.template.spec.volumes"),
        );
    } else if let Some(error) = out.flow.error.as_ref().or(handled.error.as_ref()) {
        out.action = Action::Rejected;
        let reason = match error {
            SyncError::UnknownStrategy(strategy) => Reason::new(format!(
                "`{strategy}` is no update strategy: use `Migration` or `Replacement`"
            ))
            .at("spec.updateVolumesStrategy"),
            SyncError::NoSocketsToPatch => Reason::new(
                "the guest was started without a count of sockets: the VM controller fails on every sync until the guest is restarted",
            )
            .at("spec.template.spec.domain.cpu.sockets"),
            SyncError::Types(_) => Reason::new("the VM controller fails on every sync"),
        };
        out.reasons.push(reason.saying(error.to_string()));
    } else if out.flow.restart_required {
        out.restart(situation, &in_chain, &moved, migrating);
    } else if migrating && !moved.is_empty() {
        out.migration(situation, &handled, &moved);
    }
    out.live(situation);
    out.waiting(situation);
    out.carried_out(situation);
    out.assume(situation);
    out
}

impl Decision {
    fn settle(&mut self, action: Action) {
        if self.action == Action::None {
            self.action = action;
        } else if self.action != action && !self.also.contains(&action) {
            self.also.push(action);
        }
    }

    fn restart(
        &mut self,
        situation: &Situation,
        handled: &Handled,
        moved: &[Move],
        migrating: bool,
    ) {
        if !migrating && !moved.is_empty() {
            self.settle(Action::DataLoss);
        }
        self.settle(Action::Restart);
        let message = self.flow.message.clone();
        if !migrating {
            for one in moved {
                self.reasons.push(
                    Reason {
                        from: Some(one.from.clone()),
                        to: Some(one.to.clone()),
                        ..Reason::new(format!(
                            "volume `{}` changes its claim without `updateVolumesStrategy: Migration`: nothing is copied, after the restart the guest sees another disk",
                            one.name
                        ))
                    }
                    .at(&volume_path(situation, &one.name)),
                );
            }
            self.volumes = volumes::report(moved, VolumeVerdict::ReplacedAtRestart);
        } else if !moved.is_empty() {
            self.volumes = volumes::report(moved, VolumeVerdict::NotMigrated);
            self.reasons.push(Reason::new(if handled.restart.is_some() {
                "KubeVirt refuses to migrate the volumes: after the restart the guest would start on the new claims without a copy"
            } else {
                "no volume migrates while a restart is required: after it the guest would start on the new claims without a copy; make the other change in a commit of its own"
            }));
        }
        if situation.owed.is_some() {
            self.reasons.push(Reason::new(
                "a restart is owed already: while RestartRequired stands, no CPU, memory, volume, affinity or toleration change reaches the guest",
            ).saying(self.flow.message.clone()));
        }
        for value in &self.values {
            let path = &value.difference.path;
            let forces = self
                .flow
                .forcing
                .iter()
                .any(|forcing| forcing.path.overlaps(path));
            let told = self.reasons.iter().any(|reason| {
                reason
                    .field
                    .as_ref()
                    .is_some_and(|field| field.overlaps(path))
            });
            if value.effect == Effect::Restart && forces && !told {
                self.reasons
                    .push(forcing(&value.difference).saying(message.clone()));
            }
        }
        self.comparison(situation, &message);
        for (field, because) in &self.flow.handler_fields {
            let path = FieldPath::parse(field);
            let value = self
                .values
                .iter()
                .find(|value| value.difference.path == path);
            let mut reason = value.map_or_else(
                || Reason::default().at(field),
                |value| shown(&value.difference),
            );
            reason.message.clone_from(because);
            self.reasons.push(reason.saying(message.clone()));
        }
        if let Some(said) = &handled.restart {
            if handled.blamed.is_empty() {
                self.reasons.push(
                    Reason::new("volumes are replaced only by a restart")
                        .at("spec.template.spec.volumes")
                        .saying(said.clone()),
                );
            }
            for name in &handled.blamed {
                self.reasons.push(
                    Reason::new(format!("volume `{name}` keeps the others from migrating"))
                        .at(&volume_path(situation, name))
                        .saying(said.clone()),
                );
            }
        }
    }

    /// What KubeVirt's comparison finds where no value of the guest changes: why the condition appears. Its two sides are
    /// no values that the guest had or gets, and are not shown as such.
    fn comparison(&mut self, situation: &Situation, message: &str) {
        if !self.flow.template_differs {
            return;
        }
        let has_types = ["spec.instancetype", "spec.preference"]
            .iter()
            .any(|matcher| situation.old.path(matcher).is_some());
        let words = if has_types {
            "KubeVirt compares with the instance type and preference of today, which differ here from those the guest was started with: it shows RestartRequired, the guest's own value does not change by it"
        } else {
            "KubeVirt's comparison of the templates differs here: it shows RestartRequired, the guest's own value does not change by it"
        };
        for difference in &self.flow.forcing {
            let is_value = self
                .values
                .iter()
                .any(|value| value.difference.path.overlaps(&difference.path));
            if !is_value {
                self.reasons.push(
                    Reason::new(words)
                        .at(&difference.path.to_string())
                        .saying(message),
                );
            }
        }
        if self.flow.forcing.is_empty() {
            self.reasons
                .push(Reason::new("the template differs").saying(message));
        }
    }

    fn migration(&mut self, situation: &Situation, handled: &Handled, moved: &[Move]) {
        if !situation.is_live_update() {
            self.volumes = volumes::report(moved, VolumeVerdict::NotMigrated);
            self.reasons.push(
                Reason::new(
                    "volumes migrate only under the rollout strategy `LiveUpdate`: here nothing is copied, and at its next start the guest sees the new claims",
                )
                .at("spec.updateVolumesStrategy"),
            );
            return;
        }
        if let Some(waits) = &handled.waits {
            self.action = Action::Pending;
            self.volumes = volumes::report(moved, VolumeVerdict::Pending);
            self.reasons.push(
                Reason::new("the migration waits until the destination exists")
                    .at("spec.template.spec.volumes")
                    .saying(format!(
                        "One of the destination volumes doesn't exist: {waits}"
                    )),
            );
            return;
        }
        let unseen = unseen(situation, moved);
        self.action = if unseen.is_empty() {
            Action::MigrateVolumes
        } else {
            Action::Unknown
        };
        for one in moved {
            self.reasons.push(
                Reason {
                    from: Some(one.from.clone()),
                    to: Some(one.to.clone()),
                    ..Reason::new(format!(
                        "volume `{}` is copied {}",
                        one.name,
                        match situation.configuration.workload_updates() {
                            WorkloadUpdates::Waits | WorkloadUpdates::Evicts =>
                                "once somebody migrates the guest",
                            _ => "while the guest runs",
                        }
                    ))
                }
                .at(&volume_path(situation, &one.name)),
            );
        }
        self.reasons.extend(unseen);
        self.reasons.push(
            Reason::new(
                "`updateVolumesStrategy` stays armed afterwards: remove it once the migration is done",
            )
            .at("spec.updateVolumesStrategy"),
        );
        let verdict = if self.action == Action::Unknown {
            VolumeVerdict::Unknown
        } else {
            VolumeVerdict::Migrate
        };
        self.volumes = volumes::report(moved, verdict);
    }

    fn live(&mut self, situation: &Situation) {
        let restart = self.flow.restart_required;
        for (step, refusal) in self.flow.denied.clone() {
            self.settle(Action::Rejected);
            self.reasons.push(
                Reason::new(format!(
                    "the VM is accepted, but every attempt to apply {} to the running guest is refused",
                    subject(step)
                ))
                .saying(refusal),
            );
        }
        let also = if restart {
            " even before the restart"
        } else {
            ""
        };
        for step in self.flow.live.clone() {
            if self.flow.denied.iter().any(|(denied, _)| *denied == step) {
                continue;
            }
            self.settle(Action::Live);
            let message = if is_patched_only(situation, step) {
                format!(
                    "{} are patched and wait for a migration{also}",
                    subject(step)
                )
            } else {
                format!("{} reach the running guest{also}", subject(step))
            };
            let found = self.values.iter().filter(|value| value.step == Some(step));
            let reasons: Vec<Reason> = found
                .map(|value| Reason {
                    message: message.clone(),
                    ..shown(&value.difference)
                })
                .collect();
            if reasons.is_empty() {
                self.reasons.push(Reason::new(message));
            }
            self.reasons.extend(reasons);
        }
        let copied: Vec<Reason> = self
            .values
            .iter()
            .filter(|value| {
                value.effect == Effect::Live
                    && value.step.is_none()
                    && value
                        .difference
                        .path
                        .to_string()
                        .starts_with("spec.template.metadata")
            })
            .map(|value| Reason {
                message: "the annotation is copied to the running guest".to_owned(),
                ..shown(&value.difference)
            })
            .collect();
        if !copied.is_empty() {
            self.settle(Action::Live);
        }
        self.reasons.extend(copied);
        if !restart {
            self.condition_to_come(situation);
        }
    }

    /// A plugged interface is compared as it was written with one that has its preference: KubeVirt then shows
    /// RestartRequired, and no CPU or memory change reaches the guest while it stands.
    fn condition_to_come(&mut self, situation: &Situation) {
        if !self.flow.live.contains(&Step::Network)
            || !situation.release.has(Behaviour::ComparesPluggedInterfaces)
        {
            return;
        }
        let Ok(current) = situation.current else {
            return;
        };
        let written = network::interfaces(template_spec(situation.vm));
        for (at, interface) in network::interfaces(template_spec(current))
            .iter()
            .enumerate()
        {
            let name = interface.str_at("name");
            let Some(raw) = named(written, name) else {
                continue;
            };
            if network::is_plugged(&situation.guest.spec, raw)
                && !diff::same(
                    situation.release,
                    "v1.Interface",
                    Some(raw),
                    Some(interface),
                )
            {
                if !self.also.contains(&Action::Restart) {
                    self.also.push(Action::Restart);
                }
                self.reasons.push(
                    Reason::new("the preference fills in what the new interface leaves open, the plugged one has it not: KubeVirt shows RestartRequired afterwards, and CPU and memory changes wait for the restart; write `model` on the interface to avoid it")
                        .at(&format!("spec.template.spec.domain.devices.interfaces[{at}]")),
                );
            }
        }
    }

    /// Whatever nobody applies waits for the next start.
    fn waiting(&mut self, situation: &Situation) {
        let told: Vec<FieldPath> = self
            .reasons
            .iter()
            .filter_map(|reason| reason.field.clone())
            .collect();
        let mut waits = false;
        for value in &self.values {
            let path = &value.difference.path;
            let message = match value.effect {
                Effect::Restart => "applied by the restart".to_owned(),
                Effect::NextStart => {
                    waits = true;
                    waiting_words(situation, &value.difference)
                }
                Effect::Live | Effect::None => continue,
            };
            if !told.iter().any(|field| field.overlaps(path)) {
                self.reasons.push(Reason {
                    message,
                    ..shown(&value.difference)
                });
            }
        }
        if waits {
            self.settle(Action::NextStart);
        }
    }

    /// Whether a migration that KubeVirt starts by itself carries something out.
    fn needs_updater(&self, situation: &Situation) -> bool {
        self.action == Action::MigrateVolumes
            || self
                .flow
                .live
                .iter()
                .any(|step| needs_migration(situation, *step))
    }

    /// Who migrates the guest, where KubeVirt does not.
    fn carried_out(&mut self, situation: &Situation) {
        if !self.needs_updater(situation) {
            return;
        }
        match situation.configuration.workload_updates() {
            WorkloadUpdates::Unknown | WorkloadUpdates::Migrates => {
                let waits = self
                    .flow
                    .live
                    .iter()
                    .any(|step| is_patched_only(situation, *step));
                if waits {
                    self.reasons.push(Reason::new("this release migrates no guest for an interface: it is plugged once somebody migrates the guest (`virtctl migrate`), or by Multus' dynamic networks controller"));
                }
            }
            WorkloadUpdates::Waits => self.reasons.push(Reason::new(
                "patched; waits for a migration: `workloadUpdateStrategy.workloadUpdateMethods` of the KubeVirt object has no `LiveMigrate`, so that somebody has to migrate the guest (`virtctl migrate`)",
            )),
            WorkloadUpdates::Evicts => {
                let guest = situation.guest.spec.str_at("evictionStrategy");
                let strategy = if guest.is_empty() {
                    situation.configuration.eviction_strategy()
                } else {
                    guest
                };
                if matches!(strategy, "LiveMigrate" | "LiveMigrateIfPossible" | "External") {
                    self.reasons.push(Reason::new(format!(
                        "`workloadUpdateMethods` of the KubeVirt object holds `Evict` alone: KubeVirt evicts the guest, which `evictionStrategy: {strategy}` turns into a migration"
                    )));
                } else {
                    self.evicts = true;
                    let first = self.action;
                    if first > Action::Restart {
                        self.action = Action::Restart;
                    }
                    self.settle(first);
                    self.settle(Action::Restart);
                    self.reasons.push(Reason::new(
                        "`workloadUpdateMethods` of the KubeVirt object holds `Evict` alone: KubeVirt shuts the guest down to carry the change out, and its run strategy starts it anew",
                    ));
                }
            }
        }
    }

    fn assume(&mut self, situation: &Situation) {
        let needs_migration = self.action == Action::MigrateVolumes
            || self
                .flow
                .live
                .iter()
                .any(|step| !matches!(step, Step::Hotplug));
        if !needs_migration {
            return;
        }
        let methods = situation.configuration.workload_updates();
        if methods == WorkloadUpdates::Unknown && self.needs_updater(situation) {
            self.assumptions.push(
                "CPU, memory and volume updates and interfaces that are plugged are carried out by a live migration: `workloadUpdateStrategy.workloadUpdateMethods` of the KubeVirt object is taken to hold `LiveMigrate`; without it they are patched and wait until somebody migrates the guest".to_owned(),
            );
        }
        let guest = &situation.guest.spec;
        let mut against = Vec::new();
        for volume in guest.items_at("volumes") {
            if situation
                .claims
                .access_modes(claim_of(volume))
                .is_some_and(is_read_write_once)
            {
                against.push(format!("claim `{}` is ReadWriteOnce", claim_of(volume)));
            }
        }
        for interface in network::interfaces(guest) {
            let name = interface.str_at("name");
            let pod =
                named(network::networks(guest), name).is_some_and(|net| net.get("pod").is_some());
            if pod && interface.get("bridge").is_some() {
                against.push(format!("interface `{name}` is a bridge on the pod network"));
            }
        }
        for (field, words) in [("gpus", "GPUs"), ("hostDevices", "host devices")] {
            if !guest
                .items_at(&format!("domain.devices.{field}"))
                .is_empty()
            {
                against.push(format!("it has {words}"));
            }
        }
        for reason in against {
            self.assumptions.push(format!(
                "the guest is taken to be live-migratable, but {reason}: without live migration {}",
                if methods == WorkloadUpdates::Migrates && situation.configuration.evicts_for_updates() {
                    "KubeVirt evicts it, and it goes down (`workloadUpdateMethods` holds `Evict` too)"
                } else {
                    "the change may need a restart"
                }
            ));
        }
    }
}

/// What the plan cannot see of a migration.
fn unseen(situation: &Situation, moved: &[Move]) -> Vec<Reason> {
    let mut out = Vec::new();
    if situation.claims.is_complete() {
        return out;
    }
    for one in moved {
        let seen = situation.claims.claim(&one.to).is_some()
            || situation.claims.data_volume(&one.to).is_some();
        if !seen {
            out.push(
                Reason::new(format!(
                    "claim `{}` is not in this repository: if it does not exist the migration waits; add its manifest with `--context`",
                    one.to
                ))
                .at(&volume_path(situation, &one.name)),
            );
        }
    }
    for volume in situation.guest.spec.items_at("volumes") {
        let claim = claim_of(volume);
        let name = volume.str_at("name");
        if claim.is_empty() || moved.iter().any(|one| one.name == name) {
            continue;
        }
        if situation.claims.access_modes(claim).is_none() {
            out.push(
                Reason::new(format!(
                    "the access modes of claim `{claim}` are not in this repository: if it is ReadWriteOnce the migration is refused; add its manifest with `--context`"
                ))
                .at(&volume_path(situation, name)),
            );
        }
    }
    out
}

/// Whether a migration finishes what a step does.
fn needs_migration(situation: &Situation, step: Step) -> bool {
    match step {
        Step::Cpu | Step::Memory => true,
        Step::Network => network::needs_migration(situation),
        Step::Hotplug | Step::Affinity | Step::Tolerations => false,
    }
}

/// Whether a step changes the stored guest alone, and KubeVirt starts no migration that finishes it.
fn is_patched_only(situation: &Situation, step: Step) -> bool {
    if !needs_migration(situation, step) {
        return false;
    }
    match situation.configuration.workload_updates() {
        WorkloadUpdates::Unknown | WorkloadUpdates::Migrates => {
            step == Step::Network && !situation.release.has(Behaviour::MigratesForInterfaces)
        }
        WorkloadUpdates::Evicts | WorkloadUpdates::Waits => true,
    }
}

fn subject(step: Step) -> &'static str {
    match step {
        Step::Network => "network interfaces",
        Step::Hotplug => "volumes",
        Step::Cpu => "CPU sockets",
        Step::Affinity => "node selector and affinity",
        Step::Tolerations => "tolerations",
        Step::Memory => "guest memory changes",
    }
}

fn waiting_words(situation: &Situation, difference: &Difference) -> String {
    let path = difference.path.to_string();
    let storage = ["volumes", "domain.devices.disks"]
        .iter()
        .any(|field| path.starts_with(&format!("spec.template.spec.{field}")));
    if storage
        && situation.release.has(Behaviour::DeclarativeHotplug)
        && !super::hotplug::is_enabled(situation)
    {
        return "waits for the next start, and no condition says so: declarative hotplug is off in this cluster".to_owned();
    }
    "applied when the VM next starts, no condition is shown".to_owned()
}

fn volume_path(situation: &Situation, name: &str) -> String {
    template_spec(situation.vm)
        .items_at("volumes")
        .iter()
        .position(|volume| volume.str_at("name") == name)
        .map_or_else(
            || "spec.template.spec.volumes".to_owned(),
            |at| format!("spec.template.spec.volumes[{at}]"),
        )
}

fn forcing(difference: &Difference) -> Reason {
    let mut reason = shown(difference);
    reason.message = match (&difference.from, &difference.to) {
        (None, _) => "set: forces a restart".to_owned(),
        (_, None) => "removed: forces a restart".to_owned(),
        _ => "changed: forces a restart".to_owned(),
    };
    reason
}
