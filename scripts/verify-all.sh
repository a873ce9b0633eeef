#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every kept candidate of every example (of programs of more than 12 calls a seeded, stratified 500) against the reference, on the host and
# under emulated CUDA, into bench/results/verify_all.json; those with assertions a second time, compiled with `--checked` (`assertions`).
# `scripts/verify-all.sh [BUILD]`. Compiled code of earlier runs is not used, so that the seconds say what a first run takes. Fails, and
# writes nothing, when anything disagrees.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build}
# shellcheck source=scripts/record.sh
source "$root/scripts/record.sh"
cmake --build "$build" --target fusec >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
XDG_CACHE_HOME=$folder/cache "$build/cli/fusec" verify "$root"/examples/*.fus --all --json "$folder/counts.json" >&2
mapfile -t asserting < <(grep -lE '^ *assert\(' "$root"/examples/*.fus)
XDG_CACHE_HOME=$folder/cache "$build/cli/fusec" verify "${asserting[@]}" --all --checked --json "$folder/checked.json" >&2
{
    printf '{\n  "what": "fusec verify examples/*.fus --all (scripts/verify-all.sh)",\n'
    record "$root"
    tail -n +2 "$folder/counts.json" | head -n -1
    printf '  ,"assertions":\n'
    cat "$folder/checked.json"
    printf '}\n'
} >"$folder/verify_all.json"
cp "$folder/verify_all.json" "$root/bench/results/verify_all.json"
