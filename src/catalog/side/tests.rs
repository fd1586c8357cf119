use super::*;
use crate::catalog::duplicate::Nearness;

fn side_in(scope: &Scope, files: &[(&str, &str)]) -> (Sources, Side) {
    let sources = Sources::from(files.iter().map(|(path, text)| (*path, *text)));
    let inputs = sources
        .iter()
        .map(|(file, _)| Input {
            file,
            role: Role::Judged,
        })
        .collect();
    let side = Side::build(&sources, inputs, scope, &|| ());
    (sources, side)
}

fn side(files: &[(&str, &str)]) -> (Sources, Side) {
    let scope = Scope {
        given: vec![String::new()],
        namespace: "default".to_owned(),
        ..Scope::default()
    };
    side_in(&scope, files)
}

fn named(side: &Side) -> Vec<String> {
    side.judged()
        .iter()
        .map(|placed| placed.resource.id.to_string())
        .collect()
}

fn skips(sources: &Sources, side: &Side) -> Vec<String> {
    side.skipped
        .iter()
        .map(|skipped| format!("{}: {}", sources.file(skipped.file).path(), skipped.reason))
        .collect()
}

const VM: &str = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n";

#[test]
fn lists_are_flattened_and_items_keep_their_place() {
    let (_, side) = side(&[(
        "all.yaml",
        "kind: List\napiVersion: v1\nitems:\n- kind: List\n  apiVersion: v1\n  items:\n  - {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n---\napiVersion: kubevirt.io/v1\nkind: VirtualMachineList\nitems: [{metadata: {name: c}}]\n",
    )]);
    assert_eq!(named(&side), ["Secret a", "Secret b", "VirtualMachine c"]);
    let prefixes: Vec<_> = side
        .judged()
        .iter()
        .map(|placed| placed.resource.prefix.to_string())
        .collect();
    assert_eq!(prefixes, ["items[0].items[0]", "items[1]", "items[0]"]);
    assert_eq!(side.judged()[2].resource.api_version, "kubevirt.io/v1");
}

#[test]
fn what_is_no_resource_is_left_out_with_its_reason() {
    let patch = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\nspec: {$patch: delete}\n";
    let local = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: 'true'}}\n";
    let (sources, side) = side(&[
        (
            "overlay/kustomization.yaml",
            "patches: [{path: cpu.yaml}]\n",
        ),
        ("overlay/cpu.yaml", VM),
        ("chart/Chart.yaml", "name: a\n"),
        ("chart/values.yaml", "a: 1\n"),
        ("chart/templates/vm.yaml", VM),
        (
            "helm.yaml",
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: {{ .Values.name }}\n",
        ),
        (
            "flux.yaml",
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: ${NAME}\n",
        ),
        ("local.yaml", local),
        ("patch.yaml", patch),
        ("plain.yaml", "a: 1\n"),
        ("vm.yaml", VM),
    ]);
    assert_eq!(named(&side), ["VirtualMachine web"]);
    assert!(side.broken.is_empty());
    let skips = skips(&sources, &side);
    for (at, part) in [
        "chart/Chart.yaml: it describes a chart",
        "chart/templates/vm.yaml: it is a template of a chart",
        "chart/values.yaml: it holds values of a chart",
        "flux.yaml: it holds `${`",
        "helm.yaml: it holds `{{`",
        "local.yaml: `config.kubernetes.io/local-config`",
        "overlay/cpu.yaml: `patches` of overlay/kustomization.yaml names it",
        "overlay/kustomization.yaml: it is a kustomization",
        "patch.yaml: `$patch`",
        "plain.yaml: it has neither",
    ]
    .iter()
    .enumerate()
    {
        assert!(skips[at].starts_with(part), "{skips:#?}");
    }
}

#[test]
fn marks_the_guest_reads_are_text() {
    let (_, side) = side(&[(
        "vm.yaml",
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web} # {{ x }}\nspec:\n  a:\n    userData: \"#cloud-config\\n${x}\"\n    networkData: |\n      {{ y }}\n  b: >-\n    {% z %}\n",
    )]);
    assert_eq!(named(&side), ["VirtualMachine web"]);
}

#[test]
fn a_foreign_kind_with_marks_passes() {
    let (_, side) = side(&[(
        "set.yaml",
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {name: '{{name}}'}\n",
    )]);
    assert_eq!(named(&side), ["ApplicationSet a"]);
}

#[test]
fn a_document_that_cannot_be_read_spoils_no_other() {
    let (sources, side) = side(&[("a.yaml", &format!("a: [\n---\n{VM}")), ("b.yaml", VM)]);
    assert_eq!(named(&side), ["VirtualMachine web"]);
    assert_eq!(side.broken.len(), 1);
    assert_eq!(sources.file(side.broken[0].span.file).path(), "a.yaml");
}

#[test]
fn one_identity_twice_is_told_by_how_near_they_are() {
    let other = VM.replace("web}", "web, labels: {a: b}}");
    let near = |files: &[(&str, &str)]| {
        let (_, side) = side(files);
        let near: Vec<_> = side
            .duplicates
            .iter()
            .map(|duplicate| duplicate.nearness)
            .collect();
        (near, side.judged().len())
    };
    let both = format!("{VM}---\n{other}");
    assert_eq!(near(&[("a.yaml", &both)]), (vec![Nearness::File], 2));
    assert_eq!(
        near(&[("a.yaml", VM), ("b.yaml", &other)]),
        (vec![Nearness::Root], 2)
    );
    assert_eq!(near(&[("a.yaml", VM), ("b.yaml", VM)]), (vec![], 1));
    let listed = ("k/kustomization.yaml", "resources: [a.yaml, b.yaml]\n");
    assert_eq!(
        near(&[listed, ("k/a.yaml", VM), ("k/b.yaml", &other)]),
        (vec![Nearness::Kustomization], 2)
    );
    let older = other.replace("kubevirt.io/v1", "kubevirt.io/v1alpha3");
    assert_eq!(
        near(&[listed, ("k/a.yaml", VM), ("k/b.yaml", &older)]),
        (vec![Nearness::Root], 2)
    );
    let west = ("west/kustomization.yaml", "resources: [a.yaml]\n");
    assert_eq!(
        near(&[west, ("west/a.yaml", VM), ("b.yaml", &other)]),
        (vec![Nearness::Roots], 2)
    );
    let elsewhere = VM.replace("web}", "web, namespace: x}");
    assert_eq!(near(&[("a.yaml", VM), ("b.yaml", &elsewhere)]), (vec![], 2));
    let assumed = VM.replace("web}", "web, namespace: default}");
    assert_eq!(
        near(&[("a.yaml", VM), ("b.yaml", &assumed)]).0,
        [Nearness::Root]
    );
    let generated =
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {generateName: web-}\n";
    let twice = format!("{generated}---\n{generated}");
    assert_eq!(near(&[("a.yaml", &twice)]), (vec![], 2));
}

#[test]
fn the_order_of_inputs_does_not_matter() {
    let files = [
        ("b.yaml", VM),
        ("a/kustomization.yaml", "resources: []\n"),
        ("a/vm.yaml", VM),
    ];
    let (sources, forward) = side(&files);
    let mut inputs: Vec<_> = forward
        .files
        .iter()
        .map(|file| Input {
            file: file.id,
            role: file.role,
        })
        .collect();
    inputs.reverse();
    let scope = Scope {
        given: vec![String::new()],
        ..Scope::default()
    };
    let backward = Side::build(&sources, inputs, &scope, &|| ());
    assert_eq!(named(&forward), named(&backward));
}

#[test]
fn what_lacks_a_name_is_kept_apart() {
    let (_, side) = side(&[(
        "a.yaml",
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {}\n",
    )]);
    assert!(side.judged().is_empty());
    assert_eq!(side.loose.len(), 1);
}

#[test]
fn flux_may_keep_its_resource_under_a_kustomizations_name() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {path: ./apps}\n";
    let (_, side) = side(&[("kustomization.yaml", flux)]);
    assert_eq!(named(&side), ["Kustomization apps"]);
}
