//! The generators over a small source tree of a release that never was, written here.
#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests too")]

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const API: &str = "staging/src/kubevirt.io/api";

/// The Go types of the release: what is said of each attribute stands in one field.
const CORE: &str = r#"
package v1

import (
	k8s "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type VirtualMachine struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec   MachineSpec   `json:"spec"`
	Status *MachineState `json:"status,omitempty"`
}

type KubeVirt struct {
	Spec KubeVirtSpec `json:"spec"`
}

type KubeVirtSpec struct {
	Policy string `json:"policy,omitempty"`
}

type MachineState struct {
	Ready bool `json:"ready,omitempty"`
}

// Word is one of a few.
type Word string

type MachineSpec struct {
	Source `json:",inline"`
	*Behind
	Count    uint        `json:"count,omitempty"`
	Old      *bool       `json:"old,omitempty"`
	Word     Word        `json:"word,omitempty"`
	Items    []Item      `json:"items,omitempty"`
	Plain    Plain       `json:"plain,omitempty"`
	Selector map[string]resource.Quantity `json:"selector,omitempty"`
	Node     *k8s.Node   `json:"node,omitempty"`
}

type Source struct {
	Image string `json:"image"`
}

type Behind struct {
	Claim *string `json:"claim"`
}

type Item struct {
	Name string `json:"name"`
}

type Plain struct{}
"#;

const SWAGGER: &str = r#"{"definitions": {
    "v1.VirtualMachine": {"required": ["spec"], "properties": {"spec": {}}},
    "v1.KubeVirt": {"required": ["spec"], "properties": {"spec": {}}},
    "v1.KubeVirtSpec": {"properties": {"policy": {"enum": ["A", "B"]}}},
    "v1.MachineSpec": {"required": ["image"], "properties": {
        "old": {"description": "Deprecated: use another."},
        "word": {"enum": ["Two", "One"]},
        "items": {"x-kubernetes-list-map-keys": ["name"]}}},
    "v1beta1.VirtualMachineInstancetype": {"properties": {}}
}}"#;

const CRDS: &str = "package components\n\nvar CRDsValidation = map[string]string{\n\
    \t\"virtualmachine\": `openAPIV3Schema:\n  properties:\n    spec:\n      properties:\n        count:\n          minimum: 1\n\
    \x20       items:\n          maxItems: 4\n          items:\n            properties:\n              name:\n                maxLength: 63\n\
    \x20       status:\n          maxItems: 1\n  type: object\n`,\n\
    \t\"kubevirt\": `openAPIV3Schema:\n  properties: {}\n`,\n\
    \t\"virtualmachineinstancetype\": `openAPIV3Schema:\n  properties: {}\n`,\n}\n";

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A repository with empty data files, and the source tree of a release.
fn place() -> (TempDir, TempDir) {
    let repository = tempfile::tempdir().unwrap();
    let root = repository.path();
    write(
        root,
        "schemas/fields.json",
        "{\"releases\":[],\"types\":{}}",
    );
    write(
        root,
        "schemas/revisions.json",
        "{\"releases\":[],\"types\":{}}",
    );
    write(
        root,
        "catalog/common-instancetypes.json",
        "{\"comment\":\"c\",\"releases\":[],\"instancetypes\":{},\"preferences\":{}}",
    );
    write(
        root,
        "docs/admission-coverage.md",
        "# List\n\n## Mirrored\n\n### a-rule\n\n| releases | where | words |\n|---|---|---|\n| 1.1–1.2 | `vms-admitter.go` `Admit` | `%s is wrong` |\n\n## Not mirrored\n\n## Beside\n",
    );
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    write(root, &format!("{API}/core/v1/types.go"), CORE);
    write(
        root,
        &format!("{API}/instancetype/v1beta1/types.go"),
        "package v1beta1\n\ntype VirtualMachineInstancetype struct {\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\tGuest uint32 `json:\"guest\"`\n}\n",
    );
    write(
        root,
        &format!("{API}/instancetype/v1alpha1/types.go"),
        "package v1alpha1\n\nimport v1 \"kubevirt.io/api/core/v1\"\n\ntype VirtualMachineInstancetype struct {\n\tSpec Spec `json:\"spec\"`\n}\n\n\
         type Spec struct {\n\t// Deprecated: gone.\n\tGuest int32 `json:\"guest\"`\n\t// +optional\n\tItem v1.Item `json:\"item\"`\n}\n",
    );
    write(
        root,
        "vendor/k8s.io/apimachinery/pkg/apis/meta/v1/types.go",
        "package v1\n\ntype ObjectMeta struct {\n\tName string `json:\"name,omitempty\"`\n}\n",
    );
    write(
        root,
        "vendor/k8s.io/api/core/v1/types.go",
        "package v1\n\ntype Node struct {\n\tZone string `json:\"zone,omitempty\"`\n}\n",
    );
    write(root, "api/openapi-spec/swagger.json", SWAGGER);
    let components = "pkg/virt-operator/resource/generate/components";
    write(
        root,
        &format!("{components}/validations_generated.go"),
        CRDS,
    );
    let object = |kind: &str, name: &str, spec: &str| {
        format!(
            "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: {kind}\nmetadata:\n  name: {name}\n  labels:\n    \
             instancetype.kubevirt.io/common-instancetypes-version: v9.9.9\n    instancetype.kubevirt.io/vendor: v\n    a/cpu: \"2\"\nspec:\n{spec}"
        )
    };
    let kind = "VirtualMachineClusterInstancetype";
    let types = object(kind, "u1.small", "  cpu:\n    guest: 2\n")
        + &object(kind, "u1.large", "  cpu:\n    guest: 8\n");
    write(
        root,
        &format!("{components}/data/deep/common-clusterinstancetypes-bundle.yaml"),
        &types,
    );
    write(
        root,
        &format!("{components}/data/deep/common-clusterpreferences-bundle.yaml"),
        &object("VirtualMachineClusterPreference", "linux", "  {}\n"),
    );
    write(
        root,
        "pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go",
        "package admitters\n\nconst wrongFmt = \"%s is \" + \"wrong\"\n\nfunc Admit() []metav1.StatusCause {\n\treturn []metav1.StatusCause{{\n\
         \t\tType: \"x\",\n\t\tMessage: fmt.Sprintf(wrongFmt, name),\n\t}, {Message: err.Error()}}\n}\n\n\
         func check(path *field.Path) error {\n\tlist = append(list, field.Invalid(path.Child(\"a\"), 1, \"no\"))\n\treturn fmt.Errorf(\"cannot %w\", err)\n}\n",
    );
    write(
        root,
        "pkg/virt-api/webhooks/validating-webhook/admitters/vmclone-admitter.go",
        "package admitters\n\nfunc Other() error { return fmt.Errorf(\"of another kind\") }\n",
    );
    (repository, tree)
}

fn run(command: &str, repository: &TempDir, tree: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_driftless-tools"))
        .arg(command)
        .arg("--release")
        .arg(format!("v1.2.3={}", tree.path().display()))
        .arg("--repository")
        .arg(repository.path())
        .args(arguments)
        .output()
        .unwrap()
}

fn read(repository: &TempDir, file: &str) -> String {
    std::fs::read_to_string(repository.path().join(file)).unwrap()
}

/// Checks, which differs and writes nothing; writes; checks again, which is equal.
fn generate(command: &str, file: &str, repository: &TempDir, tree: &TempDir) -> String {
    let before = read(repository, file);
    let check = run(command, repository, tree, &["--check"]);
    let said = String::from_utf8_lossy(&check.stderr).into_owned();
    assert_eq!(check.status.code(), Some(1), "{said}");
    assert!(!check.stdout.is_empty());
    assert_eq!(read(repository, file), before);
    assert_eq!(run(command, repository, tree, &[]).status.code(), Some(0));
    let again = run(command, repository, tree, &["--check"]);
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert_eq!(again.status.code(), Some(0), "{said}");
    read(repository, file)
}

#[test]
fn fields_come_from_go_the_swagger_and_the_crds() {
    let (repository, tree) = place();
    let text = generate("fields", "schemas/fields.json", &repository, &tree);
    let expected = concat!(
        "{\"releases\":[\n{\"kubevirt\":\"1.2\",\"tag\":\"v1.2.3\"}\n],\"types\":{\n",
        r#""k8s.Node":{"zone":{"type":"string"}},"#,
        "\n",
        r#""meta.ObjectMeta":{"name":{"type":"string"}},"#,
        "\n",
        r#""v1.Item":{"name":{"always":true,"limits":{"maxLength":63},"required":true,"type":"string"}},"#,
        "\n",
        r#""v1.KubeVirt":{"spec":{"always":true,"required":true,"type":"v1.KubeVirtSpec"}},"#,
        "\n",
        r#""v1.KubeVirtSpec":{"policy":{"type":"string"}},"#,
        "\n",
        r#""v1.MachineSpec":{"claim":{"pointer":true,"type":"string"},"count":{"limits":{"minimum":1},"type":"uint64"},"#,
        r#""image":{"always":true,"required":true,"type":"string"},"#,
        r#""items":{"keys":["name"],"limits":{"maxItems":4},"type":"[]v1.Item"},"node":{"pointer":true,"type":"k8s.Node"},"#,
        r#""old":{"deprecated":true,"pointer":true,"type":"bool"},"plain":{"always":true,"type":"v1.Plain"},"#,
        r#""selector":{"type":"map[]quantity"},"word":{"enum":["Two","One"],"type":"string"}},"#,
        "\n",
        r#""v1.MachineState":{"ready":{"type":"bool"}},"#,
        "\n",
        r#""v1.Plain":{},"#,
        "\n",
        r#""v1.VirtualMachine":{"metadata":{"type":"meta.ObjectMeta"},"spec":{"always":true,"required":true,"type":"v1.MachineSpec"},"#,
        r#""status":{"pointer":true,"type":"v1.MachineState"}},"#,
        "\n",
        r#""v1beta1.Spec":{"guest":{"always":true,"required":true,"type":"uint32"}},"#,
        "\n",
        r#""v1beta1.VirtualMachineInstancetype":{"spec":{"always":true,"type":"v1beta1.Spec"}}"#,
        "\n}}\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn revisions_are_the_types_that_are_declared_and_not_served() {
    let (repository, tree) = place();
    run("fields", &repository, &tree, &[]);
    let text = generate("revisions", "schemas/revisions.json", &repository, &tree);
    assert_eq!(
        text,
        concat!(
            "{\"releases\":[],\"types\":{\n",
            r#""v1alpha1.Spec":{"guest":{"always":true,"deprecated":true,"required":true,"type":"int32"},"item":{"always":true,"type":"v1.Item"}},"#,
            "\n",
            r#""v1alpha1.VirtualMachineInstancetype":{"spec":{"always":true,"required":true,"type":"v1alpha1.Spec"}}"#,
            "\n}}\n"
        )
    );
    // A release that has dropped them leaves the file as it is.
    std::fs::remove_dir_all(tree.path().join(API).join("instancetype/v1alpha1")).unwrap();
    let output = run("revisions", &repository, &tree, &["--check"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(&repository, "schemas/revisions.json"), text);
}

#[test]
fn bundles_keep_spec_and_labels() {
    let (repository, tree) = place();
    let file = "catalog/common-instancetypes.json";
    let text = generate("bundles", file, &repository, &tree);
    let labels = r#""labels":{"a/cpu":"2"}"#;
    assert_eq!(
        text,
        format!(
            "{{\"comment\":\"c\",\"releases\":[\n{{\"kubevirt\":\"1.2\",\"tag\":\"v1.2.3\",\"commonInstancetypes\":\"v9.9.9\"}}\n],\"instancetypes\":{{\n\
             \"u1.large\":[{{\"spec\":{{\"cpu\":{{\"guest\":8}}}},{labels}}}],\n\"u1.small\":[{{\"spec\":{{\"cpu\":{{\"guest\":2}}}},{labels}}}]\n\
             }},\"preferences\":{{\n\"linux\":[{{\"spec\":{{}},{labels}}}]\n}}}}\n"
        )
    );
}

#[test]
fn causes_are_held_against_the_list() {
    let (repository, tree) = place();
    let text = generate("causes", "docs/admission-coverage.md", &repository, &tree);
    assert!(text.contains("### a-rule\n\n| releases | where | words |\n|---|---|---|\n| 1.1–1.2 | `vms-admitter.go` `Admit` | `%s is wrong` |\n"));
    let new = "| 1.2 | `vms-admitter.go` `Admit` | `err.Error()` |\n\
        | 1.2 | `vms-admitter.go` `check` | `Invalid(path.Child(\"a\"), 1, \"no\")` |\n\
        | 1.2 | `vms-admitter.go` `check` | `cannot %w` |\n\n## Beside\n";
    assert!(text.contains(new), "{text}");
    assert!(!text.contains("another kind"));
}

#[test]
fn a_second_release_is_added_and_the_first_stays() {
    let (repository, tree) = place();
    run("fields", &repository, &tree, &[]);
    let core = CORE.replace("\tCount    uint        `json:\"count,omitempty\"`\n", "");
    write(tree.path(), &format!("{API}/core/v1/types.go"), &core);
    let output = Command::new(env!("CARGO_BIN_EXE_driftless-tools"))
        .args(["fields", "--release"])
        .arg(format!("v1.3.0={}", tree.path().display()))
        .arg("--repository")
        .arg(repository.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = read(&repository, "schemas/fields.json");
    assert!(text.contains(r#"{"kubevirt":"1.3","tag":"v1.3.0"}"#));
    assert!(
        text.contains(r#""count":{"limits":{"minimum":1},"type":"uint64","until":"1.2"}"#),
        "{text}"
    );
    assert!(text.contains(r#""zone":{"type":"string"}"#));
}

#[test]
fn what_is_missing_or_cannot_be_parsed_is_an_error_that_names_it() {
    let (repository, tree) = place();
    write(
        tree.path(),
        &format!("{API}/core/v1/types.go"),
        "package v1\n\ntype X struct {\n",
    );
    let output = run("fields", &repository, &tree, &["--check"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("core/v1/types.go:3"), "{said}");
    std::fs::remove_file(tree.path().join("api/openapi-spec/swagger.json")).unwrap();
    let output = run("fields", &repository, &tree, &["--check"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("swagger.json"), "{said}");
}
