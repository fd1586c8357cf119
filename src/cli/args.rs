//! The arguments that commands share. Arguments of one command are in its file in `commands`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice};
use driftless::emit::Syntax;
use driftless::openshift::{OpenShift, Platform};
use driftless::release::Release;

/// What every command understands.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// KubeVirt release the manifests are for [default: from driftless.yaml, else what the manifests
    /// show, else the newest known]
    #[arg(long, global = true, value_name = "RELEASE", value_parser = release())]
    pub(crate) kubevirt: Option<Release>,

    /// OpenShift release the manifests are for: it says the KubeVirt release, the defaults of its configuration and the
    /// instance types
    #[arg(long, global = true, value_name = "RELEASE", value_parser = openshift(), conflicts_with = "kubevirt")]
    pub(crate) openshift: Option<OpenShift>,

    /// A KubeVirt or HyperConverged object, or a `spec.configuration` [default: such an object among the manifests,
    /// else the defaults of KubeVirt or OpenShift]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) cluster_config: Option<PathBuf>,

    /// More manifests that references may lead to; they are not reported on. May repeat
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) context: Vec<PathBuf>,

    /// Settings file [default: driftless.yaml in the directory of the manifests or above, up to the repository's root]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Namespace of objects that name none [default: from driftless.yaml, else `default`]
    #[arg(short, long, global = true, value_name = "NAMESPACE", value_parser = namespace)]
    pub(crate) namespace: Option<String>,

    /// Leave out files and directories that match this pattern. May repeat
    #[arg(long, global = true, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// When to use color; `NO_COLOR` in the environment turns it off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,

    /// How many threads to use [default: one for each core]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,

    /// Print only errors on standard error
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// List what is skipped and why
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl Global {
    /// What the command line says that the clusters run.
    pub(crate) fn platform(&self) -> Option<Platform> {
        let openshift = self.openshift.map(Platform::from);
        openshift.or_else(|| self.kubevirt.map(Platform::from))
    }
}

/// How resources are written: a stream of documents, or a `v1 List`.
pub(crate) fn syntax() -> impl TypedValueParser<Value = Syntax> {
    PossibleValuesParser::new(Syntax::ALL.map(Syntax::as_str))
        .try_map(|word| Syntax::parse(&word).ok_or("neither yaml nor json"))
}

/// A parser whose words shells complete, though it takes more than they say.
#[derive(Clone, Debug)]
pub(crate) struct Listed<P> {
    parser: P,
    words: fn() -> Vec<&'static str>,
}

impl<P> Listed<P> {
    /// `parser`, with the words to complete.
    pub(crate) const fn new(parser: P, words: fn() -> Vec<&'static str>) -> Self {
        Self { parser, words }
    }
}

impl<P: TypedValueParser> TypedValueParser for Listed<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// The name of a namespace.
fn namespace(text: &str) -> Result<String, &'static str> {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if text.is_empty()
        || text.len() > 63
        || !text.bytes().all(is_plain)
        || text.starts_with('-')
        || text.ends_with('-')
    {
        return Err(
            "a namespace has up to 63 lower-case letters, digits and `-`, and begins and ends with a letter or digit",
        );
    }
    Ok(text.to_owned())
}

/// A release of KubeVirt.
pub(crate) fn release() -> impl TypedValueParser<Value = Release> {
    let parser = clap::builder::StringValueParser::new().try_map(|text| text.parse::<Release>());
    Listed::new(parser, || {
        Release::TARGETS
            .iter()
            .map(|release| release.as_str())
            .collect()
    })
}

/// A release of OpenShift.
fn openshift() -> impl TypedValueParser<Value = OpenShift> {
    let parser = clap::builder::StringValueParser::new().try_map(|text| text.parse::<OpenShift>());
    Listed::new(parser, || {
        let targets = OpenShift::TARGETS.iter();
        targets.map(|release| release.as_str()).collect()
    })
}

/// Starts as many threads as asked for.
pub(crate) fn start(global: &Global) -> anyhow::Result<()> {
    if let Some(jobs) = global.jobs {
        rayon::ThreadPoolBuilder::new()
            .num_threads(jobs.get())
            .build_global()?;
    }
    Ok(())
}
