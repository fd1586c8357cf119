//! Kubernetes' rules for names, with its words for what breaks them.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// What is wrong with a DNS label (RFC 1123).
pub(in crate::rules) fn dns_label(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63);
    if !is_label(value) {
        wrong.push(if is_subdomain(value) {
            "must not contain dots".to_owned()
        } else {
            form(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
                &["my-name", "123-abc"],
                LABEL,
            )
        });
    }
    wrong
}

/// What is wrong with a DNS subdomain (RFC 1123).
pub(in crate::rules) fn dns_subdomain(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 253);
    if !is_subdomain(value) {
        wrong.push(form(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            &["example.com"],
            &format!("{LABEL}(\\.{LABEL})*"),
        ));
    }
    wrong
}

/// What is wrong with a label's key: an optional DNS subdomain, a slash, and a name.
pub(in crate::rules) fn label_key(value: &str) -> Vec<String> {
    let (prefix, name) = value.split_once('/').unwrap_or(("a", value));
    if prefix.len() <= 253 && is_subdomain(prefix) && name.len() <= 63 && is_qualified(name) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let parts: Vec<&str> = value.split('/').collect();
    let words = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
    let examples = ["MyName", "my.name", "123-abc"];
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                wrong.extend(
                    dns_subdomain(prefix)
                        .into_iter()
                        .map(|text| format!("prefix part {text}")),
                );
            }
            name
        }
        _ => {
            wrong.push(format!(
                "a qualified name {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                form(words, &examples, QUALIFIED)
            ));
            return wrong;
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else {
        wrong.extend(
            too_long(name, 63)
                .into_iter()
                .map(|text| format!("name part {text}")),
        );
    }
    if !is_qualified(name) {
        wrong.push(format!("name part {}", form(words, &examples, QUALIFIED)));
    }
    wrong
}

/// What is wrong with a label's value.
pub(in crate::rules) fn label_value(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63);
    if !value.is_empty() && !is_qualified(value) {
        wrong.push(form(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            &["MyValue", "my_value", "12345"],
            &format!("({QUALIFIED})?"),
        ));
    }
    wrong
}

/// Whether a port may have that name.
pub(in crate::rules) fn is_port_name(value: &str) -> bool {
    value.len() <= 15
        && value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        && !value.contains("--")
        && !value.starts_with('-')
        && !value.ends_with('-')
}

/// Whether this is a PCI address: `0000:00:1f.7`.
pub(in crate::rules) fn is_pci_address(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() == 12
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b':',
            10 => *byte == b'.',
            11 => matches!(byte, b'0'..=b'7'),
            _ => byte.is_ascii_hexdigit(),
        })
}

/// How many bytes a hardware address has, in any form Go reads: `02:00:00:aa:bb:01`, with dashes, `0200.00aa.bb01`.
pub(in crate::rules) fn mac_bytes(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    let (separator, group) = match (bytes.get(2), bytes.get(4)) {
        (Some(separator @ (b':' | b'-')), _) => (*separator, 2),
        (_, Some(b'.')) => (b'.', 4),
        _ => return None,
    };
    let groups: Vec<&[u8]> = bytes.split(|byte| *byte == separator).collect();
    let fits = groups
        .iter()
        .all(|part| part.len() == group && part.iter().all(u8::is_ascii_hexdigit));
    let count = groups.len() * group / 2;
    (fits && matches!(count, 6 | 8 | 20)).then_some(count)
}

fn is_label(value: &str) -> bool {
    let bytes = value.as_bytes();
    let end = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    end(bytes.first())
        && end(bytes.last())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
}

fn is_subdomain(value: &str) -> bool {
    value.split('.').all(is_label)
}

fn is_qualified(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

fn too_long(value: &str, most: usize) -> Vec<String> {
    if value.len() > most {
        vec![format!("must be no more than {most} characters")]
    } else {
        Vec::new()
    }
}

fn form(words: &str, examples: &[&str], regex: &str) -> String {
    let examples: Vec<String> = examples.iter().map(|text| format!("'{text}', ")).collect();
    format!(
        "{words} (e.g. {}regex used for validation is '{regex}')",
        examples.join(" or ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_subdomains_are_told_apart() {
        assert!(dns_label("web-1").is_empty());
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert!(dns_label("Web")[0].starts_with("a lowercase RFC 1123 label must consist"));
        assert!(dns_subdomain("a.b-c.d").is_empty());
        assert_eq!(dns_subdomain("-a").len(), 1);
        assert_eq!(
            dns_label(&"a".repeat(64)),
            ["must be no more than 63 characters"]
        );
        assert_eq!(
            dns_label("")[0],
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        );
    }

    #[test]
    fn every_kind_of_name_has_its_longest() {
        let long = |length: usize| "a".repeat(length);
        let prefixed = |length: usize| long(length) + "/a";
        for (check, longest, too_long) in [
            (dns_label as fn(&str) -> Vec<String>, long(63), long(64)),
            (dns_subdomain, long(253), long(254)),
            (label_value, long(63), long(64)),
            (label_key, long(63), long(64)),
            (label_key, prefixed(253), prefixed(254)),
        ] {
            assert_eq!(check(&longest), Vec::<String>::new(), "{longest}");
            assert_eq!(check(&too_long).len(), 1, "{too_long}");
        }
        assert!(is_port_name(&long(15)) && !is_port_name(&long(16)));
    }

    #[test]
    fn label_keys_may_have_a_prefix() {
        assert!(label_key("kubernetes.io/hostname").is_empty());
        assert!(label_key("zone").is_empty());
        assert!(!label_key("").is_empty());
        assert!(!label_key("a/b/c").is_empty());
        assert!(!label_key("/b").is_empty());
        assert!(label_value("").is_empty());
        assert!(!label_value("a b").is_empty());
    }

    #[test]
    fn hardware_addresses_are_read_as_go_reads_them() {
        for (text, bytes) in [
            ("02:00:00:aa:bb:01", Some(6)),
            ("02-00-00-aa-bb-01", Some(6)),
            ("0200.00aa.bb01", Some(6)),
            ("02:00:00:aa:bb:01:02:03", Some(8)),
            ("zz", None),
            ("02:00:00:aa:bb", None),
            ("02:00-00:aa:bb:01", None),
            ("", None),
        ] {
            assert_eq!(mac_bytes(text), bytes, "{text}");
        }
        assert!(is_pci_address("0000:81:00.1"));
        assert!(!is_pci_address("0000:81:00.8"));
        assert!(!is_pci_address("81:00.1"));
    }

    #[test]
    fn port_names_are_service_names() {
        assert!(is_port_name("http-alt"));
        for name in ["80", "a--b", "-a", "HTTP", "a-name-that-is-too-long"] {
            assert!(!is_port_name(name), "{name}");
        }
    }
}
