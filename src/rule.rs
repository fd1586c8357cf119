//! Data about rules: identity, level, documentation. The checks themselves are in [`crate::rules`].

use std::fmt::Write as _;
use std::str::FromStr;

use crate::word::words;

/// Where the project lives; rule pages and reports link to it.
pub(crate) const HOMEPAGE: &str = "https://github.com/driftless/driftless";

words! {
    /// How much a finding weighs; the words are SARIF's own.
    Severity {
        /// Worth knowing.
        Note = "note",
        /// Will bite later.
        Warning = "warning",
        /// A cluster refuses or drops it, or data is lost.
        Error = "error",
    }
}

words! {
    /// What a configuration can set a rule to: off, or a severity.
    Level {
        /// The rule does not report.
        Off = "off",
        /// The rule reports notes.
        Note = "note",
        /// The rule reports warnings.
        Warning = "warning",
        /// The rule reports errors.
        Error = "error",
    }
}

impl Level {
    /// The severity, unless off.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// The text is not a level.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a level: off, note, warning or error")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        Self::parse(text).ok_or_else(|| UnknownLevel(text.to_owned()))
    }
}

words! {
    /// What a rule is about; also its folder.
    Family {
        /// Can the file be read, and does the API know what it says?
        Input = "input",
        /// Does Git hold what the cluster writes?
        Drift = "drift",
        /// Would the webhooks accept it?
        Admission = "admission",
        /// Would it ever start?
        Start = "start",
        /// Would the webhooks of CDI accept it?
        Cdi = "cdi",
        /// Do instance type and preference resolve and fit?
        Instancetypes = "instancetypes",
        /// Is it on its way out?
        Deprecation = "deprecation",
        /// Do stored revisions hold what is expected?
        Revisions = "revisions",
        /// What does a change do to the disks?
        Volumes = "volumes",
        /// What does a change do to the running guest?
        LiveUpdate = "live-update",
        /// Is a guest's identity its own?
        Identity = "identity",
        /// Does each claim have one owner, and is what a guest names there?
        Claims = "claims",
        /// Will cloud-init read it, and does it hold secrets?
        CloudInit = "cloud-init",
    }
}

impl Family {
    /// Whose words the findings of its rules quote.
    pub const fn speaker(self) -> &'static str {
        match self {
            Self::Cdi => "CDI",
            _ => "KubeVirt",
        }
    }

    /// What its rules ask.
    pub const fn question(self) -> &'static str {
        match self {
            Self::Input => "can the sources be read, and does the API know what they say?",
            Self::Drift => "does Git hold what the cluster writes?",
            Self::Admission => "would KubeVirt's webhooks accept it?",
            Self::Start => "would a guest that is stored ever start?",
            Self::Cdi => "would CDI's webhooks accept it?",
            Self::Instancetypes => "do instance type and preference resolve, and do they fit?",
            Self::Deprecation => "is it on its way out?",
            Self::Revisions => "do stored revisions hold what is expected?",
            Self::Volumes => "what does the change do to the disks?",
            Self::LiveUpdate => "what does the change do to the running guest?",
            Self::Identity => "is a guest's identity its own?",
            Self::Claims => "does each claim have one owner, and is what a guest names there?",
            Self::CloudInit => "will cloud-init read it, and does it hold secrets?",
        }
    }
}

/// How far a rule can be relied on. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its id and meaning are a promise.
    Stable {
        /// First version of driftless that has it.
        since: &'static str,
    },
    /// It may still change.
    Preview {
        /// First version of driftless that has it.
        since: &'static str,
    },
}

/// Everything said about a rule but its check.
#[derive(Debug)]
pub struct RuleInfo {
    /// Stable kebab-case id that names the bad pattern.
    pub id: &'static str,
    /// What it is about.
    pub family: Family,
    /// One line, lower case, no full stop.
    pub summary: &'static str,
    /// Level unless the configuration says otherwise.
    pub level: Level,
    /// Level under `profile: strict`.
    pub strict: Level,
    /// How far it can be relied on.
    pub status: Status,
    /// The page: Markdown with the fixed headings.
    pub docs: &'static str,
    /// Source file of the rule.
    pub file: &'static str,
    /// Line of the rule in its source file.
    pub line: u32,
}

impl RuleInfo {
    /// The page as people read it: each example follows a line that says what it shows.
    pub fn page(&self) -> String {
        let mut page = String::with_capacity(self.docs.len());
        for line in self.docs.lines() {
            let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
            match line
                .strip_prefix("```")
                .filter(|words| !words.is_empty())
                .map(|words| words.split_once(',').unwrap_or((words, "")))
            {
                Some((language, words)) => {
                    let _ = writeln!(page, "{}\n\n```{language}", title(language, words));
                }
                None => {
                    let _ = writeln!(page, "{line}");
                }
            }
        }
        page.trim_end().to_owned()
    }

    /// The text under one `## heading` of the page, without examples' fences removed.
    pub fn section(&self, heading: &str) -> Option<String> {
        let page = self.page();
        let start = page.find(&format!("## {heading}\n"))? + heading.len() + 4;
        let rest = &page[start..];
        let end = rest.find("\n## ").unwrap_or(rest.len());
        Some(rest[..end].trim().to_owned())
    }

    /// The address of the rule's page.
    pub fn url(&self) -> String {
        format!("{}/blob/main/docs/rules.md#{}", HOMEPAGE, self.id)
    }
}

/// What a fence of a page shows: `Reported, for KubeVirt 1.5 and newer:`.
fn title(language: &str, words: &str) -> String {
    let mut title = String::from(if language == "text" {
        "In these words"
    } else {
        ""
    });
    for word in words.split(',') {
        match word {
            "bad" => title.push_str("Reported"),
            "good" => title.push_str("Not reported"),
            "configuration" => title.push_str("With this configuration of KubeVirt"),
            "complete" => title.push_str(", where the tree is declared complete"),
            "strict" => title.push_str(", with `profile: strict`"),
            other => {
                if let Some(range) = other.strip_prefix("kubevirt=") {
                    let releases = match range.split_once("..") {
                        None => range.to_owned(),
                        Some((first, "")) => format!("{first} and newer"),
                        Some(("", last)) => format!("up to {}", last.trim_start_matches('=')),
                        Some((first, last)) => {
                            format!("{first} to {}", last.trim_start_matches('='))
                        }
                    };
                    title.push_str(", for KubeVirt ");
                    title.push_str(&releases);
                }
            }
        }
    }
    title + ":"
}

impl PartialEq for RuleInfo {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for RuleInfo {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_parse_as_they_print() {
        for level in [Level::Off, Level::Note, Level::Warning, Level::Error] {
            assert_eq!(level.as_str().parse::<Level>().unwrap(), level);
        }
        assert!("warn".parse::<Level>().is_err());
    }
}
