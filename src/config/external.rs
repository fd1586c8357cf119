//! `external:` of the settings: what virtual machines name and the tree does not hold, though it is complete.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// One entry: objects of these kinds, in these namespaces, of these names. A list that is left out leaves nothing out.
#[derive(Clone, Debug, Default)]
pub struct External {
    kinds: Vec<String>,
    namespaces: Vec<Pattern>,
    names: Vec<Pattern>,
}

impl PartialEq for External {
    fn eq(&self, other: &Self) -> bool {
        self.kinds == other.kinds
            && self.namespaces == other.namespaces
            && self.names == other.names
    }
}

impl Eq for External {}

impl External {
    /// An entry for these kinds, and globs of namespaces and names. Fails with the glob that cannot be read, and why.
    pub fn new(
        kinds: Vec<String>,
        namespaces: &[String],
        names: &[String],
    ) -> Result<Self, (String, String)> {
        Ok(Self {
            kinds,
            namespaces: Pattern::all(namespaces)?,
            names: Pattern::all(names)?,
        })
    }

    /// Whether the object is among them. One without a namespace is in none that an entry lists.
    pub fn covers(&self, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        let any = |patterns: &[Pattern], text: Option<&str>| {
            patterns.is_empty()
                || text.is_some_and(|text| patterns.iter().any(|pattern| pattern.matches(text)))
        };
        (self.kinds.is_empty() || self.kinds.iter().any(|of| of == kind))
            && any(&self.namespaces, namespace)
            && any(&self.names, Some(name))
    }
}

/// A glob over a name: `*` is any text.
#[derive(Clone, Debug)]
struct Pattern {
    glob: Glob,
    matcher: GlobMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.glob == other.glob
    }
}

impl Pattern {
    fn all(globs: &[String]) -> Result<Vec<Self>, (String, String)> {
        globs.iter().map(|glob| Self::new(glob)).collect()
    }

    fn new(text: &str) -> Result<Self, (String, String)> {
        let glob = GlobBuilder::new(text).build();
        let glob = glob.map_err(|error| (text.to_owned(), error.kind().to_string()))?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            glob,
        })
    }

    fn matches(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kinds: &[&str], namespaces: &[&str], names: &[&str]) -> External {
        let own = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        External::new(own(kinds), &own(namespaces), &own(names)).unwrap()
    }

    #[test]
    fn a_list_that_is_left_out_leaves_nothing_out() {
        let secret = |entry: &External, namespace, name| entry.covers("Secret", namespace, name);
        assert!(secret(&entry(&[], &[], &["a"]), Some("vms"), "a"));
        assert!(secret(&entry(&["Secret"], &[], &[]), Some("vms"), "a"));
        assert!(!secret(&entry(&["ConfigMap"], &[], &[]), Some("vms"), "a"));
        let entry = entry(&["ConfigMap", "Secret"], &["team-*"], &["vault-*", "ca"]);
        for (namespace, name, covers) in [
            (Some("team-a"), "vault-x", true),
            (Some("team-a"), "vault-", true),
            (Some("team-a"), "ca", true),
            (Some("team-a"), "cab", false),
            (Some("team"), "ca", false),
            (None, "ca", false),
        ] {
            assert_eq!(
                secret(&entry, namespace, name),
                covers,
                "{namespace:?} {name}"
            );
        }
    }

    #[test]
    fn a_glob_that_cannot_be_read_is_named() {
        let error = External::new(Vec::new(), &[], &["a[".to_owned()]);
        assert_eq!(error.unwrap_err().0, "a[");
    }
}
