#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that only a GPU can say, in one go, on a machine with an NVIDIA GPU and nvcc:
#
#     scripts/measure-gpu.sh [--device NAME] [--results FOLDER] [--only verify|sanitize|plans]... [BUILD]
#
#   verify    every kept candidate of every example (of long programs a sample), run on the GPU and compared with the reference
#   sanitize  the chosen plans under compute-sanitizer: memcheck, racecheck, synccheck, initcheck; any finding fails
#   plans     auto, none, max and greedy of every example at 2^22 elements, side by side with the device's own copy
#
# BUILD holds the programs built with -DFUSEC_BENCH=ON (`cli/fusec`, `bench/gpu_plans`); nothing is built here but emitted text, so a
# BUILD made on a machine without a GPU serves. Results go to FOLDER (bench/results) as gpu_*.json; a part that fails leaves its file
# unwritten and the exit code 1, and the other parts still run.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/record.sh
source "$root/scripts/record.sh"

device=h200
results=$root/bench/results
build=$root/build
parts=()
usage() {
    echo "usage: measure-gpu.sh [--device NAME] [--results FOLDER] [--only verify|sanitize|plans]... [BUILD]" >&2
    exit 2
}
while [[ $# -gt 0 ]]; do
    case "$1" in
    --device | --results | --only)
        [[ $# -ge 2 ]] || usage
        case "$1" in
        --device) device=$2 ;;
        --results) results=$2 ;;
        --only) parts+=("$2") ;;
        esac
        shift
        ;;
    -*) usage ;;
    *) build=$1 ;;
    esac
    shift
done
[[ ${#parts[@]} -gt 0 ]] || parts=(verify sanitize plans)
fusec=$build/cli/fusec
for program in "$fusec" "$build/bench/gpu_plans"; do
    [[ -x $program ]] || {
        echo "measure-gpu: $program is missing: build with -DFUSEC_BENCH=ON" >&2
        exit 2
    }
done
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1) || true
if [[ -z $gpu ]]; then
    echo "measure-gpu: nvidia-smi finds no GPU here" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$results"

# head_of WHAT: the first lines of a result file.
# shellcheck disable=SC2317
head_of() {
    printf '{\n  "what": "%s",\n' "$1"
    record "$root"
    printf '  "gpu": "%s",\n' "$gpu"
}

# shellcheck disable=SC2317
verify() {
    "$fusec" verify "$root"/examples/*.fus --all --executor gpu --device "$device" --json "$work/verify.json" || return 1
    {
        head_of "fusec verify examples/*.fus --all --executor gpu (scripts/measure-gpu.sh)"
        tail -n +2 "$work/verify.json"
    } >"$work/gpu_verify.json" && cp "$work/gpu_verify.json" "$results/gpu_verify.json"
}

# Every text is built before a tool watches, so that no compiler runs under it.
# shellcheck disable=SC2317
sanitize() {
    local tool program log rows=() failed=0 at_a_time
    at_a_time=$(($(nproc) / 2 > 8 ? 8 : $(nproc) / 2 + 1))
    command -v compute-sanitizer >/dev/null || {
        echo "measure-gpu: compute-sanitizer is not in the PATH" >&2
        return 1
    }
    "$fusec" verify "$root"/examples/*.fus --executor gpu --device "$device" || return 1
    # Several at a time: most of it is the tools' own work on the processor.
    for tool in memcheck racecheck synccheck initcheck; do
        for program in "$root"/examples/*.fus; do
            while [[ $(jobs -rp | wc -l) -ge $at_a_time ]]; do
                wait -n || true
            done
            log=$work/$tool.$(basename "$program" .fus).log
            { compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 99 --print-limit 5 \
                "$fusec" verify "$program" --executor gpu --device "$device" >"$log" 2>&1 &&
                grep -q '[^0-9]0 errors' "$log" && touch "$log.clean"; } &
        done
    done
    wait
    for tool in memcheck racecheck synccheck initcheck; do
        for program in "$root"/examples/*.fus; do
            log=$work/$tool.$(basename "$program" .fus).log
            if [[ -e $log.clean ]]; then
                rows+=("{\"tool\": \"$tool\", \"program\": \"$(basename "$program")\", \"errors\": 0}")
            else
                echo "measure-gpu: $tool, $(basename "$program"):" >&2
                tail -n 30 "$log" >&2
                failed=1
            fi
        done
    done
    [[ $failed -eq 0 ]] || return 1
    {
        head_of "compute-sanitizer over fusec verify --executor gpu, the chosen plan of each example (scripts/measure-gpu.sh)"
        printf '  "runs": [\n'
        printf '%s\n' "${rows[@]}" | joined
        printf '  ]\n}\n'
    } >"$work/gpu_sanitizer.json" && cp "$work/gpu_sanitizer.json" "$results/gpu_sanitizer.json"
}

# shellcheck disable=SC2317
plans() {
    local program name failed=0
    for program in "$root"/examples/*.fus; do
        name=$(basename "$program" .fus)
        "$build/bench/gpu_plans" "$results/gpu_plans_$name.json" "$device" "$program" 4194304 30 auto none max greedy || failed=1
    done
    return "$failed"
}

status=0
for part in "${parts[@]}"; do
    case "$part" in
    verify | sanitize | plans)
        "$part" || {
            echo "measure-gpu: $part failed" >&2
            status=1
        }
        ;;
    *) usage ;;
    esac
done
exit $status
