//! The documents of a file: JSON objects one after another, or YAML between lines that begin with `---`.

/// The bytes of one document.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) json: bool,
    /// The comment on the separator line before it.
    pub(super) comment: Option<(usize, usize)>,
    /// What follows `---` on that line though it may not.
    pub(super) bad_separator: Option<(usize, usize)>,
}

/// Splits as kubectl does, before anything is parsed: a `---` at the start of a line separates even inside a scalar.
pub(super) fn chunks(bytes: &[u8]) -> Vec<Chunk> {
    if let Some(chunks) = json_objects(bytes) {
        return chunks;
    }
    let mut chunks = Vec::new();
    let mut chunk = Chunk {
        start: 0,
        end: 0,
        json: false,
        comment: None,
        bad_separator: None,
    };
    let mut line = 0;
    while line < bytes.len() {
        let next = bytes[line..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(bytes.len(), |at| line + at + 1);
        if bytes[line..next].starts_with(b"---") {
            chunk.end = line;
            let rest = bytes[line + 3..next].trim_ascii();
            let rest_at = line + 3 + bytes[line + 3..next].len()
                - bytes[line + 3..next].trim_ascii_start().len();
            let rest_span = Some((rest_at, rest_at + rest.len()));
            chunks.push(std::mem::replace(
                &mut chunk,
                Chunk {
                    start: next,
                    end: next,
                    json: false,
                    comment: rest_span.filter(|_| rest.starts_with(b"#")),
                    bad_separator: rest_span
                        .filter(|_| !rest.is_empty() && !rest.starts_with(b"#")),
                },
            ));
        }
        line = next;
    }
    chunk.end = bytes.len();
    chunks.push(chunk);
    // Nothing before the first separator is no document.
    if chunks.len() > 1 && chunks[0].start == chunks[0].end {
        chunks.remove(0);
    }
    chunks
}

/// kubectl tries JSON where the text begins with `{`, and reads YAML where that fails.
fn json_objects(bytes: &[u8]) -> Option<Vec<Chunk>> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut objects =
        serde_json::Deserializer::from_slice(bytes).into_iter::<serde::de::IgnoredAny>();
    while let Some(object) = objects.next() {
        object.ok()?;
        let end = objects.byte_offset();
        chunks.push(Chunk {
            start,
            end,
            json: true,
            comment: None,
            bad_separator: None,
        });
        start = end;
    }
    if let Some(last) = chunks.last_mut() {
        last.end = bytes.len();
    }
    Some(chunks)
}
