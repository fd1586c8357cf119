//! Input nobody should write and file systems nobody should have: a message with the file, the right status, the rest done.
//! It is long because each kind of hostile input has a test.

use std::fmt::Write;
use std::fs;
use std::process::Stdio;

use crate::support::{Run, VM, Workspace, scrubbed};

/// Runs `expand` and `render` over a good VM beside a bad file: the first does the rest, the second prints nothing.
#[track_caller]
fn bad(files: &[(&str, &[u8])], says: &[&str]) {
    let workspace = Workspace::with(&[("good/vm.yaml", VM)]);
    for (path, bytes) in files {
        workspace.write(path, bytes);
    }
    workspace
        .run(&["expand"])
        .exits(1)
        .says(says)
        .prints(&["name: web", "guest: 2Gi"]);
    workspace
        .run(&["render"])
        .exits(2)
        .says(says)
        .prints_nothing();
}

fn vm(name: &str) -> String {
    VM.replace("web", name)
}

#[test]
fn unparsable_yaml() {
    let text = vm("broken").replace("spec:\n", "spec: [\n");
    bad(&[("bad.yaml", text.as_bytes())], &["bad.yaml:"]);
}

#[test]
fn a_duplicate_key() {
    let text = format!("{}kind: VirtualMachine\n", vm("broken"));
    bad(
        &[("bad.yaml", text.as_bytes())],
        &["bad.yaml:13:1", "`kind`", "bad.yaml:2:1"],
    );
}

#[test]
fn a_name_that_is_no_name() {
    let name = |written: &str| VM.replace("metadata:\n  name: web\n", written);
    for (written, says) in [
        ("metadata:\n  name: 12\n", "bad.yaml:4:9"),
        ("metadata:\n  name: [a]\n", "bad.yaml:4:9"),
        ("metadata: null\n", "`metadata.name` is required"),
        ("", "`metadata.name` is required"),
    ] {
        bad(&[("bad.yaml", name(written).as_bytes())], &[says]);
    }
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 12\n";
    let workspace = Workspace::with(&[("vm.yaml", VM), ("map.yaml", config)]);
    let says = "map.yaml:4:9: ConfigMap: `metadata.name` is not a string";
    workspace.run(&["render"]).exits(2).says(&[says]);
    workspace.run(&["diff", "vm.yaml", "map.yaml"]).exits(2);
    workspace
        .run(&["plan", "--base-dir", "vm.yaml", "vm.yaml"])
        .exits(0);
}

#[test]
fn a_document_10000_deep() {
    let deep = format!(
        "{}x: {}{}\n",
        vm("deep"),
        "[".repeat(10_100),
        "]".repeat(10_100)
    );
    bad(&[("deep.yaml", deep.as_bytes())], &["deep.yaml:"]);
    let deep = format!("{}x:\n  {}a\n", vm("deep"), "- ".repeat(10_100));
    bad(&[("deep.yaml", deep.as_bytes())], &["deep.yaml:"]);
}

#[test]
fn an_alias_bomb() {
    let mut text = format!("{}a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n", vm("bomb"));
    for at in 1..12 {
        let items = vec![format!("*a{}", at - 1); 10].join(", ");
        writeln!(text, "a{at}: &a{at} [{items}]").unwrap();
    }
    bad(&[("bomb.yaml", text.as_bytes())], &["bomb.yaml:"]);
}

#[test]
fn invalid_utf8_and_nul() {
    let mut text = vm("bytes").into_bytes();
    text.extend(b"x: \xff\xfe\n");
    bad(&[("bytes.yaml", &text)], &["bytes.yaml:13:4"]);
    let text = format!("{}x: a\0b\n", vm("nul"));
    bad(&[("nul.yaml", text.as_bytes())], &["nul.yaml:13:"]);
}

#[test]
fn conflict_markers() {
    let text = vm("merge").replace(
        "spec:\n",
        "<<<<<<< HEAD\nspec:\n=======\nspec:\n>>>>>>> other\n",
    );
    bad(&[("merge.yaml", text.as_bytes())], &["merge.yaml:"]);
}

#[test]
fn two_resources_of_one_identity_in_a_file() {
    let other = vm("twin").replace("Always", "Halted");
    let text = format!("{}---\n{other}", vm("twin"));
    bad(
        &[("twins.yaml", text.as_bytes())],
        &["twins.yaml:14:1", "VirtualMachine twin", "twins.yaml:1:1"],
    );
    let workspace = Workspace::with(&[("vm.yaml", &format!("{VM}---\n{VM}"))]);
    let run = workspace.run(&["expand"]).exits(0);
    assert_eq!(
        run.stdout.matches("name: web").count(),
        1,
        "equal ones are one"
    );
}

#[test]
fn a_helm_template_is_skipped_with_a_count() {
    let template = vm("tpl").replace("name: tpl", "name: {{ .Values.name }}");
    let workspace = Workspace::with(&[("vm.yaml", VM), ("tpl.yaml", &template)]);
    for command in ["expand", "render"] {
        workspace
            .run(&[command])
            .exits(0)
            .says(&["skipped 1 template;"])
            .prints(&["name: web"]);
        workspace
            .run(&[command, "-v"])
            .exits(0)
            .says(&["tpl.yaml:4:9", "`{{`"]);
    }
}

#[test]
fn names_with_control_characters_do_not_reach_the_terminal() {
    let workspace = Workspace::with(&[(
        "vm.yaml",
        &VM.replace("name: web", "name: \"we\\eb\\x07\"")
            .replace("u1.small", "absent"),
    )]);
    let run = workspace.run(&["expand"]).exits(1);
    assert!(
        !run.stderr.contains(['\u{1b}', '\u{7}']),
        "{:?}",
        run.stderr
    );
}

#[test]
fn a_line_break_in_a_name_starts_no_message_of_its_own() {
    let workspace = Workspace::with(&[(
        "vm.yaml",
        &VM.replace("name: web", "name: \"web\\nerror: all is lost\"")
            .replace("u1.small", "absent"),
    )]);
    let run = workspace.run(&["expand"]).exits(1);
    assert!(!run.stderr.contains("\nerror: all"), "{}", run.stderr);
}

#[test]
fn other_encodings_and_line_ends_are_read() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(vm("wide").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let workspace = Workspace::with(&[
        ("bom.yaml", &format!("\u{feff}{}", vm("bom"))),
        ("crlf.yaml", &vm("crlf").replace('\n', "\r\n")),
        (
            "escaped.json",
            r#"{"apiVersion": "\u006bubevirt\u002eio/v1", "kind": "VirtualMachine", "metadata": {"name": "escaped"}, "spec": {"template": {"spec": {"domain": {"devices": {}}}}}}"#,
        ),
    ]);
    workspace.write("wide.yaml", &utf16);
    workspace.run(&["expand"]).exits(0).prints(&[
        "name: bom",
        "name: crlf",
        "name: wide",
        "name: escaped",
    ]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_to_itself() {
    use std::os::unix::fs::symlink;
    let workspace = Workspace::with(&[("sub/vm.yaml", VM)]);
    symlink("loop.yaml", workspace.path("loop.yaml")).unwrap();
    symlink("..", workspace.path("sub/up")).unwrap();
    workspace
        .run(&["expand"])
        .exits(2)
        .says(&["loop.yaml", "sub/up", "leads back"])
        .prints(&["name: web"]);
}

#[cfg(unix)]
#[test]
fn links_stay_inside() {
    use std::os::unix::fs::symlink;
    let outside = Workspace::with(&[("out.yaml", &vm("outside"))]);
    let workspace = Workspace::with(&[("vm.yaml", VM), (".hidden/in.yaml", &vm("inside"))]);
    symlink(outside.path("out.yaml"), workspace.path("out.yaml")).unwrap();
    symlink(outside.path("."), workspace.path("out")).unwrap();
    symlink("vm.yaml", workspace.path("same.yaml")).unwrap();
    symlink(".hidden/in.yaml", workspace.path("in.yaml")).unwrap();
    let run = workspace
        .run(&["expand", "-v"])
        .exits(0)
        .says(&["out.yaml: skipped", "leads outside"])
        .prints(&["name: inside"]);
    assert!(!run.stdout.contains("outside"));
    assert_eq!(run.stdout.matches("name: web").count(), 1);
}

#[cfg(unix)]
#[test]
fn a_directory_without_read_permission() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::with(&[("vm.yaml", VM), ("locked/vm.yaml", &vm("locked"))]);
    let mode = |path: &str, mode| {
        fs::set_permissions(workspace.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("locked", 0o000);
    let as_root = fs::read_dir(workspace.path("locked")).is_ok();
    let binary = workspace.path("driftless");
    let mut command = if as_root {
        // Nothing is locked to root: run as nobody, from a copy that nobody may run. Another process writes the copy: a
        // child that a test beside this one starts would hold it open, and a file open for writing cannot be run.
        let copied = std::process::Command::new("cp")
            .args([env!("CARGO_BIN_EXE_driftless").as_ref(), binary.as_path()])
            .status();
        assert!(copied.unwrap().success());
        mode("driftless", 0o755);
        let mut command = scrubbed("setpriv".as_ref());
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&binary);
        command
    } else {
        scrubbed(env!("CARGO_BIN_EXE_driftless").as_ref())
    };
    command.current_dir(workspace.path(""));
    let run = |arguments: &[&str], command: &mut std::process::Command| {
        Run::of(
            command
                .args(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    };
    let run = run(&["expand"], &mut command);
    mode("locked", 0o755);
    run.exits(2)
        .says(&["cannot read `locked`", "permission denied"])
        .prints(&["name: web"]);
}

#[test]
fn standard_input_that_ends_before_it_began() {
    let workspace = Workspace::new();
    workspace
        .pipe(&["expand", "-"], "")
        .exits(2)
        .says(&["<stdin>", "standard input is empty"]);
    workspace
        .pipe(&["render", "-"], "")
        .exits(2)
        .says(&["<stdin>"])
        .prints_nothing();
    let cut = &VM[..VM.len() - 20];
    workspace
        .pipe(&["expand", "-"], &format!("{cut}x: ["))
        .exits(1)
        .says(&["<stdin>:"]);
    workspace
        .pipe(&["expand", "-"], VM)
        .exits(0)
        .prints(&["name: web"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_on_output() {
    let long = VM.replace(
        "devices: {}",
        &format!("devices: {{}}\n        x: {}", "y".repeat(200_000)),
    );
    let workspace = Workspace::with(&[("vm.yaml", &long)]);
    // A limit on the size of files stands in for the disk's: the write fails half-way in the same place.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' render --output-dir out",
        env!("CARGO_BIN_EXE_driftless")
    );
    let output = scrubbed("bash".as_ref())
        .args(["-c", &script])
        .current_dir(workspace.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run::of(output)
        .exits(2)
        .says(&["cannot write `out/virtualmachine-web.yaml`"]);
    let left: Vec<_> = fs::read_dir(workspace.path("out")).unwrap().collect();
    assert!(left.is_empty(), "no half file stays: {left:?}");
}

#[cfg(unix)]
#[test]
fn output_goes_through_no_link() {
    use std::os::unix::fs::symlink;
    let workspace = Workspace::with(&[("vm.yaml", VM), ("precious", "mine\n")]);
    fs::create_dir(workspace.path("out")).unwrap();
    symlink("../precious", workspace.path("out/virtualmachine-web.yaml")).unwrap();
    workspace
        .run(&["render", "--output-dir", "out"])
        .exits(2)
        .says(&["out/virtualmachine-web.yaml", "symbolic link"]);
    assert_eq!(workspace.read("precious"), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_tree_is_not_waited_for() {
    let workspace = Workspace::with(&[("vm.yaml", VM)]);
    let made = scrubbed("mkfifo".as_ref())
        .arg(workspace.path("pipe.yaml"))
        .status()
        .unwrap();
    assert!(made.success());
    workspace
        .run(&["expand", "-v"])
        .exits(0)
        .says(&["pipe.yaml", "not a regular file"]);
}

/// Text that a terminal, a log, a reader of YAML or a runner would act on. None of it may come out as it is.
const HOSTILE: [&str; 10] = [
    "\u{1b}[31m",
    "\u{9b}31m",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{2028}",
    "\u{feff}",
    "\u{e0041}",
    "##[error]",
    "##vso[task]",
];

/// A tree with hostile text in names, keys, values and a file name, which every command has something to say about.
fn hostile_tree(cores: u32) -> Vec<(String, String)> {
    let text: String = HOSTILE.concat();
    let quoted =
        serde_json::to_string(&format!("web\n::stop-commands::x\n {text}\r\n::warning::y"))
            .unwrap();
    let key =
        serde_json::to_string(&format!("::warning::{text} ::add-mask::z\n::error::k")).unwrap();
    // JSON leaves these as they are; YAML reads them only escaped.
    let escaped = |text: String| -> String {
        text.chars()
            .map(|c| match u32::from(c) {
                32..127 => c.to_string(),
                code => format!("\\U{code:08X}"),
            })
            .collect()
    };
    let (quoted, key) = (escaped(quoted), escaped(key));
    let vm = format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {quoted}
  namespace: {quoted}
  labels: {{{key}: {quoted}}}
spec:
  runStrategy: Always
  {key}: {quoted}
  instancetype: {{name: {quoted}}}
  template:
    metadata: {{annotations: {{{key}: {quoted}, n: n{cores}}}}}
    spec:
      nodeSelector: {{{key}: {quoted}}}
      domain:
        cpu: {{cores: {cores}}}
        devices:
          {key}: 1
          disks: [{{name: {quoted}, disk: {{}}}}]
"
    );
    let valid = format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: valid, creationTimestamp: null}}
spec:
  runStrategy: Always
  template:
    metadata: {{annotations: {{{key}: {quoted}, n: n{cores}}}}}
    spec:
      nodeSelector: {{{key}: {quoted}}}
      domain: {{cpu: {{cores: {cores}}}, devices: {{}}, memory: {{guest: 1Gi}}}}
"
    );
    let old = valid
        .replace("kubevirt.io/v1\n", "kubevirt.io/v1alpha3\n")
        .replace("name: valid", &format!("name: {quoted}"))
        + "# \u{202e}::warning::\n   # a\n";
    let twins = format!("{valid}{key}: 1\n{key}: 2\n").replace("name: valid", "name: twin");
    vec![
        ("vm.yaml".to_owned(), vm),
        ("valid.yaml".to_owned(), valid),
        ("old.yaml".to_owned(), old),
        ("twins.yaml".to_owned(), twins),
        (
            "::error::\u{202e}\u{1b}\n::warning::x.yaml".to_owned(),
            format!("{VM}  a: [\n"),
        ),
        (
            "::notice::y.yaml".to_owned(),
            VM.replace("u1.small", "absent"),
        ),
    ]
}

#[cfg(unix)]
#[test]
fn hostile_text_is_shown_as_text_by_every_command() {
    let workspace = Workspace::new();
    for (side, cores) in [("base", 1), ("head", 2)] {
        for (name, text) in hostile_tree(cores) {
            workspace.write(&format!("{side}/{name}"), text.as_bytes());
        }
        workspace.write(
            &format!("{side}-good/valid.yaml"),
            hostile_tree(cores)[1].1.as_bytes(),
        );
    }
    let mut runs: Vec<Vec<&str>> = vec![
        vec!["expand", "--explain", "-v", "head"],
        vec!["render", "--diff", "--policy", "expandAll", "head-good"],
        vec!["upgrade", "--diff", "-v", "head"],
        vec!["upgrade", "--check", "-v", "head"],
        vec!["fix", "--diff", "-v", "head"],
        vec!["fix", "--check", "--unsafe-fixes", "-v", "head"],
        vec!["expand", "head", "--vm", "a\n::error::b"],
        vec!["explain", "::error::\u{202e}"],
        vec!["catalog", "show", "x\n::error::b"],
        vec!["check", "head", "--kubevirt", "1\n::error::b"],
        vec!["man", "x\n::error::b"],
    ];
    for format in [
        "text", "json", "sarif", "junit", "gitlab", "rdjson", "rdjsonl",
    ] {
        runs.push(vec!["check", "-v", "--format", format, "head"]);
    }
    for format in ["text", "json", "unified"] {
        runs.push(vec!["diff", "base-good", "head-good", "--format", format]);
        runs.push(vec!["diff", "base", "head", "--format", format]);
    }
    for arguments in &runs {
        let run = workspace.run(arguments);
        assert!(
            !run.stdout.is_empty() || !run.stderr.is_empty(),
            "{arguments:?}"
        );
        for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            no_hostile(&format!("{arguments:?} {stream}"), text);
            let command = text.lines().find(|line| line.trim().starts_with("::"));
            assert_eq!(command, None, "{arguments:?} {stream}");
        }
    }
    // Here the commands are ours, one a line, and hold no other.
    let run = workspace.run(&["check", "--format", "github", "head"]);
    no_hostile("github", &run.stdout);
    assert!(run.stdout.lines().count() > 5, "{}", run.stdout);
    for line in run.stdout.lines() {
        let ours = [
            "::error file=",
            "::warning file=",
            "::notice file=",
            "driftless: ",
        ];
        assert!(ours.iter().any(|start| line.starts_with(start)), "{line}");
    }
}

#[track_caller]
fn no_hostile(what: &str, text: &str) {
    for hostile in HOSTILE {
        let line = text.lines().find(|line| line.contains(hostile));
        assert_eq!(line, None, "{what} has {hostile:?}");
    }
}

#[test]
fn a_name_of_megabytes_is_cut() {
    let name = "x".repeat(2_000_000);
    let workspace = Workspace::with(&[(
        "vm.yaml",
        &VM.replace("name: web", &format!("name: {name}"))
            .replace("u1.small", "absent"),
    )]);
    for format in ["text", "github", "junit", "sarif"] {
        let run = workspace.run(&["check", "--format", format]);
        assert!(
            run.stdout.len() < 2_000_000,
            "{format}: {} bytes",
            run.stdout.len()
        );
    }
    let run = workspace.run(&["expand"]).exits(1);
    assert!(run.stderr.len() < 10_000, "{}", run.stderr.len());
}
