//! The binary from outside: arguments, exit statuses, streams, files.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests are a shell too"
)]

mod args;
mod asides;
mod catalog;
mod expand;
mod fix;
mod function;
mod guide;
mod hostile;
mod init;
mod openshift;
mod render;
mod repositories;
mod roots;
mod secrets;
mod snippets;
mod support;
mod targets;
mod upgrade;
mod writes;
