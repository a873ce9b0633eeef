#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The probes of `fusec calibrate --target cuda --emit --for`: the call of nvcc that the command prints builds them for sm_90 (--full: sm_80 too), without
# a warning; and a routine that is repeated stands in the PTX as often as a pass of its loop has it, nothing hoisted or dropped.
# Usage: gpu_probes_test.sh FUSEC SOURCE_DIR; exits 77 (skipped) where there is no nvcc.
set -euo pipefail
fusec=$(realpath "$1")
source_dir=$(realpath "$2")
# shellcheck source=tests/codegen/find_nvcc.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../codegen/find_nvcc.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname -- "$nvcc"):$PATH
export NVCC_APPEND_FLAGS='-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror'

build() { # DEVICE
    cd "$work"
    "$fusec" calibrate --target cuda --device "$1" --emit "$1" --for "$source_dir/examples/demo.fus" 2>"$1.said"
    bash -e -c "$(grep -E "^(cd|nvcc) " "$1.said")"
    test -x "$1/probes"
}
build h200
if [[ -n ${FUSEC_FULL_TESTS:-} ]]; then
    build a100
fi

# A product of 3x3 matrices by one thread: 27 multiplications, most of them with an addition; a pass of the loop has four products.
cd "$work/h200"
product='routine: mmul_element(float MATRIX3x3, float MATRIX3x3) -> float MATRIX3x3'
source_file=$(grep -lF "$product" emitted_*.cu | head -n 1)
units=$(grep -F -B 1 "$product" "$source_file" | sed -n 's|^// \(k[0-9]*\): made by.*|\1|p')
test -n "$units"
nvcc -std=c++17 -O3 -arch=sm_90 -ptx "$source_file" -o repeated.ptx
for unit in $units; do
    awk -v "name=${unit}_kernels" '
        /\.entry/ { inside = index($0, name) > 0; entries += inside; count = 0 }
        inside && /(fma|mul)(\.rn)?(\.ftz)?\.f32/ { ++count }
        inside && /^}/ {
            inside = 0
            if (count != 4 * 27) { print name ": " count " products of numbers in a pass, not 108"; wrong = 1 }
        }
        END { if (entries == 0) { print name ": no kernel"; wrong = 1 }; exit wrong }' repeated.ptx
done
