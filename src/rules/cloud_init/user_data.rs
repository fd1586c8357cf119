//! The user data and network data that are written into a guest's volumes.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::field_path::FieldPath;
use crate::rules::guests::GuestSpec;
use crate::yaml::Node;

/// One user data or network data of a guest, decoded.
pub(super) struct UserData<'a> {
    /// The field that holds it.
    pub(super) field: FieldPath,
    /// The text the guest reads.
    pub(super) text: Cow<'a, str>,
    /// Whether the text cannot be read: compressed or encrypted.
    pub(super) opaque: bool,
}

impl UserData<'_> {
    /// Whether cloud-init reads the text as cloud-config: YAML that no template engine rewrites first.
    pub(super) fn is_cloud_config(&self) -> bool {
        !self.opaque && self.text.trim_start().starts_with("#cloud-config")
    }
}

/// Every user data written into a guest's volumes.
pub(super) fn user_data<'a>(guest: &GuestSpec<'a>) -> Vec<UserData<'a>> {
    written(guest, "userData", "userDataBase64")
}

/// Every network data written into a guest's volumes.
pub(super) fn network_data<'a>(guest: &GuestSpec<'a>) -> Vec<UserData<'a>> {
    written(guest, "networkData", "networkDataBase64")
}

fn written<'a>(guest: &GuestSpec<'a>, plain: &str, packed: &str) -> Vec<UserData<'a>> {
    let mut all = Vec::new();
    for (index, volume) in guest.spec.items_at("volumes").iter().enumerate() {
        for source in ["cloudInitNoCloud", "cloudInitConfigDrive"] {
            let Some(held) = volume.get(source) else {
                continue;
            };
            let at = guest.path.field("volumes").index(index).field(source);
            if let Some(text) = held.get(plain).and_then(Node::as_str) {
                all.push(UserData {
                    field: at.field(plain),
                    text: Cow::Borrowed(text),
                    opaque: text.starts_with("ENC["),
                });
            }
            if let Some(text) = held.get(packed).and_then(Node::as_str) {
                let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
                let bytes = STANDARD.decode(digits).unwrap_or_default();
                let decoded = String::from_utf8(bytes);
                all.push(UserData {
                    field: at.field(packed),
                    opaque: decoded.is_err(),
                    text: Cow::Owned(decoded.unwrap_or_default()),
                });
            }
        }
    }
    all
}
