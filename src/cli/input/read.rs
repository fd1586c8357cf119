//! Reading what was found: only files that matter are kept; their bytes decide.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use driftless::catalog::kustomization;
use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;
use driftless::catalog::side::Role;
use rayon::prelude::*;

use super::aside::{Asides, Names};
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
///
/// Of the other files it keeps those of `asides` that what it keeps names, to resolve against.
pub(crate) fn read(
    discovery: &mut Discovery,
    wants: Wants,
    asides: Asides,
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
                    let Some(bytes) = bytes else {
                        return FileRead::Nothing;
                    };
                    let relevance = if found.named && wants == Wants::Everything || frames(name) {
                        Relevance::Relevant
                    } else {
                        Relevance::of(&bytes)
                    };
                    let Some(role) = interest(name, found.role, relevance) else {
                        return match asides.names_of(&bytes, relevance) {
                            Some(names) => FileRead::Aside(name.as_str(), &found.disk, names),
                            None => FileRead::Nothing,
                        };
                    };
                    let text = Text {
                        path: (*name).clone(),
                        bytes,
                        role,
                    };
                    FileRead::Text(text, relevance)
                })
                .map_err(|reason| ((*name).clone(), reason))
        })
        .collect();
    let mut texts = Vec::new();
    let mut aside = Vec::new();
    let mut unreadable = Vec::new();
    for result in results {
        match result {
            Ok(FileRead::Text(text, relevance)) => texts.push((text, relevance)),
            Ok(FileRead::Aside(name, disk, names)) => aside.push((name, disk, names)),
            Ok(FileRead::Nothing) => {}
            Err(unread) => unreadable.push(unread),
        }
    }
    let aside = named_by(&texts, asides, &aside);
    discovery.unreadable.extend(unreadable);
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
    let texts = texts.into_iter().filter(|(text, relevance)| {
        anything
            || wants != Wants::Relevant
            || *relevance == Relevance::Relevant
            || frames(&text.path)
    });
    let aside = aside.into_iter().filter(|_| anything);
    texts.map(|(text, _)| text).chain(aside).collect()
}

/// What became of a file.
enum FileRead<'a> {
    /// It is kept.
    Text(Text, Relevance),
    /// It is kept where another names what it bears.
    Aside(&'a str, &'a Path, Names),
    /// It is of no interest.
    Nothing,
}

/// The files put aside that bear a name which one of the texts has. One that can no longer be read is left out.
fn named_by(
    texts: &[(Text, Relevance)],
    asides: Asides,
    aside: &[(&str, &Path, Names)],
) -> Vec<Text> {
    if aside.is_empty() {
        return Vec::new();
    }
    let mut words = HashSet::new();
    for (text, _) in texts {
        asides.add_words(&text.bytes, &mut words);
    }
    let named = aside.iter().filter(|(_, _, names)| names.are_among(&words));
    let read = named.filter_map(|(name, disk, _)| {
        Some(Text {
            path: (*name).to_owned(),
            bytes: load(disk).ok()??,
            role: Role::Context,
        })
    });
    read.collect()
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
