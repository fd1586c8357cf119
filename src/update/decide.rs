//! One action from the controller's chain, with every reason and everything else that happens.

use super::volumes::{self, Handled, Move, claim_of, is_read_write_once};
use super::words::shown;
use super::{
    Action, Flow, Reason, Situation, Step, VolumeChange, VolumeVerdict, live, named, network,
    template_spec,
};
use crate::diff::{self, Difference, Lists};
use crate::field_path::FieldPath;
use crate::release::Behaviour;
use crate::yaml::Node;

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
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// What the chain does.
    pub flow: Flow,
}

/// Template annotations KubeVirt copies to the running guest.
const DYNAMIC_ANNOTATIONS: [&str; 2] = [
    "descheduler.alpha.kubernetes.io/evict",
    "descheduler.alpha.kubernetes.io/prefer-no-eviction",
];

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
        flow,
    };
    if let Some(crash) = out.flow.crash {
        out.action = Action::Rejected;
        out.reasons.push(
            Reason::new(format!(
                "kubevirt-would-crash: this release's VM controller crashes on {crash}"
            ))
            .at("spec.template.spec.volumes"),
        );
    } else if let Some(error) = handled.error.as_ref().or(out.flow.error.as_ref()) {
        out.action = Action::Rejected;
        let reason = if handled.error.is_some() {
            Reason::new(format!(
                "`{}` is no update strategy: use `Migration` or `Replacement`",
                situation.volumes_strategy()
            ))
            .at("spec.updateVolumesStrategy")
        } else {
            Reason::new("the VM controller fails on every sync")
        };
        out.reasons.push(reason.saying(error.to_string()));
    } else if out.flow.restart_required {
        out.restart(situation, &in_chain, &moved, migrating);
    } else if migrating && !moved.is_empty() {
        out.migration(situation, &handled, &moved);
    }
    out.live(situation);
    out.waiting(situation);
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
            self.reasons.push(Reason::new(
                "no volume migrates while a restart is required: after it the guest would start on the new claims without a copy; make the other change in a commit of its own",
            ));
        }
        for difference in &self.flow.forcing {
            self.reasons
                .push(forcing(difference).saying(message.clone()));
        }
        if self.flow.template_differs && self.flow.forcing.is_empty() {
            self.reasons
                .push(Reason::new("the template differs").saying(message.clone()));
        }
        for (field, because) in &self.flow.handler_fields {
            self.reasons.push(
                Reason::new(because.clone())
                    .at(field)
                    .saying(message.clone()),
            );
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
                        "volume `{}` is copied while the guest runs",
                        one.name
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
        for step in self.flow.live.clone() {
            if self.flow.denied.iter().any(|(denied, _)| *denied == step) {
                continue;
            }
            self.settle(Action::Live);
            let found = changed_by(situation, step);
            let also = if restart {
                " even before the restart"
            } else {
                ""
            };
            if found.is_empty() {
                self.reasons.push(Reason::new(format!(
                    "{} reach the running guest{also}",
                    subject(step)
                )));
            }
            for difference in found {
                let mut reason = shown(&difference);
                reason.message = format!("{} reach the running guest{also}", subject(step));
                self.reasons.push(reason);
            }
        }
        for key in DYNAMIC_ANNOTATIONS {
            let path = FieldPath::parse("spec.template.metadata.annotations").field(key);
            let value = |vm: &Node| path.find(vm).and_then(Node::as_str).map(str::to_owned);
            let (from, to) = (value(situation.old), value(situation.vm));
            if from != to && situation.release.has(Behaviour::SyncsAnnotations) {
                self.settle(Action::Live);
                self.reasons.push(Reason {
                    field: Some(path),
                    from,
                    to,
                    ..Reason::new("the annotation is copied to the running guest")
                });
            }
        }
    }

    /// Whatever nobody applies waits for the next start.
    fn waiting(&mut self, situation: &Situation) {
        let restart = self.flow.restart_required;
        let told: Vec<FieldPath> = self
            .reasons
            .iter()
            .filter_map(|reason| reason.field.clone())
            .collect();
        for difference in template_differences(situation) {
            if told.iter().any(|path| path.overlaps(&difference.path)) {
                continue;
            }
            if !restart {
                self.settle(Action::NextStart);
            }
            let mut reason = shown(&difference);
            reason.message = if restart {
                "applied by the restart".to_owned()
            } else {
                waiting_words(situation, &difference)
            };
            self.reasons.push(reason);
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
                "the guest is taken to be live-migratable, but {reason}: without live migration the change may need a restart"
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

/// The differences a step applies.
fn changed_by(situation: &Situation, step: Step) -> Vec<Difference> {
    let prefixes: &[&str] = match step {
        Step::Network => return network::differences(situation),
        Step::Hotplug => &[
            "spec.template.spec.volumes",
            "spec.template.spec.domain.devices.disks",
        ],
        Step::Cpu => &["spec.template.spec.domain.cpu.sockets"],
        Step::Affinity => &[
            "spec.template.spec.affinity",
            "spec.template.spec.nodeSelector",
        ],
        Step::Tolerations => &["spec.template.spec.tolerations"],
        Step::Memory => &["spec.template.spec.domain.memory.guest"],
    };
    expanded_differences(situation)
        .into_iter()
        .filter(|difference| {
            let path = difference.path.to_string();
            prefixes.iter().any(|prefix| path.starts_with(prefix))
        })
        .collect()
}

/// What differs between the two templates with their types applied.
pub fn expanded_differences(situation: &Situation) -> Vec<Difference> {
    match (situation.last_seen, situation.current) {
        (Ok(old), Ok(new)) => between(situation, old, new),
        _ => template_differences(situation),
    }
}

/// What differs between the two templates as stored.
pub fn template_differences(situation: &Situation) -> Vec<Difference> {
    between(situation, situation.old, situation.vm)
}

fn between(situation: &Situation, old: &Node, new: &Node) -> Vec<Difference> {
    let empty = Node::map();
    let template = |vm: &Node| {
        vm.path("spec.template")
            .cloned()
            .unwrap_or_else(|| empty.clone())
    };
    let base = FieldPath::parse("spec.template");
    diff::differences(
        situation.release,
        "v1.VirtualMachineInstanceTemplateSpec",
        &template(old),
        &template(new),
        Lists::ByKey,
    )
    .into_iter()
    .map(|mut difference| {
        difference.path = base.join(&difference.path);
        difference
    })
    .collect()
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
