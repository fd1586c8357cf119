//! What fails a plan, and what is accepted by name (PL01).

use driftless::action::Gate;
use driftless::config::GateSettings;
use driftless::plan::{Acceptance, Action, Change, Gates, NoAcceptance, Plan, Power, Unjudged};

use crate::support::{change, says};

fn vm(name: &str, strategy: &str, disk: bool) -> String {
    let templates = if disk {
        format!(
            "  dataVolumeTemplates: [{{metadata: {{name: {name}-root}}, spec: {{source: {{blank: {{}}}}, storage: {{resources: {{requests: {{storage: 1Gi}}}}}}}}}}]\n"
        )
    } else {
        String::new()
    };
    let volume = if disk {
        format!("dataVolume: {{name: {name}-root}}")
    } else {
        "containerDisk: {image: \"quay.io/x/y:1\"}".to_owned()
    };
    format!(
        "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  runStrategy: {strategy}\n{templates}  template:\n    spec:\n      hostname: h\n      domain: {{devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}, memory: {{guest: 2Gi}}}}\n      volumes: [{{name: root, {volume}}}]\n"
    )
}

fn gates(words: &[Gate]) -> Gates {
    Gates {
        plan: GateSettings {
            fail_on: Some(words.to_vec()),
            ..GateSettings::default()
        },
        targets: Vec::new(),
    }
}

fn most(down: Option<usize>, restarts: Option<usize>) -> Gates {
    Gates {
        plan: GateSettings {
            fail_on: None,
            max_down: down,
            max_restarts: restarts,
        },
        targets: Vec::new(),
    }
}

/// The words that trip, one at a time.
fn tripping(plan: &Plan) -> Vec<&'static str> {
    Gate::ALL
        .into_iter()
        .filter(|gate| !gates(&[*gate]).trips(plan).is_empty())
        .map(Gate::as_str)
        .collect()
}

#[test]
fn pl01_what_takes_a_guest_down_or_a_disk_trips_its_word() {
    let web = vm("web", "Always", true);
    let bare = vm("web", "Always", false);
    assert_eq!(tripping(&change(&web, "").plan()), ["data-loss", "delete"]);
    assert_eq!(tripping(&change(&bare, "").plan()), ["delete"]);
    let halted = vm("web", "Halted", false);
    assert_eq!(tripping(&change(&bare, &halted).plan()), ["stop"]);
    assert_eq!(tripping(&change(&halted, &bare).plan()), ["start"]);
    // Off and on again, whatever else changes in the same commit.
    let edited = vm("web", "Halted", false).replace("hostname: h", "hostname: other");
    assert_eq!(
        tripping(&change(&bare, &edited).plan()),
        ["stop", "restart"]
    );
    let renamed = change(&web, &vm("www", "Always", true)).plan();
    assert_eq!(tripping(&renamed), ["data-loss", "delete"]);
    assert_eq!(
        tripping(&change(&bare, &vm("www", "Always", false)).plan()),
        ["delete"]
    );
}

#[test]
fn pl01_down_counts_guests_that_stop_by_the_change_itself() {
    let base = vm("a", "Always", true)
        + &vm("b", "Always", false)
        + &vm("c", "Halted", true)
        + &vm("d", "Manual", false)
        + &vm("e", "Always", false);
    let head = vm("b", "Halted", false)
        + &vm("d", "Halted", false)
        + &vm("e", "Always", false).replace("hostname: h", "hostname: other");
    let plan = change(&base, &head).plan();
    let summary = plan.summary();
    assert_eq!((summary.down, summary.restarts), (3, 1));
    assert_eq!(most(Some(2), None).trips(&plan).len(), 1);
    assert!(most(Some(3), None).trips(&plan).is_empty());
    assert_eq!(most(None, Some(0)).trips(&plan).len(), 1);
    assert!(most(None, Some(1)).trips(&plan).is_empty());
    let manual = plan.virtual_machines.iter().find(|vm| vm.name == "d");
    assert_eq!(
        manual.unwrap().assumptions,
        ["a VM with run strategy `Manual` is taken to run"]
    );
}

#[test]
fn a_guest_that_waits_for_a_migration_is_not_stopped() {
    let base = vm("web", "Always", false);
    let gated = serde_json::json!({"developerConfiguration": {"featureGates": ["DecentralizedLiveMigration"]}});
    let plan = change(&base, &vm("web", "WaitAsReceiver", false))
        .with(gated)
        .vm();
    assert_eq!((plan.power, plan.down), (Power::Unchanged, 0));
    assert_eq!(plan.action, Action::Rejected);
    assert!(says(&plan, "goes on running"), "{:#?}", plan.reasons);
}

#[test]
fn a_refused_new_form_does_not_undo_the_deletion() {
    let base = vm("web", "Always", true);
    let head = vm("www", "Always", true).replace("bus: virtio", "bus: nonsense");
    let plan = change(&base, &head).vm();
    assert_eq!(
        (plan.change, plan.action),
        (Change::Renamed, Action::DataLoss)
    );
    assert_eq!(plan.also, [Action::Rejected, Action::Delete]);
}

#[test]
fn an_acceptance_covers_its_action_and_those_after_it() {
    let base = vm("web", "Always", true) + &vm("db", "Always", true);
    let plan = |texts: &[&str]| {
        let mut plan = change(&base, "").plan();
        let acceptances: Vec<Acceptance> = texts
            .iter()
            .map(|text| Acceptance::parse(text, "--accept").unwrap())
            .collect();
        let unused = plan.accept(&acceptances);
        (plan, unused)
    };
    let both = gates(&[Gate::DataLoss, Gate::Delete]);
    let (accepted, unused) = plan(&["data-loss:vms/web moved", "data-loss:vms/db moved"]);
    assert!(unused.is_empty());
    assert!(both.trips(&accepted).is_empty());
    assert!(most(Some(0), None).trips(&accepted).is_empty());
    assert_eq!(accepted.summary().accepted, 2);
    assert_eq!(
        accepted.virtual_machines[0].accepted.as_ref().unwrap().by,
        "--accept: moved"
    );
    let (one, _) = plan(&["data-loss:vms/web moved"]);
    assert_eq!(both.trips(&one).len(), 2);
    assert_eq!(most(Some(0), None).trips(&one).len(), 1);
    // What stands before the accepted word is not covered.
    let (weaker, unused) = plan(&["delete:vms/web moved", "delete:vms/db moved"]);
    assert!(unused.is_empty());
    assert!(!gates(&[Gate::DataLoss]).trips(&weaker).is_empty());
    assert!(gates(&[Gate::Delete]).trips(&weaker).is_empty());
    assert_eq!(most(Some(1), None).trips(&weaker).len(), 1);
    let (_, unused) = plan(&["delete:vms/nobody moved", "delete:other/web moved"]);
    assert_eq!(unused.len(), 2);
    assert!(unused[0].contains("matches nothing"), "{unused:?}");
}

#[test]
fn a_renamed_machine_is_accepted_by_either_name() {
    for name in ["vms/web", "vms/www"] {
        let mut plan = change(&vm("web", "Always", true), &vm("www", "Always", true)).plan();
        let acceptance = Acceptance::parse(&format!("data-loss:{name} known"), "--accept").unwrap();
        assert!(plan.accept(&[acceptance]).is_empty(), "{name}");
        assert!(tripping(&plan).is_empty(), "{name}");
    }
}

#[test]
fn a_refusal_is_never_accepted() {
    let base = vm("web", "Always", false);
    let mut plan = change(&base, &base.replace("bus: virtio", "bus: nonsense")).plan();
    assert_eq!(plan.virtual_machines[0].action, Action::Rejected);
    for word in ["data-loss", "restart"] {
        let acceptance = Acceptance::parse(&format!("{word}:vms/web known"), "--accept").unwrap();
        assert_eq!(plan.accept(&[acceptance]).len(), 1, "{word}");
    }
    assert_eq!(tripping(&plan), ["rejected"]);
    for word in ["rejected", "start-refused", "none", "reboot"] {
        assert_eq!(
            Acceptance::parse(&format!("{word}:vms/web known"), "--accept"),
            Err(NoAcceptance::Word(word.to_owned()))
        );
    }
    assert_eq!(
        Acceptance::parse("delete:vms/web", "--accept"),
        Err(NoAcceptance::Reason)
    );
    for text in ["delete vms/web known", "delete:web known", "delete: known"] {
        assert_eq!(
            Acceptance::parse(text, "--accept"),
            Err(NoAcceptance::Form),
            "{text}"
        );
    }
}

#[test]
fn files_that_were_not_judged_trip_unknown_until_they_are_accepted() {
    let mut plan = change("", "").plan();
    plan.unjudged.push(Unjudged {
        file: "chart/values.yaml".to_owned(),
        kind: None,
        reason: "a chart".to_owned(),
        accepted: None,
    });
    assert_eq!(plan.summary().sentence, "1 could not be judged");
    assert_eq!(tripping(&plan), ["unknown"]);
    let known = Acceptance::parse("unknown:chart/values.yaml known", "--accept").unwrap();
    assert!(plan.accept(&[known]).is_empty());
    assert!(tripping(&plan).is_empty());
}

#[test]
fn a_restart_that_changes_nothing_is_the_condition_alone() {
    let types = |guest: u32, topology: &str| {
        format!(
            "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: it}}\nspec: {{cpu: {{guest: {guest}}}, memory: {{guest: 2Gi}}}}\n---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {{name: pr}}\nspec: {{cpu: {{preferredCPUTopology: {topology}}}}}\n"
        )
    };
    let web = vm("web", "Always", false)
        .replace(", memory: {guest: 2Gi}", "")
        .replace(
            "  runStrategy",
            "  instancetype: {name: it}\n  preference: {name: pr}\n  runStrategy",
        );
    let plan = change(
        &format!("{web}{}", types(2, "sockets")),
        &format!("{web}{}", types(2, "cores")),
    )
    .plan();
    assert_eq!(tripping(&plan), ["condition"]);
    assert!(most(None, Some(0)).trips(&plan).is_empty());
}

#[test]
fn a_target_has_words_and_counts_of_its_own() {
    let mut plan = change(&vm("web", "Always", false), "").plan();
    plan.virtual_machines[0].target = Some("lab".to_owned());
    let strict = GateSettings {
        fail_on: Some(vec![Gate::Delete]),
        max_down: Some(0),
        max_restarts: None,
    };
    let lenient = GateSettings {
        fail_on: Some(Vec::new()),
        ..GateSettings::default()
    };
    let gates = |plan: &GateSettings, lab: &GateSettings| Gates {
        plan: plan.clone(),
        targets: vec![("lab".to_owned(), lab.clone())],
    };
    let none = GateSettings::default();
    assert_eq!(gates(&none, &strict).trips(&plan).len(), 2);
    assert_eq!(gates(&strict, &none).trips(&plan).len(), 2);
    // The target's words stand in place of the plan's, its counts beside them.
    assert_eq!(gates(&strict, &lenient).trips(&plan).len(), 1);
    // A name that stands in two targets needs its target.
    let mut two = plan.clone();
    two.virtual_machines.push(two.virtual_machines[0].clone());
    two.virtual_machines[1].target = Some("prod".to_owned());
    let accept = |text: &str| Acceptance::parse(text, "--accept").unwrap();
    assert_eq!(two.accept(&[accept("delete:vms/web known")]).len(), 1);
    assert!(two.accept(&[accept("delete:lab/vms/web known")]).is_empty());
    assert!(two.virtual_machines[1].accepted.is_none());
}

#[test]
fn what_the_change_itself_loosens_is_said() {
    let settings = |words: &[Gate], down: Option<usize>, restarts: Option<usize>| Gates {
        plan: GateSettings {
            fail_on: Some(words.to_vec()),
            max_down: down,
            max_restarts: restarts,
        },
        targets: Vec::new(),
    };
    let base = settings(&[Gate::Delete, Gate::Stop], Some(0), Some(1));
    assert!(base.loosened(&base).is_empty());
    let stricter = settings(&[Gate::Delete, Gate::Stop, Gate::Live], Some(0), Some(0));
    assert!(base.loosened(&stricter).is_empty());
    let looser = settings(&[Gate::Delete], Some(1), None);
    assert_eq!(
        base.loosened(&looser),
        [
            "the change itself takes stop out of `plan.failOn`",
            "the change itself raises `plan.maxDown` from 0 to 1",
            "the change itself removes `plan.maxRestarts`",
        ]
    );
}

#[test]
fn a_count_allows_that_many_and_not_one_more() {
    let both = |change: &dyn Fn(&str) -> String| ["a", "b", "c"].map(change).concat();
    let base = both(&|name| vm(name, "Always", false));
    let restarted = both(&|name| vm(name, "Always", false).replace("hostname: h", "hostname: i"));
    let stopped = both(&|name| vm(name, "Halted", false));
    let trips = |head: &str, gates: Gates| gates.trips(&change(&base, head).plan());
    for allowed in [3, 4] {
        assert!(trips(&restarted, most(None, Some(allowed))).is_empty());
        assert!(trips(&stopped, most(Some(allowed), None)).is_empty());
    }
    for allowed in [0, 1, 2] {
        let restarts = format!("`--max-restarts` allows {allowed}");
        let down = format!("`--max-down` allows {allowed}");
        let [said] = &trips(&restarted, most(None, Some(allowed)))[..] else {
            panic!("one count trips");
        };
        assert!(said.contains(&restarts), "{said}");
        let [said] = &trips(&stopped, most(Some(allowed), None))[..] else {
            panic!("one count trips");
        };
        assert!(said.contains(&down), "{said}");
    }
}

#[test]
fn a_tripped_gate_names_three_rows_and_counts_the_rest_and_what_was_not_judged() {
    let sentence = |gate: Gate, guests: usize, files: usize| {
        let names = ["a", "b", "c", "d", "e"];
        let text: String = names
            .iter()
            .take(guests)
            .map(|name| vm(name, "Always", false))
            .collect();
        let mut plan = change(&text, "").plan();
        let left = |at: usize| Unjudged {
            file: format!("{at}.yaml"),
            kind: None,
            reason: "it is a template".to_owned(),
            accepted: None,
        };
        plan.unjudged = (0..files).map(left).collect();
        gates(&[gate]).trips(&plan).into_iter().next()
    };
    assert_eq!(sentence(Gate::Delete, 0, 1), None);
    assert_eq!(sentence(Gate::Unknown, 1, 0), None);
    for (gate, guests, files, words) in [
        (Gate::Delete, 1, 1, "`delete` is gated: vms/a"),
        (Gate::Delete, 3, 0, "`delete` is gated: vms/a, vms/b, vms/c"),
        (
            Gate::Delete,
            4,
            0,
            "`delete` is gated: vms/a, vms/b, vms/c and 1 more",
        ),
        (
            Gate::Unknown,
            1,
            1,
            "`unknown` is gated: 1 file that could not be judged",
        ),
        (
            Gate::Unknown,
            0,
            2,
            "`unknown` is gated: 2 files that could not be judged",
        ),
    ] {
        assert_eq!(sentence(gate, guests, files).as_deref(), Some(words));
    }
}
