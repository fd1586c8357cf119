//! From a revision as the user writes it to a commit; where there is none, which command fetches it.

use std::fmt::Write as _;

use anyhow::{anyhow, bail};

use super::Repository;
use super::program::{GitFailure, no_git};

impl Repository {
    /// The commit a revision names. Where there is none, the error says which command gets it.
    pub(crate) fn commit(&self, revision: &str) -> anyhow::Result<String> {
        // `^REV` is no revision but the absence of one.
        if revision.is_empty()
            || revision.starts_with(['-', '^'])
            || revision.contains(['\n', '\0'])
        {
            bail!("`{}` is not a git revision", revision.escape_debug());
        }
        let wanted = format!("{revision}^{{commit}}");
        let found = self.git.run(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &wanted,
        ]);
        match found {
            Ok(text) if is_object_name(text.trim()) => Ok(text.trim().to_owned()),
            Err(GitFailure::NoGit) => Err(no_git()),
            Ok(_) | Err(GitFailure::Said(_)) => Err(self.missing(revision)),
        }
    }

    fn missing(&self, revision: &str) -> anyhow::Error {
        let shown = revision.escape_debug();
        if let Some((base, head)) = revision.split_once("..") {
            let head = head.trim_start_matches('.');
            let or_here = |side: &str| {
                let side = if side.is_empty() { "HEAD" } else { side };
                side.escape_debug().to_string()
            };
            return anyhow!(
                "`{shown}` is a range, not a revision: give `--base {} --head {}`",
                or_here(base),
                or_here(head)
            );
        }
        let (remote, branch) = match revision.split_once('/') {
            Some((remote, branch)) if self.has_remote(remote) => (remote.to_owned(), branch),
            _ => ("origin".to_owned(), revision),
        };
        let is_hash = revision.len() >= 7 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_name = !is_hash
            && revision
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte));
        let mut help = String::new();
        if self.is_shallow {
            help.push_str("; the clone is shallow: run `git fetch --unshallow`");
            if is_name {
                let _ = write!(
                    help,
                    " or `git fetch {remote} {branch}:refs/remotes/{remote}/{branch}`"
                );
            }
            help.push_str(" (actions/checkout: `fetch-depth: 0`)");
        } else if is_name {
            let _ = write!(
                help,
                ": run `git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` and name it `{remote}/{branch}`"
            );
        } else if is_hash {
            let whole = if revision.len() >= 40 { revision } else { "" };
            let fetch = format!("git fetch {remote} {whole}");
            let _ = write!(help, ": run `{}`", fetch.trim_end());
        } else {
            help.push_str(": `git log --oneline --all` lists what there is");
        }
        anyhow!("there is no revision `{shown}` in this repository{help}")
    }

    fn has_remote(&self, name: &str) -> bool {
        self.git
            .said(&["remote"])
            .is_ok_and(|text| text.lines().any(|line| line == name))
    }

    /// A short name of a commit for reports.
    pub(crate) fn short(&self, commit: &str) -> String {
        self.git
            .said(&["rev-parse", "--short", "--end-of-options", commit])
            .map_or_else(
                |_| commit.to_owned(),
                |text| text.lines().last().unwrap_or_default().to_owned(),
            )
    }
}

/// Whether a text is the whole name of an object, and nothing else that git might read in another way.
fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::is_object_name;

    #[test]
    fn only_a_whole_hash_names_an_object() {
        let whole = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_object_name(whole) && is_object_name(&"a".repeat(64)));
        for other in ["", &whole[1..], &format!("^{}", &whole[1..]), "HEAD"] {
            assert!(!is_object_name(other), "{other}");
        }
    }
}
