#!/usr/bin/env bash
# What action.yml runs: check and plan, their reports, the outputs; the exit status last, so that every report is there.
# Exit: 0 clean, 1 findings or gates, 2 the work could not be done.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() {
    # A message of a workflow command is one line.
    printf '::error title=driftless::%s\n' "$(printf '%s' "$1" | tr '\r\n' '  ' | sed 's/%/%25/g')"
    output exit-code 2
    exit 2
}
output() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }
is_on() { [ "${1,,}" = true ]; }

directory=${DRIFTLESS_OUTPUT_DIRECTORY:-${RUNNER_TEMP:-/tmp}/driftless}
mkdir -p "$directory" || fail "cannot make the directory $directory"

# The binary: the one given, the one on PATH, the release of this version.
driftless=${DRIFTLESS_BINARY:-$(command -v driftless || true)}
if [ -z "$driftless" ]; then
    driftless=$directory/bin/driftless
    bash "$here/install.sh" "$directory/bin" || fail "no driftless on PATH, and the release could not be installed; name one in the input \`binary\`"
fi
"$driftless" --version || fail "$driftless does not run"

# A checkout of a job in a container belongs to somebody else; the workspace is the workflow's own.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$PWD

mapfile -t paths < <(printf '%s\n' "$DRIFTLESS_PATHS" | sed '/^[[:space:]]*$/d')
global=()
[ -z "$DRIFTLESS_KUBEVIRT" ] || global+=("--kubevirt=$DRIFTLESS_KUBEVIRT")
[ -z "$DRIFTLESS_CONFIG" ] || global+=("--config=$DRIFTLESS_CONFIG")

has() { git cat-file -e "$1^{commit}" 2>/dev/null; }

# The base: the one given; what merging would change, where the merge commit's parents are here; else the event's.
find_base() {
    if [ -n "$DRIFTLESS_BASE" ]; then
        base=$DRIFTLESS_BASE
        has "$base" || fetch "$base"
        return
    fi
    case ${GITHUB_EVENT_NAME:-} in
    pull_request | pull_request_target | merge_group)
        # Two parents: the merge commit that actions/checkout gives.
        if [ "$(git rev-list --parents -n1 HEAD 2>/dev/null | wc -w)" = 3 ] && has HEAD^1; then
            base=$(git rev-parse HEAD^1)
            return
        fi
        ;;
    esac
    base=$EVENT_BASE
    if [ -z "${base//0/}" ]; then
        base=
        return
    fi
    has "$base" || fetch "$base"
}

# One commit is enough: two trees are compared. A complete clone is never fetched into with a depth: that would cut it.
fetch() {
    local depth=()
    [ "$(git rev-parse --is-shallow-repository)" = false ] || depth=(--depth=1)
    git fetch --no-tags "${depth[@]}" origin -- "$1" ||
        fail "the base $1 is not in this clone and cannot be fetched: set fetch-depth to 2 (or 0) for actions/checkout, or the input \`base\`"
    has "$1" || base=$(git rev-parse FETCH_HEAD)
}

status=0
worst() { [ "$1" -le "$status" ] || status=$1; }

if is_on "$DRIFTLESS_CHECK"; then
    formats=("--format=text=$directory/check.txt" "--format=sarif=$directory/driftless.sarif" "--format=github-output=$directory/check.outputs")
    ! is_on "$DRIFTLESS_ANNOTATIONS" || formats+=(--format=github)
    "$driftless" check "${global[@]}" "${formats[@]}" "--fail-on=$DRIFTLESS_CHECK_FAIL_ON" -- "${paths[@]}"
    worst $?
    [ ! -f "$directory/check.outputs" ] || cat "$directory/check.outputs" >>"$GITHUB_OUTPUT"
    [ ! -f "$directory/driftless.sarif" ] || output sarif-file "$directory/driftless.sarif"
fi

if is_on "$DRIFTLESS_PLAN"; then
    base=
    find_base
    if [ -z "$base" ]; then
        echo "::notice title=driftless::This event has no base to compare with: no plan. The input \`base\` names one."
    else
        options=("--base=$base" --head=HEAD --format=text "--format=markdown=$directory/plan.md"
            "--format=html=$directory/plan.html" "--format=json=$directory/plan.json"
            "--format=github-output=$directory/plan.outputs" "--fail-on=$DRIFTLESS_FAIL_ON")
        [ -z "$DRIFTLESS_MAX_DOWN" ] || options+=("--max-down=$DRIFTLESS_MAX_DOWN")
        [ -z "$DRIFTLESS_MAX_RESTARTS" ] || options+=("--max-restarts=$DRIFTLESS_MAX_RESTARTS")
        [ -z "$DRIFTLESS_LINK_TEMPLATE" ] || options+=("--link-template=$DRIFTLESS_LINK_TEMPLATE")
        [ -z "$DRIFTLESS_COMMENT_KEY" ] || options+=("--comment-key=$DRIFTLESS_COMMENT_KEY")
        [ -z "$DRIFTLESS_ARTIFACT" ] || options+=("--artifact=$DRIFTLESS_ARTIFACT")
        is_on "$DRIFTLESS_ACCEPT_TRAILERS" || options+=(--no-accept-trailers)
        while IFS= read -r line; do
            [ -z "${line//[[:space:]]/}" ] || options+=("--accept=$line")
        done <<<"$DRIFTLESS_ACCEPT"
        # What a manifest says must not be a command of the workflow: driftless sees to that, and this holds it twice.
        stop=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
        echo "::stop-commands::$stop"
        "$driftless" plan "${global[@]}" "${options[@]}" -- "${paths[@]}" 2>"$directory/plan.err"
        plan=$?
        cat "$directory/plan.err" >&2
        echo "::$stop::"
        worst "$plan"
        if [ "$plan" != 0 ]; then
            reason=$(grep -E '^(error|driftless)' "$directory/plan.err" | head -5 | tr '\r\n' '  ' | sed 's/%/%25/g')
            printf '::error title=driftless plan::%s\n' "${reason:-the plan could not be made}"
        fi
        if [ -f "$directory/plan.outputs" ]; then
            cat "$directory/plan.outputs" >>"$GITHUB_OUTPUT"
            output comment-file "$directory/plan.md"
            output html-file "$directory/plan.html"
            output plan-file "$directory/plan.json"
            # No line of the comment can be this.
            mark=comment_$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
            {
                printf 'comment<<%s\n' "$mark"
                cat "$directory/plan.md"
                printf '\n%s\n' "$mark"
            } >>"$GITHUB_OUTPUT"
        fi
    fi
fi

# A step's summary over 1 MiB is dropped whole. The comment fits 64 KiB, and the findings get what is left of 512 KiB.
if is_on "$DRIFTLESS_SUMMARY" && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    {
        [ ! -f "$directory/plan.outputs" ] || cat "$directory/plan.md"
        if [ -s "$directory/check.txt" ] && is_on "$DRIFTLESS_CHECK"; then
            printf '\n<details><summary>driftless check: %s</summary>\n\n<pre>\n' "$(grep -c . "$directory/check.txt") lines"
            head -c 450000 "$directory/check.txt" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
            printf '\n</pre>\n</details>\n'
        fi
    } >>"$GITHUB_STEP_SUMMARY"
fi

output exit-code "$status"
exit "$status"
