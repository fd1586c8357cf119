//! `--live`: what clusters have, from files that `kubectl get` printed.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use driftless::catalog::root::Scope;
use driftless::catalog::side::{Input, Role, Side};
use driftless::config::Config;
use driftless::plan::Export;
use driftless::source::{FileId, Sources};

use crate::input::stdin;

/// Reads `[TARGET=]FILE`; a target is one that the settings of a side name.
pub(super) fn read(given: &str, settings: &[Config; 2]) -> anyhow::Result<Export> {
    let is_target = |name: &str| {
        let mut targets = settings.iter().flat_map(|config| &config.targets);
        targets.any(|target| target.name == name)
    };
    let has_targets = settings.iter().any(|config| !config.targets.is_empty());
    let (target, file) = match given.split_once('=') {
        Some((target, file)) if is_target(target) => (Some(target.to_owned()), file),
        _ if has_targets => {
            bail!(
                "`--live {given}` names no target: an export is of one cluster, `--live TARGET=FILE` says which"
            )
        }
        _ => (None, given),
    };
    let bytes = if stdin::is_stdin(Path::new(file)) {
        stdin::read().map_err(|reason| anyhow!(reason))
    } else {
        std::fs::read(file).map_err(anyhow::Error::from)
    };
    let bytes = bytes.with_context(|| format!("cannot read the export `{file}`"))?;
    let sources = Sources::from([(file, bytes)]);
    let input = Input {
        file: FileId(0),
        role: Role::Context,
    };
    let side = Side::build(&sources, vec![input], &Scope::default(), &|| {});
    if let Some(error) = side.broken.first() {
        bail!("{}: {error}", sources.describe(error.span));
    }
    let export = Export::of(side.resources().map(|placed| placed.resource), target);
    if export.machines() == 0 {
        bail!(
            "`{file}` holds no VirtualMachine: `kubectl get vm,vmi,controllerrevision -A -o yaml` prints what is meant"
        );
    }
    Ok(export)
}
