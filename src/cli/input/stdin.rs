//! Standard input, named `-` on the command line.

use std::io::Read;
use std::path::Path;

/// The name standard input is reported under.
pub(crate) const NAME: &str = "<stdin>";

/// Whether a PATH means standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Everything up to the end. Nothing at all is an error: a program before the pipe has most likely failed.
pub(crate) fn read() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.is_empty() {
        return Err("standard input is empty".to_owned());
    }
    Ok(bytes)
}
