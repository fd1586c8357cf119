//! Ranges of releases as the data files write them: `since`, absent from the oldest release on; `until`, absent while it
//! has not ended.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::release::Release;

/// The releases that a file was read from, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Released(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Entry {
    kubevirt: Release,
    tag: String,
    #[serde(flatten)]
    more: std::collections::BTreeMap<String, String>,
}

impl Released {
    /// Adds a release, or says anew what it was read from. Without a tag, what stands is kept.
    pub fn add<'a>(
        &mut self,
        release: Release,
        tag: Option<&str>,
        more: impl IntoIterator<Item = (&'a str, String)>,
    ) {
        let more = more
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        if let Some(known) = self.0.iter_mut().find(|known| known.kubevirt == release) {
            if let Some(tag) = tag {
                tag.clone_into(&mut known.tag);
            }
            known.more = more;
            return;
        }
        let tag = tag.map_or_else(|| format!("v{release}.0"), str::to_owned);
        self.0.push(Entry {
            kubevirt: release,
            tag,
            more,
        });
        self.0.sort_by_key(|entry| entry.kubevirt);
    }

    /// The release lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = Release> {
        self.0.iter().map(|entry| entry.kubevirt)
    }

    /// The newest.
    pub fn newest(&self) -> Option<Release> {
        self.lines().last()
    }

    /// The releases within a range.
    pub fn within(&self, range: Range) -> impl Iterator<Item = Release> {
        self.lines().filter(move |release| {
            range.since.is_none_or(|since| since <= *release)
                && range.until.is_none_or(|until| *release <= until)
        })
    }

    /// The list, one line a release.
    pub fn write(&self) -> String {
        let entries: Vec<_> = self
            .0
            .iter()
            .map(|entry| {
                let mut out = format!(
                    "{{\"kubevirt\":\"{}\",\"tag\":{}",
                    entry.kubevirt,
                    Value::from(entry.tag.as_str())
                );
                for (key, value) in &entry.more {
                    let (key, value) = (Value::from(key.as_str()), Value::from(value.as_str()));
                    let _ = write!(out, ",{key}:{value}");
                }
                out + "}"
            })
            .collect();
        if entries.is_empty() {
            "\"releases\":[]".to_owned()
        } else {
            format!("\"releases\":[\n{}\n]", entries.join(",\n"))
        }
    }
}

impl fmt::Display for Released {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags: Vec<_> = self
            .0
            .iter()
            .map(|entry| {
                let more = entry.more.values().map(|value| format!(" ({value})"));
                entry.tag.clone() + &more.collect::<String>()
            })
            .collect();
        f.write_str(&tags.join(", "))
    }
}

/// A range of releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first; absent, the oldest read.
    pub since: Option<Release>,
    /// The last; absent, it has not ended.
    pub until: Option<Release>,
}

impl Range {
    /// Reads `since` and `until`, and gives what else the mapping holds.
    pub fn take(of: &Map<String, Value>) -> anyhow::Result<(Self, Map<String, Value>)> {
        let mut rest = of.clone();
        let mut bound = |key: &str| {
            let value = rest.remove(key);
            value
                .as_ref()
                .and_then(Value::as_str)
                .map(str::parse)
                .transpose()
        };
        let range = Self {
            since: bound("since")?,
            until: bound("until")?,
        };
        Ok((range, rest))
    }

    /// Writes the bounds that the list of releases does not give by itself.
    pub fn write(self, releases: &Released, into: &mut Map<String, Value>) {
        if let Some(since) = self.since
            && releases.lines().next() != Some(since)
        {
            into.insert("since".to_owned(), since.to_string().into());
        }
        if let Some(until) = self.until
            && releases.newest() != Some(until)
        {
            into.insert("until".to_owned(), until.to_string().into());
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (Some(since), Some(until)) if since == until => write!(f, "{since}"),
            (Some(since), Some(until)) => write!(f, "{since}–{until}"),
            (Some(since), None) => write!(f, "{since} on"),
            (None, Some(until)) => write!(f, "up to {until}"),
            (None, None) => f.write_str("every release"),
        }
    }
}

/// Runs of following releases with one value.
pub fn ranges<T: PartialEq>(values: impl IntoIterator<Item = (Release, T)>) -> Vec<(Range, T)> {
    let mut runs: Vec<(Range, T)> = Vec::new();
    for (release, value) in values {
        if let Some((range, last)) = runs.last_mut()
            && range.until.is_some_and(|until| release.follows(until))
            && *last == value
        {
            range.until = Some(release);
            continue;
        }
        let range = Range {
            since: Some(release),
            until: Some(release),
        };
        runs.push((range, value));
    }
    runs
}
