#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The probes of `fusec calibrate --target cuda --emit --for`: the call of nvcc that the command prints builds them for sm_90 (--full: sm_80 and sm_89 too),
# without a warning; a routine that is repeated stands in PTX and in machine code as often as a pass of its loop has it, nothing hoisted or dropped; and
# so do the operations and the accesses to shared memory whose cycles are counted.
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
    build l40
fi

# Loops over passes that are not unrolled have one pass in their body; with them unrolled it may not be less.
operations() { # FOLDER ARCH
    cd "$work/$1"
    local each kept
    for each in pipes shared; do
        kept=$(grep -c '^    for (int pass = 0; pass < passes; ++pass) {$' "$each.cu")
        test "$kept" -eq 2
        sed 's/^    for (int pass = 0; pass < passes; ++pass) {$/#pragma unroll 1\n&/' "$each.cu" >"${each}_once.cu"
        nvcc -std=c++17 -O3 "-arch=sm_$2" -cubin "${each}_once.cu" -o "${each}_once.cubin"
        nvcc -std=c++17 -O3 "-arch=sm_$2" -cubin "$each.cu" -o "$each.cubin"
    done
    python3 "$source_dir/tests/cli/probe_instructions.py" pipes_once.cubin shared_once.cubin
    python3 "$source_dir/tests/cli/probe_instructions.py" pipes.cubin shared.cubin --unrolled
}
operations h200 90
if [[ -n ${FUSEC_FULL_TESTS:-} ]]; then
    operations a100 80
    operations l40 89
fi

# What one thread adds and multiplies in a pass, which has four calls of each of these: of a product of 3x3 matrices 27 products and 18 sums.
counted() { # FOLDER ROUTINE=FLOPS...
    cd "$work/$1"
    sources=$(grep -lE '^// routine: ' emitted_*.cu)
    test "$(wc -w <<<"$sources")" -eq 1
    nvcc -std=c++17 -O3 -arch=sm_90 -cubin -keep -keep-dir . "$sources" -o repeated.cubin
    python3 "$source_dir/tests/cli/repeated_arithmetic.py" "$sources" "${sources%.cu}.ptx" repeated.cubin "${@:2}"
}
counted h200 'mmul_element(float MATRIX3x3=180' 'mmul_element(float MATRIX5x5=900' 'mmul_row(float MATRIX3x3=60' 'mmul_entry(float MATRIX5x5=36' \
    'mvmul_element(float MATRIX3x3=60' 'madd_element(float MATRIX5x5=100' 'smmul_row(float MATRIX5x5=20'
# Routines from registers into registers: to ptxas all calls of a launch are one, were there not a branch between them.
cat >"$work/held.fus" <<'end'
program held;
double MATRIX4x4 A;
double SCALAR s;
float MATRIX6x6 B;
float VECTOR8 a, b;
input A, s, B, a, b;
C = s * A;
t = mtrace(B);
D = vouter(a, b);
return C, t, D;
end
cd "$work"
"$fusec" calibrate --target cuda --emit held --for held.fus 2>held.said
counted held 'smmul_column(double MATRIX4x4=16' 'mtrace_element(float MATRIX6x6=20' 'vouter_column(float VECTOR8=32'
