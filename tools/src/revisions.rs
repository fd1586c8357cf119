//! The types of instance types and preferences that stored revisions hold and no release serves: `schemas/revisions.json`.
//!
//! They are read from the newest tree given that still declares them, as the last release that could convert them did. A
//! type that `schemas/fields.json` has is not repeated.

use anyhow::Context as _;

use crate::fields;
use crate::release::{Release, ReleaseTree};
use crate::swagger::Swagger;
use crate::table::{Column, Table};

/// The types, and the release they are of; `None` where no tree has them.
pub fn read(trees: &[ReleaseTree], table: &Table) -> anyhow::Result<Option<(Release, Column)>> {
    let mut trees: Vec<_> = trees.iter().collect();
    trees.sort_by_key(|tree| std::cmp::Reverse(tree.release));
    for tree in trees {
        let swagger = Swagger::read(tree)?;
        let roots = fields::unserved_roots(tree, &swagger)?;
        if roots.is_empty() {
            continue;
        }
        let mut column = fields::column(tree, &swagger, &roots)
            .with_context(|| format!("KubeVirt {}", tree.release))?;
        column.retain(|name, _| !table.has(name));
        return Ok(Some((tree.release, column)));
    }
    Ok(None)
}
