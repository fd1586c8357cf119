//! A field that the VM and its instance type both set.

use std::fmt;

use crate::cause::Cause;
use crate::field_path::FieldPath;
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
}

impl Conflict {
    /// The conflict as the API server would list it.
    pub fn cause(&self) -> Cause {
        Cause::new(self.name.clone(), self.to_string())
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "VM field(s) {} conflicts with selected instance type",
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
        f.write_str("VM field(s) ")?;
        for (at, conflict) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{}", conflict.name)?;
        }
        f.write_str(" conflicts with selected instance type")
    }
}
