//! Editing files: what changes, what stays, and that a second run does nothing.

use super::support::{UID, Workspace, revision, upgraded, vm};

#[test]
fn only_what_must_change_changes() {
    let space = Workspace::new(&[
        ("vm.yaml", &vm("web", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let run = space.run(&["upgrade", "--write"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(space.read("vm.yaml"), vm("web", &upgraded("web")));
    let file = space.read("old.yaml");
    let added = file
        .strip_prefix(&revision("old"))
        .expect("the old revision stays as it was");
    assert!(added.starts_with("---\napiVersion: apps/v1\n"), "{added}");
    assert!(added.contains(&format!("name: {}\n", upgraded("web"))));
    assert!(run.stderr.contains("wrote 2 files"), "{}", run.stderr);
}

#[test]
fn a_second_run_changes_and_writes_nothing() {
    let files = [
        (
            "all.yaml",
            format!("{}---\n{}", vm("web", "old"), revision("old")),
        ),
        ("crlf.yaml", vm("win", "other").replace('\n', "\r\n")),
        ("other.yaml", revision("other").replace('\n', "\r\n")),
    ];
    for prune in [&[][..], &["--prune"]] {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let space = Workspace::new(&files);
        let arguments = [&["upgrade", "--write"], prune].concat();
        let run = space.run(&arguments);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            !space
                .read("crlf.yaml")
                .replace("\r\n", "")
                .contains(['\r', '\n'])
        );
        assert!(
            !space
                .read("other.yaml")
                .replace("\r\n", "")
                .contains(['\r', '\n'])
        );
        let before = space.snapshot();
        let again = space.run(&arguments);
        assert_eq!(again.code, 0, "{}", again.stderr);
        assert!(
            again.stderr.contains("nothing to upgrade"),
            "{}",
            again.stderr
        );
        assert!(before == space.snapshot(), "the second run touched a file");
        assert_eq!(space.run(&["upgrade", "--check"]).code, 0);
    }
}

#[test]
fn json_and_lists_stay_what_they_are() {
    let vm = r#"{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"web","namespace":"vms"},
  "spec":{"instancetype":{"kind":"VirtualMachineInstancetype","name":"small","revisionName":"old"},"template":{"spec":{"domain":{"devices":{}}}}}}
"#;
    let old = format!(
        r#"{{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{{"name":"old","namespace":"vms"}},"data":{{"apiVersion":"instancetype.kubevirt.io/v1alpha1","kind":"VirtualMachineInstancetype","metadata":{{"name":"small","namespace":"vms","uid":"{UID}","generation":1}},"spec":{{"cpu":{{"guest":1}},"memory":{{"guest":"1Gi"}}}}}},"revision":0}}"#
    );
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {old}\n- {vm}");
    for prune in [&[][..], &["--prune"]] {
        for files in [
            vec![("vm.json", vm), ("old.json", old.as_str())],
            vec![("list.yaml", list.as_str())],
        ] {
            let space = Workspace::new(&files);
            let arguments = [&["upgrade", "--write"], prune].concat();
            let run = space.run(&arguments);
            assert_eq!(run.code, 0, "{}", run.stderr);
            for (path, _) in &files {
                let text = space.read(path);
                if *path != "list.yaml" {
                    serde_json::from_str::<serde_json::Value>(&text).expect("one JSON value");
                }
                assert_eq!(
                    text.matches(&upgraded("web")).count(),
                    usize::from(files.len() == 1) + 1
                );
            }
            assert_eq!(
                space.run(&["upgrade", "--check", "--prune"]).code,
                i32::from(prune.is_empty())
            );
        }
    }
}

#[test]
fn pruning_takes_out_what_an_earlier_run_left() {
    let space = Workspace::new(&[
        ("vm.yaml", &vm("web", "old")),
        ("old.yaml", &revision("old")),
    ]);
    assert_eq!(space.run(&["upgrade", "--write"]).code, 0);
    assert_eq!(space.run(&["upgrade", "--check"]).code, 0);
    assert_eq!(space.run(&["upgrade", "--check", "--prune"]).code, 1);
    assert_eq!(space.run(&["upgrade", "--write", "--prune"]).code, 0);
    let file = space.read("old.yaml");
    assert!(
        file.starts_with("apiVersion: apps/v1\n") && !file.contains("v1alpha2"),
        "{file}"
    );
}

#[test]
fn an_emptied_file_goes_unless_a_kustomization_may_list_it() {
    for kustomization in [false, true] {
        let upgraded_file = {
            let space = Workspace::new(&[
                ("vm.yaml", &vm("web", "old")),
                ("old.yaml", &revision("old")),
            ]);
            space.run(&["upgrade", "--write", "--prune"]);
            space.read("old.yaml")
        };
        let space = Workspace::new(&[
            ("vm.yaml", &vm("web", &upgraded("web"))),
            ("new.yaml", &upgraded_file),
            ("old.yaml", &revision("old")),
        ]);
        if kustomization {
            space.put(
                "kustomization.yaml",
                "resources: [vm.yaml, new.yaml, old.yaml]\n",
            );
        }
        let run = space.run(&["upgrade", "--write", "--prune"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(space.path().join("old.yaml").exists(), kustomization);
        assert_eq!(space.run(&["upgrade", "--check", "--prune"]).code, 0);
    }
}

#[test]
fn a_file_that_cannot_be_edited_holds_back_only_what_needs_it() {
    let anchored = vm("a", "old").replace("name: small", "name: &n small\n    inferFromVolume: *n");
    let space = Workspace::new(&[
        ("a.yaml", &anchored),
        ("b.yaml", &vm("b", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let run = space.run(&["upgrade", "--write", "--prune"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("a.yaml: the document shares values by anchors"),
        "{}",
        run.stderr
    );
    assert_eq!(space.read("a.yaml"), anchored);
    assert_eq!(space.read("b.yaml"), vm("b", &upgraded("b")));
    assert!(
        space.read("old.yaml").starts_with(&revision("old")),
        "still named by `a`"
    );
}

#[test]
fn encrypted_files_are_read_and_never_written() {
    let encrypted = format!("{}sops:\n  mac: x\n", vm("web", "old"));
    let space = Workspace::new(&[("vm.yaml", &encrypted), ("old.yaml", &revision("old"))]);
    let before = space.snapshot();
    let run = space.run(&["upgrade", "--write"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("encrypted with SOPS"), "{}", run.stderr);
    assert!(before == space.snapshot());
}

#[test]
fn standard_input_is_printed_and_cannot_be_edited() {
    use std::io::Write;
    let space = Workspace::new(&[]);
    for (argument, code) in [("--check", 1), ("--write", 1), ("--output=json", 0)] {
        let mut child = space
            .command(&["upgrade", argument, "-"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let text = format!("{}---\n{}", vm("web", "old"), revision("old"));
        child
            .stdin
            .take()
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{argument}");
    }
}

#[cfg(unix)]
#[test]
fn a_written_file_keeps_its_mode_and_a_link_stays_a_link() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    let space = Workspace::new(&[
        ("vms/vm.yaml", &vm("web", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let file = space.path().join("vms/vm.yaml");
    for mode in [0o640, 0o755] {
        space.put("vms/vm.yaml", &vm("web", "old"));
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(space.run(&["upgrade", "--write"]).code, 0);
        assert_eq!(space.read("vms/vm.yaml"), vm("web", &upgraded("web")));
        let kept = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(kept & 0o7777, mode);
    }
    let space = Workspace::new(&[(
        "real.txt",
        &format!("{}---\n{}", vm("web", "old"), revision("old")),
    )]);
    let link = space.path().join("all.yaml");
    symlink("real.txt", &link).unwrap();
    let run = space.run(&["upgrade", "--write", "all.yaml"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_link(&link).unwrap().to_str(), Some("real.txt"));
    assert!(space.read("real.txt").contains(&upgraded("web")));
}

#[test]
fn a_hook_hears_whether_a_file_changed() {
    let space = Workspace::new(&[
        ("vm.yaml", &vm("web", "old")),
        ("old.yaml", &revision("old")),
    ]);
    let arguments = ["upgrade", "--write", "--check"];
    let run = space.run(&arguments);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(space.read("vm.yaml"), vm("web", &upgraded("web")));
    let again = space.run(&arguments);
    assert_eq!(again.code, 0, "{}", again.stderr);
}
