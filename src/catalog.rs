//! The index of one side's resources.

pub mod boot_sources;
pub mod bundle;
pub mod cdi;
pub mod duplicate;
pub mod kustomization;
pub mod path;
pub mod processed;
pub mod relevance;
pub mod root;
pub mod shown;
pub mod side;
pub(crate) mod template;

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::resource::Resource;

/// Every resource of one root, found by group, kind, namespace and name.
#[derive(Debug, Default)]
pub struct Catalog {
    resources: Vec<Resource>,
    by_name: HashMap<SmolStr, Vec<u32>>,
}

impl Catalog {
    /// An index of `resources`, in the order given.
    pub fn new(resources: Vec<Resource>) -> Self {
        let mut by_name: HashMap<_, Vec<u32>> = HashMap::new();
        for (at, resource) in resources.iter().enumerate() {
            by_name
                .entry(resource.id.name.clone())
                .or_default()
                .push(u32::try_from(at).expect("fewer than 2^32 resources"));
        }
        Self { resources, by_name }
    }

    /// Every resource, in order.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// Every resource of that identity, in order; `namespace` is `None` for cluster-scoped kinds, and a resource
    /// without one belongs to `assumed`.
    pub fn find<'a, 'b>(
        &'a self,
        group: &'b str,
        kind: &'b str,
        namespace: Option<&'b str>,
        name: &str,
        assumed: &'b str,
    ) -> impl Iterator<Item = &'a Resource> + use<'a, 'b> {
        let hits = self
            .by_name
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default();
        hits.iter()
            .map(|at| &self.resources[*at as usize])
            .filter(move |resource| {
                resource.id.kind == kind
                    && resource.id.group == group
                    && namespace.is_none_or(|namespace| resource.namespace_or(assumed) == namespace)
            })
    }
}
