//! The one way to name a place in a resource: `spec.template.spec.volumes[2].name`.

use std::fmt;

use smol_str::SmolStr;

/// One step of a [`FieldPath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A key of a mapping.
    Field(SmolStr),
    /// A position in a sequence.
    Index(usize),
}

/// A place in a resource, from its root; empty names the whole resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath {
    segments: Vec<Segment>,
}

impl FieldPath {
    /// The path of the whole resource.
    pub const fn root() -> Self {
        Self {
            segments: Vec::new(),
        }
    }

    /// The path of the whole resource, with room for steps that are pushed.
    pub fn with_capacity(steps: usize) -> Self {
        Self {
            segments: Vec::with_capacity(steps),
        }
    }

    /// Reads `a.b[2].c` and `a["key.with/dots"].c`. Text that is no path becomes one field of that name, so a path of
    /// `KubeVirt`'s own wording survives unchanged.
    pub fn parse(text: &str) -> Self {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(tail) = rest.strip_prefix("[\"") {
                let Some(end) = tail.find("\"]") else { break };
                segments.push(Segment::Field(tail[..end].into()));
                rest = &tail[end + 2..];
            } else if let Some(tail) = rest.strip_prefix('[') {
                let Some((digits, after)) = tail.split_once(']') else {
                    break;
                };
                let Ok(index) = digits.parse() else { break };
                segments.push(Segment::Index(index));
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                segments.push(Segment::Field(rest[..end].into()));
                rest = &rest[end..];
            }
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        if !rest.is_empty() {
            segments.push(Segment::Field(rest.into()));
        }
        Self { segments }
    }

    /// This path with a key added.
    #[must_use]
    pub fn field(&self, name: &str) -> Self {
        self.with(Segment::Field(name.into()))
    }

    fn with(&self, step: Segment) -> Self {
        let mut segments = Vec::with_capacity(self.segments.len() + 1);
        segments.extend_from_slice(&self.segments);
        segments.push(step);
        Self { segments }
    }

    /// This path with a position added.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// This path followed by `tail`.
    #[must_use]
    pub fn join(&self, tail: &Self) -> Self {
        Self {
            segments: self
                .segments
                .iter()
                .chain(&tail.segments)
                .cloned()
                .collect(),
        }
    }

    /// The path without its last step; the root stays the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self {
            segments: self.segments[..self.segments.len().saturating_sub(1)].to_vec(),
        }
    }

    /// The first `depth` steps.
    #[must_use]
    pub fn prefix(&self, depth: usize) -> Self {
        Self {
            segments: self.segments[..depth.min(self.segments.len())].to_vec(),
        }
    }

    /// The steps in order.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether this is the whole resource.
    pub(crate) fn is_root(&self) -> bool {
        self.segments.is_empty()
    }

    /// This path with the keys of a dotted path of plain keys added: `domain.cpu.cores`.
    #[must_use]
    pub fn then(&self, keys: &str) -> Self {
        let keys = keys.split('.').map(|key| Segment::Field(key.into()));
        Self {
            segments: self.segments.iter().cloned().chain(keys).collect(),
        }
    }

    /// Whether this is `start` or a place inside it: by steps, so that `a.bc` does not start with `a.b`.
    pub fn starts_with(&self, start: &Self) -> bool {
        self.segments.starts_with(&start.segments)
    }

    /// What follows `start` in this path; `None` where it does not start with it.
    pub fn after(&self, start: &Self) -> Option<Self> {
        let segments = self.segments.strip_prefix(start.segments.as_slice())?;
        Some(Self {
            segments: segments.to_vec(),
        })
    }

    /// Whether the two places are the same, or one is inside the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.starts_with(other) || other.starts_with(self)
    }

    /// Adds a step in place; for walkers that keep one path.
    pub fn push(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    /// Takes the last step off; for walkers that keep one path.
    pub fn pop(&mut self) -> Option<Segment> {
        self.segments.pop()
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Field(name) if name.is_empty() || name.contains(['.', '[', '"']) => {
                    write!(f, "[\"{name}\"]")?;
                }
                Segment::Field(name) if at == 0 => write!(f, "{name}")?,
                Segment::Field(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

impl From<&str> for FieldPath {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<&Self> for FieldPath {
    fn from(path: &Self) -> Self {
        path.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_print_as_they_parse() {
        for text in [
            "spec",
            "spec.volumes[2].name",
            "metadata.annotations[\"a.b/c\"]",
            "a[0][1].b",
            "",
        ] {
            assert_eq!(FieldPath::parse(text).to_string(), text);
        }
    }

    #[test]
    fn a_path_starts_with_itself_and_what_is_above_it() {
        for (path, start, starts, overlaps) in [
            ("spec.cpu.cores", "", true, true),
            ("spec.cpu.cores", "spec.cpu", true, true),
            ("spec.cpu", "spec.cpu", true, true),
            ("spec.cpu", "spec.cpu.cores", false, true),
            ("spec.cpus", "spec.cpu", false, false),
            ("volumes[1].name", "volumes[1]", true, true),
            ("volumes[10].name", "volumes[1]", false, false),
        ] {
            let (path, start) = (FieldPath::parse(path), FieldPath::parse(start));
            assert_eq!(path.starts_with(&start), starts, "{path} {start}");
            assert_eq!(path.overlaps(&start), overlaps, "{path} {start}");
        }
    }

    #[test]
    fn keys_are_added_to_a_path() {
        let path = FieldPath::parse("spec.volumes").index(1);
        assert_eq!(
            path.then("dataVolume.name").to_string(),
            "spec.volumes[1].dataVolume.name"
        );
    }
}
