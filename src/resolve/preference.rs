//! What a preference says about CPU topology.

use crate::yaml::Node;

/// How the vCPUs of an instance type become a guest topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    /// Every vCPU is a socket; also `any`, and the default.
    Sockets,
    /// As sockets, but a VM without instance type meets requirements in any form.
    Any,
    /// Every vCPU is a core.
    Cores,
    /// Every vCPU is a thread.
    Threads,
    /// vCPUs are spread by a ratio.
    Spread,
    /// A name KubeVirt does not know; it then leaves one of each.
    Unknown,
}

impl Topology {
    /// The topology a preference's decoded spec prefers. Old and new names mean the same.
    pub(crate) fn preferred(preference: Option<&Node>) -> Self {
        let Some(name) = preference
            .and_then(|spec| spec.path("cpu.preferredCPUTopology"))
            .and_then(Node::as_str)
        else {
            return Self::Sockets;
        };
        match name {
            "sockets" | "preferSockets" => Self::Sockets,
            "any" | "preferAny" => Self::Any,
            "cores" | "preferCores" => Self::Cores,
            "threads" | "preferThreads" => Self::Threads,
            "spread" | "preferSpread" => Self::Spread,
            _ => Self::Unknown,
        }
    }
}

/// How `spread` divides vCPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread<'a> {
    /// The ratio; zero where the preference says so.
    pub ratio: u32,
    /// Across what: `SocketsCores`, `CoresThreads`, `SocketsCoresThreads`, or an unknown word.
    pub across: &'a str,
}

impl<'a> Spread<'a> {
    /// The spread options of a preference's decoded spec: `cpu.spreadOptions.ratio` wins over
    /// `preferSpreadSocketToCoreRatio`, and that over 2.
    pub(crate) fn preferred(preference: &'a Node) -> Self {
        let number = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
        let options = preference.path("cpu.spreadOptions");
        let ratio = match preference.int_at("preferSpreadSocketToCoreRatio") {
            0 => 2,
            ratio => number(ratio),
        };
        Self {
            ratio: options
                .and_then(|options| options.get("ratio"))
                .and_then(Node::as_i64)
                .map_or(ratio, number),
            across: options
                .and_then(|options| options.get("across"))
                .and_then(Node::as_str)
                .unwrap_or("SocketsCores"),
        }
    }
}
