//! Where texts come from: directories, standard input.

pub(crate) mod aside;
pub(crate) mod discover;
pub(crate) mod git;
pub(crate) mod read;
pub(crate) mod read_from;
pub(crate) mod stdin;
