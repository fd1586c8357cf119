//! A release line, and the source tree of a release that the command line names.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

/// A minor release line of KubeVirt: `1.9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release(u32, u32);

impl Release {
    /// Whether this is the release line right after another.
    pub fn follows(self, other: Self) -> bool {
        self == Self(other.0, other.1 + 1)
    }

    /// The release lines from this one to another.
    pub fn through(self, last: Self) -> impl Iterator<Item = Self> {
        (self.1..=last.1).map(move |minor| Self(self.0, minor))
    }
}

impl TryFrom<String> for Release {
    type Error = anyhow::Error;

    fn try_from(text: String) -> anyhow::Result<Self> {
        text.parse()
    }
}

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl FromStr for Release {
    type Err = anyhow::Error;

    /// Reads `1.9`, `v1.9` and `v1.9.0`.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let bare = text.strip_prefix('v').unwrap_or(text);
        let mut parts = bare.split(['.', '-', '+']);
        let mut number = || parts.next()?.parse().ok();
        match (number(), number()) {
            (Some(major), Some(minor)) => Ok(Self(major, minor)),
            _ => bail!("`{text}` is not a release: write 1.9 or v1.9.0"),
        }
    }
}

/// The source tree of one release, as `--release 1.9=PATH` or `--release v1.9.0=PATH` names it.
#[derive(Clone, Debug)]
pub struct ReleaseTree {
    /// The release line.
    pub release: Release,
    /// The tag, where the command line gave it in full.
    pub tag: Option<String>,
    path: PathBuf,
}

impl FromStr for ReleaseTree {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let Some((name, path)) = text.split_once('=') else {
            bail!("`{text}` does not say where the tree is: write 1.9=PATH or v1.9.0=PATH");
        };
        let release: Release = name.parse()?;
        let is_full = name.matches('.').count() >= 2;
        Ok(Self {
            release,
            tag: is_full.then(|| format!("v{}", name.trim_start_matches('v'))),
            path: path.into(),
        })
    }
}

impl ReleaseTree {
    /// The directory of the tree.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of a file of the tree.
    pub fn read(&self, inside: &str) -> anyhow::Result<String> {
        read(&self.path.join(inside))
    }

    /// Every file under a directory of the tree that `wanted` accepts, as paths inside the tree, in order.
    pub fn files(&self, under: &str, wanted: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::from(under)];
        while let Some(folder) = open.pop() {
            let at = self.path.join(&folder);
            if !at.is_dir() {
                continue;
            }
            let entries = std::fs::read_dir(&at).with_context(|| at.display().to_string())?;
            for entry in entries {
                let entry = entry.with_context(|| at.display().to_string())?;
                let inside = folder.join(entry.file_name());
                if entry.file_type()?.is_dir() {
                    open.push(inside);
                } else if let Some(text) = inside.to_str()
                    && wanted(text)
                {
                    found.push(text.replace('\\', "/"));
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Reads a file; the error names it.
pub fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_number_not_by_text() {
        let of = |text: &str| text.parse::<Release>().unwrap();
        assert!(of("1.9") < of("v1.10.0"));
        assert!(of("1.10").follows(of("1.9")) && !of("1.11").follows(of("1.9")));
        assert_eq!(of("v1.10.2-rc.0").to_string(), "1.10");
        for text in ["", "1", "v1", "one.two", "1.x"] {
            assert!(text.parse::<Release>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_tag_is_kept_where_it_is_given_in_full() {
        let line: ReleaseTree = "1.9=/a=b".parse().unwrap();
        assert_eq!(line.tag, None);
        assert_eq!(line.path(), Path::new("/a=b"));
        let tag: ReleaseTree = "v1.9.0=/a".parse().unwrap();
        assert_eq!(tag.tag.as_deref(), Some("v1.9.0"));
        assert_eq!(tag.release, line.release);
        assert!("1.9".parse::<ReleaseTree>().is_err());
    }
}
