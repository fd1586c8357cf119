//! `fn`: a ResourceList in, the same bytes out with what was found.

use crate::support::{VM, Workspace};

/// A list with comments and an orchestrator's annotations, around these items.
fn list(items: &[&str], rest: &str) -> String {
    let mut out =
        "# a list\napiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n".to_owned();
    for (at, item) in items.iter().enumerate() {
        for (row, line) in item.lines().enumerate() {
            out.push_str(if row == 0 { "- " } else { "  " });
            out.push_str(line);
            out.push('\n');
            if line == "metadata:" {
                let notes = format!(
                    "    annotations:\n      internal.config.kubernetes.io/path: file-{at}.yaml # stays\n      internal.config.kubernetes.io/index: '0'\n"
                );
                out.push_str(&notes);
            }
        }
    }
    out.push_str(rest);
    out
}

#[test]
fn a_list_without_findings_is_printed_byte_by_byte() {
    let workspace = Workspace::new();
    for text in [
        list(&[VM], ""),
        list(&[VM], "results: [{message: earlier}]\n"),
        list(&[], "").replace("items:", "items: []"),
        list(&[VM], "").replace('\n', "\r\n"),
    ] {
        let run = workspace.pipe(&["fn"], &text).exits(0);
        assert_eq!(run.stdout, text);
    }
}

#[test]
fn findings_are_results_with_the_file_they_are_in() {
    let workspace = Workspace::new();
    let bad = VM.replace("Always", "Sometimes # now and then");
    let text = list(
        &[&VM.replace("name: web", "name: db"), &bad],
        "results:\n- message: earlier\n",
    );
    let run = workspace
        .pipe(&["fn"], &text)
        .exits(1)
        .says(&["invalid-run-strategy"]);
    let value: serde_yaml::Value = serde_yaml::from_str(&run.stdout).unwrap();
    let results = value["results"].as_sequence().unwrap();
    assert_eq!(results[0]["message"], "earlier");
    let found = results
        .iter()
        .find(|one| one["tags"]["rule"] == "invalid-run-strategy")
        .unwrap();
    assert_eq!(found["severity"], "error");
    assert_eq!(found["resourceRef"]["name"], "web");
    assert_eq!(found["field"]["path"], "spec.runStrategy");
    assert_eq!(found["file"]["path"], "file-1.yaml");
    for kept in ["# a list\n", "# stays", "Sometimes # now and then"] {
        assert!(run.stdout.contains(kept), "{}", run.stdout);
    }
}

#[test]
fn the_function_config_holds() {
    let workspace = Workspace::new();
    let config = |data: &str| {
        format!(
            "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a}}\n  data: {data}\n"
        )
    };
    let bad = VM.replace("Always", "Sometimes");
    workspace
        .pipe(&["fn"], &list(&[&bad], &config("{failOn: never}")))
        .exits(0)
        .prints(&["invalid-run-strategy"]);
    // A field of 1.6 on 1.5.
    let video = VM.replace("devices: {}", "devices: {video: {type: vga}}");
    workspace
        .pipe(&["fn"], &list(&[&video], &config("{kubevirt: '1.5'}")))
        .exits(1)
        .prints(&["1.5"]);
    workspace
        .pipe(&["fn"], &list(&[&video], &config("{kubevirt: '1.9'}")))
        .exits(0);
    let run = workspace
        .pipe(&["fn"], &list(&[VM], &config("{policy: expandAll}")))
        .exits(0)
        .prints(&["guest: 2Gi"]);
    assert!(!run.stdout.contains("instancetype:"), "{}", run.stdout);
    for (data, said) in [
        ("{colour: red}", "kubevirt, openshift, failOn and policy"),
        ("{failOn: often}", "error, warning"),
        ("{kubevirt: '3.0'}", "3.0"),
        ("{policy: all}", "policy"),
    ] {
        workspace
            .pipe(&["fn"], &list(&[VM], &config(data)))
            .exits(2)
            .says(&[said])
            .prints_nothing();
    }
}

#[test]
fn what_is_no_list_is_refused() {
    let workspace = Workspace::new();
    let two = format!("{}---\n{}", list(&[VM], ""), list(&[VM], ""));
    for text in [
        "",
        "a: [",
        "kind: List\napiVersion: v1\nitems: []\n",
        VM,
        "kind: ResourceList\nitems: []\n",
        &two,
    ] {
        workspace.pipe(&["fn"], text).exits(2).prints_nothing();
    }
}

#[test]
fn an_item_that_is_a_patch_hides_no_other() {
    let workspace = Workspace::new();
    let patch = VM.replace(
        "spec:\n  runStrategy: Always\n",
        "spec:\n  runStrategy: Halted\n  $patch: merge\n",
    );
    assert!(patch.contains("$patch"));
    let text = list(&[&patch, &VM.replace("Always", "Sometimes")], "");
    workspace
        .pipe(&["fn"], &text)
        .exits(1)
        .prints(&["invalid-run-strategy"]);
}

#[test]
fn a_template_is_not_passed_over() {
    let workspace = Workspace::new();
    let text = list(
        &[&VM.replace("name: web", "name: \"{{ .Values.name }}\"")],
        "",
    );
    workspace
        .pipe(&["fn"], &text)
        .exits(2)
        .prints_nothing()
        .says(&["Helm"]);
}
