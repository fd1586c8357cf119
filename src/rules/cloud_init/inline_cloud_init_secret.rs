//! Secrets in user data.

use crate::rule::Severity;
use crate::rules::cloud_init::user_data::written_user_data;
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports, once a VM, user data that holds password hashes, private keys, tokens or activation keys. Passwords of demos
    /// (`fedora`, `changeme`), those that OpenShift's console makes up (`abcd-efgh-ijkl`) and placeholders are notes. What was found is named, never shown.
    ///
    /// ## Why it matters
    ///
    /// Everyone who reads the repository, and everyone who may read VMs in the cluster, has the secret; in Git it stays for good.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               #cloud-config
    ///               users:
    ///                 - name: admin
    ///                   passwd: $6$rounds=4096$c0ffee$0123456789abcdef0123456789
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.userData: the user data holds a password hash
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             secretRef:
    ///               name: web-cloud-init
    /// ```
    ///
    /// ## Limits
    ///
    /// Text is searched for well-known keys and marks; a secret under another name is not found. Values encrypted by SOPS are
    /// not secrets. `ssh_authorized_keys` are public.
    "inline-cloud-init-secret": "the user data holds secrets in Git",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        if guest.resource.node.get("sops").is_some() {
            continue;
        }
        let mut kinds: Vec<(Secret, bool)> = Vec::new();
        let mut field = None;
        for data in written_user_data(&guest)
            .into_iter()
            .filter(|data| !data.opaque)
        {
            let found = secrets(&data.text);
            if !found.is_empty() {
                field.get_or_insert(data.field);
            }
            for kind in found {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        let Some(field) = field else { continue };
        let real: Vec<&str> = kinds
            .iter()
            .filter(|(_, demo)| !demo)
            .map(|(kind, _)| kind.as_str())
            .collect();
        let finding = if real.is_empty() {
            let finding = findings.report(
                guest.resource,
                field,
                "the user data holds a password that looks like a demo's",
            );
            finding.severity(Severity::Note);
            finding
        } else {
            findings.report(
                guest.resource,
                field,
                format!("the user data holds {}", real.join(" and ")),
            )
        };
        finding.help("put the user data into a Secret and name it with `secretRef`; change what has been in Git");
    }
}

/// A kind of secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secret {
    Hash,
    Password,
    PrivateKey,
    Token,
}

impl Secret {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Hash => "a password hash",
            Self::Password => "a password",
            Self::PrivateKey => "a private key",
            Self::Token => "a token",
        }
    }
}

/// Passwords that everyone knows.
const DEMO: [&str; 24] = [
    "admin", "alpine", "atomic", "centos", "changeme", "cirros", "cloud", "debian", "demo",
    "example", "fedora", "gocubsgo", "kubevirt", "linux", "opensuse", "passw0rd", "password",
    "redhat", "root", "secret", "test", "toor", "ubuntu", "user",
];

/// The kinds of secrets in a text, each with whether it looks like a demo's.
fn secrets(text: &str) -> Vec<(Secret, bool)> {
    let mut found = Vec::new();
    let mut in_list = None;
    for line in text.lines() {
        let body = line.trim();
        if body.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if body.contains("PRIVATE KEY-----") && body.contains("BEGIN") {
            found.push((Secret::PrivateKey, false));
        }
        // `chpasswd: {list: …}` holds `user:password` lines.
        if let Some(depth) = in_list {
            if !body.is_empty() && indent <= depth {
                in_list = None;
            } else if let Some((user, password)) = body.trim_start_matches("- ").split_once(':')
                && !user.contains(' ')
            {
                found.extend(judge(Secret::Password, password, Some(user)));
            }
        }
        let Some((key, value)) = body.trim_start_matches("- ").split_once([':', '=']) else {
            continue;
        };
        let key = key
            .trim()
            .trim_matches(['"', '\''])
            .trim_start_matches("export ")
            .to_ascii_lowercase()
            .replace('-', "_");
        let value = value.trim().trim_matches(['"', '\'', ',']);
        match key.as_str() {
            "list" if in_list.is_none() && (value.is_empty() || value.starts_with('|')) => {
                in_list = Some(indent);
            }
            "passwd" | "hashed_passwd" | "plain_text_passwd" | "password" | "admin_password"
            | "root_password" => {
                found.extend(judge(Secret::Password, value, None));
            }
            "activation_key" | "activationkey" => found.extend(judge(Secret::Token, value, None)),
            key if key.ends_with("token")
                || key.ends_with("secret_access_key")
                || key.ends_with("api_key") =>
            {
                found.extend(judge(Secret::Token, value, None));
            }
            key if key.ends_with("_password") => found.extend(judge(Secret::Password, value, None)),
            _ => {}
        }
    }
    found
}

/// What a value is, unless it is none: empty, a reference to a variable, a type that cloud-init makes up itself.
fn judge(kind: Secret, value: &str, user: Option<&str>) -> Option<(Secret, bool)> {
    let value = value.trim().trim_matches(['"', '\'']);
    let lower = value.to_ascii_lowercase();
    let none = [
        "", "|", ">", "random", "r", "{", "[", "true", "false", "null", "~", "hash", "text", "!",
        "*",
    ];
    if none.contains(&lower.as_str()) || value.starts_with("ENC[") || value.starts_with("$(") {
        return None;
    }
    let hash = value.starts_with('$')
        && ["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$"]
            .iter()
            .any(|prefix| value.starts_with(prefix));
    if hash {
        return Some((Secret::Hash, false));
    }
    let placeholder = value.contains(['<', '$', '{', '%'])
        || ["replace", "change", "your", "xxx", "todo", "example", "..."]
            .iter()
            .any(|word| lower.contains(word))
        || value.chars().all(|c| c == '*' || c == 'x' || c == 'X');
    let weak = DEMO
        .iter()
        .any(|demo| lower.trim_end_matches(|c: char| c.is_ascii_digit()) == *demo)
        || user.is_some_and(|user| lower == user.to_ascii_lowercase())
        || (value.len() <= 8
            && value
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
    Some((kind, placeholder || weak || is_from_console(value)))
}

/// Whether OpenShift's console made the password up for a first login: `j7q5-vkj6-5pcr`.
fn is_from_console(value: &str) -> bool {
    let is_part = |part: &str| {
        let mut letters = part.bytes();
        part.len() == 4 && letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    value.split('-').count() == 3 && value.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_demos_and_placeholders() {
        for (text, expected) in [
            ("passwd: $6$abc$defgh", vec![(Secret::Hash, false)]),
            ("password: fedora", vec![(Secret::Password, true)]),
            ("password: <your password>", vec![(Secret::Password, true)]),
            ("password: j7q5-vkj6-5pcr", vec![(Secret::Password, true)]),
            ("password: j7q5-vkj6-5pcR", vec![(Secret::Password, false)]),
            (
                "password: j7q5-vkj6-5pcr-ab12",
                vec![(Secret::Password, false)],
            ),
            (
                "plain_text_passwd: \"Tr0ub4dor&3\"",
                vec![(Secret::Password, false)],
            ),
            (
                "chpasswd:\n  list: |\n    root:S3cure-Enough\n    a:a\n  expire: false",
                vec![(Secret::Password, false), (Secret::Password, true)],
            ),
            ("chpasswd: { expire: False }", vec![]),
            ("lock_passwd: false\nssh_pwauth: true", vec![]),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----",
                vec![(Secret::PrivateKey, false)],
            ),
            (
                "K3S_TOKEN=K10c0ffeec0ffee::server:abcdef",
                vec![(Secret::Token, false)],
            ),
            ("ssh_authorized_keys:\n  - ssh-rsa AAAA", vec![]),
            ("# password: S3cure-Enough", vec![]),
        ] {
            assert_eq!(secrets(text), expected, "{text}");
        }
    }
}
