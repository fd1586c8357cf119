//! Plans over texts: two sides in, a plan out.

use driftless::catalog::Catalog;
use driftless::change::Sided;
use driftless::config::Target;
use driftless::field_path::FieldPath;
use driftless::plan::{Action, Apply, Delivery, Export, Names, Plan, Sides, VmPlan, plan};
use driftless::release::Release;
use driftless::resolve::Resolver;
use driftless::resource::Resource;
use driftless::resource::cluster::ClusterConfig;
use driftless::source::{FileId, Sources};
use driftless::yaml::{self, Node};
use serde_json::Value as Json;

/// A change to be planned.
pub(crate) struct Change {
    release: Release,
    configuration: Option<Json>,
    cluster: Option<Json>,
    complete: bool,
    sides: Vec<Vec<(String, String)>>,
    head_release: Option<Release>,
    exports: Vec<Export>,
    apply: Apply,
}

/// One file a side, named `vm.yaml`.
pub(crate) fn change(base: &str, head: &str) -> Change {
    files(&[("vm.yaml", base)], &[("vm.yaml", head)])
}

/// Files by path on each side.
pub(crate) fn files(base: &[(&str, &str)], head: &[(&str, &str)]) -> Change {
    let owned = |files: &[(&str, &str)]| {
        files
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    };
    Change {
        release: Release::V1_9,
        configuration: None,
        cluster: None,
        complete: false,
        sides: vec![owned(base), owned(head)],
        head_release: None,
        exports: Vec::new(),
        apply: Apply::Merge,
    }
}

impl Change {
    pub(crate) fn on(mut self, release: Release) -> Self {
        self.release = release;
        self
    }

    pub(crate) fn with(mut self, configuration: Json) -> Self {
        self.configuration = Some(configuration);
        self
    }

    /// On a cluster of that KubeVirt object.
    pub(crate) fn on_cluster(mut self, object: Json) -> Self {
        self.cluster = Some(object);
        self
    }

    /// With what `kubectl get` prints of the cluster.
    pub(crate) fn live(mut self, text: &str) -> Self {
        self.exports.push(Export::of(&resources(text, None), None));
        self
    }

    fn cluster_config(&self) -> ClusterConfig {
        if let Some(object) = &self.cluster {
            return ClusterConfig::from_resource_node(&Node::from_json(object)).expect("an object");
        }
        let node = self.configuration.as_ref().map(Node::from_json);
        node.map_or_else(ClusterConfig::default, ClusterConfig::known)
    }

    /// The whole object is put in the place of the stored one.
    pub(crate) fn replaced(mut self) -> Self {
        self.apply = Apply::Replace;
        self
    }

    /// Everything that exists is in the tree.
    pub(crate) fn complete(mut self) -> Self {
        self.complete = true;
        self
    }

    /// The base of a migration that is under way.
    pub(crate) fn migrating_from(mut self, text: &str) -> Self {
        self.sides.push(vec![("vm.yaml".into(), text.to_owned())]);
        self
    }

    pub(crate) fn plan(&self) -> Plan {
        let target = |release| Target {
            release,
            release_known: true,
            complete: self.complete,
            configuration: self.cluster_config(),
            ..Target::default()
        };
        let (before, after) = (
            target(self.release),
            target(self.head_release.unwrap_or(self.release)),
        );
        let sources = Sources::from(self.sides.iter().flatten().cloned());
        let mut next = 0;
        let mut catalog = |files: &[(String, String)]| {
            let mut held = Vec::new();
            for (_, text) in files {
                held.extend(resources(text, Some(FileId(next))));
                next += 1;
            }
            Catalog::new(held)
        };
        let catalogs: Vec<Catalog> = self.sides.iter().map(|side| catalog(side)).collect();
        let revisions: Vec<Catalog> = self.exports.iter().map(Export::revisions).collect();
        let deliveries: Vec<Delivery> = catalogs
            .iter()
            .skip(1)
            .flat_map(Catalog::resources)
            .filter_map(|resource| Delivery::read(resource, str::to_owned))
            .collect();
        let resolvers: Vec<Resolver> = catalogs
            .iter()
            .enumerate()
            .map(|(at, catalog)| {
                let target = if at == 1 { &after } else { &before };
                let captured = revisions.iter();
                Resolver::new(target, std::iter::once(catalog).chain(captured).collect())
            })
            .collect();
        let subjects = |at: usize| -> Vec<Sided<'_>> {
            catalogs.get(at).map_or_else(Vec::new, |catalog| {
                catalog
                    .resources()
                    .iter()
                    .map(|resource| Sided {
                        resource,
                        place: resource.file.map_or("", |id| sources.file(id).place()),
                        roots: &[],
                        overlays: &[],
                        resolver: &resolvers[at],
                    })
                    .collect()
            })
        };
        plan(
            Sides {
                base: subjects(0),
                head: subjects(1),
                migration_base: subjects(2),
                deliveries: &deliveries,
                exports: &self.exports,
                sources: &sources,
                apply: self.apply,
            },
            Names {
                base: "main".to_owned(),
                head: "work".to_owned(),
            },
        )
    }

    /// The plan of the only VM.
    pub(crate) fn vm(&self) -> VmPlan {
        let plan = self.plan();
        assert_eq!(
            plan.virtual_machines.len(),
            1,
            "{:#?}",
            plan.virtual_machines
        );
        plan.virtual_machines.into_iter().next().expect("one VM")
    }

    /// The action of the only VM; none where the plan has none.
    pub(crate) fn action(&self) -> Action {
        let plan = self.plan();
        assert!(plan.virtual_machines.len() < 2);
        plan.virtual_machines
            .first()
            .map_or(Action::None, |vm| vm.action)
    }
}

/// The files that cause a row.
pub(crate) fn files_of(vm: &VmPlan) -> Vec<&str> {
    vm.causes.iter().map(|cause| cause.file.as_str()).collect()
}

/// Whether a reason names the field.
pub(crate) fn blames(vm: &VmPlan, field: &str) -> bool {
    vm.reasons.iter().any(|reason| {
        reason
            .field
            .as_ref()
            .is_some_and(|path| path.to_string() == field)
    })
}

/// Whether a reason, an assumption or KubeVirt's words hold the text.
pub(crate) fn says(vm: &VmPlan, text: &str) -> bool {
    vm.reasons.iter().any(|reason| {
        reason.message.contains(text)
            || reason
                .kubevirt
                .as_ref()
                .is_some_and(|said| said.message.contains(text))
    }) || vm.assumptions.iter().any(|assumed| assumed.contains(text))
}

/// The resources of a text.
fn resources(text: &str, file: Option<FileId>) -> Vec<Resource> {
    let documents = yaml::parse(file.unwrap_or(FileId(0)), text.as_bytes()).documents;
    let read = documents.into_iter().filter_map(|document| {
        let document = document.expect("the test's YAML is sound");
        Resource::from_node(document.root, file, document.index, FieldPath::root()).ok()
    });
    read.collect()
}
