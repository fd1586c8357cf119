//! Every snippet of README and docs runs: shell in a copy of a bundled example in a git repository, page by page and in
//! order; YAML by the reader of what it is. What cannot run is listed with the reason, and nothing else is left out.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use driftless::config::Config;
use driftless::source::FileId;
use driftless::yaml::{self, Node};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use tempfile::TempDir;

use crate::support::scrubbed;

/// Commands that do not run here: the page, the command's beginning, why.
const NOT_RUN: &[(&str, &str, &str)] = &[
    (
        "README.md",
        "cargo install",
        "builds for minutes and fetches from a registry",
    ),
    ("README.md", "cargo test", "is this run"),
    (
        "docs/getting-started.md",
        "cargo install",
        "fetches from a forge",
    ),
    (
        "docs/adding-a-release.md",
        "git clone",
        "fetches from a forge",
    ),
    ("docs/performance.md", "cargo build", "builds for minutes"),
    (
        "docs/performance.md",
        "benches/compare.sh",
        "measures for minutes",
    ),
    ("docs/upgrade.md", "kubectl get", "needs a cluster"),
    (
        "docs/targets.md",
        "kubectl --context east get",
        "needs a cluster",
    ),
    (
        "docs/targets.md",
        "driftless plan --base main --live east=east.yaml",
        "needs what the cluster gave",
    ),
    (
        "docs/kubectl.md",
        "KUBECTL_EXTERNAL_DIFF=\"driftless diff\" kubectl diff",
        "needs a cluster",
    ),
];

/// Pages whose snippets another test runs.
const ELSEWHERE: &[(&str, &str)] = &[(
    "docs/rules.md",
    "src/rules/tests reads the examples of every rule's page",
)];

/// Manifests that are shown because `check` finds something.
const NOT_CLEAN: &[(&str, &str)] = &[
    ("docs/check.md", "broken.yaml"),
    ("docs/upgrade.md", "old.yaml"),
];

/// Languages whose text is only shown.
const SHOWN: &[&str] = &["text", "json", "toml", "diff"];

/// A fenced block.
struct Fence {
    language: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The pages, as paths from the checkout.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for entry in walkdir::WalkDir::new(root().join("docs")) {
        let path = entry.unwrap().into_path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(
                path.strip_prefix(root())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned(),
            );
        }
    }
    pages.sort();
    pages
}

fn text_of(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap()
}

/// The code blocks of a page. One without a language is a mistake.
fn fences(page: &str) -> Vec<Fence> {
    let text = text_of(page);
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for event in Parser::new(&text) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split(',').next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                open = Some(Fence {
                    language,
                    text: String::new(),
                });
            }
            Event::Text(part) => {
                if let Some(fence) = &mut open {
                    fence.text.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => fences.extend(open.take()),
            _ => {}
        }
    }
    fences
}

/// A command with what a page shows of its output.
struct Step {
    command: String,
    shown: String,
}

fn steps(console: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continues = false;
    for line in console.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                shown: String::new(),
            });
        } else {
            let step = steps.last_mut().expect("output without a command");
            let into = if continues {
                &mut step.command
            } else {
                &mut step.shown
            };
            into.push('\n');
            into.push_str(line);
        }
        continues = line.ends_with('\\') && (continues || line.starts_with("$ "));
    }
    steps
}

/// Where the snippets of one page run.
struct World {
    directory: TempDir,
}

impl World {
    fn of(page: &str) -> Self {
        let world = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        for name in ["bin", "home", "work", "run"] {
            std::fs::create_dir(world.path(name)).unwrap();
        }
        let binary = Path::new(env!("CARGO_BIN_EXE_driftless"));
        std::os::unix::fs::symlink(binary, world.path("bin/driftless")).unwrap();
        let cargo = "#!/bin/sh\ncase \"$1 $2 $3\" in 'run --release --') shift 3; exec driftless \"$@\" ;; esac\nexit 127\n";
        world.program("cargo", cargo);
        let work = world.path("work");
        let is_checkout = ["README.md", "docs/getting-started.md"].contains(&page);
        let example = if page == "docs/targets.md" {
            "argocd"
        } else {
            "plain"
        };
        let into = if is_checkout {
            work.join("fixtures/repos/plain")
        } else {
            work.clone()
        };
        copy(&root().join("fixtures/repos").join(example), &into);
        copy(
            &root().join("ci/kubectl_complete-driftless"),
            &work.join("ci/kubectl_complete-driftless"),
        );
        if !is_checkout {
            std::fs::remove_file(work.join("README.md")).unwrap();
        }
        // What runs is on `main`; a commit on `work` gives the web tier more memory.
        world.prepare("git init -q -b main && git add -A && git commit -q -m start && git update-ref refs/remotes/origin/main main && git checkout -q -b work");
        if example == "plain" {
            world.prepare("sed -i 's/guest: 4Gi/guest: 6Gi/' $(find . -name web.yaml -path '*/instancetypes/*') && git commit -q -a -m 'Give the web tier 6Gi'");
        }
        if is_checkout {
            // The example is as the checkout has it.
            world.prepare("git revert --no-edit HEAD >/dev/null");
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The directory that the commands so far led to.
    fn here(&self) -> PathBuf {
        let left = std::fs::read_to_string(self.path("run/here"));
        left.map_or_else(|_| self.path("work"), |path| path.trim_end().into())
    }

    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("bin").join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn bash(&self, script: &str) -> Command {
        let mut bash = scrubbed(Path::new("bash"));
        let path = format!(
            "{}:{}:{}",
            self.path("bin").display(),
            self.path("home/bin").display(),
            std::env::var("PATH").unwrap_or_default()
        );
        bash.args(["-c", script])
            .current_dir(self.here())
            .env("PATH", path)
            .env("HOME", self.path("home"))
            .stdin(Stdio::null());
        for who in ["AUTHOR", "COMMITTER"] {
            bash.env(format!("GIT_{who}_NAME"), "a")
                .env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        bash.env("GIT_CONFIG_NOSYSTEM", "1");
        bash
    }

    fn prepare(&self, script: &str) {
        let done = self.bash(&format!("set -e; {script}")).output().unwrap();
        assert!(done.status.success(), "{script}: {done:?}");
    }

    /// Runs the commands of one block in one shell, and holds what each prints against what the page shows.
    fn run(&self, page: &str, steps: &[Step]) {
        let run = self.path("run");
        let mut script = String::new();
        for (at, step) in steps.iter().enumerate() {
            let out = run.join(at.to_string());
            let out = out.display();
            let command = &step.command;
            let _ = writeln!(
                script,
                "{{ {command}\n}} >{out}.out 2>&1; status=$?; echo $status >{out}.status; (exit $status)"
            );
        }
        let _ = writeln!(script, "pwd >{}", run.join("here").display());
        let done = self.bash(&script).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&done.stderr),
            "",
            "{page}: {script}"
        );
        for (at, step) in steps.iter().enumerate() {
            let read =
                |kind: &str| std::fs::read_to_string(run.join(format!("{at}.{kind}"))).unwrap();
            let printed = read("out");
            let status: i32 = read("status").trim().parse().unwrap();
            let what = format!(
                "{page}: `{}` exits with {status} and prints\n{printed}",
                step.command
            );
            let is_told = steps
                .get(at + 1)
                .is_some_and(|next| next.command == "echo $?");
            let is_ours = step.command.contains("driftless");
            assert!(status == 0 || is_told || is_ours && status == 1, "{what}");
            assert!(!printed.contains("panicked"), "{what}");
            let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
            let printed = format!("{}\n", printed.join("\n"));
            let mut rest = printed.as_str();
            for part in step
                .shown
                .trim_start_matches('\n')
                .split("…")
                .map(|part| part.trim_matches('\n'))
                .filter(|part| !part.is_empty())
            {
                let found = rest.find(part);
                assert!(found.is_some(), "{what}\nand not\n{part}");
                rest = &rest[found.unwrap() + part.len()..];
            }
        }
    }

    /// Reads a YAML block as what its first line says it is, and puts it there for the commands after it.
    fn yaml(&self, page: &str, text: &str) {
        let named = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let Some(place) = named.filter(|name| !name.contains(' ')) else {
            panic!(
                "{page}: the first line of a YAML snippet says which file it is, as `# vms/web.yaml`:\n{text}"
            );
        };
        let file = self.here().join(place);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let documents: Vec<Node> = yaml::parse(FileId(0), text.as_bytes())
            .documents
            .into_iter()
            .map(|document| {
                document
                    .unwrap_or_else(|error| panic!("{page}, {place}: {error}"))
                    .root
            })
            .collect();
        let [root] = documents.as_slice() else {
            panic!("{page}, {place}: {} documents", documents.len());
        };
        match place.rsplit('/').next().unwrap() {
            "driftless.yaml" if root.get("apiVersion").is_none() => settings(page, root),
            ".pre-commit-config.yaml" => hooks(page, root),
            ".gitlab-ci.yml" => component(page, root),
            _ if place.starts_with(".github/workflows/") => workflow(page, root),
            "krm.yaml" => self.function_config(page, text),
            _ => self.manifest(page, place, root),
        }
    }

    fn manifest(&self, page: &str, place: &str, root: &Node) {
        assert!(
            !root.str_at("apiVersion").is_empty() && !root.str_at("kind").is_empty(),
            "{page}, {place}: what reads it?"
        );
        let done = self
            .bash(&format!("driftless check --kubevirt 1.9 {place}"))
            .output()
            .unwrap();
        let is_shown_for_it = NOT_CLEAN.contains(&(page, place));
        assert_eq!(
            done.status.code(),
            Some(i32::from(is_shown_for_it)),
            "{page}, {place}: {done:?}"
        );
    }

    fn function_config(&self, page: &str, text: &str) {
        let indented = text.trim_end().replace('\n', "\n  ");
        let list = format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n  {indented}\n"
        );
        std::fs::write(self.path("run/list.yaml"), list).unwrap();
        let done = self
            .bash(&format!(
                "driftless fn <{}",
                self.path("run/list.yaml").display()
            ))
            .output()
            .unwrap();
        assert!(done.status.success(), "{page}: {done:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            let inside = path.strip_prefix(from).unwrap();
            let into = if inside.as_os_str().is_empty() {
                to.to_path_buf()
            } else {
                to.join(inside)
            };
            std::fs::create_dir_all(into.parent().unwrap()).unwrap();
            std::fs::copy(path, into).unwrap();
        }
    }
}

fn settings(page: &str, root: &Node) {
    let config = Config::read(root).unwrap_or_else(|error| panic!("{page}: {error}"));
    config
        .verify_rules(driftless::rules::ids())
        .unwrap_or_else(|error| panic!("{page}: {error}"));
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../schemas/config.json")).unwrap();
    jsonschema::validate(&schema, &root.to_json())
        .unwrap_or_else(|error| panic!("{page}: {error}"));
}

fn parsed(file: &str) -> Vec<Node> {
    let text = text_of(file);
    let documents = yaml::parse(FileId(0), text.as_bytes()).documents;
    documents
        .into_iter()
        .map(|document| document.unwrap().root)
        .collect()
}

fn keys(node: Option<&Node>) -> BTreeSet<String> {
    let entries = node.map_or(&[][..], Node::entries).iter();
    entries.map(|entry| entry.key.to_string()).collect()
}

fn hooks(page: &str, root: &Node) {
    let known = parsed(".pre-commit-hooks.yaml").remove(0).to_json();
    let known = known.as_array().unwrap().iter();
    let known: BTreeSet<&str> = known.filter_map(|hook| hook["id"].as_str()).collect();
    let mut seen = 0;
    for hook in root
        .items_at("repos")
        .iter()
        .flat_map(|repository| repository.items_at("hooks"))
    {
        assert!(
            known.contains(hook.str_at("id")),
            "{page}: no hook `{}`",
            hook.str_at("id")
        );
        seen += 1;
    }
    assert!(seen > 0, "{page}: no hooks");
}

fn component(page: &str, root: &Node) {
    let inputs = keys(parsed("templates/driftless.yml")[0].path("spec.inputs"));
    for include in root.items_at("include") {
        assert!(
            include.str_at("component").contains("/driftless@"),
            "{page}"
        );
        let given = keys(include.get("inputs"));
        assert!(given.is_subset(&inputs), "{page}: {given:?} of {inputs:?}");
    }
}

/// A workflow names inputs and outputs that the action has. Its form is held by scripts/integrations.py.
fn workflow(page: &str, root: &Node) {
    let action = parsed("action.yml").remove(0);
    let (inputs, outputs) = (keys(action.get("inputs")), keys(action.get("outputs")));
    let jobs = root.get("jobs").unwrap();
    for job in jobs.entries() {
        let called = job.node.str_at("uses");
        if let Some((path, _)) = called
            .strip_prefix("driftless/driftless/")
            .and_then(|rest| rest.split_once('@'))
        {
            let workflow = parsed(path).remove(0);
            let inputs = keys(workflow.path("on.workflow_call.inputs"));
            assert!(
                keys(job.node.get("with")).is_subset(&inputs),
                "{page}: {called}"
            );
        }
        for step in job.node.items_at("steps") {
            if step.str_at("uses").starts_with("driftless/driftless@") {
                let given = keys(step.get("with"));
                assert!(given.is_subset(&inputs), "{page}: {given:?}");
            }
        }
    }
    let text = yaml::emit::to_string(root);
    for part in text.split("steps.driftless.outputs.").skip(1) {
        let end = part
            .find(|c: char| !c.is_ascii_lowercase() && c != '-')
            .unwrap_or(part.len());
        assert!(
            outputs.contains(&part[..end]),
            "{page}: no output `{}`",
            &part[..end]
        );
    }
}

/// Whether a block needs a program that is not here; on CI that is a failure, unless it is said that it cannot be had.
fn lacks_program(page: &str, steps: &[Step]) -> bool {
    let mut lacks = false;
    for program in ["kubectl", "kpt"] {
        let is_needed = steps
            .iter()
            .any(|step| step.command.split([' ', '|']).any(|word| word == program));
        if is_needed && Command::new(program).arg("--help").output().is_err() {
            let excused = std::env::var("DRIFTLESS_WITHOUT").unwrap_or_default();
            let is_excused = excused.split(' ').any(|name| name == program);
            assert!(
                std::env::var_os("CI").is_none() || is_excused,
                "{program} is not on PATH"
            );
            println!("{page}: not run: {program} is not on PATH");
            lacks = true;
        }
    }
    lacks
}

#[test]
fn every_snippet_runs() {
    let mut left_out = BTreeSet::new();
    let (mut ran, mut read) = (0, 0);
    for page in pages() {
        let fences = fences(&page);
        for fence in &fences {
            assert!(
                !fence.language.is_empty(),
                "{page}: a block without a language:\n{}",
                fence.text
            );
        }
        if fences.is_empty() || ELSEWHERE.iter().any(|(elsewhere, _)| *elsewhere == page) {
            continue;
        }
        let world = World::of(&page);
        for fence in &fences {
            match fence.language.as_str() {
                "console" => {
                    let mut steps = steps(&fence.text);
                    assert!(!steps.is_empty(), "{page}: no command in\n{}", fence.text);
                    steps.retain(|step| {
                        let found = NOT_RUN.iter().position(|(of, start, _)| {
                            *of == page && step.command.starts_with(start)
                        });
                        left_out.extend(found);
                        found.is_none()
                    });
                    if !lacks_program(&page, &steps) {
                        world.run(&page, &steps);
                        ran += steps.len();
                    }
                }
                "sh" => {
                    let done = world
                        .bash(&format!("set -e\n{}", fence.text))
                        .output()
                        .unwrap();
                    assert!(
                        done.status.success() && done.stderr.is_empty(),
                        "{page}: {done:?}"
                    );
                    ran += 1;
                }
                "yaml" => {
                    world.yaml(&page, &fence.text);
                    read += 1;
                }
                language => assert!(
                    SHOWN.contains(&language),
                    "{page}: what reads `{language}`?\n{}",
                    fence.text
                ),
            }
        }
    }
    for (at, (page, start, _)) in NOT_RUN.iter().enumerate() {
        assert!(
            left_out.contains(&at),
            "{page} has no command `{start}` any more: take it off the list"
        );
    }
    for (page, _) in ELSEWHERE {
        assert!(
            !fences(page).is_empty(),
            "{page} has no snippets any more: take it off the list"
        );
    }
    for (page, place) in NOT_CLEAN {
        assert!(
            text_of(page).contains(&format!("```yaml\n# {place}\n")),
            "{page} shows no `{place}` any more"
        );
    }
    assert!(
        ran >= 40 && read >= 10,
        "{ran} commands ran, {read} YAML snippets were read"
    );
}

#[test]
fn a_block_gives_commands_with_what_they_print() {
    let of = |text: &str| {
        steps(text)
            .into_iter()
            .map(|step| (step.command, step.shown))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of("$ a \\\n  b\n1\n2\n$ c\n"),
        [
            ("a \\\n  b".to_owned(), "\n1\n2".to_owned()),
            ("c".to_owned(), String::new())
        ]
    );
}
