//! A revision whose labels say something else than its data.

use crate::field_path::FieldPath;
use crate::rules::revisions::pin::revisions;
use crate::rules::{Context, Findings};
use crate::stored::{self, Form};
use crate::yaml::Node;

rule! {
    /// ## What it does
    ///
    /// Reports ControllerRevisions whose labels `instancetype.kubevirt.io/object-version`, `object-kind` and `object-name` differ
    /// from the object inside.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt decides by the labels: an old revision labelled `v1beta1` is never upgraded, and one labelled with another name
    /// is passed over in favour of the live object.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels:
    ///     instancetype.kubevirt.io/object-name: small
    ///     instancetype.kubevirt.io/object-version: v1beta1
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: large}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ```text
    /// metadata.labels["instancetype.kubevirt.io/object-name"]: the label says `small`, the data `large`
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: apps/v1
    /// kind: ControllerRevision
    /// metadata:
    ///   name: web-small-1
    ///   labels:
    ///     instancetype.kubevirt.io/object-name: small
    ///     instancetype.kubevirt.io/object-version: v1beta1
    /// data:
    ///   apiVersion: instancetype.kubevirt.io/v1beta1
    ///   kind: VirtualMachineInstancetype
    ///   metadata: {name: small}
    ///   spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
    /// revision: 0
    /// ```
    ///
    /// ## Limits
    ///
    /// Labels that are absent are not reported: the first releases wrote none.
    "mislabelled-revision": "the revision's labels do not describe what it holds",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (revision, data) in revisions(context.catalog) {
        let Ok(held) = stored::read(context.target.release, data, None) else {
            continue;
        };
        let name = held.object.path("metadata.name").and_then(Node::as_str);
        for (key, is) in [
            ("object-version", Some(held.form.version())),
            ("object-kind", Some(held.kind.as_str())),
            ("object-name", name.filter(|_| held.form != Form::BareSpec)),
        ] {
            let labels = FieldPath::from("metadata.labels");
            let path = labels.field(&format!("instancetype.kubevirt.io/{key}"));
            let label = path.find(&revision.node).and_then(Node::as_str);
            if let (Some(label), Some(is)) = (label, is)
                && !label.eq_ignore_ascii_case(is)
            {
                findings
                    .report(
                        revision,
                        path,
                        format!("the label says `{label}`, the data `{is}`"),
                    )
                    .help("label the revision by what it holds; `driftless upgrade` does");
            }
        }
    }
}
