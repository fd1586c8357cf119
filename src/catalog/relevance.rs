//! Whether a file is worth reading, judged by its bytes before any parsing.

use memchr::memmem;

/// What the bytes of a file promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relevance {
    /// No Kubernetes object at all, or none of a kind that matters here.
    Nothing,
    /// May hold Kubernetes objects, none that a virtual machine can name.
    Unrelated,
    /// Objects that a virtual machine can name and whose content matters only where it changes: Secrets, ConfigMaps, network
    /// attachments.
    Mountable,
    /// Objects that say how a tree reaches a cluster: Argo CD's and Flux's.
    Delivery,
    /// Objects that a virtual machine can name, such as claims, or that install `KubeVirt`: worth parsing only beside one.
    Nameable,
    /// `KubeVirt` objects.
    Relevant,
}

/// Kinds without `kubevirt.io` in their bytes that a virtual machine can name, and a word of an operator.
const NAMEABLE: [&[u8]; 4] = [
    b"PersistentVolumeClaim",
    b"VolumeSnapshot",
    b"ControllerRevision",
    // What the HyperConverged operator's container is told of its version.
    b"HCO_KV_IO_VERSION",
];

/// Kinds of which only a change is of interest.
const MOUNTABLE: [&[u8]; 3] = [b"ConfigMap", b"Secret", b"NetworkAttachmentDefinition"];

/// What Argo CD's and Flux's objects hold, each with another word that they hold beside it.
const DELIVERY: [(&[u8], &[u8]); 2] = [
    (b"argoproj.io/v", b"Application"),
    (b"kustomize.toolkit.fluxcd.io/v", b"Kustomization"),
];

/// What stands in the bytes of `KubeVirt`'s own objects.
const NAME: &[u8] = b"kubevirt";

/// What follows the name where an object installs `KubeVirt`: the operator's image, the names of its subscriptions.
const OPERATORS: [&[u8]; 4] = [
    b"/virt-operator",
    b"/hyperconverged",
    b"-hyperconverged",
    b"operator.v",
];

impl Relevance {
    /// Judges bytes without parsing them. Text that may hide letters behind escapes or another encoding counts as
    /// relevant: parsing settles it.
    pub fn of(bytes: &[u8]) -> Self {
        let has = |needle: &[u8]| memmem::find(bytes, needle).is_some();
        let mut after = memmem::find_iter(bytes, NAME).map(|at| &bytes[at + NAME.len()..]);
        let mut is_operator = false;
        let is_kubevirt = after.any(|rest| {
            is_operator |= OPERATORS.iter().any(|operator| rest.starts_with(operator));
            rest.starts_with(b".io")
        });
        if is_kubevirt || is_utf16(bytes) || hides_letters(bytes) {
            Self::Relevant
        } else if is_operator || NAMEABLE.iter().any(|kind| has(kind)) {
            Self::Nameable
        } else if DELIVERY.iter().any(|(api, kind)| has(api) && has(kind)) {
            Self::Delivery
        } else if MOUNTABLE.iter().any(|kind| has(kind)) {
            Self::Mountable
        } else if has(b"apiVersion") && has(b"kind") {
            Self::Unrelated
        } else {
            Self::Nothing
        }
    }
}

/// Whether the bytes start as UTF-16 text does, with or without its mark.
fn is_utf16(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=127, ..] | [1..=127, 0, ..]
    )
}

/// Whether a letter may be written as `\u006b`, `\x6b` or `\U0000006b`.
fn hides_letters(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', bytes).any(|at| {
        let digits = match bytes.get(at + 1) {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => return false,
        };
        bytes
            .get(at + 2..at + 2 + digits)
            .is_some_and(|tail| tail.iter().all(u8::is_ascii_hexdigit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_tell_what_a_file_is_worth() {
        for (text, expected) in [
            (
                &b"apiVersion: kubevirt.io/v1\nkind: VirtualMachine"[..],
                Relevance::Relevant,
            ),
            (b"apiVersion: cdi.kubevirt.io/v1beta1", Relevance::Relevant),
            (
                b"{\"apiVersion\": \"kubevirt\\u002eio/v1\"}",
                Relevance::Relevant,
            ),
            (b"a: \"\\x6bubevirt\"", Relevance::Relevant),
            (b"\xff\xfea\0p\0i\0", Relevance::Relevant),
            (b"a\0p\0i\0", Relevance::Relevant),
            (b"kind: PersistentVolumeClaim", Relevance::Nameable),
            (b"kind: VolumeSnapshot", Relevance::Nameable),
            (b"kind: ControllerRevision", Relevance::Nameable),
            (
                b"startingCSV: kubevirt-hyperconverged-operator.v1.14.0",
                Relevance::Nameable,
            ),
            (
                b"image: quay.io/kubevirt/virt-operator:v1.6.3 # see kubevirt.io",
                Relevance::Relevant,
            ),
            (b"apiVersion: v1\nkind: Service", Relevance::Unrelated),
            (b"apiVersion: v1\nkind: Secret", Relevance::Mountable),
            (b"kind: NetworkAttachmentDefinition", Relevance::Mountable),
            (
                b"apiVersion: argoproj.io/v1alpha1\nkind: Application",
                Relevance::Delivery,
            ),
            (
                b"apiVersion: argoproj.io/v1alpha1\nkind: Workflow",
                Relevance::Unrelated,
            ),
            (
                b"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization",
                Relevance::Delivery,
            ),
            (
                b"apiVersion: v1\nkind: Pod\n# kustomize.toolkit.fluxcd.io/prune: disabled",
                Relevance::Unrelated,
            ),
            (b"run: echo '\\usr \\x'", Relevance::Nothing),
            (b"", Relevance::Nothing),
        ] {
            assert_eq!(Relevance::of(text), expected, "{}", text.escape_ascii());
        }
    }
}
