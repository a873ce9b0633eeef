#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_commit_test.sh CMAKE ROOT: what cmake/BuildCommit.cmake says of trees made here, and that a build of the same commit has nothing to compile.
set -euo pipefail
cmake=$1 root=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=$place
unset GIT_DIR GIT_WORK_TREE
tree=$place/a\ tree out=$place/commit.cpp

fail() {
    echo "$1"
    exit 1
}

# expect WHAT COMMIT [SOURCE]: the file says so.
expect() {
    "$cmake" "-DSOURCE=${3:-$tree}" "-DOUTPUT=$out" -P "$root/cmake/BuildCommit.cmake" || fail "$1: the script fails"
    grep -qF "return \"$2\";" "$out" || fail "$1: not \`$2\` in $(cat "$out")"
}

git_in_tree() {
    git -C "$tree" -c user.name=a -c user.email=a@b "$@"
}

mkdir -p "$tree/bench/results" "$tree/inner"
echo one >"$tree/source"
echo one >"$tree/bench/results/result"
echo one >"$tree/inner/source"
expect "no git tree" ""
git init -q "$tree"
expect "no commit yet" ""
git_in_tree add .
git_in_tree commit -q -m first
first=$(git_in_tree rev-parse HEAD)
expect "a commit" "$first"
touch -d 2000-01-01 "$out"
expect "the same commit" "$first"
[[ $(date -r "$out" +%Y) == 2000 ]] || fail "the same commit: the file is written again"
echo two >"$tree/bench/results/result"
expect "another result" "$first"
touch "$tree/new"
expect "a file that git does not know" "$first"
echo two >"$tree/source"
expect "a changed source" "$first+"
git_in_tree commit -q -a -m second
expect "the next commit" "$(git_in_tree rev-parse HEAD)"
expect "a folder of another project's tree" "" "$tree/inner"
