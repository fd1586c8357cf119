//! A directory of manifests and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own, gone when it is dropped.
pub(crate) struct Workspace {
    directory: tempfile::TempDir,
}

/// What a run gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        // In memory where that can be had: hundreds of runs wait for the disk otherwise.
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let workspace = Self {
            directory: directory.unwrap(),
        };
        for (path, text) in files {
            workspace.put(path, text);
        }
        workspace
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// The program with a clean environment, about to run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_driftless"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command(arguments).output().unwrap())
    }

    /// Every file with its bytes and its time of change, sorted.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
        let mut found = Vec::new();
        for entry in walkdir::WalkDir::new(self.path()) {
            let path = entry.unwrap().into_path();
            if path.is_file() {
                let time = fs::metadata(&path).unwrap().modified().unwrap();
                let bytes = fs::read(&path).unwrap();
                found.push((path.strip_prefix(self.path()).unwrap().into(), bytes, time));
            }
        }
        found.sort();
        found
    }
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        }
    }
}

pub(crate) const UID: &str = "aaaaaaaa-0000-4000-8000-000000000001";

/// A VM that pins a revision.
pub(crate) fn vm(name: &str, revision: &str) -> String {
    format!(
        "# the VM {name}\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}, namespace: vms}}\nspec:\n  instancetype:\n    kind: VirtualMachineInstancetype   # not the cluster's\n    name: small\n    revisionName: \"{revision}\" # pinned\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n        devices: {{}}\n"
    )
}

/// A revision as 2023 stored it.
pub(crate) fn revision(name: &str) -> String {
    format!(
        "# captured long ago\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata:\n  name: {name}\n  namespace: vms\ndata:\n  apiVersion: instancetype.kubevirt.io/v1alpha2\n  kind: VirtualMachineInstancetype\n  metadata: {{name: small, namespace: vms, uid: {UID}, generation: 1}}\n  spec:\n    cpu: {{guest: 2}} # two\n    memory:\n      guest: 1Gi\nrevision: 0\n"
    )
}

/// The name of the upgraded revision.
pub(crate) fn upgraded(vm: &str) -> String {
    format!("{vm}-small-v1beta1-{UID}-1")
}
