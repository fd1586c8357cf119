//! The transforms: what a cluster makes of a VM, what it expands to, what replaces old forms.

pub mod admit;
pub mod apply;
pub mod expand;
pub mod explain;
pub mod normalize;
pub mod start;
pub mod upgrade;
