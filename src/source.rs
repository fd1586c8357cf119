//! Input texts by id, and the spans that point into them.

use std::fmt;
use std::sync::OnceLock;

use serde::Serialize;

/// Names one source of a [`Sources`]; cheap to copy, ordered by insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A byte range of one source; `start <= end`, both on character boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The source of the range.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span over `start..end` of `file`.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// A span over the bytes from `start` to `end`, as indices into the source; past 4 GiB it is cut.
    pub fn of(file: FileId, start: usize, end: usize) -> Self {
        Self::new(file, clip(start), clip(end))
    }

    /// The range as indices for slicing the source's bytes.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

fn clip(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A place as people count: one-based line, one-based column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// One-based line.
    pub line: u32,
    /// One-based column, in characters.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One input: the path it is reported under, relative to where the command ran, and its bytes as read.
#[derive(Debug)]
pub struct SourceFile {
    path: String,
    place: Option<String>,
    bytes: Vec<u8>,
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// A source of `bytes` reported as `path`.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            place: None,
            bytes: bytes.into(),
            line_starts: OnceLock::new(),
        }
    }

    /// The same source, standing in for the one of another path: its roots and its target are those of that path.
    #[must_use]
    pub fn standing_at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Where the source stands in the tree that both sides of a change share: its path, unless it stands in for another.
    pub fn place(&self) -> &str {
        self.place.as_deref().unwrap_or(&self.path)
    }

    /// The path the source is reported under, with forward slashes.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The bytes as read.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: u32) -> Position {
        let starts = self.line_starts.get_or_init(|| {
            let mut starts = vec![0];
            for (at, byte) in self.bytes.iter().enumerate() {
                if *byte == b'\n' {
                    starts.push(clip(at + 1));
                }
            }
            starts
        });
        let line = starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        let start = starts[line] as usize;
        let end = (offset as usize).clamp(start, self.bytes.len());
        let column = String::from_utf8_lossy(&self.bytes[start..end])
            .chars()
            .count();
        Position {
            line: clip(line + 1),
            column: clip(column + 1),
        }
    }

    /// The text of one-based `line` without its line end; empty when there is no such line.
    pub fn line(&self, line: u32) -> String {
        self.bytes
            .split(|byte| *byte == b'\n')
            .nth(line.saturating_sub(1) as usize)
            .map(|text| {
                String::from_utf8_lossy(text)
                    .trim_end_matches('\r')
                    .to_owned()
            })
            .unwrap_or_default()
    }
}

/// The store of all sources of a run.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// A store of `(path, text)` pairs, in that order.
    pub fn from<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Self {
        Self {
            files: files
                .into_iter()
                .map(|(path, bytes)| SourceFile::new(path, bytes))
                .collect(),
        }
    }

    /// Adds a source and names it.
    pub fn push(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(u32::try_from(self.files.len() - 1).expect("fewer than 2^32 sources"))
    }

    /// The source named by `id`.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Every source with its id, in insertion order.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files
            .iter()
            .enumerate()
            .map(|(at, file)| (FileId(clip(at)), file))
    }

    /// How many sources there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// `path:line:column` of where a span starts.
    pub fn describe(&self, span: Span) -> String {
        let file = self.file(span.file);
        format!("{}:{}", file.path(), file.position(span.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_lines() {
        let file = SourceFile::new("a.yaml", "é: 1\nb: 2\n");
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(3), Position { line: 1, column: 3 });
        assert_eq!(file.position(6), Position { line: 2, column: 1 });
        assert_eq!(file.position(99), Position { line: 3, column: 1 });
        assert_eq!(file.line(2), "b: 2");
    }
}
