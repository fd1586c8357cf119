//! The resources an upgrade works on: every resource of every resolver, once.

use super::ToUpgrade;
use crate::resolve::Resolver;
use crate::resource::Resource;

/// Everything the resolvers see, nearest first: what is upgraded, and what it is upgraded against.
pub(super) fn in_sight<'a, 'r>(
    judged: &'r [ToUpgrade<'a, 'r>],
) -> impl Iterator<Item = ToUpgrade<'a, 'r>> + use<'a, 'r> {
    resolvers(judged).into_iter().flat_map(|resolver| {
        let catalogs = resolver.catalogs().iter();
        catalogs
            .flat_map(|catalog| catalog.resources())
            .map(move |resource| (resolver, resource))
    })
}

/// Every resolver once, in order.
pub(super) fn resolvers<'a, 'r>(judged: &'r [ToUpgrade<'a, 'r>]) -> Vec<&'r Resolver<'a>> {
    let mut found: Vec<&Resolver<'a>> = Vec::new();
    for (resolver, _) in judged {
        if !found.iter().any(|known| std::ptr::eq(*known, *resolver)) {
            found.push(resolver);
        }
    }
    found
}

pub(super) fn address(resource: &Resource) -> usize {
    std::ptr::from_ref(resource).addr()
}
