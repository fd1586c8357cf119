//! No secret leaves a manifest by any command that reports: markers in every field that may hold one.

use crate::support::Workspace;

const SIDES: [(&str, &str, &str); 2] = [
    ("base", "Zq7MarkerX9", "WnE3TWFya2VyWDk"),
    ("head", "Zq8MarkerY9", "WnE4TWFya2VyWTk"),
];

/// A tree with a marker in every field that holds a secret, or that somebody puts one into.
fn tree(plain: &str, base64: &str) -> String {
    let text = r#"apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"userData":"PLAIN"}}'
    example.com/template: '[{"password":"PLAIN"}]'
    example.com/api-token: PLAIN
spec:
  runStrategy: Always
  template:
    metadata:
      annotations: {vault.example.com/token: PLAIN}
    spec:
      accessCredentials:
        - sshPublicKey:
            source: {secret: {secretName: keys}}
            propagationMethod: {noCloud: {}}
            privateKey: PLAIN
        - userPassword:
            source: {secret: {secretName: pw}, password: PLAIN}
            propagationMethod: {qemuGuestAgent: {}}
      readinessProbe:
        httpGet: {port: 80, httpHeaders: [{name: Authorization, value: "Bearer PLAIN"}]}
      livenessProbe:
        exec: {command: [sh, -c, "login --password PLAIN"]}
      domain:
        launchSecurity: {sev: {session: PLAIN, dhCert: PLAIN}}
        firmware: {kernelBoot: {kernelArgs: "password=PLAIN console=ttyS0", container: {image: x}}}
        devices:
          disks: [{name: a, disk: {}}, {name: b, disk: {}}, {name: c, disk: {}}, {name: d, disk: {}}]
        memory: {guest: 1Gi}
      volumes:
        - name: a
          cloudInitNoCloud:
            userData: |
              #cloud-config
              password: PLAIN
              chpasswd: {list: ["root:PLAIN"]}
              write_files: [{content: PLAIN}]
            networkData: |
              wifis: {wlan0: {access-points: {x: {password: PLAIN}}}}
        - name: b
          cloudInitConfigDrive: {userDataBase64: BASE64, networkDataBase64: BASE64}
        - name: c
          sysprep: {secret: {name: s}, unattend: PLAIN}
        - name: e
          cloudInitNoCloud: PLAIN
        - name: d
          serviceAccount: {serviceAccountName: x, token: PLAIN}
  dataVolumeTemplates:
    - metadata: {name: dv}
      spec:
        source: {http: {url: "https://user:PLAIN@example.com/a.img", extraHeaders: ["Authorization: PLAIN"]}}
        pvc: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Secret
metadata: {name: ci, annotations: {kubectl.kubernetes.io/last-applied-configuration: PLAIN}}
stringData: {userdata: PLAIN}
data: {userdata: BASE64, other: BASE64}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: sysprep}
data: {unattend.xml: "<Password>PLAIN</Password>"}
binaryData: {x: BASE64}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: dv2}
spec:
  source: {http: {url: "https://example.com/a.img?X-Amz-Signature=PLAIN"}}
  pvc: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: encrypted}
spec:
  running: "ENC[AES256_GCM,data:PLAIN,type:bool]"
  template:
    spec:
      domain: {devices: {}}
      volumes: [{name: a, cloudInitNoCloud: {userData: "ENC[AES256_GCM,data:PLAIN,type:str]"}}]
sops: {age: [{enc: PLAIN}], mac: "ENC[PLAIN]"}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: asked}
spec:
  running: true
  template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}
status:
  stateChangeRequests: [{action: Start, data: {token: PLAIN}}]
---
# Accepted, so that its plan goes field by field.
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: accepted}
spec:
  runStrategy: Always
  template:
    metadata: {annotations: {example.com/token: PLAIN}}
    spec:
      livenessProbe: {exec: {command: [sh, -c, "login --password PLAIN"]}}
      domain:
        devices: {disks: [{name: a, disk: {}}]}
        memory: {guest: 1Gi}
      volumes: [{name: a, cloudInitNoCloud: {userData: "password: PLAIN"}}]
---
# A text where a mapping belongs.
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: mistaken}
spec:
  runStrategy: Always
  template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}, volumes: [{name: a, cloudInitNoCloud: PLAIN}]}}
---
# Drawn on by nothing, so that rendering shows it as context.
apiVersion: v1
kind: Secret
metadata: {name: rendered, creationTimestamp: null, annotations: {kubectl.kubernetes.io/last-applied-configuration: PLAIN}}
stringData: {name: PLAIN}
"#;
    text.replace("PLAIN", plain).replace("BASE64", base64)
}

/// Objects that `upgrade` changes on the very line, or beside the lines, that hold secrets.
fn old(plain: &str, base64: &str) -> [String; 3] {
    let flow = r#"# password: PLAIN
apiVersion: kubevirt.io/v1alpha3
kind: VirtualMachine
metadata: {name: flow, annotations: {kubectl.kubernetes.io/last-applied-configuration: PLAIN}}
spec: {running: true, template: {spec: {domain: {devices: {}}, volumes: [{name: a, cloudInitNoCloud: {userData: "a: PLAIN", networkDataBase64: BASE64}}]}}} # token: PLAIN
---
stringData: {userdata: PLAIN}
apiVersion: v1
kind: Secret
metadata: {name: a}
"#;
    let block = "metadata:
  name: x
  annotations:
    userData: |
      PLAIN: a

      PLAIN
apiVersion: instancetype.kubevirt.io/v1alpha1
kind: VirtualMachineInstancetype
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
";
    let one_line = r#"{"apiVersion":"kubevirt.io/v1alpha3","kind":"VirtualMachine","metadata":{"name":"json"},"spec":{"running":true,"template":{"spec":{"domain":{"devices":{}},"volumes":[{"name":"a","cloudInitNoCloud":{"userData":"PLAIN"}},{"name":"b","sysprep":"PLAIN"}]}}}}"#;
    [flow, block, one_line].map(|text| text.replace("PLAIN", plain).replace("BASE64", base64))
}

#[test]
fn no_command_that_reports_shows_a_secret() {
    let texts = SIDES.map(|(_, plain, base64)| tree(plain, base64));
    let [flow, block, one_line] = old(SIDES[1].1, SIDES[1].2);
    let files = [
        ("base/all.yaml", texts[0].as_str()),
        ("head/all.yaml", texts[1].as_str()),
        ("old/flow.yaml", flow.as_str()),
        ("old/block.yaml", block.as_str()),
        ("old/one.json", one_line.as_str()),
    ];
    let space = Workspace::with(&files);
    let mut runs: Vec<Vec<&str>> = Vec::new();
    for format in [
        "text", "json", "sarif", "github", "junit", "gitlab", "rdjson", "rdjsonl",
    ] {
        runs.push(vec!["check", "head", "-v", "--explain", "--format", format]);
    }
    for format in ["text", "json", "markdown", "html"] {
        runs.push(vec![
            "plan",
            "head",
            "-v",
            "--base-dir",
            "base",
            "--format",
            format,
        ]);
    }
    for format in ["text", "json", "unified"] {
        runs.push(vec!["diff", "base", "head", "--format", format]);
        runs.push(vec![
            "diff",
            "base",
            "head",
            "--expanded",
            "--format",
            format,
        ]);
        // Whole objects that come and go.
        runs.push(vec!["diff", "none", "head", "--format", format]);
    }
    std::fs::create_dir(space.path("none")).unwrap();
    runs.push(vec!["expand", "--explain", "head"]);
    runs.push(vec!["render", "--diff", "head", "--policy", "expandAll"]);
    runs.push(vec!["upgrade", "--diff", "old"]);
    runs.push(vec!["fix", "--diff", "--unsafe-fixes", "-v", "head"]);
    runs.push(vec!["fix", "--diff", "-v", "old"]);
    for arguments in runs {
        let run = space.run(&arguments);
        assert!(
            !run.stdout.is_empty(),
            "{arguments:?} says nothing: {}",
            run.stderr
        );
        no_marker(&arguments, &run.stdout);
        no_marker(&arguments, &run.stderr);
    }
    let diff = space.run(&["upgrade", "--diff", "old"]).stdout;
    assert_eq!(diff.matches("--- a/old/").count(), 3, "{diff}");
    assert!(
        diff.contains("\n       (not shown)\n"),
        "a block is masked line by line:\n{diff}"
    );
    // What these print is the manifest itself; what they say about it is a report.
    for arguments in [
        &["expand", "head"][..],
        &["render", "head", "-v"],
        &["render", "head", "--admitted", "-v"],
        &["upgrade", "head", "-v"],
    ] {
        no_marker(arguments, &space.run(arguments).stderr);
    }
}

fn no_marker(arguments: &[&str], text: &str) {
    for (_, plain, base64) in SIDES {
        for marker in [plain, base64] {
            let shown: Vec<&str> = text.lines().filter(|line| line.contains(marker)).collect();
            assert!(
                shown.is_empty(),
                "{arguments:?} shows\n{}",
                shown.join("\n")
            );
        }
    }
}
