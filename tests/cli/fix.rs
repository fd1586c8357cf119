//! `driftless fix` as its users run it: what it edits, what it leaves, and what it says.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::{VM, Workspace};

/// A VM with a finding of several rules, comments, and text that nothing may touch.
const ODD: &str = "# the web server
apiVersion: kubevirt.io/v1alpha3
kind:   VirtualMachine
metadata:
  name: web   # public
  namespace: vms
  uid: 11111111-2222-3333-4444-555555555555
  resourceVersion: \"12\"
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{\"a\":  1}'
    own: '{\"b\":  2}'
spec:
  running: true     # keep it up
  template:
    spec:
      domain:
        devices:
          disks: [ {name: root, disk: {bus: virtio}},  {name: ci, disk: {}} ]
        memory: {guest: 1024Mi}
      volumes:
      - name: root
        containerDisk: {image: \"quay.io/x/y:1\"}
      - name: ci
        cloudInitNoCloud:
          userData: |
            #cloud-config
            users:
              -   name:   odd
          networkData: \"version:   2\"
status:
  created: true
";

fn fixed(text: &str, arguments: &[&str]) -> (String, String) {
    let workspace = Workspace::with(&[("vm.yaml", text)]);
    let run = workspace
        .run(&[&["fix", "vm.yaml"], arguments].concat())
        .exits(0);
    (workspace.read("vm.yaml"), run.stderr)
}

#[test]
fn every_safe_fix_is_made_and_every_other_byte_stays() {
    let expected = ODD
        .replace("kubevirt.io/v1alpha3", "kubevirt.io/v1")
        .replace("  uid: 11111111-2222-3333-4444-555555555555\n", "")
        .replace("  resourceVersion: \"12\"\n", "")
        .replace(
            "    kubectl.kubernetes.io/last-applied-configuration: '{\"a\":  1}'\n",
            "",
        )
        .replace("running: true ", "runStrategy: Always ")
        .replace("status:\n  created: true\n", "");
    let (text, said) = fixed(ODD, &[]);
    assert_eq!(text, expected);
    for rule in [
        "deprecated-api-version 1",
        "deprecated-running 1",
        "runtime-data",
    ] {
        assert!(said.contains(rule), "{said}");
    }
    let (again, said) = fixed(&text, &[]);
    assert_eq!(again, text, "a second run finds nothing");
    assert!(said.contains("nothing to fix"), "{said}");
}

#[test]
fn files_without_a_fix_keep_their_time() {
    let workspace = Workspace::with(&[("clean.yaml", VM), ("odd.yaml", ODD)]);
    let past = SystemTime::now() - Duration::from_secs(1000);
    for file in ["clean.yaml", "odd.yaml"] {
        let file = fs::File::options()
            .write(true)
            .open(workspace.path(file))
            .unwrap();
        file.set_modified(past).unwrap();
    }
    let time = |file: &str| {
        fs::metadata(workspace.path(file))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = time("clean.yaml");
    workspace.run(&["fix"]).exits(0);
    assert_eq!(time("clean.yaml"), before);
    assert_ne!(time("odd.yaml"), before);
}

#[test]
fn diff_and_check_write_nothing_and_say_whether_anything_would_change() {
    let workspace = Workspace::with(&[("odd.yaml", ODD), ("clean.yaml", VM)]);
    let diff = workspace.run(&["fix", "--diff"]).exits(1);
    assert!(
        diff.stdout
            .contains("+  runStrategy: Always     # keep it up")
    );
    assert!(!diff.stdout.contains("clean.yaml"));
    let check = workspace.run(&["fix", "--check"]).exits(1);
    assert_eq!(check.stdout, "");
    assert!(check.stderr.contains("would fix"), "{}", check.stderr);
    assert_eq!(workspace.read("odd.yaml"), ODD);
    for option in ["--diff", "--check"] {
        let clean = workspace.run(&["fix", "clean.yaml", option]).exits(0);
        assert_eq!(clean.stdout, "");
    }
}

#[test]
fn only_the_rules_that_are_named_are_fixed() {
    let (text, _) = fixed(ODD, &["--only", "deprecated-running"]);
    assert_eq!(text, ODD.replace("running: true ", "runStrategy: Always "));
    // A rule that is off unless it is asked for.
    let (text, _) = fixed(ODD, &["--only", "noncanonical-quantity,deprecated-running"]);
    assert!(text.contains("guest: 1Gi"), "{text}");
    let workspace = Workspace::with(&[("vm.yaml", ODD)]);
    workspace.run(&["fix", "--only", "no-such-rule"]).exits(2);
    workspace.write("driftless.yaml", b"levels: {deprecated-running: off}\n");
    let off = workspace
        .run(&["fix", "--only", "deprecated-running"])
        .exits(2);
    assert!(off.stderr.contains("the settings switch the rule off"));
}

#[test]
fn a_fix_that_changes_what_runs_waits_for_unsafe_fixes() {
    // The API server drops `evictionstrategy`; spelled right it reaches the VM.
    let vm = VM.replace(
        "    spec:\n      domain:",
        "    spec:\n      hostName: web-1\n      domain:",
    );
    let settings = "fieldValidation: warn\n";
    for (arguments, expected) in [
        (&["fix", "vm.yaml"][..], vm.clone()),
        (
            &["fix", "vm.yaml", "--unsafe-fixes"][..],
            vm.replace("hostName", "hostname"),
        ),
    ] {
        let workspace = Workspace::with(&[("vm.yaml", &vm), ("driftless.yaml", settings)]);
        let run = workspace.run(arguments).exits(0);
        assert_eq!(workspace.read("vm.yaml"), expected, "{}", run.stderr);
        if arguments.len() == 2 {
            assert!(
                run.stderr.contains("vm.yaml:11:7: unknown-field"),
                "{}",
                run.stderr
            );
            assert!(
                run.stderr
                    .contains("is left out: it changes what default/web runs")
            );
        }
    }
}

#[test]
fn a_machine_that_the_cluster_refuses_runs_nothing_that_could_change() {
    let vm = VM.replace(
        "    spec:\n      domain:",
        "    spec:\n      hostName: web-1\n      domain:",
    );
    let (text, said) = fixed(&vm, &[]);
    assert_eq!(text, vm.replace("hostName", "hostname"), "{said}");
    let other = vm.replace(
        "devices: {}",
        "devices: {disks: [{name: a, disk: {bus: none}}]}",
    );
    let workspace = Workspace::with(&[("vm.yaml", &other)]);
    workspace.run(&["fix"]).exits(0);
    assert_eq!(
        workspace.read("vm.yaml"),
        other.replace("hostName", "hostname")
    );
}

#[test]
fn a_fix_of_one_machine_does_not_wait_for_that_of_another() {
    let wrong = VM.replace(
        "    spec:\n      domain:",
        "    spec:\n      hostName: web-1\n      domain:",
    );
    let both = format!(
        "{wrong}---\n{}",
        VM.replace("name: web", "name: other")
            .replace("runStrategy: Always", "running: true")
    );
    let both = both.replace("  runStrategy: Always", "  running: true");
    let workspace = Workspace::with(&[
        ("vm.yaml", &both),
        ("driftless.yaml", "fieldValidation: warn\n"),
    ]);
    let run = workspace.run(&["fix", "vm.yaml"]).exits(0);
    let expected = both.replace("running: true", "runStrategy: Always");
    assert_eq!(workspace.read("vm.yaml"), expected, "{}", run.stderr);
    assert!(
        run.stderr.contains("fixed 2 findings in 1 file"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_cannot_be_expanded_is_fixed_outside_its_spec_only() {
    let vm = ODD.replace(
        "  template:\n",
        "  instancetype: {name: gone, kind: VirtualMachineInstancetype}\n  template:\n",
    );
    let (text, said) = fixed(&vm, &[]);
    assert!(
        !text.contains("uid:") && !text.contains("status:"),
        "{text}\n{said}"
    );
    assert!(text.contains("own: '{\"b\":  2}'"));
}

#[test]
fn every_item_of_a_list_is_fixed_in_its_place() {
    let item = |name: &str| {
        format!(
            "- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {{name: {name}, uid: u}} # {name}\n  spec:\n    running: false\n    template: {{spec: {{domain: {{devices: {{}}, memory: {{guest: 1Gi}}}}}}}}\n"
        )
    };
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n{}{}",
        item("a"),
        item("b")
    );
    let (text, _) = fixed(&list, &[]);
    let expected = list
        .replace(", uid: u", "")
        .replace("running: false", "runStrategy: Halted");
    assert_eq!(text, expected);
    let json = "{\"apiVersion\":\"kubevirt.io/v1\",\"kind\":\"VirtualMachine\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"running\":true,\"template\":{\"spec\":{\"domain\":{\"devices\":{},\"memory\":{\"guest\":\"1Gi\"}}}}}}\n";
    let workspace = Workspace::with(&[("vm.json", json)]);
    workspace.run(&["fix"]).exits(0);
    let expected = json.replace("\"running\":true", "\"runStrategy\":\"Always\"");
    assert_eq!(workspace.read("vm.json"), expected);
    // Two objects, on a line each, on one line, and without a last line end.
    let other = |text: &str| text.replace("\"a\"", "\"b\"");
    for stream in [
        format!("{json}{}", other(json)),
        format!("{} {}", json.trim_end(), other(json)),
        format!("{json}\n{}", other(json).trim_end()),
    ] {
        let workspace = Workspace::with(&[("vms.json", &stream)]);
        workspace.run(&["fix"]).exits(0);
        let expected = stream.replace("\"running\":true", "\"runStrategy\":\"Always\"");
        assert_eq!(workspace.read("vms.json"), expected);
    }
}

#[test]
fn what_is_not_plain_is_left() {
    let encrypted = format!("{ODD}sops: {{mac: x}}\n");
    let ignored = ODD.replace(
        "# keep it up",
        "# driftless: ignore[deprecated-running] the operator is old",
    );
    let template = ODD.replace("name: web ", "name: {{ .Values.name }} ");
    let conflict = ODD.replace(
        "  running: true     # keep it up\n",
        "<<<<<<< HEAD\n  running: true\n=======\n  running: false\n>>>>>>> x\n",
    );
    for (text, said) in [
        (&encrypted, "left 1 file as found: encrypted"),
        (&template, "skipped 1 template"),
        (&conflict, ""),
    ] {
        let workspace = Workspace::with(&[("vm.yaml", text)]);
        let run = workspace.run(&["fix", "vm.yaml"]);
        assert_eq!(&workspace.read("vm.yaml"), text, "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let (text, _) = fixed(&ignored, &["--only", "deprecated-running"]);
    assert_eq!(text, ignored);
}

#[test]
fn a_document_that_cannot_be_edited_is_said_and_the_others_are_fixed() {
    let anchors = ODD
        .replace(
            "memory: {guest: 1024Mi}",
            "memory: &m {guest: 1024Mi}\n        resources: {requests: {memory: 1Gi}}",
        )
        .replace(
            "networkData: \"version:   2\"",
            "networkData: &n \"version: 2\"\n        configMap: *n",
        );
    let workspace = Workspace::with(&[
        ("a.yaml", &anchors),
        ("b.yaml", &ODD.replace("name: web ", "name: b ")),
    ]);
    let run = workspace.run(&["fix"]).exits(1);
    assert_eq!(workspace.read("a.yaml"), anchors);
    assert!(
        run.stderr
            .contains("a.yaml: the document shares values by anchors"),
        "{}",
        run.stderr
    );
    assert!(workspace.read("b.yaml").contains("runStrategy: Always"));
    workspace.pipe(&["fix", "-"], ODD).exits(1);
}

/// Copies the manifests of every check's fixtures, each case into a directory of its own.
fn fixtures(workspace: &Workspace) -> Vec<(String, Vec<u8>)> {
    let top = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/check");
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(&top).sort_by_file_name() {
        let entry = entry.unwrap();
        let is_input = entry.file_type().is_file() && !entry.path().ends_with("expected.txt");
        if is_input {
            let name = entry.path().strip_prefix(&top).unwrap();
            let name = name.to_string_lossy().into_owned();
            let bytes = fs::read(entry.path()).unwrap();
            workspace.write(&name, &bytes);
            files.push((name, bytes));
        }
    }
    files
}

/// Texts that nothing may touch, as their lines stand in a file.
fn untouchable(text: &str) -> Vec<&str> {
    let keys = ["userData", "networkData", "userDataBase64", "autounattend"];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = None;
    text.lines()
        .filter(|line| {
            if inside.is_some_and(|outer| indent(line) > outer || line.trim().is_empty()) {
                return true;
            }
            inside = None;
            let key = line.trim_start().split(':').next().unwrap_or_default();
            let is_one = keys.contains(&key.trim_start_matches("- "));
            if is_one {
                inside = Some(indent(line));
            }
            is_one
        })
        .collect()
}

#[test]
fn every_fixture_is_fixed_once_and_its_guests_texts_stay() {
    for arguments in [&["fix"][..], &["fix", "--unsafe-fixes"]] {
        let workspace = Workspace::new();
        let files = fixtures(&workspace);
        assert!(files.len() > 200, "{} files", files.len());
        workspace.run(arguments);
        let mut changed = 0;
        let after: Vec<Vec<u8>> = files
            .iter()
            .map(|(name, _)| fs::read(workspace.path(name)).unwrap())
            .collect();
        for ((name, before), now) in files.iter().zip(&after) {
            changed += usize::from(before != now);
            if let (Ok(before), Ok(now)) = (std::str::from_utf8(before), std::str::from_utf8(now)) {
                assert_eq!(untouchable(before), untouchable(now), "{name}");
            }
        }
        assert!(changed > 5, "{changed} files changed");
        let again = workspace.run(arguments);
        assert!(!again.stderr.contains("fixed "), "{}", again.stderr);
        for ((name, _), once) in files.iter().zip(&after) {
            assert_eq!(&fs::read(workspace.path(name)).unwrap(), once, "{name}");
        }
    }
}
