//! No secret leaves a manifest: markers in every field that may hold one, met by every kind of mistake.

use driftless::check::baseline::Baseline;
use driftless::report::Format;

use crate::checked::Checked;

const MARKER: &str = "Zq7MarkerX9";
const MARKER_BASE64: &str = "WnE3TWFya2VyWDk";

/// A VM around one volume source, and around extra metadata.
fn vm(metadata: &str, volume: &str, extra: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
{metadata}spec:
  running: true
  template:
    spec:
      domain:
        devices: {{}}
        memory: {{guest: 1Gi}}
{extra}      volumes:
        - name: cloudinit
{volume}"
    )
}

fn no_marker(text: &str) {
    let checked = Checked::one(text);
    // The other formats print the same messages; one text in ten goes through all of them.
    let all = text.len().is_multiple_of(10);
    for format in Format::ALL {
        if !all && !matches!(format, Format::Text | Format::Json) {
            continue;
        }
        let report = checked.report(format);
        for marker in [MARKER, MARKER_BASE64] {
            assert!(
                !report.contains(marker),
                "{format} shows the secret of\n{text}\n---\n{report}"
            );
        }
    }
    let baseline = Baseline::of(&checked.outcome.findings, &checked.sources).to_json();
    assert!(!baseline.contains(MARKER), "{baseline}");
}

#[test]
fn no_secret_of_a_volume_is_ever_shown() {
    let values = [
        MARKER.to_owned(),
        format!("\"#cloud-config\\npassword: {MARKER}\""),
        format!(
            "|\n              #cloud-config\n              password: {MARKER}\n              users: [{{passwd: $6$a${MARKER}}}]"
        ),
        format!("|-\n              -----BEGIN OPENSSH PRIVATE KEY-----\n              {MARKER}"),
        format!("{{password: {MARKER}}}"),
        format!("[{MARKER}]"),
        format!("\n              password: {MARKER}"),
        format!("ENC[AES256_GCM,data:{MARKER}]"),
        format!("\"{MARKER}"),
        format!("|\n            {MARKER}\n      bad: [indent"),
        format!("'{MARKER}' '{MARKER}'"),
        format!("*{MARKER}"),
        format!("!!int {MARKER}"),
    ];
    for source in [
        "cloudInitNoCloud",
        "cloudInitConfigDrive",
        "cloudinitNoCloud",
    ] {
        for key in [
            "userData",
            "user_data",
            "networkData",
            "userDataBase64",
            "password",
            "token",
        ] {
            for value in &values {
                no_marker(&vm(
                    "",
                    &format!("          {source}:\n            {key}: {value}\n"),
                    "",
                ));
                if !value.contains('\n') {
                    no_marker(&vm(
                        "",
                        &format!("          {source}: {{{key}: {value}, nothing: here}}\n"),
                        "",
                    ));
                    no_marker(&vm(
                        "",
                        &format!("          {source}: {{nothing: here, {key}: {value}}}\n"),
                        "",
                    ));
                }
                no_marker(&vm(
                    "",
                    &format!(
                        "          {source}:\n            {key}: a\n            {key}: {value}\n"
                    ),
                    "",
                ));
            }
        }
        no_marker(&vm(
            "",
            &format!("          {source}:\n            userDataBase64: {MARKER_BASE64}\n"),
            "",
        ));
    }
}

#[test]
fn no_secret_elsewhere_is_ever_shown() {
    for text in [
        // What a controller wrote holds the whole VM.
        vm(
            &format!("  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{{\"spec\":\"{MARKER}\"}}'\n"),
            "          containerDisk: {image: a}\n",
            "",
        ),
        vm(&format!("  uid: {MARKER}\n  managedFields: [{MARKER}]\n"), "          containerDisk: {image: a}\n", ""),
        // Fields that nobody knows may be anything.
        vm("", "          containerDisk: {image: a}\n", &format!("      passphrase: {MARKER}\n")),
        vm("", "          containerDisk: {image: a}\n", &format!("      anything: {MARKER}\n")),
        vm("", "          containerDisk: {image: a}\n", &format!("      anything: {{deep: {MARKER}}}\n")),
        // Kernel arguments on the line of another mistake.
        vm("", "          containerDisk: {image: a}\n", "").replace(
            "devices: {}",
            &format!("devices: {{}}\n        firmware: {{kernelBoot: {{kernelArgs: \"password={MARKER}\", container: {{}}}}}}"),
        ),
        // A file that SOPS has encrypted, and one with keys on the wrong level.
        format!("{}sops: {{age: [{{enc: {MARKER}}}]}}\n", vm("", "          containerDisk: {image: a}\n", "")),
        format!("{}password: {MARKER}\n", vm("", "          containerDisk: {image: a}\n", "")),
        // A start revision holds a whole VM.
        format!(
            "apiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {{name: revision-start-vm-1}}\ndata:\n  apiVersion: instancetype.kubevirt.io/v1beta1\n  kind: VirtualMachineInstancetype\n  spec: {{userData: {MARKER}}}\n"
        ),
        // Text that is no manifest at all.
        format!("kubevirt.io\npassword: {MARKER}: x\n"),
        format!("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web}}\nspec: {{a: \"{MARKER}\n"),
        format!("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: {{{{ .Values.{MARKER} }}}}}}\n"),
    ] {
        no_marker(&text);
    }
}

#[test]
fn a_secret_leaves_no_trace_in_a_fingerprint() {
    let fingerprints = |user_data: &str, key: &str| -> Vec<String> {
        let volume = format!("          cloudInitNoCloud: {{userData: {user_data}, {key}: x}}\n");
        let checked = Checked::one(&vm("", &volume, ""));
        let report: serde_json::Value =
            serde_json::from_str(&checked.report(Format::Json)).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let prints = findings.iter().filter(|finding| {
            let field = finding["field"].as_str().unwrap_or_default();
            field.contains("cloudInitNoCloud")
        });
        prints
            .map(|finding| finding["fingerprint"].to_string())
            .collect()
    };
    let secret = |text: &str| format!("\"#cloud-config\\npassword: {text}\"");
    let one = fingerprints(&secret("Xk3vQ9tLm2"), "other");
    assert!(
        one.len() >= 2,
        "a finding at the secret and one beside it: {one:?}"
    );
    assert_eq!(one, fingerprints(&secret("Rw8pZ4nBc6"), "other"));
    assert_ne!(one, fingerprints(&secret("Xk3vQ9tLm2"), "another"));
}
