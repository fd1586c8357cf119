//! Files that hold nothing of `KubeVirt`'s and that a virtual machine may name: found by their bytes, parsed only where one does.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use driftless::catalog::relevance::Relevance;
use memchr::memmem;

/// Which files are looked into beside those that are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asides {
    /// None.
    #[default]
    None,
    /// Secrets and ConfigMaps that a virtual machine names.
    Mounted,
    /// Whatever bears a name that a manifest has: in a tree that is complete every name leads somewhere.
    Named,
}

/// How a manifest names what a guest mounts.
const MOUNTS: [&[u8]; 4] = [b"ecretRef", b"secretName", b"sysprep", b"configMap"];

impl Asides {
    /// The names that a file bears, where it may be looked into.
    pub(crate) fn names_of(self, bytes: &[u8], relevance: Relevance) -> Option<Names> {
        let is_one = match self {
            Self::None => false,
            Self::Mounted => relevance == Relevance::Mountable,
            Self::Named => relevance >= Relevance::Unrelated,
        };
        is_one.then(|| Names::of(bytes))
    }

    /// Adds every word of a file that is judged, where it may name something.
    pub(crate) fn add_words(self, bytes: &[u8], words: &mut HashSet<u64>) {
        let names_something = match self {
            Self::None => false,
            Self::Mounted => MOUNTS.iter().any(|key| memmem::find(bytes, key).is_some()),
            Self::Named => true,
        };
        if names_something {
            let of = bytes.split(|byte| !is_of_a_name(*byte));
            words.extend(of.filter(|word| !word.is_empty()).map(digest));
        }
    }
}

/// The names that a file bears, by digest.
#[derive(Debug)]
pub(crate) struct Names {
    digests: Vec<u64>,
    /// Whether a name is written in a way that the bytes do not show: as an alias, or over several lines.
    is_unsure: bool,
}

impl Names {
    fn of(bytes: &[u8]) -> Self {
        let mut names = Self {
            digests: Vec::new(),
            is_unsure: false,
        };
        for at in memmem::find_iter(bytes, b"ame") {
            let rest = trim(&bytes[at + 3..], b"\"' ");
            let Some(rest) = rest.strip_prefix(b":") else {
                continue;
            };
            let rest = trim(rest, b" \t");
            let value = trim(rest, b"\"'");
            let end = value.iter().position(|byte| !is_of_a_name(*byte));
            match &value[..end.unwrap_or(value.len())] {
                [] => names.is_unsure |= !rest.starts_with(b"\"\"") && !rest.starts_with(b"''"),
                name => names.digests.push(digest(name)),
            }
        }
        names
    }

    /// Whether one of them is among the words.
    pub(crate) fn are_among(&self, words: &HashSet<u64>) -> bool {
        self.is_unsure && !words.is_empty() || self.digests.iter().any(|name| words.contains(name))
    }
}

/// Whether a byte stands in names of objects.
const fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.')
}

fn trim<'a>(bytes: &'a [u8], what: &[u8]) -> &'a [u8] {
    let from = bytes.iter().position(|byte| !what.contains(byte));
    &bytes[from.unwrap_or(bytes.len())..]
}

fn digest(word: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(vm: &str, aside: &str) -> bool {
        let mut words = HashSet::new();
        Asides::Mounted.add_words(vm.as_bytes(), &mut words);
        let relevance = Relevance::of(aside.as_bytes());
        let names = Asides::Mounted.names_of(aside.as_bytes(), relevance);
        names.is_some_and(|names| names.are_among(&words))
    }

    #[test]
    fn a_secret_is_read_only_where_a_machine_names_it() {
        let vm = "volumes: [{name: a, cloudInitNoCloud: {secretRef: {name: init-1.a}}}]";
        for (aside, expected) in [
            ("kind: Secret\nmetadata:\n  name: init-1.a\n", true),
            ("kind: Secret\nmetadata: {name: 'init-1.a'}\n", true),
            (
                "{\"kind\": \"Secret\", \"metadata\": {\"name\" : \"init-1.a\"}}",
                true,
            ),
            ("kind: Secret\nmetadata:\n  name: init-1\n", false),
            (
                "kind: Secret\nmetadata:\n  name: other\nstringData: {x: init-1.a}\n",
                false,
            ),
            ("kind: Secret\nmetadata:\n  name: &n init-1.a\n", true),
            ("kind: Secret\nmetadata:\n  name: >-\n    init-1.a\n", true),
            ("kind: Secret\nmetadata:\n  name: ''\n", false),
            ("kind: Service\nmetadata:\n  name: init-1.a\n", false),
        ] {
            assert_eq!(is_read(vm, aside), expected, "{aside}");
        }
        let names_nothing = "volumes: [{name: init-1.a, emptyDisk: {}}]";
        let secret = "kind: Secret\nmetadata:\n  name: init-1.a\n";
        assert!(!is_read(names_nothing, secret));
    }
}
