//! The user data that is written into a guest's volumes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::field_path::FieldPath;
use crate::rules::guests::GuestSpec;
use crate::yaml::Node;

/// One user data of a guest, decoded.
pub(super) struct UserData {
    /// The field that holds it.
    pub(super) field: FieldPath,
    /// The text the guest reads.
    pub(super) text: String,
    /// Whether the text cannot be read: compressed or encrypted.
    pub(super) opaque: bool,
}

/// Every user data written into a guest's volumes.
pub(super) fn user_data(guest: &GuestSpec<'_>) -> Vec<UserData> {
    let mut all = Vec::new();
    for (index, volume) in guest.spec.items_at("volumes").iter().enumerate() {
        for source in ["cloudInitNoCloud", "cloudInitConfigDrive"] {
            let Some(held) = volume.get(source) else {
                continue;
            };
            let at = guest.path.field("volumes").index(index).field(source);
            if let Some(text) = held.get("userData").and_then(Node::as_str) {
                all.push(UserData {
                    field: at.field("userData"),
                    text: text.to_owned(),
                    opaque: text.starts_with("ENC["),
                });
            }
            if let Some(text) = held.get("userDataBase64").and_then(Node::as_str) {
                let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
                let bytes = STANDARD.decode(packed).unwrap_or_default();
                let decoded = String::from_utf8(bytes);
                all.push(UserData {
                    field: at.field("userDataBase64"),
                    opaque: decoded.is_err(),
                    text: decoded.unwrap_or_default(),
                });
            }
        }
    }
    all
}
