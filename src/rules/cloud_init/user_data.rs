//! The user data and network data of a guest: what is written into its volumes, and what Secrets of the tree hold.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::field_path::{FieldPath, Segment};
use crate::finding::{Finding, Location};
use crate::resolve::named::UsedFor;
use crate::rules::Context;
use crate::rules::guests::GuestSpec;
use crate::rules::guests::mounted::MountedObject;
use crate::yaml::Node;

/// One user data or network data of a guest, decoded.
pub(super) struct UserData<'a> {
    /// The field that holds it.
    pub(super) field: FieldPath,
    /// The text the guest reads.
    pub(super) text: Cow<'a, str>,
    /// Whether the text cannot be read: compressed or encrypted.
    pub(super) opaque: bool,
    /// The Secret that holds the text, where it is not the field itself.
    pub(super) secret: Option<Location>,
}

impl UserData<'_> {
    /// Whether cloud-init reads the text as cloud-config: YAML that no template engine rewrites first.
    pub(super) fn is_cloud_config(&self) -> bool {
        !self.opaque && self.text.trim_start().starts_with("#cloud-config")
    }

    /// Points from a finding at the Secret that holds the text.
    pub(super) fn explain(&self, finding: &mut Finding) {
        if let Some(secret) = &self.secret {
            finding.related(secret.clone());
        }
    }
}

/// Every user data written into a guest's volumes.
pub(super) fn written_user_data<'a>(guest: &GuestSpec<'a>) -> Vec<UserData<'a>> {
    written(guest, "userData", "userDataBase64")
}

/// Every user data of a guest.
pub(super) fn user_data<'a>(guest: &GuestSpec<'a>, context: &Context<'a>) -> Vec<UserData<'a>> {
    let mut all = written_user_data(guest);
    held(
        guest,
        context,
        "secretRef",
        &["userdata", "userData"],
        &mut all,
    );
    all
}

/// Every network data of a guest.
pub(super) fn network_data<'a>(guest: &GuestSpec<'a>, context: &Context<'a>) -> Vec<UserData<'a>> {
    let mut all = written(guest, "networkData", "networkDataBase64");
    let keys = ["networkdata", "networkData"];
    held(guest, context, "networkDataSecretRef", &keys, &mut all);
    all
}

/// Adds what Secrets of the tree hold for a reference of that name, under the first of the keys that is there.
fn held<'a>(
    guest: &GuestSpec<'a>,
    context: &Context<'a>,
    reference: &str,
    keys: &[&str],
    all: &mut Vec<UserData<'a>>,
) {
    for mounted in MountedObject::of_guest(guest, context, &[UsedFor::CloudInit]) {
        let field = &mounted.named.field;
        let names_it = matches!(
            field.segments().iter().rev().nth(1),
            Some(Segment::Field(key)) if key == reference
        );
        let text = keys.iter().find_map(|key| mounted.text(key));
        if let Some(text) = text.filter(|_| names_it) {
            all.push(UserData {
                field: field.clone(),
                opaque: text.starts_with("ENC["),
                text,
                secret: Some(mounted.place()),
            });
        }
    }
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
                    secret: None,
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
                    secret: None,
                });
            }
        }
    }
    all
}
