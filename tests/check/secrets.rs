//! No secret leaves a manifest.
