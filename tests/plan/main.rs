//! Plans of whole changes: volumes (E), live update or restart (F), what instance types fan out to (C14, C15, C19).
#![allow(
    clippy::disallowed_methods,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::unwrap_used,
    reason = "tests are a shell too, and build texts"
)]

mod admission;
mod apply;
mod delivery;
mod export;
mod fan_out;
mod gates;
#[path = "../golden.rs"]
mod golden;
mod groups;
mod lifecycle;
mod live_update;
mod matchers;
mod objects;
mod oldest_release;
mod parsing;
mod pinned_types;
mod plugged_interfaces;
mod reports;
mod spelling;
mod support;
mod types;
mod values;
mod volumes;
mod words;
mod workloads;
