//! One test a behaviour of the log that `check` can see, named after its id.
