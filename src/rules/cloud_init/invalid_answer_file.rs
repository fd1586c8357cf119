//! The answers of Windows' setup are not XML.

use roxmltree::{Document, ParsingOptions};

use crate::resolve::named::UsedFor;
use crate::rules::guests::guests;
use crate::rules::guests::mounted::MountedObject;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports an answer file of Windows' setup (`autounattend.xml`, `unattend.xml`) that is not XML, in a Secret or ConfigMap
    /// of the tree that a virtual machine names under `sysprep`.
    ///
    /// ## Why it matters
    ///
    /// KubeVirt puts the file on a disk as it is. Windows' setup stops at a file that it cannot read, and waits for somebody
    /// at the screen.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: win}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: answers, cdrom: {bus: sata}}]}, memory: {guest: 4Gi}}
    ///       volumes: [{name: answers, sysprep: {configMap: {name: answers}}}]
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: answers}
    /// data: {autounattend.xml: "<unattend><settings></unattend>"}
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].sysprep.configMap.name: `autounattend.xml` of the ConfigMap `answers` is not XML, line 1: expected 'settings' tag, not 'unattend'
    /// ```
    ///
    /// ```yaml,good
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata: {name: win}
    /// spec:
    ///   runStrategy: Always
    ///   template:
    ///     spec:
    ///       domain: {devices: {disks: [{name: answers, cdrom: {bus: sata}}]}, memory: {guest: 4Gi}}
    ///       volumes: [{name: answers, sysprep: {configMap: {name: answers}}}]
    /// ---
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: answers}
    /// data: {autounattend.xml: "<unattend><settings/></unattend>"}
    /// ```
    ///
    /// ## Limits
    ///
    /// An encrypted object is not looked into. What the elements mean is not looked at.
    "invalid-answer-file": "an answer file of Windows' setup is not XML",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        for mounted in MountedObject::of_guest(&guest, context, &[UsedFor::Sysprep]) {
            let is_answer_file = |key: &str| {
                let key = key.to_lowercase();
                key == "autounattend.xml" || key == "unattend.xml"
            };
            for key in mounted.keys().filter(|key| is_answer_file(key)) {
                let Some(problem) = mounted.text(key).and_then(|text| problem(&text)) else {
                    continue;
                };
                let id = &mounted.object.id;
                let message = format!(
                    "`{key}` of the {} `{}` is not XML, {problem}",
                    id.kind, id.name
                );
                findings
                    .report(guest.resource, mounted.named.field.clone(), message)
                    .related(mounted.place());
            }
        }
    }
}

/// Why a text is not XML, if it is not. Nothing of the text is told but the names of elements: it may hold passwords.
fn problem(text: &str) -> Option<String> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let text = text.trim_start_matches('\u{feff}');
    let error = Document::parse_with_options(text, options).err()?;
    let line = error.pos().row;
    let words = match &error {
        roxmltree::Error::UnexpectedCloseTag(expected, actual, _) => {
            format!("expected '{expected}' tag, not '{actual}'")
        }
        roxmltree::Error::NoRootNode | roxmltree::Error::UnexpectedEndOfStream => {
            "it ends too early".to_owned()
        }
        roxmltree::Error::UnclosedRootNode => "its root element is not closed".to_owned(),
        roxmltree::Error::DuplicatedAttribute(name, _) => {
            format!("an element has '{name}' twice")
        }
        roxmltree::Error::UnknownNamespace(name, _) => {
            format!("the namespace '{name}' is not declared")
        }
        _ => "it cannot be read from there".to_owned(),
    };
    Some(format!("line {line}: {words}"))
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn only_what_is_well_formed_is_xml() {
        for (text, expected) in [
            (
                "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<unattend xmlns=\"urn:a\"/>\n",
                true,
            ),
            ("\u{feff}<unattend/>", true),
            ("<a b=\"1\"/>", true),
            ("<a b=\"1\" b=\"2\"/>", false),
            ("<a>", false),
            ("<a></b>", false),
            ("<w:a/>", false),
            ("<w:a xmlns:w=\"urn:a\"/>", true),
            ("<a>&nbsp;</a>", false),
            ("<a>&amp;</a>", true),
            ("", false),
            ("unattend", false),
        ] {
            assert_eq!(
                problem(text).is_none(),
                expected,
                "{text:?}: {:?}",
                problem(text)
            );
        }
    }

    #[test]
    fn nothing_of_the_text_is_told() {
        let told = problem("<a>\n<Password>hunter2 & more</Password>\n</a>").unwrap();
        assert!(
            told.starts_with("line 2: ") && !told.contains("hunter2"),
            "{told}"
        );
    }
}
