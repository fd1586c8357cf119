#!/usr/bin/env python3
"""Writes a repository of virtual machines as they are kept in Git, for measuring. The same arguments give the same bytes.

usage: generate.py DIR [--vms N] [--roots N] [--findings] [--unrelated N] [--change N] [--one-stream]

Each machine is a file of 2.4 kB with cloud-init, on the root's instance types, on those that KubeVirt ships, or with CPU
and memory of its own. The files are spread over kustomize roots, each with its instance types and a preference.
"""

import argparse
import pathlib
import random
import re
import subprocess

KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
"""

SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata:
  name: {name}
  namespace: {namespace}
  labels:
    app.kubernetes.io/part-of: compute
spec:
  cpu:
    guest: {cpus}
  memory:
    guest: {memory}Gi
  ioThreadsPolicy: auto
"""

PREFERENCE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachinePreference
metadata:
  name: linux
  namespace: {namespace}
  labels:
    app.kubernetes.io/part-of: compute
spec:
  cpu:
    preferredCPUTopology: cores
  devices:
    preferredDiskBus: virtio
    preferredInterfaceModel: virtio
    preferredRng: {{}}
  requirements:
    cpu:
      guest: 1
    memory:
      guest: 1Gi
"""

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}
  namespace: {namespace}
  labels:
    app.kubernetes.io/name: {role}
    app.kubernetes.io/part-of: {team}
  annotations:
    example.com/ticket: CHG-{ticket}
spec:
{run}{types}  dataVolumeTemplates:
    - metadata:
        name: {name}-root
      spec:
        sourceRef:
          kind: DataSource
          name: {image}
          namespace: golden-images
        storage:
          storageClassName: ceph-block
          resources:
            requests:
              storage: {disk}Gi
  template:
    metadata:
      labels:
        kubevirt.io/domain: {name}
        app.kubernetes.io/name: {role}
    spec:
      architecture: amd64
      evictionStrategy: LiveMigrate
      domain:
{guest}        devices:
          disks:
            - name: root
              bootOrder: 1
              disk:{bus}
            - name: data
              disk:{bus}
            - name: cloudinit
              disk:{bus}
          interfaces:
            - name: default
              masquerade: {{}}
            - name: storage
              macAddress: {mac}
              bridge: {{}}
{device}      networks:
        - name: default
          pod: {{}}
        - name: storage
          multus:
            networkName: storage-{vlan}
      volumes:
        - name: root
          dataVolume:
            name: {name}-root
        - name: data
          persistentVolumeClaim:
            claimName: {name}-data
        - name: cloudinit
          cloudInitNoCloud:
            userData: |
              #cloud-config
              hostname: {name}
              timezone: Europe/Berlin
              packages: [qemu-guest-agent, chrony, {role}]
              write_files:
                - path: /etc/{role}/{role}.conf
                  permissions: "0644"
                  content: |
                    listen = 0.0.0.0:{port}
                    peers = {peers}
              runcmd:
                - [systemctl, enable, --now, qemu-guest-agent]
            networkData: |
              version: 2
              ethernets:
                storage:
                  match: {{macaddress: "{mac}"}}
                  addresses: [10.{octets}/24]
"""

OWN_GUEST = """\
        cpu:
          sockets: {cpus}
          cores: 1
          threads: 1
          maxSockets: {most}
        memory:
          guest: {memory}Gi
"""

REFERENCES = """\
  instancetype:
    kind: {kind}Instancetype
    name: {size}
  preference:
    kind: {kind}Preference
    name: {preference}
"""

UNRELATED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: {team}
  labels:
    app.kubernetes.io/name: {name}
spec:
  replicas: {replicas}
  selector:
    matchLabels:
      app.kubernetes.io/name: {name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {name}
    spec:
      containers:
        - name: {role}
          image: registry.example.com/{team}/{role}:{tag}
          ports:
            - name: http
              containerPort: {port}
          env:
            - name: LOG_LEVEL
              value: info
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: {team}
spec:
  selector:
    app.kubernetes.io/name: {name}
  ports:
    - name: http
      port: 80
      targetPort: http
"""

SIZES = {"small": (1, 2), "medium": (2, 4), "large": (4, 16), "xlarge": (8, 32)}
ROLES = ["postgresql", "haproxy", "redis", "nginx", "rabbitmq", "jenkins", "prometheus", "gitlab-runner"]
TEAMS = ["payments", "catalogue", "logistics", "identity", "search", "billing"]
IMAGES = ["fedora", "rhel9", "centos-stream9", "ubuntu2404"]
# One mistake a file, in turn: what people get wrong. Each replaces a text that stands once in the file.
MISTAKES = [
    ("  runStrategy: Always\n", "  running: true\n"),
    ("      evictionStrategy: LiveMigrate\n", "      evictionStrategey: LiveMigrate\n"),
    ("            - name: cloudinit\n              disk:", "            - name: cloud-init\n              disk:"),
    ("              timezone: Europe/Berlin\n", "              timezone: Europe/Berlin\n              password: Xk3vQ9tLm2\n"),
    ("        - name: storage\n          multus:", "        - name: storage-net\n          multus:"),
    ("              macAddress: 02:", "              macAddress: 0x:"),
    ("            - name: default\n              masquerade: {}\n", "            - name: default\n              masquerade: {}\n              bridge: {}\n"),
    ("              #cloud-config\n", "              # cloud-config\n"),
]


def vm(number, root, findings):
    """The text of one machine's file."""
    draw = random.Random(number)
    role, team, image = draw.choice(ROLES), draw.choice(TEAMS), draw.choice(IMAGES)
    size = draw.choice(list(SIZES))
    cpus, memory = SIZES[size]
    name = f"{role}-{number:06}"
    # Half on the repository's own types, a quarter on the bundle's, a quarter with a guest of their own.
    style = number % 4
    if style == 3:
        types, guest, bus, device = "", OWN_GUEST.format(cpus=cpus, most=4 * cpus, memory=memory), "\n                bus: virtio", ""
    elif style == 2:
        types = REFERENCES.format(kind="VirtualMachineCluster", size=f"u1.{size}", preference="fedora")
        guest, bus, device = "", " {}", "          rng: {}\n"
    else:
        types = REFERENCES.format(kind="VirtualMachine", size=size, preference="linux")
        guest, bus, device = "", " {}", ""
    octets = [number >> 16 & 255, number >> 8 & 255, number & 255]
    text = VM.format(
        name=name, namespace=f"vms-{root:02}", role=role, team=team, ticket=draw.randrange(1000, 9999), image=image,
        run="  runStrategy: Always\n", types=types, guest=guest, bus=bus, device=device, disk=draw.choice([20, 40, 80]),
        mac="02:00:00:{:02x}:{:02x}:{:02x}".format(*octets), octets=".".join(map(str, octets)), vlan=draw.randrange(100, 120),
        port=draw.randrange(1024, 65535),
        peers=", ".join(f"{role}-{draw.randrange(10**6):06}" for _ in range(3)),
    )
    if findings and number % 2:
        before, after = MISTAKES[number // 2 % len(MISTAKES)]
        assert text.count(before) == 1, (name, before)
        text = text.replace(before, after)
    return name, text


def changed(text):
    """The file after an edit: a larger instance type, or one more socket where the machine has its own."""
    text = text.replace("  annotations:\n", "    example.com/wave: \"2\"\n  annotations:\n")
    text = re.sub(r"(Instancetype\n    name: (?:u1\.)?)\w+", r"\1xlarge", text)
    return re.sub(r"sockets: (\d+)", lambda found: f"sockets: {int(found[1]) + 1}", text)


def write(path, text):
    """Writes a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    """Writes what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path, help="a directory that does not exist yet")
    parser.add_argument("--vms", type=int, default=10_000, help="virtual machines, one a file")
    parser.add_argument("--roots", type=int, default=40, help="kustomize roots they are spread over")
    parser.add_argument("--findings", action="store_true", help="one mistake in every second file")
    parser.add_argument("--unrelated", type=int, default=0, help="files that have nothing to do with virtual machines")
    parser.add_argument("--change", type=int, default=0, help="commit everything, then change so many files")
    parser.add_argument("--one-stream", action="store_true", help="one file with every machine, and no roots")
    options = parser.parse_args()
    options.directory.mkdir(parents=True)
    files, types = {}, {}
    for number in range(options.vms):
        root = number % options.roots
        name, text = vm(number, root, options.findings)
        files[f"clusters/root-{root:02}/{name}.yaml"] = text
    for root in range(min(options.roots, options.vms)):
        namespace = f"vms-{root:02}"
        sizes = [SIZE.format(name=name, namespace=namespace, cpus=cpus, memory=memory) for name, (cpus, memory) in SIZES.items()]
        types[f"clusters/root-{root:02}"] = "---\n".join([*sizes, PREFERENCE.format(namespace=namespace)])
    if options.one_stream:
        write(options.directory / "machines.yaml", "---\n".join([*types.values(), *files.values()]))
        return
    for folder, text in types.items():
        names = sorted(pathlib.PurePath(path).name for path in files if path.startswith(folder + "/"))
        write(options.directory / folder / "types.yaml", text)
        write(options.directory / folder / "kustomization.yaml", KUSTOMIZATION + "".join(f"  - {name}\n" for name in ["types.yaml", *names]))
    for path, text in files.items():
        write(options.directory / path, text)
    for number in range(options.unrelated):
        draw = random.Random(-1 - number)
        role, team = draw.choice(ROLES), draw.choice(TEAMS)
        text = UNRELATED.format(name=f"{role}-{number:06}", role=role, team=team, replicas=draw.randrange(1, 6), tag=f"1.{number % 90}.0", port=8080)
        write(options.directory / f"apps/{team}/{number % 100:02}/{role}-{number:06}.yaml", text)
    git = ["git", "-C", str(options.directory), "-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    if options.change:
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "base"], check=True)
        paths = sorted(files)
        for path in paths[:: max(1, len(paths) // options.change)][: options.change]:
            write(options.directory / path, changed(files[path]))


main()
