//! The binary from outside: arguments, exit statuses, streams, files.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests are a shell too"
)]

mod args;
mod catalog;
mod expand;
mod function;
mod hostile;
mod init;
mod readme;
mod render;
mod repositories;
mod roots;
mod secrets;
mod support;
mod targets;
mod upgrade;
mod writes;
