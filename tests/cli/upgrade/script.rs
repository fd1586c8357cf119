//! The script that is emitted, run against a `kubectl` that writes down how it was called.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::support::{Workspace, revision, upgraded, vm};

/// Writes each argument on a line of its own, then a line of `=`; an argument's own line feeds are shown as `\n`.
const KUBECTL: &str = r#"#!/bin/sh
for argument in "$@"; do
  printf '%s' "$argument" | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }' >> "$CALLS"
  printf '\n' >> "$CALLS"
done
case "$*" in *--filename=-*) cat >> "$CALLS.input" ;; esac
echo = >> "$CALLS"
"#;

fn calls(space: &Workspace, script: &str) -> Vec<Vec<String>> {
    let bin = space.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("kubectl"), KUBECTL).unwrap();
    fs::set_permissions(bin.join("kubectl"), fs::Permissions::from_mode(0o755)).unwrap();
    let calls = space.path().join("calls");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .current_dir(space.path())
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("CALLS", &calls)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut all = vec![Vec::new()];
    for line in fs::read_to_string(calls).unwrap_or_default().lines() {
        if line == "=" {
            all.push(Vec::new());
        } else if let Some(last) = all.last_mut() {
            last.push(line.to_owned());
        }
    }
    all.pop();
    all
}

#[test]
fn the_script_creates_then_patches_then_deletes() {
    let space = Workspace::new(&[
        ("a.yaml", &vm("a", "old")),
        ("b.yaml", &vm("b", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let run = space.run(&["upgrade", "--emit", "patches", "--prune"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let calls = calls(&space, &run.stdout);
    let verbs: Vec<_> = calls.iter().map(|call| call[0].as_str()).collect();
    assert_eq!(verbs, ["create", "create", "patch", "patch", "delete"]);
    assert!(calls[2].contains(&"virtualmachines.kubevirt.io/a".to_owned()));
    let patch = calls[2]
        .iter()
        .find_map(|one| one.strip_prefix("--patch="))
        .unwrap();
    let patch: serde_json::Value = serde_json::from_str(patch).unwrap();
    assert_eq!(
        patch,
        serde_json::json!([
            {"op": "test", "path": "/spec/instancetype/revisionName", "value": "old"},
            {"op": "replace", "path": "/spec/instancetype/revisionName", "value": upgraded("a")},
        ])
    );
    assert_eq!(
        calls[4],
        ["delete", "--namespace=vms", "controllerrevisions.apps/old"]
    );
    let created = space.read("calls.input");
    assert!(created.contains(&upgraded("a")) && created.contains(&upgraded("b")));
}

#[test]
fn names_that_want_to_be_commands_stay_names() {
    let hostile = "o'ld $(touch pwned) `touch pwned`\ntouch pwned\n; touch pwned #";
    let written = serde_json::to_string(hostile).unwrap();
    let vm = vm("web", "old").replace("\"old\"", &written);
    let revision = revision("old").replace("name: old", &format!("name: {written}"));
    let space = Workspace::new(&[("vm.yaml", &vm), ("old.yaml", &revision)]);
    let run = space.run(&["upgrade", "--emit", "patches", "--prune"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let calls = calls(&space, &run.stdout);
    assert!(!space.path().join("pwned").exists());
    let verbs: Vec<_> = calls.iter().map(|call| call[0].as_str()).collect();
    assert_eq!(verbs, ["create", "patch", "delete"]);
    let shown = hostile.replace('\n', "\\n");
    assert_eq!(calls[2][2], format!("controllerrevisions.apps/{shown}"));
}

#[test]
fn the_same_steps_as_json() {
    let space = Workspace::new(&[
        ("vm.yaml", &vm("web", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let run = space.run(&["upgrade", "--emit", "patches", "--prune", "-o", "json"]);
    let steps: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let names: Vec<_> = steps["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step.as_object().unwrap().keys().next().unwrap().clone())
        .collect();
    assert_eq!(names, ["create", "patch", "delete"]);
}
