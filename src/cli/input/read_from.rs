//! Where the files of one side are read from: the disk, a working tree, a tree of git, another directory.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use driftless::catalog::path;
use ignore::WalkBuilder;

use super::discover::{on_disk, reported};
use super::git::{Listing, Repository};

/// Where the files of one side are read from. Places are reported paths in the tree that both sides share.
#[derive(Debug)]
pub(crate) enum ReadFrom<'a> {
    /// The disk.
    Disk,
    /// The working tree of a repository.
    WorkingTree(WorkingTree<'a>),
    /// A commit or the index.
    Git {
        /// The repository.
        repository: &'a Repository,
        /// What the commit or the index lists.
        listing: Listing,
    },
    /// A directory or file that stands in for another.
    Beside {
        /// What is read of it: itself, or files in it.
        paths: Vec<PathBuf>,
        /// What is read, as it is reported.
        from: String,
        /// What it stands in for.
        to: String,
    },
}

/// The working tree of a repository, without the repositories in it.
#[derive(Debug)]
pub(crate) struct WorkingTree<'a> {
    /// The repository.
    pub(crate) repository: &'a Repository,
    /// Paths of the command line that are known to be gone.
    pub(crate) gone: Vec<PathBuf>,
    /// Files that a sparse checkout leaves out: they are as the index has them. Objects by place.
    pub(crate) left_out: BTreeMap<String, String>,
}

impl ReadFrom<'_> {
    /// The bytes of a file of this side; `None` where the side does not have it.
    pub(crate) fn bytes(&self, place: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let object = match self {
            Self::Disk | Self::Beside { .. } => None,
            Self::WorkingTree(tree) => tree
                .left_out
                .get(place)
                .map(|object| (tree.repository, object.as_str())),
            Self::Git { repository, .. } if !self.covers(place) => None,
            Self::Git {
                repository,
                listing,
            } => {
                let name = repository.inside(place);
                let Some(object) = name.and_then(|name| listing.object(&name)) else {
                    return Ok(None);
                };
                Some((*repository, object))
            }
        };
        if let Some((repository, object)) = object {
            return Ok(repository.read([object])?.remove(object));
        }
        let file = on_disk(&self.reads(place));
        match std::fs::read(&file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read `{}`", self.reads(place)))
            }
        }
    }

    /// The bytes of several files, without those that this side does not have.
    pub(crate) fn many(&self, places: &[String]) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
        let mut out = BTreeMap::new();
        let ReadFrom::Git {
            repository,
            listing,
        } = self
        else {
            for place in places {
                if let Some(bytes) = self.bytes(place)? {
                    out.insert(place.clone(), bytes);
                }
            }
            return Ok(out);
        };
        let objects: BTreeMap<&String, &str> = places
            .iter()
            .filter_map(|place| Some((place, listing.object(&repository.inside(place)?)?)))
            .collect();
        let read = repository.read(objects.values().copied())?;
        for (place, object) in objects {
            if let Some(bytes) = read.get(object) {
                out.insert(place.clone(), bytes.clone());
            }
        }
        Ok(out)
    }

    /// Every file of a directory, by place.
    pub(crate) fn files_in(&self, directory: &str) -> Vec<String> {
        if let ReadFrom::Git {
            repository,
            listing,
        } = self
        {
            let Some(name) = repository.inside(directory) else {
                return Vec::new();
            };
            let files = listing.files().iter();
            return files
                .filter(|file| path::is_inside(&file.name, &name))
                .map(|file| repository.report(&file.name))
                .collect();
        }
        let mut files: Vec<String> = WalkBuilder::new(on_disk(&self.reads(directory)))
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .build()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
            .map(|entry| self.place(&reported(entry.path())))
            .collect();
        if let ReadFrom::WorkingTree(tree) = self {
            let left_out = tree.left_out.keys();
            files.extend(
                left_out
                    .filter(|place| path::is_inside(place, directory))
                    .cloned(),
            );
        }
        files.sort();
        files
    }

    /// Whether this side has a file there.
    pub(crate) fn has_file(&self, place: &str) -> bool {
        let on_disk = || on_disk(&self.reads(place)).is_file();
        match self {
            Self::Disk | Self::Beside { .. } => on_disk(),
            Self::WorkingTree(tree) => tree.left_out.contains_key(place) || on_disk(),
            Self::Git { .. } if !self.covers(place) => on_disk(),
            Self::Git {
                repository,
                listing,
            } => repository
                .inside(place)
                .is_some_and(|name| listing.object(&name).is_some()),
        }
    }

    /// Whether this side has a file or a directory there.
    pub(crate) fn has(&self, place: &str) -> bool {
        let on_disk = || on_disk(&self.reads(place)).exists();
        match self {
            Self::Disk | Self::Beside { .. } => on_disk(),
            Self::WorkingTree(tree) => {
                tree.left_out
                    .keys()
                    .any(|held| path::is_inside(held, place))
                    || on_disk()
            }
            Self::Git { .. } if !self.covers(place) => on_disk(),
            Self::Git {
                repository,
                listing,
            } => repository
                .inside(place)
                .is_some_and(|name| listing.holds(&name)),
        }
    }

    /// Whether a place may differ between the sides; what lies elsewhere is read once for both.
    pub(crate) fn covers(&self, place: &str) -> bool {
        match self {
            Self::Disk => false,
            Self::WorkingTree(WorkingTree { repository, .. }) | Self::Git { repository, .. } => {
                repository.inside(place).is_some()
            }
            Self::Beside { to, .. } => path::is_inside(place, to),
        }
    }

    /// A place in the one way that paths of the repository are reported: `../base` from within `base` is here.
    pub(crate) fn as_reported(&self, place: &str) -> String {
        match self {
            Self::WorkingTree(WorkingTree { repository, .. }) | Self::Git { repository, .. } => {
                let name = repository.inside(place);
                name.map_or_else(|| place.to_owned(), |name| repository.report(&name))
            }
            Self::Disk | Self::Beside { .. } => place.to_owned(),
        }
    }

    /// The path that is read for a place, as it is reported.
    pub(crate) fn reads(&self, place: &str) -> String {
        match self {
            Self::Beside { from, to, .. } if path::is_inside(place, to) => {
                let below = Path::new(place).strip_prefix(to).ok();
                let below = below.and_then(Path::to_str).unwrap_or_default();
                path::join(from, below)
            }
            _ => place.to_owned(),
        }
    }

    /// The place that a path which is read stands for.
    pub(crate) fn place(&self, read: &str) -> String {
        match self {
            Self::Beside { from, to, .. } if path::is_inside(read, from) => {
                let below = if from.is_empty() {
                    read
                } else {
                    read.strip_prefix(from.as_str()).unwrap_or(read)
                };
                path::join(to, below.trim_start_matches('/'))
            }
            _ => read.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_stands_in_for_another() {
        for (from, to, read, place) in [
            ("old", "new", "old/x/a.yaml", "new/x/a.yaml"),
            ("old.yaml", "new.yaml", "old.yaml", "new.yaml"),
            ("/tmp/old", "", "/tmp/old/a.yaml", "a.yaml"),
            ("../old", "", "../old/a.yaml", "a.yaml"),
        ] {
            let beside = ReadFrom::Beside {
                paths: Vec::new(),
                from: from.to_owned(),
                to: to.to_owned(),
            };
            assert_eq!(beside.place(read), place);
            assert_eq!(beside.reads(place), read);
        }
        let beside = ReadFrom::Beside {
            paths: Vec::new(),
            from: "old".to_owned(),
            to: "new".to_owned(),
        };
        assert_eq!(beside.reads("shared/a.yaml"), "shared/a.yaml");
        assert!(!beside.covers("shared/a.yaml") && beside.covers("new/a.yaml"));
    }
}
