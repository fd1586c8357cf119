//! Texts that are compared with files; `UPDATE=1` writes the files instead.

use std::path::Path;

/// Compares a text with the file that holds it; `UPDATE=1` writes the file instead.
#[track_caller]
pub(crate) fn compare(file: &Path, actual: &str) {
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if expected == actual {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory).unwrap();
        }
        std::fs::write(file, actual).unwrap();
        return;
    }
    let diff = similar::TextDiff::from_lines(expected.as_str(), actual);
    panic!(
        "{} is out of step; UPDATE=1 cargo test rewrites it\n{}",
        file.display(),
        diff.unified_diff().context_radius(2)
    );
}

/// A path inside the repository.
pub(crate) fn repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
