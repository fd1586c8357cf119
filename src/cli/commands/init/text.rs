//! The settings file that `init` writes. A line behind `#` without a space is an example: without the mark it is a setting.

use std::fmt::Write as _;

use driftless::action::Gate;
use driftless::catalog::path;
use driftless::catalog::shown::ShownRelease;
use driftless::openshift::Platform;
use driftless::release::Release;
use driftless::yaml::{self, Node};
use serde_json::json;

use super::seen::{Configuration, Seen, SeenTarget};
use crate::args::Global;
use crate::input::discover::reported;

/// The text of the settings, for a directory that shows so much.
pub(super) fn settings(seen: &Seen, global: &Global, base: &str) -> String {
    let mut out = String::new();
    out.push_str(
        "# Settings of driftless, for the manifests of this directory and below. Every key may be left out. A line that\n\
         # begins with `#` and no space is an example: take the mark away to use it. `driftless schema config` prints the\n\
         # JSON Schema of this file, for editors.\n",
    );
    release(&mut out, seen, global);
    configuration(&mut out, seen, global, base);
    out.push_str("\n# The namespace of objects that name none.\n");
    match &global.namespace {
        Some(namespace) => line(&mut out, "namespace", namespace),
        None => out.push_str("#namespace: default\n"),
    }
    out.push_str(
        "\n# Whether everything that the virtual machines name is in this tree: a missing instance type is then an error.\n\
         #complete: true\n",
    );
    targets(&mut out, seen);
    roots(&mut out, seen);
    out.push_str("\n# More manifests that references may lead to; they are not judged.\n");
    let context: Vec<String> = global
        .context
        .iter()
        .map(|path| relative(base, &reported(path)))
        .collect();
    list_or(&mut out, "context", &context, "#context: [../shared]\n");
    out.push_str("\n# Files and directories that are not read.\n");
    let exclude: Vec<String> = global
        .exclude
        .iter()
        .filter_map(|glob| pattern(base, glob))
        .collect();
    list_or(&mut out, "exclude", &exclude, "#exclude: [archive/**]\n");
    let default: Vec<&str> = Gate::DEFAULT.into_iter().map(Gate::as_str).collect();
    let _ = write!(
        out,
        "\n# What fails `driftless plan --fail-on default`, the pre-commit hook and the action. This list is the default.\n\
         #plan:\n\
         #  failOn: [{}]\n\
         #  maxDown: 0\n\
         #  maxRestarts: 10\n",
        default.join(", ")
    );
    out.push_str(
        "\n# Levels of rules: off, note, warning or error. `driftless explain RULE` says what a rule is about.\n\
         #levels:\n\
         #  pinned-machine-type: warning\n\
         \n# Findings that are not reported, with the reason.\n\
         #ignores:\n\
         #  - paths: [lab/**]\n\
         #    rules: [inline-cloud-init-secret]\n\
         #    reason: demo images, no real passwords\n",
    );
    out
}

fn release(out: &mut String, seen: &Seen, global: &Global) {
    out.push_str("\n# The KubeVirt release of the cluster.\n");
    if let Some(platform) = global.platform() {
        let (key, value) = setting(platform);
        line(out, key, value);
        return;
    }
    let example = shown_release(out, &seen.release, "");
    if seen.release == ShownRelease::None {
        let newest = Release::NEWEST;
        let _ = writeln!(
            out,
            "# Nothing here shows it, and driftless assumes {newest}, the newest it knows: say which it is."
        );
    }
    let (key, value) = setting(example);
    let _ = writeln!(out, "#{key}: \"{value}\"");
}

/// The setting that says what a cluster runs.
const fn setting(platform: Platform) -> (&'static str, &'static str) {
    match platform.openshift {
        Some(openshift) => ("openshift", openshift.as_str()),
        None => ("kubevirt", platform.release.as_str()),
    }
}

/// What a cluster runs, in words that stand for a release.
fn words(platform: Platform) -> String {
    match platform.openshift {
        Some(_) => platform.to_string(),
        None => platform.release.to_string(),
    }
}

/// Says what the manifests show, and gives the release for an example.
fn shown_release(out: &mut String, shown: &ShownRelease, indent: &str) -> Platform {
    match shown {
        ShownRelease::None => Release::NEWEST.into(),
        ShownRelease::One {
            platform,
            is_lower_bound: false,
        } => {
            let _ = writeln!(
                out,
                "{indent}# The manifests show {}, and driftless follows them: this line would hold it fast.",
                words(*platform)
            );
            *platform
        }
        ShownRelease::One { platform, .. } => {
            let _ = writeln!(
                out,
                "{indent}# A Subscription starts with {}; with automatic approval the cluster may run a later one.",
                words(*platform)
            );
            *platform
        }
        ShownRelease::Several { first, last } => {
            let _ = writeln!(
                out,
                "{indent}# The manifests show {} and {}: say which it is.",
                words(*first),
                words(*last)
            );
            *last
        }
    }
}

fn configuration(out: &mut String, seen: &Seen, global: &Global, base: &str) {
    out.push_str(
        "\n# A file with the KubeVirt object of the cluster, or with its spec.configuration.\n",
    );
    if let Some(file) = &global.cluster_config {
        line(out, "clusterConfig", &relative(base, &reported(file)));
        return;
    }
    match seen.configurations.as_slice() {
        [] => out.push_str(
            "# None is here, and KubeVirt's defaults are assumed: feature gates, the CPU model and live updates depend on it.\n\
             #clusterConfig: cluster/kubevirt.yaml\n",
        ),
        [only] if only.can_be_named => line(out, "clusterConfig", &only.file),
        several => files(out, several),
    }
}

/// Files with a configuration of which none can be named for sure.
fn files(out: &mut String, several: &[Configuration]) {
    if several.len() > 1 {
        out.push_str(
            "# These differ: say which is the cluster's, or name a target for each cluster.\n",
        );
    } else {
        out.push_str("# It is found by itself.\n");
    }
    for configuration in several {
        let _ = writeln!(out, "#clusterConfig: {}", scalar(&configuration.file));
    }
}

fn targets(out: &mut String, seen: &Seen) {
    out.push_str("\n# The clusters, where this tree is for several. What stands above is the default of each.\n");
    if seen.targets.is_empty() {
        out.push_str(
            "#targets:\n\
             #  - name: east\n\
             #    kubevirt: \"1.8\"\n\
             #    paths: [clusters/east]\n",
        );
        return;
    }
    let mut text = "targets:\n".to_owned();
    for target in &seen.targets {
        one_target(&mut text, target);
    }
    if !seen.targets_are_guessed {
        out.push_str(&text);
        return;
    }
    out.push_str("# If these go to different clusters, take the marks away.\n");
    for row in text.lines() {
        let _ = writeln!(out, "#{row}");
    }
}

fn one_target(out: &mut String, target: &SeenTarget) {
    let _ = writeln!(out, "  - name: {}", scalar(&target.name));
    out.push_str("    paths:\n");
    for place in &target.paths {
        let _ = writeln!(out, "      - {}", scalar(place));
    }
    if let (1, Some(namespace)) = (target.namespaces.len(), target.namespaces.first()) {
        let _ = writeln!(out, "    namespace: {}", scalar(namespace));
    }
    if let [only] = target.configurations.as_slice()
        && only.can_be_named
    {
        let _ = writeln!(out, "    clusterConfig: {}", scalar(&only.file));
    }
    let release = shown_release(out, &target.release, "    ");
    let (key, value) = setting(release);
    let _ = writeln!(out, "    #{key}: \"{value}\"");
}

fn roots(out: &mut String, seen: &Seen) {
    out.push_str(
        "\n# Directories that are applied each on its own, beside those with a kustomization or a chart.\n",
    );
    if seen.roots.is_empty() && !seen.possible_roots.is_empty() {
        out.push_str("# These hold different objects of one name: if each is applied on its own, take the marks away.\n");
        out.push_str("#roots:\n");
        for root in &seen.possible_roots {
            let _ = writeln!(out, "#  - {}", scalar(root));
        }
        return;
    }
    list_or(
        out,
        "roots",
        &seen.roots,
        "#roots: [teams/web, teams/data]\n",
    );
}

/// A list, or an example where there is nothing to list.
fn list_or(out: &mut String, key: &str, items: &[String], example: &str) {
    if items.is_empty() {
        out.push_str(example);
        return;
    }
    let _ = writeln!(out, "{key}:");
    for item in items {
        let _ = writeln!(out, "  - {}", scalar(item));
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key}: {}", scalar(value));
}

/// A text as a YAML scalar on one line.
fn scalar(text: &str) -> String {
    let plain = yaml::emit::to_string(&Node::from_json(&json!(text)));
    let plain = plain.trim_end_matches('\n');
    if plain.contains('\n') {
        // JSON's strings are YAML's.
        json!(text).to_string()
    } else {
        plain.to_owned()
    }
}

/// A place as seen from a directory.
fn relative(base: &str, place: &str) -> String {
    if base.is_empty() || place.starts_with('/') {
        return place.to_owned();
    }
    if let Some(inside) = place
        .strip_prefix(base)
        .and_then(|rest| rest.strip_prefix('/'))
    {
        return inside.to_owned();
    }
    let steps = base.split('/').count();
    path::normal(&format!("{}{place}", "../".repeat(steps)))
}

/// A pattern of the working directory as seen from another one; `None` where it matches nothing there.
fn pattern(base: &str, glob: &str) -> Option<String> {
    let is_anchored = glob.trim_end_matches('/').contains('/') && !glob.starts_with("**/");
    if base.is_empty() || !is_anchored {
        return Some(glob.to_owned());
    }
    let from_here = glob.strip_prefix('/').unwrap_or(glob);
    let inside = from_here.strip_prefix(base)?.strip_prefix('/')?;
    Some(format!("/{inside}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_seen_from_the_settings() {
        for (base, glob, seen) in [
            ("", "a/**", Some("a/**")),
            ("a", "a/b/**", Some("/b/**")),
            ("a", "/a/b", Some("/b")),
            ("a", "*.tpl.yaml", Some("*.tpl.yaml")),
            ("a", "archive/", Some("archive/")),
            ("a", "**/archive", Some("**/archive")),
            ("a", "b/c", None),
            ("a", "ab/c", None),
        ] {
            assert_eq!(pattern(base, glob).as_deref(), seen, "{glob}");
        }
    }

    #[test]
    fn places_are_seen_from_the_settings() {
        for (base, place, seen) in [
            ("", "a/b.yaml", "a/b.yaml"),
            ("a", "a/b.yaml", "b.yaml"),
            ("a/b", "c.yaml", "../../c.yaml"),
            ("a", "/c.yaml", "/c.yaml"),
            ("a", "ab/c.yaml", "../ab/c.yaml"),
        ] {
            assert_eq!(relative(base, place), seen);
        }
    }

    #[test]
    fn a_scalar_is_one_line() {
        assert_eq!(scalar("vms"), "vms");
        assert_eq!(scalar("1.8"), "\"1.8\"");
        assert!(!scalar("a\nb: c").contains('\n'));
    }
}
