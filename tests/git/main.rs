//! Plans and diffs over real git repositories, made by the test.
#![allow(
    clippy::disallowed_methods,
    clippy::format_push_string,
    clippy::unwrap_used,
    reason = "tests are a shell too, and build texts"
)]

mod diff;
mod fleet;
mod gates;
mod hostile;
mod objects;
mod openshift;
mod pairing;
mod plan;
mod random;
mod support;
mod targets;
mod unjudged;
mod world;
