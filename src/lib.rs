//! driftless reads a Git tree of `KubeVirt` manifests and says what a cluster would make of them.
//!
//! The program is one pipeline: *discover → parse → catalog → resolve → transform → check → report/emit*.
//! Discovery and everything else that reads or writes outside of memory is in the binary (`src/cli`); this library takes text and
//! gives values back.
//!
//! - shared by all: [`config`], [`cause`] and [`conflict`] are what stages tell each other, [`action`] is what a plan says
//! - parse: [`source`] holds texts and counts their lines, [`yaml`] turns them into trees that keep their spans, [`field_path`] names places
//! - catalog: [`resource`] gives a document its identity, [`catalog`] indexes the resources of one root
//! - resolve: [`release`] and [`schema`] say what a release knows, [`stored`] reads what a revision holds, [`resolve`]
//!   finds what a VM names
//! - transform: [`transform`] admits, expands, upgrades and normalizes
//! - check: [`rules`] are the checks, each a [`mod@rule`] that reports a [`finding`]; [`check`] runs them, [`report`] writes them out
//! - plan: [`change`] pairs the two sides' resources, [`diff`] compares them, [`update`] decides what a running guest gets
//!   and [`plan`] says it per VM; [`emit`] writes resources out
//! - fix: [`fix`] chooses the fixes that are made together and asks a plan whether they change what runs
//! - whatever is shown of a manifest goes through [`shown`], which knows what is hostile and what is secret
//!
//! ```
//! use driftless::catalog::{root::Scope, side::{Input, Role, Side}};
//! use driftless::{check, config::{Config, Target}, source::Sources};
//!
//! let text = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: web}\n\
//!     spec: {runStrategy: Always, template: {spec: {domain: {devices: {disks: [{name: root}]}}}}}\n";
//! let sources = Sources::from([("vm.yaml", text)]);
//! let inputs = sources.iter().map(|(file, _)| Input { file, role: Role::Judged }).collect();
//! let side = Side::build(&sources, inputs, &Scope::default(), &|| ());
//! let (config, target) = (Config::default(), Target::default());
//! let found = check::run(&check::CheckRequest {
//!     sources: &sources, side: &side, config: &config, target_of: &|_| &target, only: None,
//!     kinds: &Default::default(),
//! });
//! let rules: Vec<&str> = found.findings.iter().map(|finding| finding.rule.id).collect();
//! assert!(rules.contains(&"disk-without-volume"), "{rules:?}");
//! ```

pub mod action;
pub mod catalog;
pub mod cause;
pub mod change;
pub mod check;
pub mod config;
pub mod conflict;
pub mod diff;
pub mod emit;
pub mod field_path;
pub mod finding;
pub mod fix;
pub mod hyperconverged;
pub mod openshift;
pub mod plan;
pub mod release;
pub mod report;
pub mod resolve;
pub mod resource;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod shown;
pub mod source;
pub mod stored;
pub mod transform;
pub mod update;
mod word;
pub mod yaml;
