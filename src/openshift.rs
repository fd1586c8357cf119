//! Releases of OpenShift Virtualization: the `KubeVirt` release each is based on, and the operator that installs it.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::release::Release;

/// Declares [`OpenShift`] and the list of targets, one line a release, oldest first.
macro_rules! platforms {
    ($($name:ident $text:literal $kubevirt:ident $operator:literal;)+) => {
        /// A minor release of OpenShift Virtualization. Its patch releases carry changes of their own over `KubeVirt`'s.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        #[allow(clippy::manual_non_exhaustive, reason = "the hidden release is one like the others")]
        pub enum OpenShift {
            $(#[doc = $text] $name,)+
            /// The release after the newest, as the operator's main branch has it. For tests; no target.
            #[doc(hidden)]
            Next,
        }

        impl OpenShift {
            /// Every release that can be a target, oldest first.
            pub const TARGETS: &'static [Self] = &[$(Self::$name),+];

            /// `4.18`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                    Self::Next => "next",
                }
            }

            /// The `KubeVirt` release it is based on: `hack/config` of the operator's release branch.
            pub const fn kubevirt(self) -> Release {
                match self {
                    $(Self::$name => Release::$kubevirt,)+
                    Self::Next => Release::NEWEST,
                }
            }

            /// The release of the HyperConverged operator: `1.14`.
            pub const fn operator(self) -> &'static str {
                match self {
                    $(Self::$name => $operator,)+
                    Self::Next => "next",
                }
            }
        }
    };
}

platforms! {
    V4_15 "4.15" V1_1 "1.11";
    V4_16 "4.16" V1_2 "1.12";
    V4_17 "4.17" V1_3 "1.13";
    V4_18 "4.18" V1_4 "1.14";
    V4_19 "4.19" V1_5 "1.15";
    V4_20 "4.20" V1_6 "1.16";
    V4_21 "4.21" V1_7 "1.17";
    V4_22 "4.22" V1_8 "1.18";
}

impl OpenShift {
    /// The oldest release known.
    pub const OLDEST: Self = Self::TARGETS[0];

    /// The newest release known.
    pub const NEWEST: Self = Self::TARGETS[Self::TARGETS.len() - 1];

    /// The release with the operator that installs this `KubeVirt` release: the next one for a later `KubeVirt`.
    pub fn with(kubevirt: Release) -> Self {
        let mut targets = Self::TARGETS.iter().copied();
        targets
            .find(|target| target.kubevirt() == kubevirt)
            .unwrap_or(Self::Next)
    }

    /// The release that a version of the HyperConverged operator belongs to: `1.14.2` upstream, `4.18.2` as Red Hat
    /// numbers it.
    pub fn of_operator(version: &str) -> Option<Self> {
        let version = version.trim().trim_start_matches('v');
        let names = |name: &str| {
            let rest = version.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
        };
        let mut targets = Self::TARGETS.iter().copied();
        targets.find(|target| names(target.operator()) || names(target.as_str()))
    }
}

impl fmt::Display for OpenShift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a cluster runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Platform {
    /// Its release of `KubeVirt`.
    pub release: Release,
    /// Its release of OpenShift, where it is one.
    pub openshift: Option<OpenShift>,
}

impl From<Release> for Platform {
    fn from(release: Release) -> Self {
        Self {
            release,
            openshift: None,
        }
    }
}

impl From<OpenShift> for Platform {
    fn from(openshift: OpenShift) -> Self {
        Self {
            release: openshift.kubevirt(),
            openshift: Some(openshift),
        }
    }
}

impl Platform {
    /// What a version of the HyperConverged operator installs: `4.18.2` is Red Hat's number, on OpenShift; `1.14.2` is
    /// upstream's, on any Kubernetes.
    pub fn of_operator(version: &str) -> Option<Self> {
        let openshift = OpenShift::of_operator(version)?;
        let is_numbered_so = version.trim().trim_start_matches('v').starts_with("4.");
        Some(if is_numbered_so {
            openshift.into()
        } else {
            openshift.kubevirt().into()
        })
    }
}

impl fmt::Display for Platform {
    /// `KubeVirt 1.4`, `OpenShift 4.18 (KubeVirt 1.4)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.openshift {
            Some(openshift) => write!(f, "OpenShift {openshift} (KubeVirt {})", self.release),
            None => write!(f, "KubeVirt {}", self.release),
        }
    }
}

/// The text names no release of OpenShift Virtualization that can be a target.
#[derive(Debug, thiserror::Error)]
pub enum UnknownOpenShift {
    /// No target has the name.
    #[error("`{0}` is not an OpenShift release driftless knows: {oldest} to {newest}", oldest = OpenShift::OLDEST, newest = OpenShift::NEWEST)]
    NoTarget(String),
    /// The release is older than every target.
    #[error(
        "OpenShift {text} has a KubeVirt older than {kubevirt}, the oldest driftless knows: it judges from OpenShift {oldest} on; give the release that the cluster is upgraded to",
        kubevirt = Release::OLDEST,
        oldest = OpenShift::OLDEST
    )]
    TooOld {
        /// The text given.
        text: String,
    },
    /// A number, which YAML read without the zero at its end.
    #[error("`{0}` may have been written `{0}0`: put the release in quotes")]
    LostZero(String),
}

impl OpenShift {
    /// The release that a number without quotes names, as far as YAML leaves it: `4.20` is the number `4.2`.
    pub(crate) fn from_number(number: f64) -> Result<Self, UnknownOpenShift> {
        let text = number.to_string();
        let mut names = Self::TARGETS.iter().map(|target| target.as_str());
        if names.any(|name| name.strip_suffix('0') == Some(text.as_str())) {
            return Err(UnknownOpenShift::LostZero(text));
        }
        text.parse()
    }
}

impl FromStr for OpenShift {
    type Err = UnknownOpenShift;

    /// Reads `4.18`, `v4.18` and `4.18.3`.
    fn from_str(text: &str) -> Result<Self, UnknownOpenShift> {
        let bare = text.trim().trim_start_matches('v');
        let mut targets = Self::TARGETS.iter().copied();
        let found = targets.find(|target| {
            let rest = bare.strip_prefix(target.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '+']))
        });
        found.ok_or_else(|| {
            if is_older(bare) {
                UnknownOpenShift::TooOld {
                    text: bare.to_owned(),
                }
            } else {
                UnknownOpenShift::NoTarget(text.to_owned())
            }
        })
    }
}

impl TryFrom<String> for OpenShift {
    type Error = UnknownOpenShift;

    fn try_from(text: String) -> Result<Self, UnknownOpenShift> {
        text.parse()
    }
}

/// Whether the text is a release 4 of OpenShift before the oldest target.
fn is_older(text: &str) -> bool {
    let minor = |text: &str| {
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(['.', '-', '+']).next()?;
        (major == "4").then(|| minor.parse::<u32>().ok()).flatten()
    };
    minor(text)
        .zip(minor(OpenShift::OLDEST.as_str()))
        .is_some_and(|(asked, oldest)| asked < oldest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_parse_as_people_write_them() {
        for text in ["4.18", "v4.18", "4.18.3", " 4.18.0-rc.1"] {
            assert_eq!(text.parse::<OpenShift>().unwrap(), OpenShift::V4_18);
        }
        for text in ["4.23", "4.1x", "5.0", "", "next", "4.200"] {
            let error = text.parse::<OpenShift>().unwrap_err();
            assert!(matches!(error, UnknownOpenShift::NoTarget(_)), "{text}");
        }
    }

    #[test]
    fn older_releases_are_refused_with_the_reason_and_the_remedy() {
        for text in ["4.14", "v4.14.3", "4.9"] {
            let error = text.parse::<OpenShift>().unwrap_err();
            assert!(matches!(error, UnknownOpenShift::TooOld { .. }), "{text}");
            let words = error.to_string();
            assert!(words.contains("older than 1.1"), "{words}");
            assert!(words.contains("from OpenShift 4.15 on"), "{words}");
        }
    }

    #[test]
    fn a_number_that_may_have_lost_a_zero_is_no_release() {
        assert_eq!(OpenShift::from_number(4.18).unwrap(), OpenShift::V4_18);
        let error = OpenShift::from_number(4.2).unwrap_err();
        assert!(matches!(error, UnknownOpenShift::LostZero(_)));
        let error = OpenShift::from_number(4.1).unwrap_err();
        assert!(matches!(error, UnknownOpenShift::TooOld { .. }));
    }

    #[test]
    fn each_release_follows_the_one_before_in_kubevirt_too() {
        for pair in OpenShift::TARGETS.windows(2) {
            assert_eq!(pair[0].kubevirt().following(), pair[1].kubevirt());
        }
        assert_eq!(OpenShift::with(Release::V1_6), OpenShift::V4_20);
        assert_eq!(OpenShift::with(Release::NEWEST), OpenShift::Next);
    }

    #[test]
    fn the_operators_versions_name_the_release() {
        for (version, release) in [
            ("4.18.3", Some(OpenShift::V4_18)),
            ("v1.14.0", Some(OpenShift::V4_18)),
            ("1.18.1-unstable", Some(OpenShift::V4_22)),
            ("4.22.0", Some(OpenShift::V4_22)),
            ("4.14.9", None),
            ("4.23.0", None),
            ("1.10.0", None),
            ("1.1.0", None),
            ("", None),
        ] {
            assert_eq!(OpenShift::of_operator(version), release, "{version}");
        }
    }
}
