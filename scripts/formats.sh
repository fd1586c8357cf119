#!/usr/bin/env bash
# Holds the machine formats of `check` against their own validators: SARIF as GitHub ingests it, and reviewdog's rdjson.
# Usage: scripts/formats.sh [DIR with manifests]. DRIFTLESS names the binary. Needs node and the npm registry.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
directory=${1:-$here/fixtures/check}
binary=${DRIFTLESS:-$here/target/debug/driftless}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$binary" check "$directory" --quiet --fail-on never \
    --format sarif="$work/report.sarif" --format rdjson="$work/report.rdjson" --format json > /dev/null
cd "$work"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit @microsoft/sarif-multitool @umbrelladocs/rdformat-validator > /dev/null
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
npx --no-install sarif-multitool validate report.sarif --rule-kind Ghas --output result.sarif > log.txt 2>&1 || { cat log.txt; exit 1; }
if grep -E '(error|warning) [A-Z]+[0-9]+' log.txt; then exit 1; fi
npx --no-install rdformat-validator report.rdjson
echo "SARIF and rdjson are valid"
