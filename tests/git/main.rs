//! Plans and diffs over real git repositories, made by the test.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests are a shell too"
)]

mod diff;
mod plan;
mod support;
