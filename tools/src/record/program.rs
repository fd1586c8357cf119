//! The program that answers: one question and one answer a line, started anew after it fails.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::Value;

/// Why a case has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The program ended.
    Died(String),
    /// It wrote a line that is no answer.
    NoAnswer(String),
    /// It answered another case.
    OtherCase(String),
    /// It took too long.
    TooSlow(Duration),
}

/// What a program says to a case.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    /// KubeVirt's answer.
    Expected(Value),
    /// No cluster can be asked this, and why: a type that its own webhook refuses.
    Unusable(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Died(status) => write!(f, "the program ended ({status})"),
            Self::NoAnswer(why) => write!(f, "the program's line is no answer: {why}"),
            Self::OtherCase(id) => write!(f, "the program answered {id}"),
            Self::TooSlow(limit) => {
                write!(f, "the program took longer than {} s", limit.as_secs_f64())
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: String,
    expected: Option<Value>,
    unusable: Option<String>,
}

/// The longest times that a program may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// For the first answer after its start.
    pub(super) start: Duration,
    /// For every other.
    pub(super) answer: Duration,
}

/// A program and, between its failures, its process.
pub(super) struct Program {
    path: PathBuf,
    arguments: Vec<String>,
    limits: Limits,
    running: Option<Running>,
}

struct Running {
    child: Child,
    /// `None` once the input was closed.
    input: Option<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    /// Whether it has answered once.
    is_warm: bool,
}

impl Program {
    /// A program that is started with the first question.
    pub(super) fn new(path: &Path, arguments: &[String], limits: Limits) -> Self {
        Self {
            path: path.to_owned(),
            arguments: arguments.to_vec(),
            limits,
            running: None,
        }
    }

    /// Asks one question. After a failure the process is ended, and the next question starts another.
    pub(super) fn ask(
        &mut self,
        id: &str,
        question: &str,
    ) -> anyhow::Result<Result<Reply, Failure>> {
        if self.running.is_none() {
            self.running = Some(Running::start(&self.path, &self.arguments)?);
        }
        let answer = match &mut self.running {
            Some(running) => running.answer(id, question, self.limits),
            None => Err(Failure::Died("it did not start".to_owned())),
        };
        if answer.is_err() {
            self.running = None;
        }
        Ok(answer)
    }
}

impl Running {
    fn start(path: &Path, arguments: &[String]) -> anyhow::Result<Self> {
        let mut child = Command::new(path)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", path.display()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("no standard output")?;
        let (send, lines) = channel();
        // Ends with the process, whose output then ends.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            child,
            input,
            lines,
            is_warm: false,
        })
    }

    fn answer(&mut self, id: &str, question: &str, limits: Limits) -> Result<Reply, Failure> {
        let timeout = if self.is_warm {
            limits.answer
        } else {
            limits.start.max(limits.answer)
        };
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{question}").and_then(|()| input.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        if written.is_err() {
            return Err(self.died());
        }
        let line = match self.lines.recv_timeout(timeout) {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => return Err(Failure::NoAnswer(error.to_string())),
            Err(RecvTimeoutError::Timeout) => return Err(Failure::TooSlow(timeout)),
            Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
        };
        let answer: Answer =
            serde_json::from_str(&line).map_err(|error| Failure::NoAnswer(error.to_string()))?;
        if answer.id != id {
            return Err(Failure::OtherCase(answer.id));
        }
        self.is_warm = true;
        match (answer.expected, answer.unusable) {
            (Some(expected), None) => Ok(Reply::Expected(expected)),
            (None, Some(why)) => Ok(Reply::Unusable(why)),
            _ => Err(Failure::NoAnswer(
                "it has neither or both of `expected` and `unusable`".to_owned(),
            )),
        }
    }

    fn died(&mut self) -> Failure {
        self.input = None;
        // Its output ended: it is about to end, or has.
        for _ in 0..50 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Failure::Died(status.to_string());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Failure::Died("its output is closed".to_owned())
    }
}

impl Drop for Running {
    /// Closes the input, gives the process a moment to end, and ends it.
    fn drop(&mut self) {
        self.input = None;
        for _ in 0..20 {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // It may have ended by itself meanwhile; there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
