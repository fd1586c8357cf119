//! What a `ControllerRevision` stores: an instance type or preference in any form `KubeVirt` ever wrote, and its v1beta1
//! equal. Nothing in a cluster of 1.7 or later can read the older forms; this can.

mod read;
#[cfg(test)]
mod tests;

use std::fmt;

use smol_str::SmolStr;

use crate::field_path::FieldPath;
use crate::release::{Behaviour, Release};
use crate::resource::group_version;
use crate::schema::{self, ProblemKind};
use crate::word::words;
use crate::yaml::{Map, Node, Value};

/// API group of instance types and preferences.
pub(crate) const GROUP: &str = "instancetype.kubevirt.io";

/// The API version that revisions and objects are lifted to.
pub(crate) const LATEST: &str = "v1beta1";

words! {
    /// Which of a VM's two matchers names the object, in the order `KubeVirt` treats them.
    Matcher {
        /// `spec.instancetype`.
        Instancetype = "instance type",
        /// `spec.preference`.
        Preference = "preference",
    }
}

/// Declares the names that each matcher has, one line a name: of the instance type, then of the preference.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $instancetype:literal, $preference:literal;)+) => {
        impl Matcher {
            $($(#[$doc])* pub const fn $name(self) -> &'static str {
                match self {
                    Self::Instancetype => $instancetype,
                    Self::Preference => $preference,
                }
            })+
        }
    };
}

names! {
    /// The key under `spec`.
    field: "instancetype", "preference";
    /// The key under `status`.
    status_field: "instancetypeRef", "preferenceRef";
    /// What KubeVirt calls the type of the matcher.
    type_name: "InstancetypeMatcher", "PreferenceMatcher";
    /// The namespaced kind.
    kind: "VirtualMachineInstancetype", "VirtualMachinePreference";
    /// The cluster-scoped kind.
    cluster_kind: "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference";
    /// The label of a volume source that names its default.
    default_label: "instancetype.kubevirt.io/default-instancetype", "instancetype.kubevirt.io/default-preference";
    /// The label of a volume source that gives its default's kind.
    default_kind_label: "instancetype.kubevirt.io/default-instancetype-kind", "instancetype.kubevirt.io/default-preference-kind";
    /// In a sentence.
    one: "an instance type", "a preference";
    /// The name `KubeVirt` gives an object read from a bare spec, which stores none.
    nameless: "old-version-of-instancetype-object", "old-version-of-preference-object";
}

impl Matcher {
    /// The kind a matcher's `kind` means: any case, singular or plural, empty for the cluster-scoped one.
    pub(crate) fn kind_meant(self, written: &str) -> Option<&'static str> {
        let lower = written.to_ascii_lowercase();
        let singular = lower.strip_suffix('s').unwrap_or(&lower);
        if lower.is_empty() || singular.eq_ignore_ascii_case(self.cluster_kind()) {
            Some(self.cluster_kind())
        } else if singular.eq_ignore_ascii_case(self.kind()) {
            Some(self.kind())
        } else {
            None
        }
    }

    /// What a kind of the group belongs to.
    pub(crate) fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|matcher| kind == matcher.kind() || kind == matcher.cluster_kind())
    }
}

/// The form an object is stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `{apiVersion, spec: base64}`: a v1alpha1 spec alone, as the first releases wrote it.
    BareSpec,
    /// A v1alpha1 object.
    V1alpha1,
    /// A v1alpha2 object.
    V1alpha2,
    /// A v1beta1 object.
    V1beta1,
}

impl Form {
    /// The version of the stored object.
    pub const fn version(self) -> &'static str {
        match self {
            Self::BareSpec | Self::V1alpha1 => "v1alpha1",
            Self::V1alpha2 => "v1alpha2",
            Self::V1beta1 => LATEST,
        }
    }

    /// The form of an object of the group at `version`.
    pub(crate) fn of_version(version: &str) -> Option<Self> {
        match version {
            "v1alpha1" => Some(Self::V1alpha1),
            "v1alpha2" => Some(Self::V1alpha2),
            LATEST => Some(Self::V1beta1),
            _ => None,
        }
    }

    /// Whether a cluster of that release can read it.
    pub(crate) fn decodable(self, release: Release) -> bool {
        matches!(self, Self::V1beta1) || release.has(Behaviour::DecodesOldRevisions)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BareSpec => "v1alpha1 (bare spec)",
            other => other.version(),
        })
    }
}

/// How an older form becomes v1beta1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conversion {
    /// The VM means afterwards what it meant before.
    #[default]
    KeepMeaning,
    /// What `KubeVirt` 1.6 writes: an unset cpu model, dedicatedCPUPlacement and isolateEmulatorThread become set, to
    /// empty and false, and a VM with its own starts to conflict.
    AsKubevirt,
}

/// A stored object, as read.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The form it was stored in.
    pub form: Form,
    /// What it is.
    pub matcher: Matcher,
    /// Its kind.
    pub kind: SmolStr,
    /// The object in the types of its own version, in Go-normal form; a bare spec has neither metadata nor kind.
    pub object: Node,
    /// Fields that its version does not have: `KubeVirt` drops them.
    pub dropped: Vec<FieldPath>,
    /// Whether a bare spec reads as both an instance type and a preference.
    pub ambiguous: bool,
}

/// The fields v1beta1 made optional: their zero value and their absence came to mean different things.
pub const MADE_OPTIONAL: [&str; 3] = ["model", "dedicatedCPUPlacement", "isolateEmulatorThread"];

impl Stored {
    /// The v1beta1 object: apiVersion, kind, metadata and spec, as Go writes it.
    pub fn to_v1beta1(&self, release: Release, conversion: Conversion) -> Node {
        let mut object = self.object.clone();
        if self.form == Form::BareSpec {
            let spec = object.remove("spec").unwrap_or_else(Node::map);
            object = Node::map().with_origin(object.origin);
            object.set("metadata.name", Node::string(self.matcher.nameless()));
            object.set("spec", spec);
        }
        let mut map = Map::new();
        map.insert("apiVersion", Node::string(format!("{GROUP}/{LATEST}")));
        map.insert("kind", Node::string(&self.kind));
        for key in ["metadata", "spec"] {
            if let Some(node) = object.remove(key) {
                map.insert(key, node);
            }
        }
        object.value = Value::Map(map);
        let old = self.form != Form::V1beta1;
        if conversion == Conversion::AsKubevirt && old && self.matcher == Matcher::Instancetype {
            let origin = object
                .path("spec")
                .map_or(object.origin, |spec| spec.origin);
            let cpu = object.ensure_map("spec.cpu", origin);
            for field in MADE_OPTIONAL {
                if cpu.get(field).is_none() {
                    let zero = if field == "model" {
                        Node::string("")
                    } else {
                        Node::from(false)
                    };
                    cpu.insert(field, zero);
                }
            }
        }
        let release = if old { LAST_TO_CONVERT } else { release };
        if let Some(type_name) = schema::type_of(GROUP, &self.kind) {
            schema::encode(release, type_name, &mut object);
        }
        object
    }
}

/// The last release whose types include the older forms; they are read as it reads them.
pub const LAST_TO_CONVERT: Release = match Behaviour::DecodesOldRevisions.releases().last() {
    Some(last) => last,
    None => Release::NEWEST,
};

/// Why stored data is no instance type or preference, in `KubeVirt`'s words (without the data itself, which may hold
/// secrets).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredError {
    /// The revision holds nothing.
    #[error("unexpected type in ControllerRevision: <nil>")]
    Empty,
    /// The data names no kind and is no bare spec either.
    #[error("failed to decode object in ControllerRevision: Object '{0}' is missing in its data")]
    Untyped(&'static str),
    /// The release does not know the kind.
    #[error(
        "failed to decode object in ControllerRevision: no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"kubevirt.io/client-go/kubevirt/scheme/register.go:43\""
    )]
    Unregistered {
        /// The kind the data names.
        kind: SmolStr,
        /// Its apiVersion.
        api_version: SmolStr,
    },
    /// Another kind of object.
    #[error("unexpected type in ControllerRevision: *{0}")]
    Unexpected(SmolStr),
    /// A value does not fit its field.
    #[error("failed to decode object in ControllerRevision: {path} is not {expected}")]
    WrongType {
        /// Where.
        path: FieldPath,
        /// What the field holds.
        expected: schema::Expected,
    },
    /// A bare spec that reads as an instance type and as a preference, and nothing says which it is.
    #[error(
        "its bare spec reads as an instance type and as a preference, and no VirtualMachine here says which it is"
    )]
    Ambiguous,
}

/// What a cluster of `release` reads from a revision's data: the v1beta1 object, converted as `KubeVirt` converts.
///
/// Mirrors Decode, pkg/instancetype/compatibility/compatibility.go @ v1.6.6 and v1.9.0.
pub fn decode(release: Release, data: &Node) -> Result<Node, StoredError> {
    let stored = if release.has(Behaviour::DecodesOldRevisions) {
        read::any_form(release, data, Some(read::Preferred::First))?
    } else {
        read::object(release, data, false)?
    };
    Ok(stored.to_v1beta1(release, Conversion::AsKubevirt))
}

/// What a cluster of `release` uses of a revision that a VM's `matcher` names: the v1beta1 spec in Go-normal form.
///
/// Mirrors GetInstancetypeSpec and GetPreferenceSpec of the same file.
pub(crate) fn decode_spec(
    release: Release,
    data: &Node,
    matcher: Matcher,
) -> Result<Node, StoredError> {
    let object = decode(release, data)?;
    let kind = object.str_at("kind");
    if Matcher::of_kind(kind) != Some(matcher) {
        return Err(StoredError::Unexpected(format!("{LATEST}.{kind}").into()));
    }
    let type_name = schema::type_of(GROUP, kind).unwrap_or_default();
    let mut object = schema::decode(release, type_name, &object).node;
    Ok(object.remove("spec").unwrap_or_else(Node::map))
}

/// Reads data in any form ever written, whatever the target's release. `matcher` is the one that names the revision: it
/// settles a bare spec that reads both ways.
pub fn read(
    release: Release,
    data: &Node,
    matcher: Option<Matcher>,
) -> Result<Stored, StoredError> {
    read::any_form(release, data, matcher.map(read::Preferred::This))
}

/// Reads data in any form as KubeVirt up to 1.6 does: a bare spec that reads both ways is a preference.
pub(crate) fn read_as_kubevirt(release: Release, data: &Node) -> Result<Stored, StoredError> {
    read::any_form(release, data, Some(read::Preferred::First))
}

/// Whether data claims to be an instance type or preference: an object of their group, or a bare spec that reads as one.
/// VM start revisions and those of StatefulSets do not.
pub fn is_ours(data: &Node) -> bool {
    let (group, _) = group_version(data.str_at("apiVersion"));
    let typed = !data.str_at("kind").is_empty();
    (group == GROUP && typed)
        || matches!(
            read::any_form(LAST_TO_CONVERT, data, None),
            Ok(_) | Err(StoredError::Ambiguous)
        )
}

fn dropped(problems: &[schema::Problem]) -> Vec<FieldPath> {
    problems
        .iter()
        .filter(|problem| {
            matches!(
                problem.kind,
                ProblemKind::UnknownField { .. } | ProblemKind::UnsupportedField { .. }
            )
        })
        .map(|problem| problem.path.clone())
        .collect()
}
