#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The probes of `fusec calibrate --target cuda --emit`: the call of nvcc that the command prints builds them for sm_80 and sm_90, without a warning.
# Usage: gpu_probes_test.sh FUSEC; exits 77 (skipped) where there is no nvcc.
set -euo pipefail
fusec=$(realpath "$1")
# shellcheck source=tests/codegen/find_nvcc.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../codegen/find_nvcc.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$(dirname -- "$nvcc"):$PATH
export NVCC_APPEND_FLAGS='-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror'

build() { # DEVICE
    cd "$work"
    "$fusec" calibrate --target cuda --device "$1" --emit "$1" 2>"$1.said"
    bash -e -c "$(grep -E "^(cd|nvcc) " "$1.said")"
    test -x "$1/probes"
}
build a100 &
first=$!
build h200
wait "$first"
