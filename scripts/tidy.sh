#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over every source of the compile database in a build folder (default build-clang); findings are errors.
# tidy.sh [FOLDER [REGEX]]: only files whose path below the checkout matches REGEX.
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
folder=$root/${1:-build-clang}
log=$folder/clang-tidy.log
echo "tidy: clang-tidy with $folder/compile_commands.json" >&2
# Generated sources lie below the build folder and are not checked.
if ! run-clang-tidy-19 -quiet -p "$folder" "^$root/(?!build)${2:-}" >"$log" 2>"$log.errors"; then
    grep -E '(warning|error|note):|^ ' "$log" >&2 || cat "$log" "$log.errors" >&2
    exit 1
fi
