//! The Secrets and ConfigMaps that a guest mounts, as far as the tree shows their keys.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::GuestSpec;
use crate::finding::Location;
use crate::resolve::Resolution;
use crate::resolve::named::{self, Kind, NamedObject, UsedFor};
use crate::resource::Resource;
use crate::rules::Context;
use crate::transform::normalize::is_encrypted;
use crate::yaml::Node;

/// A Secret or ConfigMap with the name that leads to it.
#[derive(Debug)]
pub(in crate::rules) struct MountedObject<'a> {
    /// The name in the guest.
    pub(in crate::rules) named: NamedObject<'a>,
    /// The object.
    pub(in crate::rules) object: &'a Resource,
}

/// Where an object keeps keys as text, and where in base64.
const PLAIN: [(&str, Kind); 2] = [("stringData", Kind::Secret), ("data", Kind::ConfigMap)];
const PACKED: [(&str, Kind); 2] = [("data", Kind::Secret), ("binaryData", Kind::ConfigMap)];

impl<'a> MountedObject<'a> {
    /// Those that a guest names for these uses, whose keys are Git's: an encrypted object, and one without a key, which
    /// something else fills in, are left out.
    pub(in crate::rules) fn of_guest(
        guest: &GuestSpec<'a>,
        context: &Context<'a>,
        uses: &[UsedFor],
    ) -> Vec<Self> {
        if !names_any(guest.spec, uses) {
            return Vec::new();
        }
        let namespace = guest.resource.namespace_or(&context.target.namespace);
        let named = named::of_guest(guest.spec, guest.path).into_iter();
        let named = named.filter(|named| uses.contains(&named.used));
        let mounted = named.filter_map(|named| {
            let (group, kind) = *named.kind.objects().first()?;
            let found = context
                .resolver
                .find(group, kind, Some(namespace), named.name);
            let Resolution::Found(object) = found else {
                return None;
            };
            Some(Self { named, object })
        });
        mounted
            .filter(|mounted| !is_encrypted(&mounted.object.node))
            .filter(|mounted| mounted.keys().next().is_some())
            .collect()
    }

    /// Its keys.
    pub(in crate::rules) fn keys(&self) -> impl Iterator<Item = &'a str> {
        let node = &self.object.node;
        let of = |(field, _): (&str, Kind)| node.get(field).map_or(&[][..], Node::entries);
        let [first, second] = PLAIN.map(of);
        let third = node.get("binaryData").map_or(&[][..], Node::entries);
        let all = first.iter().chain(second).chain(third);
        all.map(|entry| entry.key.as_str())
    }

    /// The text under a key; `None` where there is none, or it is no text.
    pub(in crate::rules) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        let node = &self.object.node;
        let held = |fields: [(&str, Kind); 2]| {
            let mut fields = fields.into_iter();
            let (field, _) = fields.find(|(_, kind)| *kind == self.named.kind)?;
            node.get(field)?.get(key)?.as_str()
        };
        if let Some(text) = held(PLAIN) {
            return Some(Cow::Borrowed(text));
        }
        let digits: String = held(PACKED)?
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .collect();
        let bytes = STANDARD.decode(digits).ok()?;
        String::from_utf8(bytes).ok().map(Cow::Owned)
    }

    /// The place of its keys, to point at.
    pub(in crate::rules) fn place(&self) -> Location {
        let fields = ["stringData", "data", "binaryData"];
        let field = fields
            .into_iter()
            .find(|field| self.object.node.get(field).is_some())
            .unwrap_or("metadata");
        let kind = &self.object.id.kind;
        Location::key(self.object, &field.into()).note(format!("the {kind}"))
    }
}

/// Whether a guest may name anything for these uses: most do not, and their volumes are not looked at twice.
fn names_any(spec: &Node, uses: &[UsedFor]) -> bool {
    let volumes = spec.items_at("volumes").iter();
    let mut mounts = volumes.map(|volume| {
        volume.get("sysprep").is_some()
            || ["cloudInitNoCloud", "cloudInitConfigDrive"]
                .iter()
                .any(|source| {
                    let source = volume.get(source);
                    source.is_some_and(|source| {
                        source.get("secretRef").is_some()
                            || source.get("networkDataSecretRef").is_some()
                    })
                })
    });
    mounts.any(|mounts| mounts)
        || uses
            .iter()
            .any(|of| matches!(of, UsedFor::Agent | UsedFor::Keys))
            && spec.get("accessCredentials").is_some()
}
