//! What applies the tree: whether Argo CD and Flux prune, heal and look at a difference at all.

use driftless::plan::Action;

use crate::support::{blames, files, says};

fn vm(memory: &str, more: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: vms{more}}}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {{devices: {{}}, cpu: {{sockets: 1, cores: 1, threads: 1}}, memory: {{guest: {memory}}}}}
"
    )
}

fn argo_cd(spec: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: shop, namespace: argocd}}
spec:
  source: {{repoURL: https://git.example.com/a, path: ./clusters/one}}
{spec}"
    )
}

fn flux(path: &str, spec: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {}, namespace: flux-system}}
spec: {{path: {path}, {spec}}}
",
        path.replace(['.', '/'], "x")
    )
}

const FILE: &str = "clusters/one/vm.yaml";

#[test]
fn a_delete_that_nothing_prunes_keeps_its_word_and_says_so() {
    for (application, why) in [
        (argo_cd(""), Some("syncs by hand")),
        (
            argo_cd("  syncPolicy: {automated: {}}\n"),
            Some("`syncPolicy.automated.prune` is off"),
        ),
        (argo_cd("  syncPolicy: {automated: {prune: true}}\n"), None),
        (
            argo_cd("  syncPolicy: {automated: {prune: true, enabled: false}}\n"),
            Some("syncs by hand"),
        ),
        (
            argo_cd("  syncPolicy: {automated: {prune: true}, syncOptions: [Prune=false]}\n"),
            Some("syncOptions"),
        ),
        (flux("./clusters/one", "prune: true"), None),
        (
            flux("./clusters/one", "prune: false"),
            Some("`spec.prune` is off"),
        ),
        (flux("./clusters/two", "prune: false"), None),
        // The nearest directory is what applies a file.
        (
            format!(
                "{}---\n{}",
                flux("./clusters", "prune: false"),
                flux("./clusters/one", "prune: true")
            ),
            None,
        ),
        (
            format!(
                "{}---\n{}",
                flux("./clusters", "prune: true"),
                flux("./clusters/one", "prune: false")
            ),
            Some("`spec.prune` is off"),
        ),
    ] {
        let base = vm("2Gi", "");
        let plan = files(
            &[(FILE, &base), ("apps.yaml", &application)],
            &[("apps.yaml", &application)],
        )
        .vm();
        assert_eq!(
            (plan.action, plan.down),
            (Action::Delete, 1),
            "{application}"
        );
        assert_eq!(
            says(&plan, "does not prune"),
            why.is_some(),
            "{application}"
        );
        assert!(
            why.is_none_or(|why| says(&plan, why)),
            "{:#?}",
            plan.reasons
        );
    }
}

#[test]
fn a_claim_that_nothing_prunes_says_so_where_its_machine_stays() {
    let machine = format!(
        "{}      volumes: [{{name: data, persistentVolumeClaim: {{claimName: data}}}}]\n",
        vm("2Gi", "")
    );
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: vms}\nspec: {}\n";
    for (prune, is_told) in [("false", true), ("true", false)] {
        let application = flux("clusters/one", &format!("prune: {prune}"));
        let plan = files(
            &[
                (FILE, &machine),
                ("clusters/one/data.yaml", claim),
                ("apps.yaml", &application),
            ],
            &[(FILE, &machine), ("apps.yaml", &application)],
        )
        .vm();
        assert_eq!(plan.action, Action::DataLoss);
        assert_eq!(says(&plan, "does not prune"), is_told);
    }
}

#[test]
fn the_plan_notes_what_does_not_sync_or_heal() {
    let noted = |application: &str, head: &str| {
        let plan = files(
            &[(FILE, &vm("2Gi", "")), ("apps.yaml", application)],
            &[(FILE, head), ("apps.yaml", application)],
        )
        .plan();
        plan.notes.join("\n")
    };
    let more = vm("4Gi", "");
    assert!(noted(&argo_cd(""), &more).contains("does not sync by itself"));
    let syncs = argo_cd("  syncPolicy: {automated: {prune: true}}\n");
    assert!(noted(&syncs, &more).contains("does not heal"));
    assert!(
        !noted(&syncs, &vm("2Gi", "")).contains("heal"),
        "nothing is touched"
    );
    let heals = argo_cd("  syncPolicy: {automated: {prune: true, selfHeal: true}}\n");
    assert!(!noted(&heals, &more).contains("Argo CD"));
    let suspended = flux("clusters/one", "prune: true, suspend: true");
    assert!(noted(&suspended, &more).contains("`spec.suspend`"));
}

#[test]
fn an_edit_that_the_tool_does_not_look_at_says_so() {
    let edited = |application: &str, more: &str| {
        files(
            &[(FILE, &vm("2Gi", more)), ("apps.yaml", application)],
            &[(FILE, &vm("4Gi", more)), ("apps.yaml", application)],
        )
        .vm()
    };
    let ignoring = |fields: &str, options: &str| {
        argo_cd(&format!(
            "  syncPolicy: {{automated: {{}}{options}}}\n  ignoreDifferences: [{{group: kubevirt.io, kind: VirtualMachine, {fields}}}]\n"
        ))
    };
    let memory = "jsonPointers: [/spec/template/spec/domain/memory]";
    let plan = edited(&ignoring(memory, ""), "");
    assert_eq!(plan.action, Action::Live, "gates stay honest");
    assert!(says(&plan, "starts no sync"));
    assert!(blames(&plan, "spec.template.spec.domain.memory.guest"));
    let respected = ignoring(memory, ", syncOptions: [RespectIgnoreDifferences=true]");
    assert!(says(&edited(&respected, ""), "does not reach the cluster"));
    let path = "jqPathExpressions: [.spec.template.spec.domain.memory.guest]";
    assert!(says(&edited(&ignoring(path, ""), ""), "starts no sync"));
    for other in [
        "jsonPointers: [/spec/template/spec/domain/cpu]",
        "name: db, jsonPointers: [/spec]",
    ] {
        assert!(!says(
            &edited(&ignoring(other, ""), ""),
            "ignores differences"
        ));
    }
    let unread = "jqPathExpressions: ['.spec.template.spec.volumes[] | select(.name == \"a\")']";
    assert!(says(
        &edited(&ignoring(unread, ""), ""),
        "not followed here"
    ));
    for (mark, is_left) in [
        ("reconcile: disabled", true),
        ("ssa: Ignore", true),
        ("ssa: IfNotPresent", true),
        ("ssa: Merge", false),
    ] {
        let marked = format!(", annotations: {{kustomize.toolkit.fluxcd.io/{mark}}}");
        let plan = edited("", &marked);
        assert_eq!(
            says(&plan, "Flux leaves the object as it is"),
            is_left,
            "{mark}"
        );
    }
}
