//! What the upgrade of a cluster does to every VM.
