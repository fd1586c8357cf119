//! The shell around the library: arguments, files, streams, exit codes.
#![allow(clippy::disallowed_methods, reason = "the I/O shell")]

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(2)
}
