#!/usr/bin/env bash
# Runs `check` over each directory in DIR (or over DIR itself) and prints a table rule x level x files, the files with
# virtual machines that are clean, and every error. Usage: scripts/corpus.sh DIR [driftless options]
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
python3 - "$reports" <<'PYTHON'
import collections, json, pathlib, sys

hits, files = collections.Counter(), collections.defaultdict(set)
errors, with_vms, dirty = [], 0, set()
totals = collections.Counter()
for report in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    try:
        data = json.loads(report.read_text())
    except ValueError:
        continue
    repository = report.stem
    for key in ("files", "resources", "virtualMachines"):
        totals[key] += data["summary"][key]
    for finding in data["findings"]:
        key = (finding["severity"], finding["rule"])
        hits[key] += 1
        files[key].add((repository, finding["file"]))
        if finding["severity"] != "note":
            dirty.add((repository, finding["file"]))
        if finding["severity"] == "error":
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
    print(f'{warnings / totals["virtualMachines"]:.2f} warnings a virtual machine')
print(f"\n{len(errors)} errors")
for error in errors:
    print(error)
PYTHON
