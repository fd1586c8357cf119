//! A workspace: a directory of its own, and the binary run in it with nothing of the user's environment.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A VM on an instance type of the bundle.
pub(crate) const VM: &str = "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  template:
    spec:
      domain:
        devices: {}
";

/// A directory with files, and the binary to run in it.
pub(crate) struct Workspace {
    directory: TempDir,
}

/// What a run gave.
pub(crate) struct Run {
    /// Exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Workspace {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// A directory with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        for (path, text) in files {
            workspace.write(path, text.as_bytes());
        }
        workspace
    }

    /// Writes a file, and directories above it.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A path in the directory.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    /// The text of a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The binary, to run in the directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = scrubbed(Path::new(env!("CARGO_BIN_EXE_driftless")));
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    /// Runs the binary without standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(
            self.command(arguments)
                .stdin(Stdio::null())
                .output()
                .unwrap(),
        )
    }

    /// Runs the binary with a text on standard input.
    pub(crate) fn pipe(&self, arguments: &[&str], text: &str) -> Run {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let text = text.to_owned();
        let writer = std::thread::spawn(move || {
            let _ = stdin.write_all(text.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run::of(output)
    }
}

/// A program without the user's environment.
pub(crate) fn scrubbed(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

impl Run {
    /// What an ended process gave.
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let run = Self {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    /// Asserts the exit status, and shows both streams where it differs.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(
            self.status, status,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Asserts that standard error holds every part.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "`{part}` is not in:\n{}",
                self.stderr
            );
        }
        self
    }

    /// Asserts that standard output holds every part.
    #[track_caller]
    pub(crate) fn prints(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(
                self.stdout.contains(part),
                "`{part}` is not in:\n{}",
                self.stdout
            );
        }
        self
    }

    /// Asserts that nothing is on standard output.
    #[track_caller]
    pub(crate) fn prints_nothing(self) -> Self {
        assert_eq!(self.stdout, "", "stderr:\n{}", self.stderr);
        self
    }
}
