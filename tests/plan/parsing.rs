//! A file that is equal on both sides is parsed once.

use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Role, Side};
use driftless::source::{FileId, SourceFile, Sources};

#[test]
fn equal_files_are_parsed_once() {
    let vm = |name: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {{domain: {{}}}}}}}}\n"
        )
    };
    let mut sources =
        Sources::from((0..20).map(|at| (format!("{at}.yaml"), vm(&format!("vm-{at}")))));
    let input = |file: FileId| Input {
        file,
        role: Role::Judged,
    };
    let scope = Scope::default();
    let inputs: Vec<Input> = sources.iter().map(|(id, _)| input(id)).collect();
    let head = Side::build(&sources, inputs.clone(), &scope, &|| ());
    assert_eq!(head.parsed, 20);
    let edited = sources.push(SourceFile::new("0.yaml", vm("other")));
    let mut base = inputs;
    base[0] = input(edited);
    let base = Side::beside(&sources, base, &scope, Some(&head), &|| ());
    assert_eq!(base.parsed, 1, "only what differs");
    assert_eq!(base.judged().len(), 20);
    assert!(
        base.judged()[1]
            .resource
            .node
            .same_value(&head.judged()[1].resource.node)
    );
}
