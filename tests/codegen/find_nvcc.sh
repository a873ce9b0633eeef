# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests that need nvcc: sets `nvcc`, or ends the test as skipped.
# shellcheck shell=bash

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [[ -z $nvcc ]]; then
    echo "skipped: nvcc is neither on PATH nor in /usr/local/cuda/bin"
    exit 77
fi
