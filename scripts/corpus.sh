#!/usr/bin/env bash
# Runs `check` over each directory in DIR (or over DIR itself) and prints a table rule x level x files, how many files,
# and files with virtual machines, are clean, and every error. Usage: scripts/corpus.sh DIR [driftless options]
# DRIFTLESS names the binary. Needs python3.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
directory=$1
shift
here=$(cd "$(dirname "$0")/.." && pwd)
binary=${DRIFTLESS:-$here/target/release/driftless}
[ -x "$binary" ] || { echo "no binary at $binary: cargo build --release, or set DRIFTLESS" >&2; exit 2; }
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
found=0
for repository in "$directory"/*/; do
    [ -d "$repository" ] || continue
    found=1
    (cd "$repository" && "$binary" check --quiet --fail-on never --format json . "$@") \
        > "$reports/$(basename "$repository").json" || echo "could not judge $repository" >&2
done
[ "$found" = 1 ] || (cd "$directory" && "$binary" check --quiet --fail-on never --format json . "$@") > "$reports/all.json"
python3 - "$reports" "$directory" <<'PYTHON'
import collections, json, pathlib, re, sys

# A document that is a virtual machine, or a list that may hold one. A snapshot or an export only names one, deeper down.
VM = re.compile(rb"""^["']?kind["']?\s*:\s*["']?VirtualMachine["']?\s*(#.*)?$|"kind"\s*:\s*"VirtualMachine\"""", re.MULTILINE)
LIST = re.compile(rb"""^kind:\s*["']?(VirtualMachine)?List["']?\s*$""", re.MULTILINE)
ITEM = re.compile(rb"""^[\s-]*kind:\s*["']?VirtualMachine["']?\s*(#.*)?$""", re.MULTILINE)


def vm_files(root, skipped):
    for path in root.rglob("*"):
        inside = path.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.suffix not in {".yaml", ".yml", ".json"} or hidden or path.is_symlink() or not path.is_file():
            continue
        if str(inside) not in skipped:
            text = path.read_bytes()
            if b"kubevirt.io" in text and (VM.search(text) or LIST.search(text) and ITEM.search(text)):
                yield str(inside)


refused = set()
hits, files = collections.Counter(), collections.defaultdict(set)
errors, with_vms, dirty, vm_warnings = [], set(), set(), 0
totals = collections.Counter()
for report in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    try:
        data = json.loads(report.read_text())
    except ValueError:
        continue
    repository = report.stem
    for key in ("files", "resources", "virtualMachines"):
        totals[key] += data["summary"][key]
    root = pathlib.Path(sys.argv[2]) / ("" if repository == "all" else repository)
    skipped = {entry["file"] for entry in data["summary"]["skipped"]}
    with_vms |= {(repository, file) for file in vm_files(root, skipped)}
    for finding in data["findings"]:
        key = (finding["severity"], finding["rule"])
        hits[key] += 1
        files[key].add((repository, finding["file"]))
        of_vm = (finding.get("resource") or {}).get("kind") == "VirtualMachine"
        vm_warnings += finding["severity"] == "warning" and of_vm
        if finding["severity"] != "note":
            dirty.add((repository, finding["file"]))
        if finding["severity"] == "error":
            refused.add((repository, finding["file"]))
            words = finding.get("kubevirt", {}).get("message", "")
            errors.append(f'{repository}/{finding["file"]}:{finding["start"]["line"]}: {finding["rule"]}: {finding["message"]}'
                          + (f" [{words}]" if words else ""))
order = {"error": 0, "warning": 1, "note": 2}
print("| level | rule | findings | files |\n|---|---|---|---|")
for key in sorted(hits, key=lambda key: (order[key[0]], -hits[key], key[1])):
    print(f"| {key[0]} | {key[1]} | {hits[key]} | {len(files[key])} |")
warnings = sum(count for (level, _), count in hits.items() if level == "warning")
print(f'\n{totals["files"]} files, {totals["resources"]} resources, {totals["virtualMachines"]} virtual machines')
clean = totals["files"] - len(dirty)
if totals["files"]:
    print(f'{clean} files without errors and warnings ({100 * clean // totals["files"]} %)')
if totals["virtualMachines"]:
    vms = totals["virtualMachines"]
    print(f"{warnings / vms:.2f} warnings a virtual machine, {vm_warnings / vms:.2f} of them about the machine itself")
if with_vms:
    clean = len(with_vms - dirty)
    print(f"{clean} of {len(with_vms)} files with virtual machines are clean ({100 * clean // len(with_vms)} %)")
    accepted = len(with_vms - refused)
    print(f"{clean} of the {accepted} among them without errors are clean ({100 * clean // max(accepted, 1)} %)")
print(f"\n{len(errors)} errors")
for error in errors:
    print(error)
PYTHON
