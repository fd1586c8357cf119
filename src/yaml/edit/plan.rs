//! Which parts of a collection are kept, removed and inserted.

use crate::yaml::{Map, Node, Origin};

#[cfg(test)]
mod tests;

/// What becomes of the parts of a collection.
#[derive(Debug, Default)]
pub(super) struct EditPlan {
    /// For each old part its place in the new collection, if it stays.
    pub(super) kept: Vec<Option<usize>>,
    /// New parts: the old part they follow (none: before the first), and their place in the new collection.
    pub(super) inserted: Vec<(Option<usize>, usize)>,
}

impl EditPlan {
    pub(super) fn keeps_any(&self) -> bool {
        self.kept.iter().any(Option::is_some)
    }

    /// The runs of parts that go: first and last.
    pub(super) fn removed(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, kept) in self.kept.iter().enumerate() {
            match (kept, runs.last_mut()) {
                (None, Some((_, last))) if *last + 1 == at => *last = at,
                (None, _) => runs.push((at, at)),
                _ => {}
            }
        }
        runs
    }
}

/// Keys are paired by name, and renamed ones by their place.
pub(super) fn mapping(old: &Map, new: &Map) -> EditPlan {
    let mut plan = EditPlan {
        kept: vec![None; old.len()],
        inserted: Vec::new(),
    };
    let place = |key: &str| old.entries().iter().position(|entry| entry.key == key);
    let mut after = None;
    for (to, entry) in new.entries().iter().enumerate() {
        let renamed = || {
            old.entries().iter().position(|other| {
                matches!(other.key_origin, Origin::Source(_))
                    && other.key_origin == entry.key_origin
                    && new.get(&other.key).is_none()
            })
        };
        match place(&entry.key).or_else(renamed) {
            Some(from) if plan.kept[from].is_none() => {
                plan.kept[from] = Some(to);
                after = Some(from);
            }
            _ => plan.inserted.push((after, to)),
        }
    }
    plan
}

/// Items are paired by their place in the source, else by value, else by name, else by position. None where the order
/// changes.
pub(super) fn sequence(old: &[Node], new: &[Node]) -> Option<EditPlan> {
    let by_origin = |item: &Node| {
        old.iter().position(|other| {
            matches!(other.origin, Origin::Source(_)) && other.origin == item.origin
        })
    };
    let origins: Vec<_> = new.iter().map(by_origin).collect();
    let mut free: Vec<bool> = (0..old.len())
        .map(|at| !origins.contains(&Some(at)))
        .collect();
    let mut plan = EditPlan {
        kept: vec![None; old.len()],
        inserted: Vec::new(),
    };
    let mut after: Option<usize> = None;
    for (to, item) in new.iter().enumerate() {
        let from = after.map_or(0, |after| after + 1);
        // The search ends at a later item that is paired by its place in the source.
        let bound = origins[to..]
            .iter()
            .flatten()
            .next()
            .copied()
            .unwrap_or(old.len());
        let search = |same: &dyn Fn(&Node) -> bool| {
            (from..bound.max(from)).find(|at| free[*at] && same(&old[*at]))
        };
        let name = item.str_at("name");
        let found = origins[to]
            .or_else(|| search(&|other| other.same_value(item)))
            .or_else(|| search(&|other| !name.is_empty() && other.str_at("name") == name));
        match found {
            Some(at) if at < from || plan.kept[at].is_some() => return None,
            Some(at) => {
                plan.kept[at] = Some(to);
                free[at] = false;
                after = Some(at);
            }
            None => plan.inserted.push((after, to)),
        }
    }
    pair_up(&mut plan);
    Some(plan)
}

/// As many new items as old ones between two that stay are the old ones changed.
fn pair_up(plan: &mut EditPlan) {
    let mut inserted = std::mem::take(&mut plan.inserted);
    let mut from = 0;
    while from <= plan.kept.len() {
        let gap = plan.kept[from..]
            .iter()
            .take_while(|kept| kept.is_none())
            .count();
        let after = from.checked_sub(1);
        let new: Vec<_> = inserted
            .iter()
            .filter(|(place, _)| *place == after)
            .map(|(_, to)| *to)
            .collect();
        if gap > 0 && gap == new.len() {
            for (at, to) in new.into_iter().enumerate() {
                plan.kept[from + at] = Some(to);
            }
            inserted.retain(|(place, _)| *place != after);
        }
        from += gap + 1;
    }
    plan.inserted = inserted;
}
