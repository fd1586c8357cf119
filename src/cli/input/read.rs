//! Reading what was found: only files that matter are kept; their bytes decide.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use driftless::catalog::kustomization;
use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;
use driftless::catalog::side::Role;
use rayon::prelude::*;

use super::discover::{Discovery, is_manifest, plain_reason};
use super::stdin;

/// Which files a command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Those that hold what `KubeVirt` reads, and what its objects can name.
    Relevant,
    /// Those, and what such objects can name even where none is here: a revision alone.
    Nameable,
    /// Those, and what says how the tree reaches a cluster.
    Delivered,
    /// Every Kubernetes object.
    Everything,
}

impl Wants {
    /// The least that a file has to promise.
    pub(crate) const fn least(self) -> Relevance {
        match self {
            Self::Relevant | Self::Nameable => Relevance::Nameable,
            Self::Delivered => Relevance::Delivery,
            Self::Everything => Relevance::Unrelated,
        }
    }
}

/// A text with what it is read for.
#[derive(Debug)]
pub(crate) struct Text {
    /// The path it is reported under.
    pub(crate) path: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// What it is read for.
    pub(crate) role: Role,
}

/// Files over this size are not read: their trees would not fit in memory.
const LARGEST: u64 = 512 * 1024 * 1024;

/// Reads every file found, in parallel, and keeps what `wants` asks for, by path. What cannot be read joins the
/// discovery's list.
///
/// `interest` gives what a file is read for, by its name, its role and its bytes' promise.
pub(crate) fn read(
    discovery: &mut Discovery,
    wants: Wants,
    interest: &(dyn Fn(&str, Role, Relevance) -> Option<Role> + Sync),
    progress: &(dyn Fn() + Sync),
) -> Vec<Text> {
    let files: Vec<_> = discovery.files.iter().collect();
    let results: Vec<_> = files
        .par_iter()
        .map(|(name, found)| {
            progress();
            load(&found.disk)
                .and_then(|bytes| match bytes {
                    Some(bytes)
                        if found.named
                            && !is_manifest(Path::new(name))
                            && Relevance::of(&bytes) == Relevance::Nothing =>
                    {
                        Err("holds no Kubernetes object".to_owned())
                    }
                    bytes => Ok(bytes),
                })
                .map(|bytes| {
                    let bytes = bytes?;
                    let relevance = if found.named && wants == Wants::Everything || frames(name) {
                        Relevance::Relevant
                    } else {
                        Relevance::of(&bytes)
                    };
                    interest(name, found.role, relevance).map(|role| {
                        let text = Text {
                            path: (*name).clone(),
                            bytes,
                            role,
                        };
                        (text, relevance)
                    })
                })
                .map_err(|reason| ((*name).clone(), reason))
        })
        .collect();
    let mut texts = Vec::new();
    for result in results {
        match result {
            Ok(text) => texts.extend(text),
            Err((name, reason)) => {
                discovery.unreadable.insert(name, reason);
            }
        }
    }
    if discovery.stdin {
        match stdin::read() {
            Ok(bytes) => texts.push((
                Text {
                    path: stdin::NAME.to_owned(),
                    bytes,
                    role: Role::Judged,
                },
                Relevance::Relevant,
            )),
            Err(reason) => {
                discovery.unreadable.insert(stdin::NAME.to_owned(), reason);
            }
        }
    }
    let anything = texts
        .iter()
        .any(|(text, relevance)| *relevance == Relevance::Relevant && !frames(&text.path));
    texts
        .into_iter()
        .filter(|(text, relevance)| {
            anything
                || wants != Wants::Relevant
                || *relevance == Relevance::Relevant
                || frames(&text.path)
        })
        .map(|(text, _)| text)
        .collect()
}

/// Whether a file says what others are.
pub(crate) fn frames(name: &str) -> bool {
    let name = path::name(name);
    name == "Chart.yaml" || kustomization::NAMES.contains(&name)
}

/// The bytes of a file; `None` for one too large that holds nothing of interest.
fn load(disk: &Path) -> Result<Option<Vec<u8>>, String> {
    let mut file = File::open(disk).map_err(|error| plain_reason(&error))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    if length > LARGEST {
        return match holds_kubevirt(&mut file) {
            Ok(false) => Ok(None),
            Ok(true) => Err(format!("is larger than {} MiB", LARGEST >> 20)),
            Err(error) => Err(plain_reason(&error)),
        };
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut bytes)
        .map_err(|error| plain_reason(&error))?;
    Ok(Some(bytes))
}

/// Whether a file names `KubeVirt`, read a piece at a time.
fn holds_kubevirt(file: &mut File) -> std::io::Result<bool> {
    const NEEDLE: &[u8] = b"kubevirt.io";
    let mut piece = vec![0; 1 << 20];
    let mut kept = 0;
    loop {
        let read = file.read(&mut piece[kept..])?;
        if read == 0 {
            return Ok(false);
        }
        let end = kept + read;
        if memchr::memmem::find(&piece[..end], NEEDLE).is_some() {
            return Ok(true);
        }
        let tail = end.saturating_sub(NEEDLE.len());
        piece.copy_within(tail..end, 0);
        kept = end - tail;
    }
}
