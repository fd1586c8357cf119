//! Names of files that hold one resource each: stable, safe on every file system, and never outside of the directory.

use std::fmt::Write;

use sha1::{Digest, Sha1};

use crate::resource::ResourceId;

/// Most file systems end names at 255 bytes.
const LONGEST: usize = 200;

/// `virtualmachine-shop-web.yaml`: kind, namespace where one is written, name.
pub fn file_name(id: &ResourceId, generated: &str) -> String {
    let name = if id.name.is_empty() {
        generated
    } else {
        id.name.as_str()
    };
    let parts = [
        id.kind.as_str(),
        id.namespace.as_deref().unwrap_or_default(),
        name,
    ];
    let parts: Vec<_> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| safe(part))
        .collect();
    format!("{}.yaml", shortened(&parts.join("-").to_lowercase()))
}

/// A directory as one step: `clusters/east` is `clusters-east`.
pub fn step(directory: &str) -> String {
    let steps: Vec<_> = directory
        .split('/')
        .filter(|step| !step.is_empty())
        .map(safe)
        .collect();
    match steps.join("-").as_str() {
        "" => "root".to_owned(),
        joined => shortened(joined),
    }
}

/// Letters, digits, `-`, `_` and inner dots as they are, anything else by its bytes.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        let plain =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || (byte == b'.' && at > 0);
        if plain {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let digest = Sha1::digest(name.as_bytes());
    let mut short = name[..LONGEST - 17].to_owned();
    short.push('-');
    for byte in digest.iter().take(8) {
        let _ = write!(short, "{byte:02x}");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(kind: &str, namespace: Option<&str>, name: &str) -> ResourceId {
        ResourceId {
            group: "g".into(),
            kind: kind.into(),
            namespace: namespace.map(Into::into),
            name: name.into(),
        }
    }

    #[test]
    fn names_are_safe() {
        let of = |kind, namespace, name: &str| file_name(&id(kind, namespace, name), "");
        assert_eq!(
            of("VirtualMachine", Some("shop"), "web.1"),
            "virtualmachine-shop-web.1.yaml"
        );
        assert_eq!(
            of("ClusterRole", None, "system:node"),
            "clusterrole-system%3anode.yaml"
        );
        assert_eq!(
            of("A", Some(".."), "../../etc/passwd"),
            "a-%2e.-%2e.%2f..%2fetc%2fpasswd.yaml"
        );
        assert_eq!(of("A", None, "x\0y"), "a-x%00y.yaml");
        let long = of("A", None, &"x".repeat(400));
        assert!(long.len() < 255 && long != of("A", None, &"x".repeat(401)));
        assert_eq!(step("../shared/a"), "%2e.-shared-a");
        assert_eq!(step(""), "root");
    }
}
