//! Which files differ between two sides, as far as they may concern a virtual machine: those that were read, those that a
//! kustomization names, those of a chart.

use std::collections::{BTreeMap, BTreeSet};

use driftless::catalog::path;
use driftless::catalog::relevance::Relevance;

use crate::input::read_from::ReadFrom;
use crate::session::{Session, World};

/// The files that differ.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// Their places, in the tree that both sides share.
    pub(super) places: BTreeSet<String>,
    /// Those of them that neither side read, with the name each is reported under.
    pub(super) unread: BTreeMap<String, String>,
    /// Charts whose templates name what KubeVirt reads, by directory.
    pub(super) charts: BTreeSet<String>,
    /// Files that the base has, and the head's settings leave out.
    pub(super) left_out_by_head: BTreeSet<String>,
    /// Files that the head has, and the base's settings left out.
    pub(super) left_out_by_base: BTreeSet<String>,
}

impl ChangedFiles {
    /// Compares two sides. `may_differ` holds every tracked file that may, where git tells.
    pub(super) fn between(
        session: &Session,
        base: &World,
        from_base: &ReadFrom<'_>,
        from_head: &ReadFrom<'_>,
        may_differ: Option<&BTreeSet<String>>,
    ) -> anyhow::Result<Self> {
        let (head, sources) = (&session.head, &session.sources);
        let (before, after) = (base.by_place(sources), head.by_place(sources));
        let mut changed = Self::default();
        let bytes = |file| sources.file(file).bytes();
        for place in before.keys().chain(after.keys()) {
            let differs = match (before.get(place), after.get(place)) {
                (Some(one), Some(other)) => {
                    one.file != other.file && !same_text(bytes(one.file), bytes(other.file))
                }
                _ => true,
            };
            if differs {
                changed.places.insert((*place).to_owned());
            }
        }
        changed.left_out_by_head = left_out(&before, &after, head, from_head);
        changed.left_out_by_base = left_out(&after, &before, base, from_base);
        let mut candidates: BTreeSet<String> = BTreeSet::new();
        let mut charts: BTreeSet<&str> = BTreeSet::new();
        for world in [base, head] {
            for kustomization in &world.side.kustomizations {
                candidates.extend(kustomization.other.keys().cloned());
            }
            charts.extend(world.side.charts());
        }
        for chart in &charts {
            for from in [from_base, from_head] {
                candidates.extend(from.files_in(chart));
            }
        }
        candidates.retain(|place| {
            !before.contains_key(place.as_str())
                && !after.contains_key(place.as_str())
                && may_differ.is_none_or(|tracked| {
                    tracked.contains(place)
                        || !from_base.has_file(place)
                        || !from_head.has_file(place)
                })
        });
        let candidates: Vec<String> = candidates.into_iter().collect();
        let (one, other) = (from_base.many(&candidates)?, from_head.many(&candidates)?);
        for place in candidates {
            let differs = match (one.get(&place), other.get(&place)) {
                (Some(one), Some(other)) => !same_text(one, other),
                (None, None) => false,
                _ => true,
            };
            if differs {
                let from = if other.contains_key(&place) {
                    from_head
                } else {
                    from_base
                };
                changed.unread.insert(place.clone(), from.reads(&place));
                changed.places.insert(place);
            }
        }
        for chart in charts {
            let mut places = changed.places.iter();
            if places.any(|place| path::is_inside(place, chart))
                && (renders_kubevirt(chart, from_base)? || renders_kubevirt(chart, from_head)?)
            {
                changed.charts.insert(chart.to_owned());
            }
        }
        Ok(changed)
    }
}

/// Whether a template of a chart names what KubeVirt reads.
fn renders_kubevirt(chart: &str, from: &ReadFrom<'_>) -> anyhow::Result<bool> {
    let files = from.files_in(&path::join(chart, "templates"));
    let read = from.many(&files)?;
    Ok(read
        .values()
        .any(|bytes| Relevance::of(bytes) == Relevance::Relevant))
}

/// Files that one side has and the other's settings leave out, though its tree has them.
fn left_out<T>(
    held: &BTreeMap<&str, T>,
    others: &BTreeMap<&str, T>,
    other: &World,
    from: &ReadFrom<'_>,
) -> BTreeSet<String> {
    held.keys()
        .filter(|place| {
            !others.contains_key(*place) && other.exclude.covers(place) && from.has_file(place)
        })
        .map(|place| (*place).to_owned())
        .collect()
}

/// Whether two texts are the same, whatever ends their lines.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    if one == other {
        return true;
    }
    let lines = |bytes: &'_ [u8]| {
        let lines = bytes.split(|byte| *byte == b'\n');
        lines
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
            .collect::<Vec<_>>()
    };
    lines(one) == lines(other)
}

#[cfg(test)]
mod tests {
    use super::same_text;

    #[test]
    fn line_ends_make_no_other_text() {
        assert!(same_text(b"a\r\nb\n", b"a\nb\n"));
        assert!(!same_text(b"a\nb", b"a\nb\n"));
        assert!(!same_text(b"a\rb", b"a\nb"));
    }
}
