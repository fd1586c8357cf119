//! Cloud-init data is missing, given twice or not base64.

use super::prelude::*;

rule! {
    /// ## What it does
    ///
    /// Reports a `cloudInitNoCloud` or `cloudInitConfigDrive` volume with neither user data nor network data, with more
    /// than one source of either (plain, base64, Secret), and with base64 that cannot be decoded.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt would not know which of two to give to the guest, and an empty volume is a slip.
    ///
    /// KubeVirt's check: [`validateVolumes`](https://github.com/kubevirt/kubevirt/blob/v1.9.0/pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: ci
    ///           cloudInitNoCloud:
    ///             userData: '#cloud-config
    ///
    ///               '
    ///             userDataBase64: I2Nsb3VkLWNvbmZpZwo=
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud: spec.template.spec.volumes[0].cloudInitNoCloud must have only one userdatasource set.
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: ci
    ///           cloudInitNoCloud:
    ///             userData: '#cloud-config
    ///
    ///               '
    /// ```
    ///
    /// ## Limits
    ///
    /// The cloud-init rules check what the data says.
    "invalid-cloud-init": "cloud-init data is missing, given twice or not base64"
}

/// The kinds of data a volume gives to cloud-init, by the name KubeVirt's words use, and the key of each source.
pub(super) const KINDS: [DataKind; 2] = [
    DataKind {
        name: "userdata",
        plain: "userData",
        base64: "userDataBase64",
        secret: "secretRef",
        several: "only one userdatasource set",
        reference: "UserDataSecretRef",
    },
    DataKind {
        name: "networkdata",
        plain: "networkData",
        base64: "networkDataBase64",
        secret: "networkDataSecretRef",
        several: "only one networkdata source set",
        reference: "NetworkDataSecretRef",
    },
];

/// One kind of data.
pub(super) struct DataKind {
    /// In the words of a refusal.
    pub(super) name: &'static str,
    plain: &'static str,
    base64: &'static str,
    secret: &'static str,
    several: &'static str,
    /// What holds data that is too large.
    pub(super) reference: &'static str,
}

impl DataKind {
    /// The sources of this kind that are set.
    fn sources(&self, data: &Node) -> usize {
        let secret = data.get(self.secret);
        usize::from(secret.is_some_and(|secret| !secret.str_at("name").is_empty()))
            + usize::from(!data.str_at(self.base64).is_empty())
            + usize::from(!data.str_at(self.plain).is_empty())
    }

    /// The bytes of data the manifest holds; plain text wins over base64.
    pub(super) fn len(&self, data: &Node) -> usize {
        match data.str_at(self.plain) {
            "" => decoded(data.str_at(self.base64)).unwrap_or_else(|len| len),
            plain => plain.len(),
        }
    }
}

/// The volume's cloud-init data with its key.
pub(super) fn data(volume: &Node) -> Option<(&'static str, &Node)> {
    ["cloudInitNoCloud", "cloudInitConfigDrive"]
        .into_iter()
        .find_map(|key| volume.get(key).map(|data| (key, data)))
}

/// How many bytes base64 text holds; an error has the bytes before the fault.
fn decoded(text: &str) -> Result<usize, usize> {
    use base64::Engine as _;
    let text: Vec<u8> = text
        .bytes()
        .filter(|byte| !b"\r\n".contains(byte))
        .collect();
    // Go reads base64 with trailing bits set.
    let config = base64::engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, config)
        .decode(&text)
        .map(|bytes| bytes.len())
        .map_err(|_| 0)
}

pub(super) fn check(volume: Item<'_>, causes: &mut Causes) {
    let Some((key, data)) = data(&volume) else {
        return;
    };
    let field = volume.at(key);
    for kind in &KINDS {
        if decoded(data.str_at(kind.base64)).is_err() {
            let field = field.field(kind.base64);
            RULE.refuse(causes, &field)
                .because(format!(
                    "{field}.{key}.{} is not a valid base64 value.",
                    kind.base64
                ))
                .help(format!("write plain text in `{}`", kind.plain));
        }
        if kind.sources(data) > 1 {
            RULE.refuse(causes, &field)
                .because_it(format!("must have {}.", kind.several))
                .help(format!(
                    "keep one of `{}`, `{}` and `{}`",
                    kind.plain, kind.base64, kind.secret
                ));
        }
        super::cloud_init_too_large::check(&field, kind, data, causes);
    }
    if KINDS.iter().all(|kind| kind.sources(data) == 0) {
        RULE.refuse(causes, &field)
            .because_it("must have at least one userdatasource or one networkdatasource set.")
            .help("set `userData`, or remove the volume and its disk");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::RULE;
    use crate::release::Release;
    use crate::rules::testing::words;

    #[test]
    fn nothing_and_nonsense_are_refused() {
        let bad = json!({"spec": {"template": {"spec": {"volumes": [{"name": "a", "cloudInitConfigDrive": {}}, {"name": "b", "cloudInitNoCloud": {"networkDataBase64": "%%"}}]}}}});
        let fields: Vec<String> = words(&RULE, Release::V1_9, &bad, &json!({}))
            .into_iter()
            .map(|(field, _)| field.replace("spec.template.spec.volumes", ""))
            .collect();
        assert_eq!(
            fields,
            [
                "[0].cloudInitConfigDrive",
                "[1].cloudInitNoCloud.networkDataBase64"
            ]
        );
    }
}
