#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The probes of launches, pointers, operations and shared memory run on a runtime of CUDA that executes nothing, but has a clock
# (fixtures/timed_runtime.cpp): what they write is read by `fusec calibrate --import`, has what they are to sweep, and every row the clock under load where
# kernels run beside each other, that of an idle GPU where none does. Usage: gpu_probes_run_test.sh FUSEC SOURCE_DIR; exits 77 (skipped) where there is no
# nvcc.
set -euo pipefail
fusec=$(realpath "$1")
source_dir=$(realpath "$2")
# shellcheck source=tests/codegen/find_nvcc.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../codegen/find_nvcc.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname -- "$nvcc"):$PATH
cd "$work"
"$fusec" calibrate --target cuda --device h200 --name tried --emit probes 2>emitted.said
nvcc -std=c++17 -O1 -arch=sm_90 -Xcompiler -Wall,-Wextra,-Werror -cudart none -Iprobes probes/{probe,clock,launches,chases,pipes,shared}.cu \
    "$source_dir"/tests/cli/fixtures/{other_probes.cu,timed_runtime.cpp} -o tried

run() { # MODE
    FUSEC_TEST_GPU=$1 ./tried >"$1.json" 2>"$1.ran"
    "$fusec" calibrate --import "$1.json" -o "$1.calibration.json" 2>"$1.said"
    python3 "$source_dir/tests/cli/probe_rows.py" "$1.json" "$1"
}
for mode in beside crowded; do
    run "$mode"
    grep -q "^speed.clock  *1.7 GHz .* during each stream" "$mode.said"
    if grep "idle GPU" "$mode.said" "$mode.ran"; then
        exit 1
    fi
done
run alone
grep -q "^speed.clock  *1.98 GHz .* behind each stream" alone.said
grep -Eq "^[0-9]{3} rows have the clock of an idle GPU" alone.said
grep -Eq "the clocks of [0-9]{3} are those of an idle GPU" alone.ran
# Nothing lacks but the probes that are not here.
test "$(grep "^not measured" beside.said)" = "not measured: probe \`width\`, \`volume\`, \`stride\`, \`record\`, \`overlap\`, \`async\`"
