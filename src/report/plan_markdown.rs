//! The plan as a pull request comment: the total first, every group named, cut at a VM so that it always fits.

use std::fmt;

use askama::Template;

use super::plan_view::{GroupView, LinePart, PlanView};
use crate::plan::Plan;

/// Most characters a comment may have on GitHub.
pub const MOST: usize = 65_536;
/// VMs that are named in each place before whole groups lose their details.
const NAMED: usize = 3;
/// Files not judged, and notes, that are listed.
const LISTED: usize = 50;

/// What a comment says besides the plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommentOptions<'a> {
    /// Tells the comments of several plans on one pull request apart; letters, digits, `.`, `_`, `-` and `/`.
    pub key: Option<&'a str>,
    /// Name of the artifact that holds the whole page.
    pub artifact: Option<&'a str>,
    /// URL in which `{path}` and `{line}` stand for a place.
    pub links: Option<&'a str>,
}

/// The plan as Markdown of less than [`MOST`] characters and bytes, or as near as the names of both sides let it be.
pub fn report(plan: &Plan, comment: &CommentOptions<'_>) -> String {
    let view = PlanView::new(plan, comment.links);
    let all = view.groups.len();
    let widest = view
        .groups
        .iter()
        .map(|group| group.count)
        .max()
        .unwrap_or(0);
    let render = |names, bodies, heads| {
        let page = CommentPage {
            view: &view,
            comment,
            names,
            bodies,
            heads,
        };
        page.render().unwrap_or_default()
    };
    largest(widest, NAMED, |names| render(names, all, all))
        .or_else(|| largest(all, 0, |bodies| render(NAMED, bodies, all)))
        .or_else(|| largest(all, 0, |heads| render(0, 0, heads)))
        .unwrap_or_else(|| render(0, 0, 0))
}

/// The text of the largest number, at least `least`, whose text fits.
fn largest(most: usize, least: usize, render: impl Fn(usize) -> String) -> Option<String> {
    let fits = |count| Some(render(count)).filter(|text: &String| text.len() < MOST);
    if let Some(text) = fits(most) {
        return Some(text);
    }
    let (mut low, mut high) = (least, most);
    let mut found = fits(low)?;
    while low + 1 < high {
        let middle = low.midpoint(high);
        match fits(middle) {
            Some(text) => (low, found) = (middle, text),
            None => high = middle,
        }
    }
    Some(found)
}

#[derive(Template)]
#[template(path = "plan_markdown/comment.md")]
struct CommentPage<'a> {
    view: &'a PlanView,
    comment: &'a CommentOptions<'a>,
    /// VMs that are named in a place of a group.
    names: usize,
    /// Groups that are told in full.
    bodies: usize,
    /// Groups that are named.
    heads: usize,
}

impl CommentPage<'_> {
    /// How many VMs are not named.
    fn unnamed(&self) -> usize {
        let named = |(at, group): (usize, &GroupView)| {
            if group.is_alone() {
                1
            } else if at < self.bodies {
                self.named(group)
            } else {
                0
            }
        };
        let groups = self.view.groups.iter().take(self.heads).enumerate();
        self.view.total - groups.map(named).sum::<usize>()
    }

    /// How many VMs of a group that is told in full are named.
    fn named(&self, group: &GroupView) -> usize {
        let places = group.places.iter().take(self.names);
        places.map(|place| place.vms.len().min(self.names)).sum()
    }
}

/// Text that mentions nobody, which would notify people, refers to no issue and is no address.
fn calm(text: &str) -> String {
    [
        ("@", "@\u{2060}"),
        ("#", "#\u{2060}"),
        ("://", ":\u{2060}//"),
        ("www.", "www\u{2060}."),
    ]
    .iter()
    .fold(text.to_owned(), |text, (live, calm)| {
        text.replace(live, calm)
    })
}

/// Escapes prose, so that nothing of the manifests is markup, a mention or a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prose;

impl askama::filters::Escaper for Prose {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        for c in calm(text).chars() {
            match c {
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '&' => out.write_str("&amp;")?,
                '*' | '_' | '[' | ']' | '|' | '!' | '\\' | '~' | '`' | '$' => write!(out, "\\{c}")?,
                c => out.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A code span that no content can leave.
fn code(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests;
