#!/usr/bin/env bash
# Installs the released binary of this version into a directory, held to the checksum that stands in ci/release.txt.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
directory=$1
case $(uname -s)-$(uname -m) in
Linux-x86_64) target=x86_64-unknown-linux-musl ;;
Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
*) echo "driftless: no binary is released for $(uname -s) on $(uname -m): build it with cargo" >&2 && exit 1 ;;
esac

# Lines of ci/release.txt: version, target, sha256, address. The release workflow writes it.
line=$(grep -s " $target " "$here/release.txt" || true)
if [ -z "$line" ]; then
    echo "driftless: this version of the action has no released binary for $target" >&2
    exit 1
fi
read -r _ _ sum address <<<"$line"
mkdir -p "$directory"
archive=$directory/driftless.tar.gz
curl --fail --silent --show-error --location --retry 3 --output "$archive" "$address"
echo "$sum  $archive" | sha256sum --check --quiet || { echo "driftless: the archive is not the one that was released" >&2 && exit 1; }
tar -xzf "$archive" -C "$directory" driftless
rm "$archive"
