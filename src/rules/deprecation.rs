//! What is on its way out.

pub mod deprecated_running;
