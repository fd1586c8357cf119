//! The releases of the containerized data importer (CDI), and what differs between them.

use std::fmt;
use std::str::FromStr;

/// A minor release line of CDI: `1.62`. Its last patch release is what is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CdiRelease {
    minor: u32,
}

/// What CDI's webhooks do from some release on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CdiBehaviour {
    /// A claim may ask for `ReadWriteOncePod`.
    ReadWriteOncePod,
    /// Cron schedules are read as robfig's library reads them.
    StandardCron,
    /// A disk has at least one mebibyte.
    LeastSize,
    /// A `DataImportCron` may watch a claim.
    CronOfClaim,
    /// `insecureSkipVerify` takes the place of the certificate of an `imageio` source.
    UnverifiedImageIo,
    /// A checksum is looked at.
    Checksum,
}

impl CdiBehaviour {
    /// The first release with it.
    pub(crate) const fn since(self) -> CdiRelease {
        let minor = match self {
            Self::ReadWriteOncePod | Self::StandardCron => 59,
            Self::LeastSize => 60,
            Self::CronOfClaim => 62,
            Self::UnverifiedImageIo => 64,
            Self::Checksum => 65,
        };
        CdiRelease { minor }
    }
}

impl CdiRelease {
    /// The newest release known.
    pub const NEWEST: Self = Self { minor: 66 };

    /// Whether this release behaves so.
    pub const fn has(self, behaviour: CdiBehaviour) -> bool {
        self.minor >= behaviour.since().minor
    }
}

impl fmt::Display for CdiRelease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor)
    }
}

/// The text names no release of CDI.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a release of CDI: write 1.62 or v1.62.0")]
pub struct UnknownCdiRelease(pub String);

impl FromStr for CdiRelease {
    type Err = UnknownCdiRelease;

    /// Reads `1.62`, `v1.62.0` and `v1.62.0-rc.1`. A release after the newest known counts as that one.
    fn from_str(text: &str) -> Result<Self, UnknownCdiRelease> {
        let bare = text.trim().trim_start_matches('v');
        let minor = bare
            .strip_prefix("1.")
            .and_then(|rest| rest.split(['.', '-', '+']).next())
            .and_then(|minor| minor.parse().ok());
        minor
            .map(|minor| Self { minor }.min(Self::NEWEST))
            .ok_or_else(|| UnknownCdiRelease(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_read_from_a_tag() {
        for text in ["1.62", "v1.62.0", "v1.62.0-rc.1"] {
            assert_eq!(text.parse::<CdiRelease>().unwrap().to_string(), "1.62");
        }
        assert_eq!("v1.99.0".parse::<CdiRelease>().unwrap(), CdiRelease::NEWEST);
        for text in ["latest", "2.0", "1", "1.x", ""] {
            let error = text.parse::<CdiRelease>().unwrap_err().to_string();
            assert!(error.contains("is not a release of CDI"), "{error}");
        }
    }

    #[test]
    fn a_behaviour_begins_with_a_release() {
        let has = |text: &str, behaviour| text.parse::<CdiRelease>().unwrap().has(behaviour);
        assert!(!has("1.64", CdiBehaviour::Checksum));
        assert!(has("1.65", CdiBehaviour::Checksum));
        assert!(!has("1.58", CdiBehaviour::ReadWriteOncePod));
        assert!(has("1.59", CdiBehaviour::ReadWriteOncePod));
    }
}
