#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The text of every example, for CUDA and the host and every plan mode, is what clang-format would make of it.
# Usage: format_test.sh FUSEC SOURCE_DIR; exits 77 (skipped) where there is no clang-format 19.
set -euo pipefail
fusec=$(realpath "$1")
root=$(realpath "$2")
if ! command -v clang-format-19 >/dev/null; then
    echo "skipped: clang-format-19 is not on PATH"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/codegen/emitted.clang-format" "$work/.clang-format"
files=0
for program in "$root"/examples/*.fus; do
    name=$(basename "$program" .fus)
    for plan in auto none max greedy; do
        for target in cuda host; do
            "$fusec" "$program" -o "$work/${name}_${plan}_$target.cpp" --plan "$plan" --target "$target" 2>"$work/log" || {
                cat "$work/log"
                exit 1
            }
            files=$((files + 2))
        done
    done
done
[[ $(find "$work" -name '*.cpp' -o -name '*.h' | wc -l) == "$files" ]]
clang-format-19 --dry-run -Werror "$work"/*.cpp "$work"/*.h
echo "$files files are formatted"
