//! Random changes of a small repository: what bears on a virtual machine is always named, what does not never is.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::{Repository, vm};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edit {
    /// A comment is added.
    Comment,
    /// A value changes.
    Value,
    /// It is removed.
    Remove,
}

/// Whether a plan has to name an edited file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Always,
    Never,
    Maybe,
}

/// One file of the repository: its text, where every `1Gi` is a value, and what each edit of it has to come to.
struct Known {
    path: &'static str,
    text: String,
    comment: Named,
    value: Named,
    remove: Named,
}

impl Known {
    const fn after(&self, edit: Edit) -> Named {
        match edit {
            Edit::Comment => self.comment,
            Edit::Value => self.value,
            Edit::Remove => self.remove,
        }
    }
}

fn files() -> Vec<Known> {
    use Named::{Always, Maybe, Never};
    let known = |path, text: &str, [comment, value, remove]: [Named; 3]| Known {
        path,
        text: text.to_owned(),
        comment,
        value,
        remove,
    };
    let typed = vm("typed", "1Gi")
        .replace(
            "spec:\n  runStrategy",
            "spec:\n  instancetype: {name: used}\n  runStrategy",
        )
        .replace("        memory: {guest: 1Gi}\n", "")
        .replace("        cpu: {sockets: 1, cores: 1, threads: 1}\n", "")
        .replace("quay.io/x/y:1", "quay.io/x/y:1Gi");
    let instancetype = |name: &str| {
        format!(
            "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {{name: {name}}}\nspec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}\n"
        )
    };
    let object = |api: &str, kind: &str| {
        format!("apiVersion: {api}\nkind: {kind}\nmetadata: {{name: x, labels: {{v: 1Gi}}}}\n")
    };
    vec![
        known(
            "vms/plain.yaml",
            &vm("plain", "1Gi"),
            [Maybe, Always, Always],
        ),
        known("vms/typed.yaml", &typed, [Maybe, Always, Always]),
        known(
            "types/used.yaml",
            &instancetype("used"),
            [Never, Always, Always],
        ),
        known(
            "types/unused.yaml",
            &instancetype("unused"),
            [Never, Never, Never],
        ),
        known("base/vm.yaml", &vm("based", "1Gi"), [Maybe, Always, Always]),
        known(
            "base/kustomization.yaml",
            "resources: [vm.yaml]\n# 1Gi\n",
            [Never, Never, Maybe],
        ),
        known(
            "overlay/kustomization.yaml",
            "resources: [../base]\nnameSuffix: -1Gi\npatches:\n- {path: patch.yaml, target: {kind: VirtualMachine}}\n- {path: web.yaml, target: {kind: Deployment}}\n",
            [Never, Maybe, Maybe],
        ),
        known(
            "overlay/patch.yaml",
            "- {op: add, path: /metadata/labels, value: {v: 1Gi}}\n",
            [Maybe, Maybe, Maybe],
        ),
        known(
            "overlay/web.yaml",
            "- {op: add, path: /metadata/labels, value: {v: 1Gi}}\n",
            [Never, Never, Never],
        ),
        known(
            "chart/values.yaml",
            "memory: 1Gi\n",
            [Maybe, Always, Always],
        ),
        known(
            "chart/templates/vm.yaml",
            &vm("{{ .Values.name }}", "1Gi"),
            [Maybe, Always, Always],
        ),
        known(
            "web-chart/values.yaml",
            "memory: 1Gi\n",
            [Never, Never, Never],
        ),
        known(
            "policy.yaml",
            &object("migrations.kubevirt.io/v1alpha1", "MigrationPolicy"),
            [Never, Always, Always],
        ),
        known("flux.yaml", &vm("${NAME}", "1Gi"), [Maybe, Always, Always]),
        known(
            "template.yaml",
            "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: x}\nobjects:\n- {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: '${N}', labels: {v: 1Gi}}}\n",
            [Never, Always, Always],
        ),
        known(
            "playbook.yaml",
            "- k8s: {definition: {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: 1Gi}}}\n",
            [Never, Always, Always],
        ),
        known(
            "web.yaml",
            &object("apps/v1", "Deployment"),
            [Never, Never, Never],
        ),
        known(
            "role.yaml",
            &object("rbac.authorization.k8s.io/v1", "Role").replace("name: x", "name: kubevirt.io"),
            [Never, Never, Never],
        ),
        known(
            "values.yaml",
            "group: kubevirt.io\nmemory: 1Gi\n",
            [Never, Never, Never],
        ),
        known(
            "README.md",
            "1Gi of kubevirt.io/v1\n",
            [Never, Never, Never],
        ),
        known(
            "broken.yaml",
            "apiVersion: kubevirt.io/v1\nkind: [1Gi\n",
            [Maybe, Always, Always],
        ),
    ]
}

/// The files that a plan names, and whether it says anything of a virtual machine.
fn named(plan: &serde_json::Value) -> Vec<String> {
    let causes = plan["virtualMachines"].as_array().unwrap().iter();
    let causes = causes.flat_map(|vm| vm["causes"].as_array().unwrap());
    let unjudged = plan["unjudged"].as_array().unwrap().iter();
    causes
        .chain(unjudged.map(|one| &one["file"]))
        .map(|file| file.as_str().unwrap().to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_bears_on_a_vm_is_named_and_nothing_else(
        edits in prop::collection::vec(
            (any::<Index>(), select(vec![Edit::Comment, Edit::Value, Edit::Remove])),
            0..5,
        ),
        committed in any::<bool>(),
    ) {
        let files = files();
        let repository = Repository::new();
        for file in &files {
            repository.write(file.path, &file.text);
        }
        for chart in ["chart", "web-chart"] {
            repository.write(&format!("{chart}/Chart.yaml"), "name: x\nversion: 1.0.0\n");
        }
        repository.write("web-chart/templates/web.yaml", "kind: Deployment\n");
        repository.commit("base");
        let edits: BTreeMap<usize, Edit> = edits
            .iter()
            .map(|(at, edit)| (at.index(files.len()), *edit))
            .collect();
        for (at, edit) in &edits {
            let file = &files[*at];
            match edit {
                Edit::Comment => repository.write(file.path, &format!("# more\n{}", file.text)),
                Edit::Value => repository.write(file.path, &file.text.replace("1Gi", "2Gi")),
                Edit::Remove => repository.remove(file.path),
            };
        }
        let mut arguments = vec!["plan", "--format", "json", "--kubevirt", "1.9", "--base", "HEAD"];
        if committed && !edits.is_empty() {
            repository.commit("head");
            arguments.pop();
            arguments.extend(["HEAD~1", "--head", "HEAD"]);
        }
        let run = repository.run(&arguments);
        let plan: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let named = named(&plan);
        let gone = |path: &str| {
            edits.iter().any(|(at, edit)| files[*at].path == path && *edit == Edit::Remove)
        };
        for (at, edit) in &edits {
            let file = &files[*at];
            // Nobody uses the type any more.
            let is_moot = file.path == "types/used.yaml" && gone("vms/typed.yaml");
            match file.after(*edit) {
                Named::Always if !is_moot => {
                    prop_assert!(named.iter().any(|name| name == file.path), "{} {edit:?}: {plan:#}", file.path);
                }
                Named::Never => {
                    prop_assert!(!named.iter().any(|name| name == file.path), "{} {edit:?}: {plan:#}", file.path);
                }
                Named::Always | Named::Maybe => {}
            }
        }
        let bears = edits.iter().any(|(at, edit)| {
            files[*at].path != "broken.yaml" && files[*at].after(*edit) == Named::Always
        });
        let is_silent = plan["virtualMachines"].as_array().unwrap().is_empty()
            && unjudged_but_broken(&plan).next().is_none();
        prop_assert!(!(bears && is_silent), "{edits:?}: {plan:#}");
        let untouched = |name: &String| {
            !edits.keys().any(|at| files[*at].path == name.as_str())
        };
        // A document that cannot be read is listed whether it is touched or not; a base stands for its overlay.
        let strangers: Vec<&String> = named
            .iter()
            .filter(|name| untouched(name) && *name != "broken.yaml" && !name.starts_with("vms/"))
            .collect();
        prop_assert!(strangers.is_empty(), "{strangers:?}: {plan:#}");
    }
}

fn unjudged_but_broken(plan: &serde_json::Value) -> impl Iterator<Item = &serde_json::Value> {
    let all = plan["unjudged"].as_array().unwrap().iter();
    all.filter(|one| one["file"] != "broken.yaml")
}
