//! Does Git hold what the cluster writes?

pub mod implicit_default_network;
pub mod inferred_matcher;
pub mod noncanonical_quantity;
pub mod pinned_machine_type;
pub mod revision_name_in_spec;
pub mod runtime_data;
