#!/usr/bin/env bash
# Whole processes side by side, over generated repositories (benches/README.md).
# usage: benches/compare.sh [--runs N] [--vms N] [MODE]...
# MODE: check, findings, render, plan, unrelated, stream, growth, start, instructions; all but the last where none is given.
# DRIFTLESS names the binary (target/release/driftless otherwise). Needs python3 and git; peers run where they are on PATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
driftless=$(realpath "${DRIFTLESS:-$here/../target/release/driftless}")
[ -x "$driftless" ] || { echo "no binary at $driftless: cargo build --release, or set DRIFTLESS" >&2; exit 2; }
runs=5 vms=10000 modes=()
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=$2; shift ;;
    --vms) vms=$2; shift ;;
    check | findings | render | plan | unrelated | stream | growth | start | instructions) modes+=("$1") ;;
    *) sed -n '2,5s/^# //p' "$0" >&2; exit 2 ;;
    esac
    shift
done
[ ${#modes[@]} -gt 0 ] || modes=(check findings render plan unrelated stream growth start)
trees=${BENCH_DIR:-$here/../target/bench}
mkdir -p "$trees"
trees=$(realpath "$trees")

# tree NAME GENERATOR-ARGUMENT...: makes the tree unless it stands, and prints its path. Another generator is another tree.
tree() {
    local path
    path=$trees/$1-$(cat "$here/generate.py" <(echo "${@:2}") | sha256sum | cut -c 1-12)
    [ -d "$path" ] || { python3 "$here/generate.py" "$path.new" "${@:2}"; mv "$path.new" "$path"; }
    echo "$path"
}

# What a peer needs to run: a program, and for kubeconform a folder of JSON Schemas that holds KubeVirt's kinds.
absent=()
have() {
    command -v "$1" >/dev/null && { [ "$1" != kubeconform ] || [ -n "${KUBECONFORM_SCHEMAS:-}" ]; } && return
    absent+=("$1")
    return 1
}
say() { printf '\n== %s\n' "$*"; }
# side_by_side DIRECTORY 'NAME|STATUS|COMMAND'...
side_by_side() { python3 "$here/measure.py" "$runs" "$@"; }

for mode in "${modes[@]}"; do
    case $mode in
    check | findings)
        small=$((vms / 10))
        if [ "$mode" = check ]; then status=0 arguments=(); else status=1 arguments=(--findings); fi
        full=$(tree "$mode" --vms "$vms" "${arguments[@]}")
        say "$mode: $vms virtual machines"
        commands=("driftless check|$status|$driftless check --quiet .")
        if have kubeconform; then
            commands+=("kubeconform -strict|$status|kubeconform -strict -summary -n $(nproc) -schema-location $KUBECONFORM_SCHEMAS -skip Kustomization clusters")
        fi
        side_by_side "$full" "${commands[@]}"
        if have yamllint; then
            say "$mode: $small virtual machines"
            side_by_side "$(tree "$mode" --vms "$small" "${arguments[@]}")" "driftless check|$status|$driftless check --quiet ." \
                "yamllint|0|yamllint -f parsable -d '{extends: relaxed, rules: {document-start: {level: warning}}}' ."
        fi
        ;;
    render)
        say "render: $vms virtual machines"
        side_by_side "$(tree check --vms "$vms")" "driftless render expandAll|0|$driftless render --quiet --policy expandAll ." \
            "driftless render|0|$driftless render --quiet ." "driftless expand|0|$driftless expand --quiet ."
        if have kubectl; then
            say "render: $((vms / 10)) virtual machines"
            side_by_side "$(tree check --vms $((vms / 10)))" "driftless render|0|$driftless render --quiet ." \
                "kubectl kustomize, each root|0|bash -c 'set -e; for root in clusters/*/; do kubectl kustomize \$root; done'"
        fi
        ;;
    plan)
        say "plan: 10 of $vms virtual machines changed"
        side_by_side "$(tree plan --vms "$vms" --change 10)" "driftless plan|0|$driftless plan --quiet --base HEAD ." \
            "driftless check, one side|0|$driftless check --quiet ." "git diff|0|git diff --stat"
        ;;
    unrelated)
        say "unrelated: $((vms / 100)) virtual machines among $((vms * 10)) other files"
        side_by_side "$(tree unrelated --vms $((vms / 100)) --unrelated $((vms * 10)) --change 1)" \
            "driftless check|0|$driftless check --quiet ." "git grep -l|0|git grep -l kubevirt.io"
        ;;
    stream)
        say "stream: $vms virtual machines in one file"
        side_by_side "$(tree stream --vms "$vms" --one-stream)" "driftless check|0|$driftless check --quiet ." \
            "driftless render expandAll|0|$driftless render --quiet --policy expandAll ."
        ;;
    growth)
        for size in $((vms / 10)) "$vms"; do
            say "growth: $size virtual machines"
            side_by_side "$(tree check --vms "$size")" "driftless check|0|$driftless check --quiet ."
        done
        ;;
    start)
        say "start"
        side_by_side "$trees" "driftless --version|0|$driftless --version"
        ;;
    instructions)
        say "instructions: 300 virtual machines, one thread"
        have valgrind || continue
        small=$(tree check --vms 300)
        changed=$(tree plan --vms 300 --change 10)
        for command in "check ." "render --policy expandAll ." "expand ." "plan --base HEAD ."; do
            directory=$small
            [ "${command%% *}" != plan ] || directory=$changed
            # shellcheck disable=SC2086
            count=$(cd "$directory" && valgrind --tool=callgrind --callgrind-out-file=/dev/null "$driftless" --jobs 1 --quiet $command \
                2>&1 >/dev/null | sed -n 's/.*Collected : //p')
            [ -n "$count" ] || { echo "driftless $command did not run under valgrind" >&2; exit 1; }
            printf '%-34s %15d\n' "driftless $command" "$count"
        done
        ;;
    esac
done
[ ${#absent[@]} = 0 ] || printf '\nnot compared with: %s\n' "$(printf '%s\n' "${absent[@]}" | sort -u | xargs)"
