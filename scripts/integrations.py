#!/usr/bin/env python3
"""Runs the integrations in the real programs they are for: pre-commit, prek, act, zizmor, action-validator, check-jsonschema.

usage: integrations.py DRIFTLESS TOOLS...
DRIFTLESS is the binary; TOOLS are directories to look for the programs in, before PATH. A program that is not there is named as
not run. Exit status: 0 all that ran passed, 1 one failed.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRIFTLESS = pathlib.Path(sys.argv[1]).resolve()
PATH = os.pathsep.join([str(DRIFTLESS.parent)] + [str(pathlib.Path(tool).resolve()) for tool in sys.argv[2:]] + [os.environ["PATH"]])
FAILED = []
NOT_RUN = []

VM = """apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}
  namespace: shop
spec:
  runStrategy: Always
  instancetype:
    kind: VirtualMachineInstancetype
    name: small
  dataVolumeTemplates:
    - metadata:
        name: {name}-root
      spec:
        source:
          blank: {{}}
        storage:
          resources:
            requests:
              storage: 10Gi
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk:
                bus: virtio
          interfaces:
            - name: default
              masquerade: {{}}
      networks:
        - name: default
          pod: {{}}
      volumes:
        - name: root
          dataVolume:
            name: {name}-root
"""
TYPE = """apiVersion: instancetype.kubevirt.io/{version}
kind: VirtualMachineInstancetype
metadata:
  name: small
  namespace: shop
spec:
  cpu:
    guest: 1
  memory:
    guest: {memory}
"""


def program(name):
    """The program, or None with a note that it was not run."""
    found = shutil.which(name, path=PATH)
    if found is None and name not in NOT_RUN:
        NOT_RUN.append(name)
    return found


class Repository:
    """A git repository with two machines, their type and settings, on its own configuration."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        home = self.directory.parent / "home"
        home.mkdir(exist_ok=True)
        self.environment = {
            "PATH": PATH,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always",
            "NO_COLOR": "1",
        }
        self.git("init", "-q", "-b", "main")
        self.write("driftless.yaml", 'kubevirt: "1.9"\ncomplete: true\n')
        self.write("type.yaml", TYPE.format(version="v1beta1", memory="1Gi"))
        self.write("a.yaml", VM.format(name="a"))
        self.write("b.yaml", VM.format(name="b"))
        self.commit("start")

    def write(self, name, text):
        (self.directory / name).parent.mkdir(parents=True, exist_ok=True)
        (self.directory / name).write_text(text)

    def edit(self, name, old, new):
        text = (self.directory / name).read_text()
        assert old in text, (name, old)
        self.write(name, text.replace(old, new))

    def run(self, *command, **environment):
        return subprocess.run(
            [str(word) for word in command], cwd=self.directory, env={**self.environment, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def git(self, *arguments):
        done = self.run("git", *arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", message)


def expect(what, holds, text=""):
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    if not holds:
        FAILED.append(what)
        print("        " + text.replace("\n", "\n        "))


def hooks(runner, scratch):
    """The hooks in a real runner: what try-repo says, and what a real commit meets."""
    repository = Repository(scratch / runner / "consumer")
    name = runner

    def tried(hook, *more):
        return repository.run(program(runner), "try-repo", ROOT, hook, "--all-files", "--verbose", *more)

    done = tried("driftless-check-system")
    expect(f"{name}: a clean tree passes", done.returncode == 0, done.stdout)
    repository.edit("a.yaml", "runStrategy: Always", "runStrategy: Sometimes")
    repository.git("add", "-A")
    done = tried("driftless-check-system")
    expect(f"{name}: a finding fails and is shown", done.returncode == 1 and "invalid-run-strategy" in done.stdout, done.stdout)
    repository.git("reset", "-q", "--hard")
    repository.write("type.yaml", TYPE.format(version="v1alpha2", memory="1Gi"))
    repository.commit("an old type")
    done = tried("driftless-upgrade-system")
    written = (repository.directory / "type.yaml").read_text()
    expect(f"{name}: an upgrade modifies the file and fails",
           done.returncode == 1 and "v1beta1" in written, done.stdout)
    repository.commit("upgraded")
    done = tried("driftless-upgrade-system")
    expect(f"{name}: with nothing to upgrade it passes", done.returncode == 0, done.stdout)

    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    repository.write(".pre-commit-config.yaml", f"""repos:
  - repo: {ROOT}
    rev: {revision}
    hooks:
      - id: driftless-check-system
      - id: driftless-plan-system
""")
    repository.commit("hooks")
    done = repository.run(program(runner), "install")
    expect(f"{name}: installs", done.returncode == 0, done.stdout)

    def committed(*arguments):
        return repository.run("git", "commit", "-q", "-m", "change", *arguments)

    repository.git("rm", "-q", "type.yaml")
    done = committed()
    expect(f"{name}: deleting a type that a machine names is caught",
           done.returncode == 1 and "unresolved-instancetype" in done.stdout, done.stdout)
    repository.git("reset", "-q", "--hard")

    repository.write("a.yaml", VM.format(name="a").replace("a-root", "a-new"))
    repository.git("add", "-A")
    done = committed()
    expect(f"{name}: a change that loses a disk fails the plan",
           done.returncode == 1 and "`data-loss` is gated: shop/a" in done.stdout, done.stdout)
    repository.edit("b.yaml", "runStrategy: Always", "runStrategy: RerunOnFailure")
    done = committed("b.yaml")
    expect(f"{name}: `git commit FILE` is judged by what it commits", done.returncode == 0, done.stdout)
    files = repository.git("show", "--name-only", "--format=", "HEAD").split()
    expect(f"{name}: and commits that file alone", files == ["b.yaml"], str(files))
    repository.git("reset", "-q", "--hard")
    repository.git("rm", "-q", "b.yaml")
    done = committed()
    expect(f"{name}: deleting a machine fails the plan", done.returncode == 1 and "is gated: shop/b" in done.stdout, done.stdout)
    repository.git("reset", "-q", "--hard")
    repository.edit("a.yaml", "runStrategy: Always", "runStrategy: Halted")
    repository.write("driftless.yaml", 'kubevirt: "1.9"\ncomplete: true\nplan: {failOn: [data-loss]}\n')
    repository.git("add", "driftless.yaml")
    repository.git("commit", "-q", "--no-verify", "-m", "settings")
    repository.git("add", "-A")
    done = committed()
    expect(f"{name}: the settings' list wins over the hook's", done.returncode == 0, done.stdout)
    first, last = repository.git("rev-parse", "HEAD~1"), repository.git("rev-parse", "HEAD")
    done = repository.run(program(runner), "run", "driftless-plan-system", "--verbose", "--from-ref", first, "--to-ref", last)
    expect(f"{name}: from and to revisions are compared", done.returncode == 0 and "stop" in done.stdout, done.stdout)


WORKFLOW = """name: test
on: pull_request
permissions: {}
jobs:
  plan:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - id: driftless
        uses: ./action
        continue-on-error: true
        with:
          binary: %(binary)s
          output-directory: %(reports)s
          base: %(base)s
      - env:
          SENTENCE: ${{ steps.driftless.outputs.sentence }}
          DOWN: ${{ steps.driftless.outputs.down }}
          RESTARTS: ${{ steps.driftless.outputs.restarts }}
          DATA_LOSS: ${{ steps.driftless.outputs.data-loss }}
          REJECTED: ${{ steps.driftless.outputs.rejected }}
          FINDINGS: ${{ steps.driftless.outputs.findings }}
          COMMENT: ${{ steps.driftless.outputs.comment }}
          CODE: ${{ steps.driftless.outputs.exit-code }}
          OUTCOME: ${{ steps.driftless.outcome }}
        shell: bash
        run: |
          printf 'sentence=%%s\\ndown=%%s\\nrestarts=%%s\\ndata-loss=%%s\\nrejected=%%s\\nfindings=%%s\\ncode=%%s\\noutcome=%%s\\n' \\
            "$SENTENCE" "$DOWN" "$RESTARTS" "$DATA_LOSS" "$REJECTED" "$FINDINGS" "$CODE" "$OUTCOME" > %(reports)s/seen
          printf '%%s' "$COMMENT" > %(reports)s/comment
          cp "$GITHUB_STEP_SUMMARY" %(reports)s/summary 2>/dev/null || true
"""


def action(scratch):
    """The action in act, on pull requests: outputs, annotations, exit status."""

    def pull_request(name, change, base=""):
        repository = Repository(scratch / "act" / name)
        reports = scratch / "act" / f"{name}-reports"
        reports.mkdir()
        repository.write(".github/workflows/test.yml", WORKFLOW % {
            "binary": DRIFTLESS, "reports": reports, "base": base or '""'})
        for part in ["action.yml", "ci/github.sh", "ci/install.sh"]:
            repository.write(f"action/{part}", (ROOT / part).read_text())
        repository.write("driftless.yaml", 'kubevirt: "1.9"\ncomplete: true\nexclude: [action/**]\n')
        repository.commit("action")
        before = repository.git("rev-parse", "HEAD")
        repository.git("checkout", "-q", "-b", "work")
        change(repository)
        repository.commit(name)
        # What actions/checkout gives a pull request: the merge commit, whose first parent is the base.
        repository.git("checkout", "-q", "-b", "merged", before)
        repository.git("merge", "-q", "--no-ff", "--no-verify", "-m", "merge", "work")
        event = reports / "event.json"
        event.write_text(json.dumps({"pull_request": {"base": {"sha": before, "ref": "main"}, "head": {"ref": "work"}}}))
        done = repository.run(program("act"), "pull_request", "-P", "ubuntu-latest=-self-hosted", "--eventpath", event,
                              "--action-offline-mode", "--pull=false", TMPDIR=str(reports))
        seen = reports / "seen"
        values = dict(line.split("=", 1) for line in seen.read_text().splitlines()) if seen.exists() else {}
        read = lambda file: (reports / file).read_text() if (reports / file).exists() else ""
        return done.stdout, values, read

    def lost(repository):
        (repository.directory / "a.yaml").unlink()

    text, seen, read = pull_request("clean", lambda repository: repository.write("README", "text\n"))
    expect("act: a clean pull request passes", seen.get("outcome") == "success" and seen.get("code") == "0"
           and seen.get("down") == "0" and seen.get("findings") == "0", f"{seen}\n{text}")
    text, seen, read = pull_request("restart", lambda repository: repository.edit(
        "a.yaml", "        devices:\n", "        firmware:\n          serial: other\n        devices:\n"))
    expect("act: a restart is an output and no gate", seen.get("outcome") == "success" and seen.get("restarts") == "1", f"{seen}\n{text}")
    expect("act: the comment is an output that begins with its marker", read("comment").startswith("<!-- driftless:plan")
           and "shop/a" in read("comment"), read("comment"))
    expect("act: the reports are files", all(read(name) for name in ["plan.html", "plan.json", "driftless.sarif"]), str(seen))
    text, seen, read = pull_request("loss", lost)
    expect("act: a lost disk fails the job", seen.get("outcome") == "failure" and seen.get("code") == "1"
           and seen.get("data-loss") == "1" and seen.get("down") == "1", f"{seen}\n{text}")
    expect("act: and is annotated", re.search(r"::error.*(data-loss|gated)", text) is not None or "gated" in text, text)
    text, seen, read = pull_request("rejected", lambda repository: repository.edit(
        "a.yaml", "runStrategy: Always", "runStrategy: Sometimes"))
    expect("act: a refused object fails the job and is an annotation at its line", seen.get("rejected") == "1"
           and seen.get("outcome") == "failure" and int(seen.get("findings", "0")) >= 1 and "a.yaml" in text, f"{seen}\n{text}")
    text, seen, read = pull_request("missing", lambda repository: repository.write("README", "text\n"),
                                    base="0123456789012345678901234567890123456789")
    expect("act: a base that cannot be had fails with the remedy", seen.get("outcome") == "failure" and seen.get("code") == "2"
           and "fetch-depth" in text, f"{seen}\n{text}")


def shallow(scratch):
    """The action's script in a clone of one commit: it fetches the base, one commit, and cuts no complete clone."""
    for depth in [["--depth=1"], []]:
        name = "shallow" if depth else "complete"
        origin = Repository(scratch / f"{name}-origin" / "repository")
        base = origin.git("rev-parse", "HEAD")
        origin.edit("a.yaml", "runStrategy: Always", "runStrategy: Halted")
        origin.commit("halt")
        clone = scratch / f"{name}-clone"
        subprocess.run(["git", "clone", "-q", *depth, f"file://{origin.directory}", str(clone)], check=True, env=origin.environment)
        origin.directory = clone
        outputs = scratch / f"{name}-outputs"
        environment = {f"DRIFTLESS_{key}": value for key, value in {
            "PATHS": ".", "KUBEVIRT": "", "CONFIG": "", "BASE": "", "CHECK": "false", "CHECK_FAIL_ON": "error", "PLAN": "true",
            "FAIL_ON": "default", "MAX_DOWN": "", "MAX_RESTARTS": "", "ACCEPT": "", "ACCEPT_TRAILERS": "true", "ANNOTATIONS": "true",
            "SUMMARY": "true", "LINK_TEMPLATE": "", "COMMENT_KEY": "", "ARTIFACT": "", "OUTPUT_DIRECTORY": str(scratch / f"{name}-out"),
            "BINARY": str(DRIFTLESS)}.items()}
        done = origin.run("bash", ROOT / "ci/github.sh", EVENT_BASE=base, GITHUB_EVENT_NAME="push", GITHUB_OUTPUT=str(outputs),
                          GITHUB_STEP_SUMMARY=str(scratch / f"{name}-summary"), **environment)
        seen = outputs.read_text() if outputs.exists() else ""
        expect(f"{name} clone: the base is compared", done.returncode == 1 and "down=1" in seen, done.stdout + seen)
        count = int(origin.git("rev-list", "--count", "--all"))
        expect(f"{name} clone: its history stays as it was", (clone / ".git/shallow").exists() == bool(depth) and count >= 1, str(count))
        summary = (scratch / f"{name}-summary").read_text()
        expect(f"{name} clone: the summary holds the plan", "shop/a" in summary, summary)


def argocd(scratch):
    """The plugin's contract: argv without a shell, another user where that is possible, no HOME, a tree that cannot be written."""
    tree = scratch / "argocd" / "app"
    tree.mkdir(parents=True)
    (tree / "driftless.yaml").write_text("kubevirt: \"1.9\"\n")
    (tree / "a.yaml").write_text(VM.format(name="a"))
    (tree / "type.yaml").write_text(TYPE.format(version="v1beta1", memory="1Gi"))
    os.chmod(scratch, 0o755)
    binary = scratch / "driftless"
    shutil.copy(DRIFTLESS, binary)
    plugin = json.loads(subprocess.run([DRIFTLESS, "render", "-o", "json", ROOT / "ci/argocd/plugin.yaml"],
                                       stdout=subprocess.PIPE, check=True).stdout)["items"][0]["spec"]
    kustomize = json.loads(subprocess.run([DRIFTLESS, "render", "-o", "json", ROOT / "ci/argocd/plugin-kustomize.yaml"],
                                          stdout=subprocess.PIPE, check=True).stdout)["items"][0]["spec"]

    def call(command, parameters=None, directory=tree):
        subprocess.run(["chmod", "-R", "a-w", directory], check=True)
        environment = {"PATH": f"{scratch}:/usr/bin:/bin", "ARGOCD_APP_NAME": "shop", "ARGOCD_APP_NAMESPACE": "shop"}
        if parameters is not None:
            environment["ARGOCD_APP_PARAMETERS"] = json.dumps(parameters)
        done = subprocess.run([str(word) for word in command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              user=65534 if os.getuid() == 0 else None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        subprocess.run(["chmod", "-R", "u+w", directory], check=True)
        return done

    init, generate = plugin["init"]["command"], plugin["generate"]["command"]
    done = call(init)
    expect("argocd: init passes", done.returncode == 0, done.stderr)
    done = call(generate)
    read = subprocess.run([DRIFTLESS, "render", "-o", "json", "-"], input=done.stdout, stdout=subprocess.PIPE, text=True, check=False)
    kinds = [item["kind"] for item in json.loads(read.stdout)["items"]] if read.returncode == 0 else []
    expect("argocd: generate prints every object and nothing else",
           done.returncode == 0 and sorted(kinds) == ["VirtualMachine", "VirtualMachineInstancetype"], done.stdout + done.stderr)
    done = call(generate, [{"name": "policy", "string": "expandAll"}])
    expect("argocd: a parameter is obeyed", done.returncode == 0 and "instancetype:" not in done.stdout.split("kind: VirtualMachine\n")[1], done.stdout + done.stderr)
    for path in ["../other", "/etc", "a/../../b"]:
        done = call(generate, [{"name": "paths", "array": [path]}])
        expect(f"argocd: the path {path} is refused", done.returncode == 2 and done.stdout == "" and "leads out" in done.stderr, done.stdout + done.stderr)
    done = call(generate, [{"name": "path", "array": ["."]}])
    expect("argocd: an unknown parameter is refused", done.returncode == 2 and done.stdout == "", done.stderr)
    done = call(generate, [{"name": "exclude", "array": ["**"]}])
    expect("argocd: nothing to print is a failure", done.returncode == 2 and done.stdout == "", done.stdout + done.stderr)
    announced = json.loads(call(plugin["parameters"]["dynamic"]["command"]).stdout)
    expect("argocd: parameters are announced", {one["name"] for one in announced} >= {"kubevirt", "policy", "paths"}, str(announced))
    done = call(["driftless", "argocd", "discover"])
    expect("argocd: a directory with settings is discovered", done.returncode == 0 and done.stdout == "driftless.yaml\n", done.stdout)
    child = call([*generate, "--from-command", "--", "cat", "a.yaml", "missing.yaml"])
    expect("argocd: the failure of a command is the plugin's", child.returncode == 2 and child.stdout == "", child.stdout + child.stderr)
    child = call([*generate, "--from-command", "--", "cat", "a.yaml"])
    expect("argocd: what a command prints is rendered", child.returncode == 0 and "kind: VirtualMachine" in child.stdout, child.stderr)
    child = call([*generate, "--from-command", "--", "true"])
    expect("argocd: a command that prints nothing is a failure", child.returncode == 2 and child.stdout == "", child.stdout + child.stderr)
    if program("kubectl") is not None:
        # The kustomize inside kubectl stands in for the standalone one of the plugin.
        stand_in = scratch / "kustomize"
        stand_in.write_text(f"#!/bin/sh\nshift\nexec {program('kubectl')} kustomize \"$@\"\n")
        stand_in.chmod(0o755)
        (tree / "kustomization.yaml").write_text("resources: [a.yaml, type.yaml]\nnamePrefix: x-\n")
        child = call(kustomize["generate"]["command"])
        expect("argocd: kustomize's build is rendered", child.returncode == 0 and "name: x-a" in child.stdout, child.stdout + child.stderr)
        (tree / "kustomization.yaml").unlink()
    (tree / "chart.yaml").write_text(VM.format(name="{{ .Values.name }}"))
    done = call(generate)
    expect("argocd: a template that is not excluded is a failure", done.returncode == 2 and done.stdout == "" and "chart.yaml" in done.stderr, done.stdout + done.stderr)
    (tree / "chart.yaml").write_text("kind: VirtualMachine\napiVersion: kubevirt.io/v1\na: [\n")
    done = call(generate)
    expect("argocd: a file that cannot be read is a failure", done.returncode == 2 and done.stdout == "", done.stdout + done.stderr)


def function(scratch):
    """The KRM function in kpt."""
    kpt = program("kpt")
    if kpt is None:
        return
    package = scratch / "krm" / "machines"
    package.mkdir(parents=True)
    (package / "a.yaml").write_text("# who owns it\n" + VM.format(name="a").replace("runStrategy: Always", "runStrategy: Always # on"))
    (package / "type.yaml").write_text(TYPE.format(version="v1beta1", memory="1Gi"))
    run = lambda *command, stderr=subprocess.STDOUT, **more: subprocess.run(
        [str(word) for word in command], cwd=scratch / "krm", stdout=subprocess.PIPE, stderr=stderr, text=True, check=False,
        env={**os.environ, "PATH": PATH}, **more)
    done = run(kpt, "fn", "eval", package, "--exec", f"{DRIFTLESS} fn", "--results-dir", "clean")
    expect("kpt: clean manifests pass", done.returncode == 0, done.stdout)
    text = (package / "a.yaml").read_text()
    expect("kpt: comments stay", "# who owns it" in text and "# on" in text, text)
    source = run(kpt, "fn", "source", package, stderr=subprocess.DEVNULL)
    listed = run(DRIFTLESS, "fn", input=source.stdout, stderr=subprocess.DEVNULL)
    expect("kpt: a list without findings passes through byte by byte", listed.returncode == 0 and listed.stdout == source.stdout, listed.stdout)
    sunk = run(kpt, "fn", "sink", "out", input=listed.stdout)
    expect("kpt: source and sink", sunk.returncode == 0 and (scratch / "krm/out/a.yaml").exists(), sunk.stdout)
    bad = package / "a.yaml"
    bad.write_text(bad.read_text().replace("runStrategy: Always", "runStrategy: Sometimes"))
    done = run(kpt, "fn", "eval", package, "--exec", f"{DRIFTLESS} fn", "--results-dir", "results")
    results = "".join(file.read_text() for file in (scratch / "krm/results").glob("*.yaml")) if (scratch / "krm/results").exists() else ""
    expect("kpt: a finding fails and is in the results file", done.returncode != 0 and "invalid-run-strategy" in results and "a.yaml" in results, done.stdout + results)
    bad.write_text(bad.read_text().replace("runStrategy: Sometimes", "runStrategy: Always"))
    done = run(kpt, "fn", "eval", package, "--exec", f"{DRIFTLESS} fn", "--", "policy=expandAll", "kubevirt=1.8")
    expect("kpt: a policy expands the machines", done.returncode == 0 and "instancetype:" not in bad.read_text() and "guest: 1Gi" in bad.read_text(), done.stdout + bad.read_text())
    for text in ["", "a: [", "kind: List\napiVersion: v1\nitems: []\n"]:
        done = subprocess.run([DRIFTLESS, "fn"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        expect(f"fn: {text[:9]!r} is no ResourceList", done.returncode == 2 and done.stdout == "", done.stdout)


def plugin(scratch):
    """kubectl driftless, and its completion in the shells."""
    kubectl = program("kubectl")
    directory = scratch / "plugin"
    directory.mkdir()
    (directory / "kubectl-driftless").symlink_to(DRIFTLESS)
    (directory / "kubectl_complete-driftless").symlink_to(ROOT / "ci/kubectl_complete-driftless")
    (directory / "driftless").symlink_to(DRIFTLESS)
    (directory / "vm.yaml").write_text(VM.format(name="a") + "---\n" + TYPE.format(version="v1beta1", memory="1Gi"))
    environment = {"PATH": f"{directory}:{PATH}", "HOME": str(directory)}
    run = lambda *command: subprocess.run([str(word) for word in command], cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if kubectl is not None:
        done = run(kubectl, "driftless", "check", "vm.yaml")
        expect("kubectl: the plugin runs", done.returncode == 0, done.stdout)
        done = run(kubectl, "__complete", "driftless", "plan", "--fail-on", "data-")
        expect("kubectl: it completes a word of a gate", "data-loss" in done.stdout, done.stdout)
        done = run(kubectl, "__complete", "driftless", "che")
        expect("kubectl: it completes a command", "check" in done.stdout.split(), done.stdout)
    for shell, script in {
        "bash": 'source <(driftless completions bash); COMP_WORDS=(driftless check --kubevirt 1.); COMP_CWORD=3; _driftless driftless 1. --kubevirt; printf "%s\n" "${COMPREPLY[@]}"',
        "zsh": "autoload -U compinit && compinit -u && source <(driftless completions zsh) && whence -w _driftless",
    }.items():
        if program(shell) is None:
            continue
        done = run(program(shell), "-c", script)
        wanted = "1.9" if shell == "bash" else "_driftless: function"
        expect(f"{shell}: completions work", wanted in done.stdout, done.stdout)


def validators():
    """What the validators say of the action, the workflows and the hooks."""
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    checks = [
        ("zizmor", ["--offline", "--quiet", "--no-progress", ROOT / "action.yml", *workflows]),
        ("check-jsonschema", ["--builtin-schema", "vendor.github-actions", ROOT / "action.yml"]),
        ("check-jsonschema", ["--builtin-schema", "vendor.github-workflows", *workflows]),
        ("pre-commit", ["validate-manifest", ROOT / ".pre-commit-hooks.yaml"]),
        # Its schema does not know the permission `attestations` that the release needs; the two validators above do.
        *[("action-validator", [file]) for file in [ROOT / "action.yml", *workflows] if file.name != "release.yml"],
    ]
    for name, arguments in checks:
        if program(name) is None:
            continue
        done = subprocess.run([program(name), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        expect(f"{name} {pathlib.Path(arguments[-1]).name}", done.returncode == 0, done.stdout)


def main():
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        for runner in ["pre-commit", "prek"]:
            if program(runner) is not None:
                hooks(runner, scratch)
        shallow(scratch)
        argocd(scratch)
        function(scratch)
        plugin(scratch)
        if program("act") is not None:
            action(scratch)
        validators()
    for name in NOT_RUN:
        print(f"not run: {name} is not installed")
    print(f"{len(FAILED)} failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
