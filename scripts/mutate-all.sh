#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All mutants of the emitted text of every example, into bench/results/mutations.json: per program, plan and kind how many there are, how
# many are caught, and each one that is not with the proof that it does what its source does. `scripts/mutate-all.sh [BUILD]`. Fails, and
# writes nothing, when a mutant is neither caught nor proved equivalent.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${1:-$root/build}
# shellcheck source=scripts/record.sh
source "$root/scripts/record.sh"
cmake --build "$build" --target example_mutation_test >&2
lines=$(mktemp)
trap 'rm -f "$lines" "$lines.json"' EXIT
FUSEC_MUTATION_RESULTS=$lines "$build/tests/execute/example_mutation_test" >&2
{
    printf '{\n  "schema": 1,\n  "what": "mutants of the emitted text of the examples, run under emulated CUDA (scripts/mutate-all.sh)",\n'
    record "$root"
    awk '
        function number(key) { match($0, "\"" key "\": [0-9]+"); return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) }
        /^{"program"/ { mutants += number("mutants"); caught += number("caught"); equivalent += number("equivalent") }
        END { printf "  \"mutants\": %d,\n  \"caught\": %d,\n  \"equivalent\": %d,\n", mutants, caught, equivalent }' "$lines"
    printf '  "counts": [\n'
    grep '^{"program"' "$lines" | joined
    printf '  ],\n  "equivalents": [\n'
    grep '^{"mutant"' "$lines" | joined
    printf '  ]\n}\n'
} >"$lines.json"
cp "$lines.json" "$root/bench/results/mutations.json"
