//! Killed at any instant, every file is whole and a rerun completes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::support::{Workspace, revision, vm};

const RUNS: u32 = 200;

#[test]
fn a_killed_run_leaves_whole_files_and_a_rerun_completes() {
    let files = files();
    let arguments = [
        "upgrade",
        "--write",
        "--prune",
        "--quiet",
        "--kubevirt",
        "1.9",
    ];
    let start = |space: &Workspace| {
        let mut command = space.command(&arguments);
        command.stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };

    let whole = workspace(&files);
    let began = Instant::now();
    assert!(start(&whole).wait().unwrap().success());
    let takes = began.elapsed();
    let end = bytes(&whole);
    let mut allowed: BTreeMap<PathBuf, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for (path, text) in bytes(&workspace(&files)).into_iter().chain(end.clone()) {
        allowed.entry(path).or_default().insert(text);
    }
    // A revision that several files need is written with its new form before it loses the old one.
    let kept = workspace(&files);
    assert!(kept.run(&["upgrade", "--write", "--kubevirt", "1.9"]).code == 0);
    for (path, text) in bytes(&kept) {
        allowed.entry(path).or_default().insert(text);
    }

    let interrupted = AtomicU32::new(0);
    let one = |run: u32| {
        let space = workspace(&files);
        let mut child = start(&space);
        let share = f64::from(run) / f64::from(RUNS);
        std::thread::sleep(Duration::from_secs_f64(takes.as_secs_f64() * share));
        child.kill().unwrap();
        let finished = child.wait().unwrap().success();
        let now = bytes(&space);
        interrupted.fetch_add(u32::from(!finished && now != end), Ordering::Relaxed);
        for (path, text) in &now {
            let known = allowed.get(path).is_some_and(|texts| texts.contains(text));
            assert!(
                known,
                "run {run}: {} is neither old nor new",
                path.display()
            );
        }
        assert!(
            start(&space).wait().unwrap().success(),
            "run {run}: the rerun fails"
        );
        assert!(bytes(&space) == end, "run {run}: the rerun ends elsewhere");
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(8));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let one = &one;
            scope.spawn(move || (0..RUNS).skip(thread).step_by(threads).for_each(one));
        }
    });
    assert!(
        interrupted.into_inner() > 0,
        "no run was stopped before its end"
    );
}

fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for at in 0..4 {
        files.push((
            format!("vm-{at}.yaml"),
            vm(&format!("vm-{at}"), &format!("old-{}", at / 2)),
        ));
    }
    for at in 0..2 {
        files.push((
            format!("revisions/old-{at}.yaml"),
            revision(&format!("old-{at}")),
        ));
    }
    files.push((
        "both.yaml".to_owned(),
        format!("{}---\n{}", vm("both", "mine"), revision("mine")),
    ));
    files
}

fn workspace(files: &[(String, String)]) -> Workspace {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    Workspace::new(&files)
}

/// Every manifest; a temporary file that a kill left behind is no manifest.
fn bytes(space: &Workspace) -> BTreeMap<PathBuf, Vec<u8>> {
    space
        .snapshot()
        .into_iter()
        .map(|(path, bytes, _)| (path, bytes))
        .filter(|(path, _)| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with(".driftless-")
        })
        .collect()
}
