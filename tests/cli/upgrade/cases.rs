//! Every folder of `fixtures/upgrade`: `input.yaml`, the arguments in `arguments` where there are any, what is printed in
//! `expected.yaml` and what is said in `expected.txt`. `UPDATE=1` rewrites what is expected.

use std::fs;
use std::path::Path;

use super::support::Workspace;

#[test]
fn every_folder_gives_what_it_expects() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/upgrade");
    let mut folders: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    assert!(!folders.is_empty());
    let mut wrong = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let space = Workspace::new(&[(
            "input.yaml",
            &fs::read_to_string(folder.join("input.yaml")).unwrap(),
        )]);
        let more = fs::read_to_string(folder.join("arguments")).unwrap_or_default();
        let mut arguments = vec!["upgrade", "--kubevirt", "1.9"];
        arguments.extend(more.split_whitespace());
        let run = space.run(&arguments);
        let said = format!("exit {}\n{}", run.code, run.stderr);
        for (file, text) in [("expected.yaml", run.stdout), ("expected.txt", said)] {
            let path = folder.join(file);
            if std::env::var_os("UPDATE").is_some() {
                fs::write(&path, &text).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            if expected != text {
                let diff = similar::TextDiff::from_lines(&expected, &text);
                wrong.push(format!("{name}/{file}:\n{}", diff.unified_diff()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
