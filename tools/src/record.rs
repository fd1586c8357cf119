//! Recordings: random inputs by seed, answered by a program that the maintainer names.

mod generate;
mod program;
mod values;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::generate::Generator;
use self::program::{Limits, Program, Reply};
use crate::release::{self, Release};
use crate::table::Table;

/// Failures in a row after which the program is given up.
const GIVE_UP: usize = 20;

/// What KubeVirt is asked for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Whether a cluster admits the virtual machine.
    Admit,
    /// What the mutating webhook makes of it.
    Mutate,
    /// What the expand API answers.
    Expand,
    /// What a start makes of it.
    Start,
    /// Whether a cluster admits an instance type or a preference.
    AdmitObject,
    /// What a change does to the running guest.
    LiveUpdate,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Mutate => "mutate",
            Self::Expand => "expand",
            Self::Start => "start",
            Self::AdmitObject => "admit-object",
            Self::LiveUpdate => "live-update",
        }
    }
}

/// Asks a program for KubeVirt's answers to random inputs, and records them
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is asked
    #[arg(long)]
    family: Family,
    /// The release whose fields the inputs have, and whose folder the answers go to
    #[arg(long)]
    kubevirt: Release,
    /// The same seed makes the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many inputs
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The program that answers; README.md describes its protocol
    #[arg(long)]
    program: PathBuf,
    /// An argument for the program; may repeat
    #[arg(long = "argument", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// The longest time for one answer, in seconds
    #[arg(long, default_value_t = 10.0)]
    timeout: f64,
    /// The longest time for the first answer after the program is started, in seconds
    #[arg(long, default_value_t = 60.0)]
    start_timeout: f64,
    /// The folder of recordings [default: fixtures/conformance in the repository]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Add to a file that is there
    #[arg(long, conflicts_with = "check")]
    append: bool,
    /// Ask again for every case of the file, write nothing, and exit 1 where an answer differs
    #[arg(long)]
    check: bool,
    /// The root of this repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    repository: PathBuf,
}

/// A line of a recording.
#[derive(Debug, Deserialize, Serialize)]
struct Case {
    expected: Value,
    id: String,
    input: Value,
}

/// A question to the program.
#[derive(Serialize)]
struct Question<'a> {
    id: &'a str,
    family: &'static str,
    kubevirt: Release,
    input: &'a Value,
}

/// Records, or checks what is recorded; gives whether everything is as it should be.
pub fn run(args: &Args) -> anyhow::Result<bool> {
    let limits = Limits {
        start: Duration::try_from_secs_f64(args.start_timeout).context("--start-timeout")?,
        answer: Duration::try_from_secs_f64(args.timeout).context("--timeout")?,
    };
    let folder = args
        .output
        .clone()
        .unwrap_or_else(|| args.repository.join("fixtures/conformance"))
        .join(args.kubevirt.to_string());
    let file = folder.join(format!("{}.jsonl", args.family.name()));
    let recorded = if file.exists() {
        cases(&release::read(&file)?).with_context(|| file.display().to_string())?
    } else {
        Vec::new()
    };
    let mut asker = Asker {
        args,
        program: Program::new(&args.program, &args.arguments, limits),
        unanswered: 0,
        unusable: 0,
        unsteady: 0,
        in_a_row: 0,
    };
    if args.check {
        return check(&mut asker, &recorded);
    }
    if !recorded.is_empty() && !args.append {
        bail!(
            "{} is there: --append adds to it, --check asks again",
            file.display()
        );
    }
    let fields = args.repository.join("schemas/fields.json");
    let table =
        Table::parse(&release::read(&fields)?).with_context(|| fields.display().to_string())?;
    let mut generator = Generator::new(&table, args.kubevirt, args.seed)?;
    let known: BTreeSet<&str> = recorded.iter().map(|case| case.id.as_str()).collect();
    let mut lines = String::new();
    let mut count = 0;
    for number in 0..args.count {
        let id = format!("{}-{}-{number:04}", args.family.name(), args.seed);
        let input = generator.input(args.family);
        if known.contains(id.as_str()) {
            bail!(
                "{} has {id}: another --seed makes other ids",
                file.display()
            );
        }
        if let Some(expected) = asker.steady(&id, &input)? {
            let case = Case {
                expected,
                id,
                input,
            };
            lines += &serde_json::to_string(&case)?;
            lines.push('\n');
            count += 1;
        }
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut out = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .with_context(|| file.display().to_string())?;
    out.write_all(lines.as_bytes())?;
    println!(
        "{}: {count} cases written; {} left out, {} unusable, {} unsteady",
        file.display(),
        asker.unanswered,
        asker.unusable,
        asker.unsteady
    );
    Ok(asker.unanswered == 0)
}

fn check(asker: &mut Asker<'_>, recorded: &[Case]) -> anyhow::Result<bool> {
    if recorded.is_empty() {
        bail!("nothing is recorded there");
    }
    let mut differing = 0;
    for case in recorded {
        match asker.ask(&case.id, &case.input)? {
            Some(Reply::Expected(answer)) if answer != case.expected => {
                differing += 1;
                println!("{}: recorded {}, answered {answer}", case.id, case.expected);
            }
            Some(Reply::Unusable(why)) => {
                differing += 1;
                println!(
                    "{}: recorded {}, now unusable: {why}",
                    case.id, case.expected
                );
            }
            Some(Reply::Expected(_)) | None => {}
        }
    }
    println!(
        "{} cases asked again, {differing} differ, {} unanswered",
        recorded.len(),
        asker.unanswered
    );
    Ok(differing == 0 && asker.unanswered == 0)
}

/// The program, and how it fared.
struct Asker<'a> {
    args: &'a Args,
    program: Program,
    unanswered: usize,
    unusable: usize,
    unsteady: usize,
    in_a_row: usize,
}

impl Asker<'_> {
    /// KubeVirt's answer to a case that is asked twice; `None` where there is none to record: the program gave none, calls
    /// the case unusable, or answers otherwise the second time (KubeVirt walks maps in random order).
    fn steady(&mut self, id: &str, input: &Value) -> anyhow::Result<Option<Value>> {
        let mut first = None;
        for _ in 0..2 {
            match self.ask(id, input)? {
                None => return Ok(None),
                Some(Reply::Unusable(_)) => {
                    self.unusable += 1;
                    return Ok(None);
                }
                Some(Reply::Expected(answer)) => {
                    if first.as_ref().is_some_and(|first| *first != answer) {
                        self.unsteady += 1;
                        return Ok(None);
                    }
                    first = Some(answer);
                }
            }
        }
        Ok(first)
    }

    /// What the program says to a case; `None` where it says nothing.
    fn ask(&mut self, id: &str, input: &Value) -> anyhow::Result<Option<Reply>> {
        let question = serde_json::to_string(&Question {
            id,
            family: self.args.family.name(),
            kubevirt: self.args.kubevirt,
            input,
        })?;
        match self.program.ask(id, &question)? {
            Ok(answer) => {
                self.in_a_row = 0;
                Ok(Some(answer))
            }
            Err(failure) => {
                eprintln!("{id}: {failure}");
                self.unanswered += 1;
                self.in_a_row += 1;
                if self.in_a_row >= GIVE_UP {
                    bail!(
                        "the program failed on {GIVE_UP} cases in a row, the last time: {failure}"
                    );
                }
                Ok(None)
            }
        }
    }
}

fn cases(text: &str) -> anyhow::Result<Vec<Case>> {
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| serde_json::from_str(line).with_context(|| format!("line {}", at + 1)))
        .collect()
}
