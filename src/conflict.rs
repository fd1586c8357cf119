//! A field that the VM and its instance type both set.

use std::fmt;

use crate::cause::Cause;
use crate::field_path::FieldPath;
use crate::release::{Behaviour, Release};
use crate::yaml::Origin;

/// One field that both set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The field as KubeVirt names it; its spelling may differ from the document's (`dedicatedCPUPlacement`).
    pub name: String,
    /// The field in the document.
    pub field: FieldPath,
    /// The key with which the VM sets it.
    pub origin: Origin,
    /// The release that says it.
    pub release: Release,
}

impl Conflict {
    /// The conflict as the API server would list it.
    pub fn cause(&self) -> Cause {
        Cause::new(self.name.clone(), self.to_string())
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = if self.release.has(Behaviour::PluralConflicts) {
            "field"
        } else {
            "field(s)"
        };
        write!(
            f,
            "VM {fields} {} conflicts with selected instance type",
            self.name
        )
    }
}

/// Every field that both set, in KubeVirt's order; annotations, which KubeVirt lists in no order, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflicts(pub Vec<Conflict>);

impl Conflicts {
    /// Whether nothing conflicts.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every conflict as the API server would list it.
    pub fn causes(&self) -> Vec<Cause> {
        self.0.iter().map(Conflict::cause).collect()
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut conflicts = self.0.iter();
        let is_plural = conflicts.any(|conflict| conflict.release.has(Behaviour::PluralConflicts));
        f.write_str(if is_plural {
            "VM fields "
        } else {
            "VM field(s) "
        })?;
        for (at, conflict) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", conflict.name)?;
        }
        f.write_str(if is_plural {
            " conflict with selected instance type"
        } else {
            " conflicts with selected instance type"
        })
    }
}
