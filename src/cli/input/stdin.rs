//! Standard input, named `-` on the command line.

use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

/// The name standard input is reported under.
pub(crate) const NAME: &str = "<stdin>";

/// What is read in place of standard input.
static STAND_IN: OnceLock<Vec<u8>> = OnceLock::new();

/// Puts what a child process printed in the place of standard input.
pub(crate) fn stand_in(bytes: Vec<u8>) {
    // A run has one input: the first stays.
    let _ = STAND_IN.set(bytes);
}

/// Whether a PATH means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Why the source of that path cannot be edited, if it is standard input.
pub(crate) fn refuse_edit(path: &str) -> Result<(), String> {
    if path == NAME {
        return Err("standard input cannot be edited: name the file".to_owned());
    }
    Ok(())
}

/// Everything up to the end. Nothing at all is an error: a program before the pipe has most likely failed.
pub(crate) fn read() -> Result<Vec<u8>, String> {
    if let Some(bytes) = STAND_IN.get() {
        return if bytes.is_empty() {
            Err("the command printed nothing".to_owned())
        } else {
            Ok(bytes.clone())
        };
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("standard input is empty".to_owned());
    }
    Ok(bytes)
}
