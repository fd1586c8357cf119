#!/usr/bin/env python3
"""Reports of `check` over fixtures, held against their real consumers.

usage: reports.py DRIFTLESS OUT_DIR

Writes one file a format over every fixture into OUT_DIR and checks those that need no other program; the caller runs
sarif-multitool and the rdformat validator over the rest.
"""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

driftless, out = sys.argv[1], pathlib.Path(sys.argv[2])
root = pathlib.Path(__file__).resolve().parent.parent
out.mkdir(parents=True, exist_ok=True)
files = {
    "sarif": "check.sarif",
    "junit": "check.xml",
    "gitlab": "gitlab.json",
    "rdjson": "check.rdjson",
    "rdjsonl": "check.rdjsonl",
    "json": "check.json",
    "github": "github.txt",
}
formats = [f"--format={name}={out / file}" for name, file in files.items()]
run = subprocess.run(
    [driftless, "check", "fixtures/check", "fixtures/repos", "--kubevirt", "1.9", *formats],
    cwd=root, capture_output=True, text=True, check=False,
)
assert run.returncode == 1, f"check says {run.returncode}, not 1: {run.stderr}"

findings = json.loads((out / "check.json").read_text())["findings"]
assert len(findings) > 100, f"only {len(findings)} findings"

suite = ElementTree.parse(out / "check.xml").getroot()
assert suite.tag == "testsuites" and suite.iter("testcase")

issues = json.loads((out / "gitlab.json").read_text())
prints = [issue["fingerprint"] for issue in issues]
assert len(prints) == len(set(prints)), "GitLab drops issues that share a fingerprint"
for issue in issues:
    assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}, issue
    assert issue["description"] and issue["check_name"] and issue["location"]["path"], issue
    assert issue["location"]["lines"]["begin"] >= 1, issue

for line in (out / "check.rdjsonl").read_text().splitlines():
    one = json.loads(line)
    assert one["message"] and one["location"]["path"], one

commands = [line for line in (out / "github.txt").read_text().splitlines() if line.startswith("::")]
assert commands and all(line.startswith(("::error ", "::warning ", "::notice ")) for line in commands), commands[:3]
for level in ("error", "warning", "notice"):
    shown = sum(line.startswith(f"::{level} ") for line in commands)
    assert shown <= 10, f"GitHub shows 10 annotations of a level, not {shown}"

results = json.loads((out / "check.sarif").read_text())["runs"]
assert len(results) == 1, "GitHub refuses several runs of one tool"
print(f"{len(files)} passed, 0 failed")
