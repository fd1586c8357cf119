//! What README shows is what the binary prints.

use std::path::Path;

use crate::support::Workspace;

#[test]
fn every_block_of_the_console_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks: Vec<&str> = readme
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let mut ran = 0;
    for block in blocks {
        let (command, shown) = block.split_once('\n').unwrap();
        let by_name = ["$ driftless ", "$ cargo run --release -- "];
        let Some(arguments) = by_name.iter().find_map(|name| command.strip_prefix(name)) else {
            continue;
        };
        let workspace = Workspace::new();
        // Two sides of the example, of which the second has a larger instance type.
        for file in walkdir::WalkDir::new(root.join("fixtures/repos/plain")) {
            let path = file.unwrap().into_path();
            if path.is_file() {
                let inside = path.strip_prefix(root).unwrap().to_str().unwrap();
                workspace.write(inside, &std::fs::read(&path).unwrap());
                let text = std::fs::read_to_string(&path).unwrap();
                let plain = path
                    .strip_prefix(root.join("fixtures/repos/plain"))
                    .unwrap();
                let name = format!("new/{}", plain.to_str().unwrap());
                let grown = if name.ends_with("instancetypes/web.yaml") {
                    text.replace("guest: 4Gi", "guest: 6Gi")
                } else {
                    text
                };
                workspace.write(&name, grown.as_bytes());
            }
        }
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let printed = workspace.run(&arguments).stdout;
        let mut rest = printed.as_str();
        for part in shown.split("…\n") {
            let at = rest.find(part);
            assert!(
                at.is_some(),
                "`{command}` does not print\n{part}\nbut\n{printed}"
            );
            rest = &rest[at.unwrap() + part.len()..];
        }
        ran += 1;
    }
    assert!(ran >= 3, "{ran} blocks ran");
}
