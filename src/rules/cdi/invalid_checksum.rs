//! A checksum is not `algorithm:hash`.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports the `checksum` of an `http` source that is not `md5:`, `sha1:`, `sha256:` or `sha512:` and as many hexadecimal digits as
    /// the algorithm gives. CDI looks at it from 1.65 on.
    ///
    /// ## Why it matters
    ///
    /// The importer compares the image with it.
    ///
    /// CDI's check: [`ParseAndValidate`](https://github.com/kubevirt/containerized-data-importer/blob/v1.66.0/pkg/util/checksum/checksum.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     http:
    ///       url: https://example.com/fedora.qcow2
    ///       checksum: sha256:1234
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    ///
    /// ```text
    /// spec.source.HTTP.checksum: Invalid checksum format: invalid sha256 hash length: expected 64 hex characters, got 4
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: cdi.kubevirt.io/v1beta1
    /// kind: DataVolume
    /// metadata:
    ///   name: root
    /// spec:
    ///   source:
    ///     http:
    ///       url: https://example.com/fedora.qcow2
    ///       checksum: md5:0123456789abcdef0123456789abcdef
    ///   storage:
    ///     resources:
    ///       requests:
    ///         storage: 10Gi
    /// ```
    "invalid-checksum": "a checksum is not `algorithm:hash`"
}

pub(super) fn check(volume: &Volume<'_>, causes: &mut Causes) {
    let written = volume
        .source("http")
        .map_or("", |http| http.str_at("checksum"));
    if written.is_empty() || !volume.cdi.has(CdiBehaviour::Checksum) {
        return;
    }
    let Some(wrong) = wrong(written) else { return };
    let message = format!("Invalid checksum format: {wrong}");
    let (name, place) = ("source.HTTP.checksum", "source.http.checksum");
    let hit = volume.refuse(&RULE, causes, name, place, message);
    volume.cdi.since(hit, CdiBehaviour::Checksum);
    hit.help("write `sha256:` and the 64 digits");
}

/// Mirrors `ParseAndValidate`, pkg/util/checksum/checksum.go @ v1.66.0.
fn wrong(written: &str) -> Option<String> {
    let Some((algorithm, hash)) = written.split_once(':') else {
        return Some(format!(
            "invalid checksum format: expected 'algorithm:hash', got '{written}'"
        ));
    };
    let algorithm = algorithm.trim().to_lowercase();
    let hash = hash.trim().to_lowercase();
    if hash.is_empty() {
        return Some("checksum hash value cannot be empty".to_owned());
    }
    let expected = match algorithm.as_str() {
        "md5" => 32,
        "sha1" => 40,
        "sha256" => 64,
        "sha512" => 128,
        _ => {
            return Some(format!(
                "unsupported hash algorithm '{algorithm}': supported algorithms are: md5, sha1, sha256, sha512"
            ));
        }
    };
    if hash.len() != expected {
        let length = hash.len();
        return Some(format!(
            "invalid {algorithm} hash length: expected {expected} hex characters, got {length}"
        ));
    }
    // The rune of the first byte that is no digit, as Go prints it.
    let other = hash.bytes().find(|byte| !byte.is_ascii_hexdigit())?;
    let shown = match char::from(other) {
        shown
            if shown.is_ascii_graphic()
                || shown == ' '
                || !shown.is_ascii() && other >= 0xa1 && other != 0xad =>
        {
            format!("U+{:04X} '{shown}'", u32::from(other))
        }
        _ => format!("U+{:04X}", u32::from(other)),
    };
    Some(format!(
        "checksum hash is not valid hexadecimal: encoding/hex: invalid byte: {shown}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_names_its_algorithm_and_has_its_length() {
        let md5 = "0123456789abcdefABCDEF0123456789";
        assert_eq!(wrong(&format!("md5:{md5}")), None);
        assert_eq!(wrong(&format!(" MD5 : {md5} ")), None);
        for (text, words) in [
            (md5, format!("invalid checksum format: expected 'algorithm:hash', got '{md5}'")),
            ("md5:", "checksum hash value cannot be empty".to_owned()),
            (
                "crc:1",
                "unsupported hash algorithm 'crc': supported algorithms are: md5, sha1, sha256, sha512".to_owned(),
            ),
            ("md5:12", "invalid md5 hash length: expected 32 hex characters, got 2".to_owned()),
            (
                "md5:0123456789abcdefABCDEF012345678x",
                "checksum hash is not valid hexadecimal: encoding/hex: invalid byte: U+0078 'x'".to_owned(),
            ),
        ] {
            assert_eq!(wrong(text), Some(words));
        }
        for (algorithm, length) in [("sha1", 40), ("sha256", 64), ("sha512", 128)] {
            assert_eq!(wrong(&format!("{algorithm}:{}", "a".repeat(length))), None);
            assert!(wrong(&format!("{algorithm}:{}", "a".repeat(length - 1))).is_some());
        }
    }
}
