//! cloud-config that is no YAML.

use crate::rules::cloud_init::user_data::{UserData, network_data, user_data};
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};
use crate::source::FileId;
use crate::yaml::{ErrorKind, Value, reader};

rule! {
    /// ## What it does
    ///
    /// Reports user data that begins with `#cloud-config` and network data that is not YAML, or whose value is not a
    /// mapping.
    ///
    /// ## Why it matters
    ///
    /// cloud-init logs the error inside the guest and goes on without all of it: no user, no key, no network. Nobody can log
    /// in to read the log.
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
    ///                  groups: wheel
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.userData: cloud-init reads none of this: line 4 of it is not YAML: a list item (`- `) was expected here
    /// ```
    ///
    /// ```yaml,good
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
    ///                   groups: wheel
    /// ```
    ///
    /// ## Limits
    ///
    /// User data that a template engine writes (`## template: jinja`), and what is encrypted, is not read.
    "invalid-cloud-config": "cloud-init cannot read the user data or the network data",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        let configs = user_data(&guest, context)
            .into_iter()
            .filter(UserData::is_cloud_config);
        let networks = network_data(&guest, context)
            .into_iter()
            .filter(|data| !data.opaque);
        for data in configs.chain(networks) {
            if let Some(problem) = problem(&data.text) {
                let message = format!("cloud-init reads none of this: {problem}");
                let finding = findings.report(guest.resource, data.field.clone(), message);
                data.explain(finding);
            }
        }
    }
}

/// Why cloud-init cannot read a text, if it cannot.
fn problem(text: &str) -> Option<String> {
    if reader::is_mapping(text.as_bytes()) {
        return None;
    }
    match reader::parse_first(FileId(0), text.as_bytes()) {
        Ok(Some(document)) => match document.root.value {
            Value::Map(_) | Value::Null => None,
            _ => Some("it is not a mapping of keys and values".to_owned()),
        },
        Err(error) if error.kind == ErrorKind::Syntax => {
            let before = text.get(..error.span.start as usize).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            Some(format!("line {line} of it is not YAML: {}", error.message))
        }
        Ok(None) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn what_is_no_mapping_is_not_read() {
        for (text, is_read) in [
            ("#cloud-config\n", true),
            ("#cloud-config\nusers: []\n", true),
            ("#cloud-config\n- a\n", false),
            ("#cloud-config\nruncmd\n", false),
            ("#cloud-config\nruncmd: [a\n", false),
            ("#cloud-config\n\truncmd: a\n", false),
            ("{\"version\": 2}", true),
        ] {
            assert_eq!(
                problem(text).is_none(),
                is_read,
                "{text:?}: {:?}",
                problem(text)
            );
        }
    }
}
