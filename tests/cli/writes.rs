//! Files that are written: their modes, links, and what is no file.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Run, VM, Workspace, scrubbed};

const OLD: &str = "apiVersion: kubevirt.io/v1alpha3
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
";

fn mode(workspace: &Workspace, path: &str) -> u32 {
    let metadata = fs::metadata(workspace.path(path)).unwrap();
    metadata.permissions().mode() & 0o7777
}

/// Every way to write a file: the arguments, the file, and what it holds before.
const WRITES: [(&[&str], &str, &str); 5] = [
    (&["check", "in", "--output", "out"], "out", "old"),
    (&["check", "in", "--format", "json=out"], "out", "old"),
    (&["check", "in", "--write-baseline", "out"], "out", "old"),
    (&["upgrade", "old.yaml", "--write"], "old.yaml", OLD),
    (&["fix", "old.yaml"], "old.yaml", OLD),
];

#[test]
fn a_mode_stays() {
    for (arguments, file, before) in WRITES {
        for bits in [0o640, 0o755, 0o600, 0o664] {
            let workspace = Workspace::with(&[("in/vm.yaml", VM), (file, before)]);
            fs::set_permissions(workspace.path(file), fs::Permissions::from_mode(bits)).unwrap();
            workspace.run(arguments).exits(0);
            assert_ne!(workspace.read(file), before, "{arguments:?} writes");
            assert_eq!(mode(&workspace, file), bits, "{arguments:?}");
        }
    }
    let workspace = Workspace::with(&[("vm.yaml", VM), ("out/virtualmachine-web.yaml", "old")]);
    let file = "out/virtualmachine-web.yaml";
    fs::set_permissions(workspace.path(file), fs::Permissions::from_mode(0o640)).unwrap();
    workspace
        .run(&["render", "vm.yaml", "--output-dir", "out"])
        .exits(0);
    assert_eq!(mode(&workspace, file), 0o640);
}

#[test]
fn a_new_file_has_the_mode_the_umask_leaves() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    for (umask, bits) in [("022", 0o644), ("077", 0o600)] {
        let file = format!("out-{umask}");
        let script = format!(
            "umask {umask}; exec '{}' check vm.yaml --output {file}",
            env!("CARGO_BIN_EXE_driftless")
        );
        let mut command = scrubbed("sh".as_ref());
        command
            .args(["-c", &script])
            .current_dir(workspace.path(""));
        Run::of(command.output().unwrap()).exits(0);
        assert_eq!(mode(&workspace, &file), bits, "{umask}");
    }
}

#[test]
fn a_link_stays_one_and_its_target_is_written() {
    for (arguments, file, before) in WRITES {
        let workspace = Workspace::with(&[("in/vm.yaml", VM), ("deep/target", before)]);
        symlink("deep/target", workspace.path(file)).unwrap();
        workspace.run(arguments).exits(0);
        assert!(workspace.path(file).is_symlink(), "{arguments:?}");
        assert!(!workspace.path("deep/target").is_symlink());
        assert_ne!(workspace.read("deep/target"), before, "{arguments:?}");
        assert_eq!(
            fs::read_dir(workspace.path("deep")).unwrap().count(),
            1,
            "nothing is left"
        );
    }
}

#[test]
fn the_target_of_a_link_that_leads_nowhere_is_made() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    symlink("target", workspace.path("out")).unwrap();
    workspace
        .run(&["check", "vm.yaml", "--output", "out"])
        .exits(0);
    assert!(workspace.path("out").is_symlink());
    assert!(workspace.read("target").contains("judged as"));
    symlink("none/target", workspace.path("lost")).unwrap();
    workspace
        .run(&["check", "vm.yaml", "--output", "lost"])
        .exits(2)
        .says(&["cannot write `lost`"]);
}

#[test]
fn what_is_no_file_is_written_to_and_stays() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let pipe = workspace.path("pipe");
    assert!(
        scrubbed("mkfifo".as_ref())
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
    };
    workspace
        .run(&["check", "vm.yaml", "--output", "pipe"])
        .exits(0);
    assert!(reader.join().unwrap().contains("judged as"));
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    let run = workspace
        .run(&["check", "vm.yaml", "--output", "/dev/stdout"])
        .exits(0);
    assert!(run.stdout.contains("judged as"));
    workspace
        .run(&["check", "vm.yaml", "--output", "/dev/null"])
        .exits(0);
    // Standard output may be a file that holds more than ours.
    let script = format!(
        "(echo before; '{}' check vm.yaml --output /dev/stdout; echo after) > log",
        env!("CARGO_BIN_EXE_driftless")
    );
    let mut command = scrubbed("sh".as_ref());
    command
        .args(["-c", &script])
        .current_dir(workspace.path(""));
    Run::of(command.output().unwrap()).exits(0);
    let log = workspace.read("log");
    assert!(
        log.starts_with("before\n") && log.contains("judged as") && log.ends_with("after\n"),
        "{log}"
    );
    fs::create_dir(workspace.path("directory")).unwrap();
    workspace
        .run(&["check", "vm.yaml", "--output", "directory"])
        .exits(2)
        .says(&["cannot write `directory`"]);
}

#[test]
fn what_a_killed_run_left_behind_is_removed_by_the_next_one_that_writes_there() {
    for (arguments, file, before) in WRITES {
        let workspace = Workspace::with(&[
            ("in/vm.yaml", VM),
            (file, before),
            (".driftless-aB3dE9", "half"),
            (".driftless-locked", "being written"),
            (".driftless.yaml.txt", "somebody's"),
            ("in/.driftless-aB3dE9", "in another directory"),
        ]);
        fs::create_dir(workspace.path(".driftless-directory")).unwrap();
        let locked = fs::File::options()
            .write(true)
            .open(workspace.path(".driftless-locked"))
            .unwrap();
        locked.lock().unwrap();
        workspace.run(arguments).exits(0);
        let left: Vec<bool> = [
            ".driftless-aB3dE9",
            ".driftless-locked",
            ".driftless.yaml.txt",
            ".driftless-directory",
            "in/.driftless-aB3dE9",
        ]
        .iter()
        .map(|name| workspace.path(name).exists())
        .collect();
        assert_eq!(left, [false, true, true, true, true], "{arguments:?}");
    }
}

#[test]
fn a_read_only_file_is_refused_and_stays() {
    for (arguments, file, before) in WRITES {
        let workspace = Workspace::with(&[("in/vm.yaml", VM), (file, before)]);
        fs::set_permissions(workspace.path(file), fs::Permissions::from_mode(0o444)).unwrap();
        workspace
            .run(arguments)
            .exits(2)
            .says(&[&format!("cannot write `{file}`"), "it is read-only"]);
        assert_eq!(workspace.read(file), before, "{arguments:?}");
    }
}

#[test]
fn an_owner_stays_where_that_is_allowed() {
    use std::os::unix::fs::{MetadataExt, chown};
    for (arguments, file, before) in WRITES {
        let workspace = Workspace::with(&[("in/vm.yaml", VM), (file, before)]);
        let own = fs::metadata(workspace.path(file)).unwrap();
        // Only root may give a file away; others see that nothing fails.
        let given = chown(workspace.path(file), Some(4242), Some(4243)).is_ok();
        let expected = if given {
            (4242, 4243)
        } else {
            (own.uid(), own.gid())
        };
        workspace.run(arguments).exits(0);
        let now = fs::metadata(workspace.path(file)).unwrap();
        assert_ne!(workspace.read(file), before, "{arguments:?}");
        assert_eq!((now.uid(), now.gid()), expected, "{arguments:?}");
    }
}
