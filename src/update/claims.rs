//! The claims and data volumes a VM's namespace has, as far as the catalogs hold them.

use super::volumes::Claims;
use crate::catalog::Catalog;
use crate::yaml::Node;

/// Claims and data volumes found in catalogs, and the data volumes a VM makes from its own templates.
#[derive(Debug)]
pub struct CatalogClaims<'a> {
    catalogs: &'a [&'a Catalog],
    namespace: &'a str,
    assumed: &'a str,
    templates: Vec<&'a Node>,
    complete: bool,
}

impl<'a> CatalogClaims<'a> {
    /// What `catalogs` show of `namespace`, first hit first; `assumed` is the namespace of resources without one.
    pub const fn new(
        catalogs: &'a [&'a Catalog],
        namespace: &'a str,
        assumed: &'a str,
        complete: bool,
    ) -> Self {
        Self {
            catalogs,
            namespace,
            assumed,
            templates: Vec::new(),
            complete,
        }
    }

    /// These claims with the data volumes KubeVirt makes from the VM's templates.
    #[must_use]
    pub fn with_templates_of(mut self, vm: &'a Node) -> Self {
        self.templates
            .extend(vm.items_at("spec.dataVolumeTemplates"));
        self
    }

    fn find(&self, group: &str, kind: &str, name: &str) -> Option<&'a Node> {
        self.catalogs.iter().find_map(|catalog| {
            catalog
                .find(group, kind, Some(self.namespace), name, self.assumed)
                .next()
                .map(|resource| &resource.node)
        })
    }
}

impl Claims for CatalogClaims<'_> {
    fn claim(&self, name: &str) -> Option<&Node> {
        self.find("", "PersistentVolumeClaim", name)
    }

    fn data_volume(&self, name: &str) -> Option<&Node> {
        self.templates
            .iter()
            .find(|template| template.str_at("metadata.name") == name)
            .copied()
            .or_else(|| self.find("cdi.kubevirt.io", "DataVolume", name))
    }

    fn is_complete(&self) -> bool {
        self.complete
    }
}
