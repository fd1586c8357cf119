//! What a commit or the index lists: every file with its object.

use driftless::catalog::path;

use super::GitTree;

/// A listed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFile {
    /// Its path, as the repository names it.
    pub(crate) name: String,
    /// Its object.
    pub(crate) object: String,
}

/// Every regular file of a tree, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listing {
    files: Vec<ListedFile>,
}

impl Listing {
    /// Reads what `git ls-tree -z` or `git ls-files --stage -z` prints. Links and submodules are left out.
    pub(super) fn read(tree: &GitTree, text: &str) -> Self {
        let mut files: Vec<ListedFile> = text
            .split('\0')
            .filter_map(|entry| {
                let (meta, name) = entry.split_once('\t')?;
                let mut fields = meta.split_ascii_whitespace();
                let mode = fields.next()?;
                // ls-tree: mode type object; ls-files: mode object stage.
                let object = match tree {
                    GitTree::Commit(_) => fields.nth(1),
                    GitTree::Index => fields.next(),
                }?;
                mode.starts_with("100").then(|| ListedFile {
                    name: name.to_owned(),
                    object: object.to_owned(),
                })
            })
            .collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Self { files }
    }

    /// Every file, by name.
    pub(crate) fn files(&self) -> &[ListedFile] {
        &self.files
    }

    /// The object of a file.
    pub(crate) fn object(&self, name: &str) -> Option<&str> {
        let at = self
            .files
            .binary_search_by(|entry| entry.name.as_str().cmp(name))
            .ok()?;
        Some(&self.files[at].object)
    }

    /// Whether it has a path, as a file or as a directory.
    pub(crate) fn holds(&self, name: &str) -> bool {
        name.is_empty() || self.object(name).is_some() || {
            let inside = format!("{name}/");
            let at = self
                .files
                .partition_point(|entry| entry.name.as_str() < inside.as_str());
            self.files
                .get(at)
                .is_some_and(|entry| path::is_inside(&entry.name, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_and_searched() {
        let commit = GitTree::Commit(String::new());
        let text = [
            "100644 blob aa\tvms/a.yaml",
            "120000 blob bb\tlink",
            "160000 commit cc\tsub",
            "100755 blob dd\tvms.yaml",
            "",
        ]
        .join("\0");
        let read = Listing::read(&commit, &text);
        assert_eq!(read.object("vms/a.yaml"), Some("aa"));
        assert_eq!((read.object("link"), read.object("sub")), (None, None));
        for there in ["", "vms", "vms/a.yaml", "vms.yaml"] {
            assert!(read.holds(there), "{there}");
        }
        assert!(!read.holds("vm") && !read.holds("vms/a"));
        let staged = Listing::read(&GitTree::Index, "100644 aa 0\ta b.yaml\0");
        assert_eq!(staged.object("a b.yaml"), Some("aa"));
    }
}
