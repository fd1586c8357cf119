#!/usr/bin/env python3
"""Reports of `check` and `plan` over fixtures, held against their real consumers.

usage: reports.py DRIFTLESS OUT_DIR

Writes one file a format over every fixture into OUT_DIR and checks those that need no other program; JUnit is read by
junitparser and the plan's JSON by jsonschema, which must be installed. The caller runs sarif-multitool and the rdformat validator over the rest.
"""

import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import jsonschema
import junitparser

driftless, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
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

# What CI servers read of JUnit XML: these elements with these attributes, nothing else, and counts that are true.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": ({"classname", "name", "file"}, {"failure", "system-out"}),
    "failure": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}
suites = ElementTree.parse(out / "check.xml").getroot()
assert suites.tag == "testsuites"
for element in suites.iter():
    attributes, children = ALLOWED[element.tag]
    assert set(element.attrib) == attributes, (element.tag, element.attrib)
    tags = [child.tag for child in element]
    assert set(tags) <= children, (element.tag, tags)
    assert element.tag != "testcase" or len(tags) == len(set(tags)), "readers take one failure a test case"
read = junitparser.JUnitXml.fromfile(str(out / "check.xml"))
cases = [(suite, case) for suite in read for case in suite]
failed = [case for _, case in cases if any(isinstance(result, junitparser.Failure) for result in case.result)]
assert (read.tests, read.failures, read.errors) == (len(cases), len(failed), 0), "JUnit counts wrongly"
for suite in read:
    assert suite.tests == sum(1 for _ in suite), suite.name
assert len({(case.classname, case.name) for _, case in cases}) == len(cases), "two JUnit cases share a name"
errors = {finding["file"] for finding in findings if finding["severity"] == "error"}
assert {case.classname for case in failed} == errors, "JUnit fails other files than the findings"

# GitLab's documentation names these fields; a report with others, a byte order mark or `./` is not shown.
text = (out / "gitlab.json").read_bytes()
assert text.startswith(b"["), "GitLab reads one array without a byte order mark"
issues = json.loads(text)
assert len(issues) == len(findings), "GitLab gets other findings"
prints = [issue["fingerprint"] for issue in issues]
assert len(prints) == len(set(prints)), "GitLab drops issues that share a fingerprint"
for issue in issues:
    assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}, issue
    assert all(isinstance(issue[key], str) and issue[key] for key in set(issue) - {"location"}), issue
    assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}, issue
    place = issue["location"]
    assert set(place) == {"path", "lines"} and set(place["lines"]) == {"begin", "end"}, issue
    assert not place["path"].startswith(("/", "./", "../")) and (root / place["path"]).is_file(), issue
    assert 1 <= place["lines"]["begin"] <= place["lines"]["end"], issue
    assert all(type(line) is int for line in place["lines"].values()), issue

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
# A plan in each format: a type and a VM change, another VM goes.
for side in ("base", "head"):
    shutil.copytree(root / "fixtures/repos/plain", out / side, dirs_exist_ok=True)
for name, before, after in [
    ("instancetypes/web.yaml", "guest: 4Gi", "guest: 6Gi"),
    ("vms/web.yaml", "runStrategy: Always", "runStrategy: Halted"),
]:
    file = out / "head" / name
    text = file.read_text()
    assert before in text, f"{name} has no {before}"
    file.write_text(text.replace(before, after))
(out / "head/vms/jumphost.yaml").unlink()


def plan(format):
    command = [driftless, "plan", "head", "--base-dir", "base", "--kubevirt", "1.9", "--format", format, "-q"]
    return subprocess.run(command, cwd=out, capture_output=True, text=True, check=True).stdout


document = json.loads(plan("json"))
jsonschema.validate(document, json.loads((root / "schemas/plan.json").read_text()))
rows = {f"{vm['namespace']}/{vm['name']}" for vm in document["virtualMachines"]}
grouped = [f"{vm['namespace']}/{vm['name']}" for group in document["groups"] for vm in group["vms"]]
assert rows and sorted(rows) == sorted(grouped), "every row is in one group"


class Balanced(html.parser.HTMLParser):
    """Every element is closed, in order."""

    open = []
    names = set()

    def handle_starttag(self, tag, attributes):
        if tag not in {"meta", "link", "input", "br"}:
            self.open.append(tag)
        self.names.update(value for key, value in attributes if key == "data-name")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}> closes another element"


page = Balanced()
page.feed(plan("html"))
page.close()
assert not page.open and page.names == rows, "the page has the rows of the JSON, and whole elements"
comment = plan("markdown")
assert comment.startswith("<!-- driftless:plan -->\n") and len(comment) < 65536
for words in (comment, plan("text")):
    assert document["summary"]["sentence"] in " ".join(words.split()), "each format starts with the sentence"
print(f"{len(files) + 4} passed, 0 failed")
