//! The command line itself.

use std::fs;
use std::process::Stdio;

use crate::support::{Run, VM, Workspace, scrubbed};

#[test]
fn help_and_version_are_clean() {
    let workspace = Workspace::new();
    workspace
        .run(&["--version"])
        .exits(0)
        .prints(&["driftless "]);
    workspace
        .run(&["--help"])
        .exits(0)
        .prints(&["expand", "render", "catalog"]);
    workspace
        .run(&["render", "-h"])
        .exits(0)
        .prints(&["--policy", "--kubevirt"]);
}

#[test]
fn mistakes_on_the_command_line_are_2() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    for arguments in [
        &["nope"][..],
        &[],
        &["expand", "--nope"],
        &["expand", "--kubevirt", "1.0"],
        &["expand", "--jobs", "0"],
        &["expand", "-q", "-v"],
        &["expand", "absent.yaml"],
        &["expand", "--config", "absent.yaml"],
        &["expand", "--cluster-config", "absent.yaml"],
        &["expand", "--exclude", "[z-a"],
        &["expand", "--vm", "absent"],
        &["man", "absent"],
    ] {
        workspace.run(arguments).exits(2);
    }
    workspace
        .run(&["expand", "absent.yaml"])
        .says(&["absent.yaml", "no such file"]);
}

#[test]
fn a_missing_path_does_not_keep_the_rest_from_being_done() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    workspace
        .run(&["expand", "vm.yaml", "absent.yaml"])
        .exits(2)
        .prints(&["name: web", "guest: 2Gi"]);
}

#[test]
fn a_plugin_of_kubectl_calls_itself_so() {
    let workspace = Workspace::new();
    let plugin = workspace.path("kubectl-driftless");
    // A copy may still be open for writing in a process that another test starts.
    #[cfg(unix)]
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_driftless"), &plugin).unwrap();
    #[cfg(not(unix))]
    fs::copy(env!("CARGO_BIN_EXE_driftless"), &plugin).unwrap();
    let run = |argument: &str| {
        Run::of(
            scrubbed(&plugin)
                .arg(argument)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    };
    run("--version").exits(0).prints(&["kubectl driftless "]);
    run("--help").exits(0).prints(&["Usage: kubectl driftless"]);
}

#[test]
fn completions_and_manual_come_from_the_same_definitions() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        workspace
            .run(&["completions", shell])
            .exits(0)
            .prints(&["expand", "output-dir"]);
    }
    workspace
        .run(&["man"])
        .exits(0)
        .prints(&[".TH driftless 1"]);
    workspace
        .run(&["man", "render"])
        .exits(0)
        .prints(&["output\\-dir"]);
}

#[test]
fn color_is_for_terminals_and_on_request() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let plain = workspace.run(&["expand", "absent.yaml"]);
    assert!(!plain.stderr.contains('\u{1b}'));
    workspace
        .run(&["expand", "absent.yaml", "--color", "always"])
        .says(&["\u{1b}["]);
}

#[test]
fn quiet_leaves_errors_and_verbose_lists_what_was_skipped() {
    let workspace = Workspace::with(&[
        ("vm.yaml", VM),
        (
            "helm.yaml",
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: {{ .Values.name }}\n",
        ),
    ]);
    let quiet = workspace.run(&["expand", "-q"]).exits(0);
    assert_eq!(quiet.stderr, "");
    workspace
        .run(&["expand"])
        .exits(0)
        .says(&["skipped 1 template;", "--verbose"]);
    workspace
        .run(&["expand", "-v"])
        .exits(0)
        .says(&["helm.yaml:4:9: skipped", "Helm"]);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let many: Vec<_> = (0..3000)
        .map(|at| VM.replace("web", &format!("web-{at}")))
        .collect();
    let many = many.join("---\n");
    let workspace = Workspace::with(&[("vms.yaml", &many)]);
    let mut child = workspace
        .command(&["expand", "-q"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.exits(0).stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_2() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = workspace
        .command(&["expand"])
        .stdout(full)
        .output()
        .unwrap();
    Run::of(output)
        .exits(2)
        .says(&["cannot write to standard output", "No space left"]);
}

#[test]
fn no_progress_bar_without_a_terminal() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let run = workspace.run(&["expand", "--kubevirt", "1.9"]).exits(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_path_that_cannot_be_judged_is_no_clean_run() {
    let space = Workspace::new();
    space.write("notes.txt", b"no manifest\n");
    space.write("a.yaml", b"a: 1\n");
    let run = |arguments: &[&str]| {
        let run = space.run(arguments);
        (run.status, run.stdout, run.stderr)
    };
    let (code, stdout, stderr) = run(&["check", "notes.txt"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("holds no Kubernetes object"), "{stderr}");
    assert_eq!(run(&["check", "a.yaml"]).0, 0);
    let (code, stdout, stderr) = run(&["check", "nowhere"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    let (code, _, stderr) = run(&["check", "--only-report", "typo.yaml"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("typo.yaml"), "{stderr}");
    assert_eq!(run(&["check", "--only-report", "a.yaml"]).0, 0);
    for (namespace, code) in [
        ("shop", 0),
        ("a-1", 0),
        ("Bad_NS", 2),
        ("-a", 2),
        ("a-", 2),
        ("", 2),
    ] {
        assert_eq!(
            run(&["check", "-n", namespace, "a.yaml"]).0,
            code,
            "{namespace}"
        );
    }
    for (length, code) in [(63, 0), (64, 2)] {
        assert_eq!(
            run(&["check", "-n", &"a".repeat(length), "a.yaml"]).0,
            code,
            "{length}"
        );
    }
}
