//! `driftless upgrade` as its users run it: what it prints, edits and emits.

mod killed;
mod script;
mod support;
mod write;
