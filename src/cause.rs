//! Why a cluster refuses an object, in the cluster's own words.

use std::fmt;

/// One cause of a refusal as the API server would list it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause {
    /// The field as KubeVirt names it; may be empty, and may be no path of the document.
    pub field: String,
    /// KubeVirt's message.
    pub message: String,
}

impl Cause {
    /// A cause at a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// How a cluster refuses an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// KubeVirt answers no, with these causes (none where it gives only a message).
    Refused {
        /// The whole message.
        message: String,
        /// Its causes.
        causes: Vec<Cause>,
    },
    /// KubeVirt's code would crash on the input; we say so and do not.
    Crash {
        /// What would make it crash.
        message: String,
    },
}

impl Refusal {
    /// The message of either form.
    pub fn message(&self) -> &str {
        match self {
            Self::Refused { message, .. } | Self::Crash { message } => message,
        }
    }
}
