//! `--format FORMAT[=FILE]`, which may repeat: which report goes where.

use std::path::PathBuf;

use anyhow::bail;

use crate::output::{self, Shell};

/// A format and where it goes.
#[derive(Clone, Debug)]
pub(crate) struct Sink<F> {
    /// The format.
    pub(crate) format: F,
    /// The file; standard output where there is none.
    pub(crate) file: Option<PathBuf>,
}

impl<F: Copy> Sink<F> {
    /// Reads `FORMAT` or `FORMAT=FILE`; the formats are given with their words.
    pub(crate) fn parse(
        text: &str,
        formats: impl IntoIterator<Item = (&'static str, F)>,
    ) -> Result<Self, String> {
        let (word, file) = match text.split_once('=') {
            Some((word, file)) => (word, Some(file.into())),
            None => (text, None),
        };
        let mut words = Vec::new();
        for (known, format) in formats {
            if known == word {
                return Ok(Self { format, file });
            }
            words.push(known);
        }
        Err(format!(
            "`{word}` is not one of the formats: {}",
            words.join(", ")
        ))
    }

    /// Where each format goes, at most one of them to standard output. `--output` names the file of the only one that
    /// has none.
    pub(crate) fn settle(
        mut sinks: Vec<Self>,
        output: Option<&PathBuf>,
    ) -> anyhow::Result<Vec<Self>> {
        if let Some(output) = output {
            let mut open = sinks.iter_mut().filter(|sink| sink.file.is_none());
            match (open.next(), open.next()) {
                (Some(sink), None) => sink.file = Some(output.clone()),
                (None, _) => {
                    bail!("--output has nothing to write: every --format names its own file")
                }
                _ => bail!("--output takes one format; name each one's file: --format FORMAT=FILE"),
            }
        }
        if sinks.iter().filter(|sink| sink.file.is_none()).count() > 1 {
            bail!(
                "standard output takes one format; name a file for each of the others: --format FORMAT=FILE"
            );
        }
        Ok(sinks)
    }

    /// Whether it is written in color.
    pub(crate) fn colors(&self, shell: &Shell) -> bool {
        self.file.is_none() && shell.colors()
    }

    /// Writes a report where it goes.
    pub(crate) fn write(&self, text: &str, shell: &mut Shell) -> anyhow::Result<()> {
        match &self.file {
            Some(file) => output::write_file(file, text.as_bytes()),
            None => shell.data(text.as_bytes()),
        }
    }
}
