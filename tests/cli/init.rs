//! `init`: the settings that a tree shows, which the reader and the schema accept, and what it says to run next.

use std::path::Path;
use std::process::Command;

use driftless::config::Config;
use driftless::source::FileId;

use crate::support::{VM, Workspace};

const KUBEVIRT: &str = "apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata:
  name: kubevirt
  namespace: kubevirt
spec:
  imageTag: v1.7.2
  configuration:
    evictionStrategy: LiveMigrate
";

/// The settings in a text, read by the tool's own reader and held against the published schema.
#[track_caller]
fn accepted(text: &str) -> Config {
    let document = driftless::yaml::parse(FileId(0), text.as_bytes()).documents;
    let root = match document.into_iter().next() {
        Some(document) => document.unwrap().root,
        None => return Config::default(),
    };
    let config = Config::read(&root).unwrap_or_else(|error| panic!("{error}\n{text}"));
    config.verify_rules(driftless::rules::ids()).unwrap();
    let schema = include_str!("../../schemas/config.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let value = root.to_json();
    if !value.is_null() {
        jsonschema::validate(&schema, &value).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    config
}

/// The text with every example turned into a setting.
fn with_examples(text: &str) -> String {
    let plain = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        match line[indent..].strip_prefix('#') {
            Some(rest) if indent > 0 || !rest.starts_with(' ') || rest.starts_with("  ") => {
                format!("{}{rest}\n", &line[..indent])
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(plain).collect()
}

/// Writes settings, holds them against reader and schema, and runs `check` on them. Gives the file's text.
#[track_caller]
fn initialized(workspace: &Workspace, check: i32) -> String {
    let run = workspace
        .run(&["init"])
        .exits(0)
        .says(&["wrote `driftless.yaml`"]);
    assert_eq!(run.stdout.lines().count(), 4, "{}", run.stdout);
    let text = workspace.read("driftless.yaml");
    accepted(&text);
    workspace.run(&["check"]).exits(check);
    let printed = workspace.run(&["init", "--stdout"]).exits(0);
    assert_eq!(printed.stdout, text);
    assert_eq!(printed.stderr, "");
    text
}

fn copy_of(example: &str) -> Workspace {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/repos");
    let workspace = Workspace::new();
    for file in walkdir::WalkDir::new(root.join(example)) {
        let path = file.unwrap().into_path();
        if path.is_file() {
            let inside = path.strip_prefix(root.join(example)).unwrap();
            workspace.write(inside.to_str().unwrap(), &std::fs::read(&path).unwrap());
        }
    }
    workspace
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let mut git = Command::new("git");
    let names = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    git.current_dir(workspace.path(""))
        .args(names)
        .args(arguments);
    let done = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn an_empty_tree_gets_settings_of_examples_only() {
    let workspace = Workspace::new();
    let text = initialized(&workspace, 0);
    assert!(
        text.lines()
            .all(|line| line.is_empty() || line.starts_with('#')),
        "{text}"
    );
    assert!(text.contains("#kubevirt: \"1.9\""), "{text}");
    let run = workspace.run(&["init", "--force"]).exits(0);
    assert!(run.stdout.contains("driftless catalog"), "{}", run.stdout);
}

#[test]
fn every_example_is_a_setting_once_its_mark_is_gone() {
    let text = Workspace::new().run(&["init", "--stdout"]).exits(0).stdout;
    let config = accepted(&with_examples(&text));
    assert_eq!(config.targets.len(), 1);
    assert_eq!(config.roots.len(), 2);
    assert_eq!(config.ignores.len(), 1);
    assert_eq!(config.target.complete, Some(true));
    assert_eq!(config.target.plan.max_down, Some(0));
    assert_eq!(
        config.level("pinned-machine-type"),
        Some(driftless::rule::Level::Warning)
    );
    // A tree of guesses has more of them.
    let kustomize = copy_of("kustomize");
    let text = kustomize.run(&["init", "--dry-run"]).exits(0).stdout;
    let config = accepted(&with_examples(&text));
    let names: Vec<_> = config
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    assert_eq!(names, ["production", "staging"]);
}

#[test]
fn a_plain_tree_is_counted_and_the_next_commands_run() {
    let workspace = copy_of("plain");
    initialized(&workspace, 0);
    let run = workspace
        .run(&["init", "--force"])
        .exits(0)
        .says(&["4 virtual machines"])
        .prints(&[
            "driftless check ",
            "--base-dir OLD .",
            "driftless expand vms/",
        ]);
    let expand = run
        .stdout
        .lines()
        .find(|line| line.contains("expand"))
        .unwrap();
    let words: Vec<&str> = expand
        .split('#')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    workspace.run(&words[1..]).exits(0);
}

#[test]
fn a_file_that_cannot_be_read_well_is_no_example() {
    let twice = VM.replace(
        "  runStrategy: Always\n",
        "  runStrategy: Always\n  runStrategy: Halted\n",
    );
    let workspace = Workspace::with(&[("a.yaml", &twice), ("b.yaml", VM)]);
    workspace
        .run(&["init"])
        .exits(0)
        .prints(&["driftless expand b.yaml"]);
    let workspace = Workspace::with(&[("a.yaml", &twice)]);
    workspace
        .run(&["init"])
        .exits(0)
        .says(&["1 virtual machine"])
        .prints(&["driftless catalog"]);
}

#[test]
fn in_a_repository_the_plan_has_a_base() {
    let workspace = copy_of("plain");
    git(&workspace, &["init", "-q", "-b", "main"]);
    let plan = |workspace: &Workspace| {
        let run = workspace.run(&["init", "--force"]).exits(0);
        let line = run
            .stdout
            .lines()
            .find(|line| line.contains(" plan "))
            .unwrap();
        let words: Vec<String> = line
            .split('#')
            .next()
            .unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        words[1..].to_vec()
    };
    assert_eq!(plan(&workspace), ["plan", "--base", "HEAD"]);
    git(&workspace, &["add", "-A"]);
    git(&workspace, &["commit", "-q", "-m", "one"]);
    assert_eq!(plan(&workspace), ["plan", "--base", "HEAD"]);
    git(&workspace, &["commit", "-q", "--allow-empty", "-m", "two"]);
    assert_eq!(plan(&workspace), ["plan", "--base", "HEAD~1"]);
    git(&workspace, &["checkout", "-q", "-b", "work"]);
    git(
        &workspace,
        &["commit", "-q", "--allow-empty", "-m", "three"],
    );
    let words = plan(&workspace);
    assert_eq!(words, ["plan", "--base", "main"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    workspace.run(&words).exits(0);
}

#[test]
fn the_configuration_found_is_named_and_the_release_it_shows_is_not_held_fast() {
    let workspace = Workspace::with(&[("vm.yaml", VM), ("cluster/kubevirt.yaml", KUBEVIRT)]);
    let text = initialized(&workspace, 0);
    assert!(
        text.contains("\nclusterConfig: cluster/kubevirt.yaml\n"),
        "{text}"
    );
    assert!(text.contains("The manifests show 1.7"), "{text}");
    assert!(text.contains("\n#kubevirt: \"1.7\"\n"), "{text}");
    let run = workspace
        .run(&["expand"])
        .exits(0)
        .prints(&["evictionStrategy: LiveMigrate"]);
    assert_eq!(run.stderr, "");
    // Two in one file cannot be named.
    let two = format!(
        "{KUBEVIRT}---\n{}",
        KUBEVIRT.replace("name: kubevirt\n", "name: other\n")
    );
    workspace.write("cluster/kubevirt.yaml", two.as_bytes());
    let text = workspace.run(&["init", "--stdout"]).exits(0).stdout;
    assert!(
        text.contains("\n#clusterConfig: cluster/kubevirt.yaml\n"),
        "{text}"
    );
    // Two files that differ: the user says which.
    workspace.write("cluster/kubevirt.yaml", KUBEVIRT.as_bytes());
    workspace.write(
        "lab.yaml",
        KUBEVIRT
            .replace("LiveMigrate", "None")
            .replace("namespace: kubevirt", "namespace: lab")
            .as_bytes(),
    );
    let text = workspace.run(&["init", "--stdout"]).exits(0).stdout;
    assert!(
        text.contains("\n#clusterConfig: cluster/kubevirt.yaml\n#clusterConfig: lab.yaml\n"),
        "{text}"
    );
}

#[test]
fn applications_show_clusters() {
    let workspace = copy_of("argocd");
    git(&workspace, &["init", "-q"]);
    let text = initialized(&workspace, 0);
    let config = accepted(&text);
    let seen: Vec<_> = config
        .targets
        .iter()
        .map(|target| {
            (
                target.name.as_str(),
                target.paths.join(" "),
                target.namespace.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("east", "clusters/east".to_owned(), Some("tenants")),
            ("west", "clusters/west".to_owned(), Some("tenants")),
        ]
    );
    assert_eq!(
        config.target.cluster_config.as_deref(),
        Some("common/kubevirt.yaml")
    );
}

#[test]
fn directories_of_clusters_are_targets_and_those_of_stages_may_be() {
    let vm = |name: &str| VM.replace("name: web", &format!("name: {name}"));
    let workspace = Workspace::with(&[
        ("base/kustomization.yaml", "resources: [vm.yaml]\n"),
        ("base/vm.yaml", VM),
        (
            "clusters/oslo/kustomization.yaml",
            "resources: [../../base]\n",
        ),
        ("clusters/oslo/own.yaml", &vm("own")),
        ("clusters/oslo/kubevirt.yaml", KUBEVIRT),
        (
            "clusters/oslo/flux.yaml",
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps/oslo}\n",
        ),
        ("apps/oslo/vm.yaml", &vm("app")),
        (
            "clusters/rome/kustomization.yaml",
            "resources: [../../base]\n",
        ),
    ]);
    let text = initialized(&workspace, 0);
    let config = accepted(&text);
    let seen: Vec<_> = config
        .targets
        .iter()
        .map(|target| (target.name.as_str(), target.paths.join(" ")))
        .collect();
    assert_eq!(
        seen,
        [
            ("oslo", "apps/oslo clusters/oslo".to_owned()),
            ("rome", "clusters/rome".to_owned()),
        ]
    );
    assert_eq!(
        config.targets[0].cluster_config.as_deref(),
        Some("clusters/oslo/kubevirt.yaml")
    );
    assert_eq!(config.targets[1].cluster_config, None);
    let stages = copy_of("kustomize");
    let text = initialized(&stages, 0);
    assert!(accepted(&text).targets.is_empty(), "{text}");
    assert!(text.contains("\n#  - name: production\n"), "{text}");
}

#[test]
fn directories_that_are_applied_on_their_own_are_roots() {
    let application = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec:\n  source: {{repoURL: https://git.example.org/a.git, path: teams/{name}}}\n  destination: {{server: https://kubernetes.default.svc}}\n"
        )
    };
    let other = VM.replace("Always", "Halted");
    let files = [("teams/web/vm.yaml", VM), ("teams/data/vm.yaml", &other)];
    let workspace = Workspace::with(&files);
    // Nobody says so: they may be.
    let text = initialized(&workspace, 0);
    assert!(accepted(&text).roots.is_empty(), "{text}");
    assert!(text.contains("#  - teams/data\n#  - teams/web\n"), "{text}");
    let workspace = Workspace::with(&files);
    workspace.write("apps/web.yaml", application("web").as_bytes());
    workspace.write("apps/data.yaml", application("data").as_bytes());
    let text = initialized(&workspace, 0);
    assert_eq!(accepted(&text).roots, ["teams/data", "teams/web"]);
}

#[test]
fn a_file_that_is_there_stays() {
    for name in ["driftless.yaml", "driftless.yml"] {
        let workspace = Workspace::with(&[("vm.yaml", VM), (name, "kubevirt: nonsense\n")]);
        workspace
            .run(&["init"])
            .exits(2)
            .says(&[&format!("`{name}` is there already"), "--force", "--stdout"])
            .prints_nothing();
        assert_eq!(workspace.read(name), "kubevirt: nonsense\n");
        workspace
            .run(&["init", "--stdout"])
            .exits(0)
            .prints(&["#kubevirt: "]);
        assert_eq!(workspace.read(name), "kubevirt: nonsense\n");
        workspace.run(&["init", "--force"]).exits(0);
        assert!(workspace.read(name).contains("#kubevirt: "));
        workspace.run(&["check"]).exits(0);
    }
}

#[test]
fn options_that_are_settings_are_written_down() {
    let workspace = Workspace::with(&[
        ("deep/vm.yaml", VM),
        ("deep/skipped/vm.yaml", VM),
        ("shared/kubevirt.yaml", KUBEVIRT),
    ]);
    workspace
        .run(&[
            "init",
            "deep",
            "--kubevirt",
            "1.8",
            "--namespace",
            "shop",
            "--exclude",
            "deep/skipped/**",
            "--context",
            "shared",
            "--cluster-config",
            "shared/kubevirt.yaml",
        ])
        .exits(0)
        .says(&["wrote `deep/driftless.yaml`: 1 virtual machine"])
        .prints(&["driftless check deep", "driftless expand deep/vm.yaml"]);
    let config = accepted(&workspace.read("deep/driftless.yaml"));
    assert_eq!(config.target.platform.unwrap().release.as_str(), "1.8");
    assert_eq!(config.target.namespace.as_deref(), Some("shop"));
    assert_eq!(
        config.target.cluster_config.as_deref(),
        Some("../shared/kubevirt.yaml")
    );
    assert_eq!(config.exclude, ["/skipped/**"]);
    assert_eq!(config.context, ["../shared"]);
    workspace.run(&["check", "deep"]).exits(0);
}

#[test]
fn names_that_yaml_would_read_otherwise_are_quoted() {
    let workspace = Workspace::with(&[
        ("clusters/1.0/vm.yaml", VM),
        (
            "clusters/yes: no/vm.yaml",
            &VM.replace("name: web", "name: db"),
        ),
        ("clusters/#x/vm.yaml", &VM.replace("name: web", "name: app")),
    ]);
    let config = accepted(&initialized(&workspace, 0));
    let names: Vec<_> = config
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    assert_eq!(names, ["#x", "1.0", "yes: no"]);
}

#[test]
fn what_cannot_be_initialized_is_said() {
    let workspace = Workspace::with(&[("vm.yaml", VM), ("other.yaml", "")]);
    workspace
        .run(&["init", "nowhere"])
        .exits(2)
        .says(&["`nowhere` is not a directory"]);
    workspace
        .run(&["init", "vm.yaml"])
        .exits(2)
        .says(&["not a directory"]);
    workspace
        .run(&["init", "--config", "other.yaml"])
        .exits(2)
        .says(&["give it a directory"]);
    workspace.run(&["init", "--force", "--stdout"]).exits(2);
}
