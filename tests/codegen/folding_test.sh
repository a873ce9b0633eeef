#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What nvcc makes of products with tables of 0, 1 and -1: no multiplication is left in the PTX, and of additions as many as the compiler counts.
# Usage: folding_test.sh FUSEC SOURCE_DIR; exits 77 (skipped) where there is no nvcc.
set -euo pipefail
fusec=$(realpath "$1")
# shellcheck source=tests/codegen/find_nvcc.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/find_nvcc.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Operations of the text with this table, as `additions multiplications`: of the kernel's form for aligned lists and of that for others together.
operations() {
    cat >p.fus <<FUS
program p;
MATRIX4x3 X;
input X;
const MATRIX4x3 G = $1;
J = mtmul(X, G);
f = mmult(G, J);
return f;
FUS
    "$fusec" p.fus -o p.cu --device h200 --arch sm_90 2>p.log
    "$nvcc" -std=c++17 -arch=sm_90 -ptx p.cu -o p.ptx
    echo "$(grep -cE '^\s*(add|sub)(\.rn)?\.f32' p.ptx) $(grep -cE '^\s*(mul|fma)(\.rn)?\.f32' p.ptx)"
}

read -r additions multiplications <<<"$(operations '[[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]')"
echo "gradients of a tetrahedron: $additions additions, $multiplications multiplications"
# J: 9 differences; f: 3 sums of 3 terms, the others are entries of J. Twice, for the two forms.
if [[ $additions != 30 || $multiplications != 0 ]]; then
    echo "expected 30 additions and no multiplication"
    exit 1
fi
# The count can fail: with other numbers there are multiplications.
read -r additions multiplications <<<"$(operations '[[-2, -2, -2], [2, 0, 0], [0, 2, 0], [0, 0, 2]]')"
if [[ $multiplications == 0 ]]; then
    echo "no multiplication by 2 is seen: the pattern of the count is wrong"
    exit 1
fi
