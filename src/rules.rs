//! The checks: a rule is a value beside the function it runs, and [`ALL`] is the one list of them.

pub mod admission;
pub mod cloud_init;
pub mod deprecation;
pub mod docs;
pub mod drift;
pub mod guests;
pub mod identity;
pub mod input;
pub mod instancetypes;
mod list;
pub mod revisions;

pub use self::list::ALL;

use crate::catalog::Catalog;
use crate::config::Target;
use crate::field_path::FieldPath;
use crate::finding::{Finding, Location};
use crate::resolve::Resolver;
use crate::resource::Resource;
use crate::rule::RuleInfo;
use crate::schema::Decoded;
use crate::source::Sources;
use crate::yaml::Node;

/// A rule: what is said about it, and the check it runs.
#[derive(Debug)]
pub struct Rule {
    /// What is said about it.
    pub info: RuleInfo,
    /// What it runs.
    pub check: Check,
}

/// The scope a check runs over.
#[derive(Debug)]
pub enum Check {
    /// Once a VirtualMachine.
    Vm(fn(&Vm<'_>, &Context<'_>, &mut Findings)),
    /// Once a catalog, for what concerns several resources or another kind.
    Catalog(fn(&Context<'_>, &mut Findings)),
    /// Never by itself: an earlier stage or another rule's check raises it with [`Findings::raise`].
    Input,
}

/// What a check may look at.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// The cluster the manifests are for.
    pub target: &'a Target,
    /// The resources of the root under judgement.
    pub catalog: &'a Catalog,
    /// What those resources name, found.
    pub resolver: &'a Resolver<'a>,
}

/// A VirtualMachine with everything that several rules need, computed once.
#[derive(Debug)]
pub struct Vm<'a> {
    /// The resource as written.
    pub resource: &'a Resource,
    /// The resource as the release's Go types hold it, and what reading it dropped.
    pub decoded: Decoded,
    /// Its namespace, or the assumed one.
    pub namespace: &'a str,
    /// What the check may look at besides.
    pub context: Context<'a>,
}

impl<'a> Vm<'a> {
    /// The VM of a resource of that kind and what it decodes to.
    pub fn new(resource: &'a Resource, decoded: Decoded, context: &Context<'a>) -> Self {
        Self {
            resource,
            decoded,
            namespace: resource.namespace_or(&context.target.namespace),
            context: *context,
        }
    }

    /// The tree as written.
    pub const fn written(&self) -> &'a Node {
        &self.resource.node
    }
}

/// Collects what a check finds.
#[derive(Debug)]
pub struct Findings {
    rule: &'static RuleInfo,
    items: Vec<Finding>,
}

impl Findings {
    /// A collector for the check of `rule`.
    pub const fn new(rule: &'static RuleInfo) -> Self {
        Self {
            rule,
            items: Vec::new(),
        }
    }

    /// Reports the running rule at a field of a resource; the field need not be there.
    pub fn report(
        &mut self,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::at(self.rule, resource, path, message))
    }

    /// Reports the running rule at the key of a field whose value is not to be shown.
    pub fn report_key(
        &mut self,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::at_key(self.rule, resource, path, message))
    }

    /// Reports another rule at a field of a resource.
    pub fn raise(
        &mut self,
        rule: &'static Rule,
        resource: &Resource,
        path: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::at(&rule.info, resource, path, message))
    }

    /// Reports another rule at a place that belongs to no resource.
    pub fn raise_at(
        &mut self,
        rule: &'static Rule,
        location: Location,
        message: impl Into<String>,
    ) -> &mut Finding {
        self.push(Finding::new(&rule.info, location, message))
    }

    /// What was found.
    pub fn into_items(self) -> Vec<Finding> {
        self.items
    }

    fn push(&mut self, finding: Finding) -> &mut Finding {
        self.items.push(finding);
        self.items.last_mut().expect("just pushed")
    }
}

/// Declares a rule: its page as doc comment, then its data and check.
///
/// `level` is the level by default; `strict`, where given, the one under `profile: strict`.
#[macro_export]
macro_rules! rule {
    (
        $(#[doc = $doc:literal])+
        $name:ident {
            id: $id:literal,
            family: $family:ident,
            summary: $summary:literal,
            level: $level:ident,
            $(strict: $strict:ident,)?
            check: $scope:ident $(($check:expr))? $(,)?
        }
    ) => {
        #[doc = concat!("`", $id, "`: ", $summary, ".\n")]
        $(#[doc = $doc])+
        pub static $name: $crate::rules::Rule = $crate::rules::Rule {
            info: $crate::rule::RuleInfo {
                id: $id,
                family: $crate::rule::Family::$family,
                summary: $summary,
                level: $crate::rule::Level::$level,
                strict: $crate::rule!(@strict $level $($strict)?),
                status: $crate::rule::Status::Stable { since: "0.1.0" },
                docs: concat!($($doc, "\n"),+),
                file: file!(),
                line: line!(),
            },
            check: $crate::rules::Check::$scope $(($check))?,
        };
    };
    (@strict $level:ident $strict:ident) => { $crate::rule::Level::$strict };
    (@strict Off) => { $crate::rule::Level::Note };
    (@strict $level:ident) => { $crate::rule::Level::$level };
}

/// Every id, in the order of [`ALL`].
pub fn ids() -> impl Iterator<Item = &'static str> + Clone {
    ALL.iter().map(|rule| rule.info.id)
}

/// The rule of that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.info.id == id)
}

#[cfg(test)]
mod tests;
