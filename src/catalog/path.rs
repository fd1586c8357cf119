//! Paths as text with forward slashes: joined, their parents, and whether one is inside another. No file is touched.

/// `path` without `.` steps, with `..` applied where it follows a directory; empty is the working directory.
pub fn normal(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if path.starts_with('/') => {}
            step => steps.push(step),
        }
    }
    let joined = steps.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

/// What `path` means when it is written in a file of `directory`.
pub fn join(directory: &str, path: &str) -> String {
    if path.starts_with('/') || directory.is_empty() {
        normal(path)
    } else {
        normal(&format!("{directory}/{path}"))
    }
}

/// The directory of a normal path; above the working directory come `..`, `../..`. A root has none.
pub fn parent(path: &str) -> Option<String> {
    match path.rsplit_once('/') {
        _ if path == "/" => None,
        Some(("", _)) => Some("/".to_owned()),
        _ if path.is_empty() => Some("..".to_owned()),
        Some((_, "..")) => Some(format!("{path}/..")),
        None if path == ".." => Some("../..".to_owned()),
        Some((parent, _)) => Some(parent.to_owned()),
        None => Some(String::new()),
    }
}

/// The name of a path's last step.
pub fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether a normal path is `directory` or inside it.
pub fn is_inside(path: &str, directory: &str) -> bool {
    let climbs = |path: &str| path.split('/').take_while(|step| *step == "..").count();
    if directory.split('/').all(|step| step == "..") || directory.is_empty() {
        return !path.starts_with('/') && climbs(path) <= climbs(directory);
    }
    path == directory
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| directory.ends_with('/') || rest.starts_with('/'))
}

/// The depth of a normal path in steps; negative above the working directory.
pub fn depth(path: &str) -> isize {
    path.split('/')
        .map(|step| match step {
            "" => 0,
            ".." => -1,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_as_a_shell_would() {
        assert_eq!(join("overlays/west", "../../base"), "base");
        assert_eq!(join("", "./a//b/"), "a/b");
        assert_eq!(join("a", "../../b"), "../b");
        assert_eq!(join("a", "/b/../c"), "/c");
        assert_eq!(normal("/../a"), "/a");
    }

    #[test]
    fn parents_climb_past_the_working_directory() {
        let mut path = Some("a/b.yaml".to_owned());
        let mut seen = Vec::new();
        while let Some(here) = path.filter(|path| path != "../../..") {
            path = parent(&here);
            seen.push(here);
        }
        assert_eq!(seen, ["a/b.yaml", "a", "", "..", "../.."]);
        assert_eq!(parent("/a").as_deref(), Some("/"));
        assert_eq!(parent("/"), None);
    }

    #[test]
    fn inside_counts_whole_steps() {
        assert!(is_inside("a/b", "a"));
        assert!(is_inside("a", "a"));
        assert!(is_inside("a", ""));
        assert!(is_inside("a", ".."));
        assert!(!is_inside("../a", ""));
        assert!(!is_inside("ab", "a"));
        assert!(is_inside("/a", "/"));
        assert!(is_inside("../a/b", "../a"));
        assert!(!is_inside("/a", ""));
        assert_eq!(depth("../a/b"), 1);
    }
}
