//! A git repository made by the test, and the binary run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;
use tempfile::TempDir;

/// A repository in a directory of its own.
pub(crate) struct Repository {
    directory: TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let repository = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        repository.git(&["init", "-q", "-b", "main", "."]);
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().to_path_buf()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(self.directory.path(), arguments)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        let file = self.directory.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.directory.path().join(path)).unwrap();
        self
    }

    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run(self.directory.path(), arguments)
    }

    /// The plan as JSON.
    pub(crate) fn plan(&self, arguments: &[&str]) -> Json {
        self.run(
            &[
                &["plan", "--format", "json", "--kubevirt", "1.9"],
                arguments,
            ]
            .concat(),
        )
        .json()
    }
}

pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {text}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// How a run of the binary ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn json(&self) -> Json {
        assert!(self.code < 2, "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }

    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }
}

pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Run {
    Run::of(&command(directory, arguments).output().unwrap())
}

pub(crate) fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_driftless"));
    command
        .current_dir(directory)
        .args(arguments)
        .env_remove("GIT_DIR")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_WORK_TREE");
    command
}

/// `name: action` of every VM.
pub(crate) fn actions(plan: &Json) -> Vec<String> {
    plan["virtualMachines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vm| {
            let text = |key: &str| vm[key].as_str().unwrap().to_owned();
            format!("{}: {} {}", text("name"), text("change"), text("action"))
        })
        .collect()
}

/// A VM of a name with that much memory.
pub(crate) fn vm(name: &str, guest: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n        cpu: {{sockets: 1, cores: 1, threads: 1}}\n        memory: {{guest: {guest}}}\n        devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}], interfaces: [{{name: default, masquerade: {{}}}}]}}\n      networks: [{{name: default, pod: {{}}}}]\n      volumes: [{{name: root, containerDisk: {{image: \"quay.io/x/y:1\"}}}}]\n"
    )
}

/// `file kind` of everything that is not judged.
pub(crate) fn unjudged(plan: &Json) -> Vec<String> {
    plan["unjudged"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let kind = one["kind"].as_str().unwrap_or_default();
            format!("{} {kind}", one["file"].as_str().unwrap())
                .trim_end()
                .to_owned()
        })
        .collect()
}

/// What is said of a file that is not judged.
pub(crate) fn reason_for<'a>(plan: &'a Json, file: &str) -> &'a str {
    let mut all = plan["unjudged"].as_array().unwrap().iter();
    let one = all.find(|one| one["file"] == file);
    one.map_or("", |one| one["reason"].as_str().unwrap())
}
