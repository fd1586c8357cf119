//! Do instance type and preference resolve and fit?

pub mod instancetype_conflict;
pub mod kubevirt_would_crash;
pub mod preference_requirement_unmet;
pub mod spread_not_divisible;
pub mod unresolved_instancetype;
pub mod unresolved_preference;
