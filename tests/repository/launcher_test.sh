#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The launcher and the set-up script as a user meets them. launcher_test.sh ROOT copies them into trees of their own, with a compiler
# that is a few lines of C++, so that nothing here depends on the state of the real build.
set -euo pipefail
root=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
tree=$place/a\ tree
mkdir -p "$tree/cli" "$place/bin"
cp -r "$root/fusec" "$root/scripts" "$root/CMakePresets.json" "$tree"
cat >"$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(stand_in LANGUAGES CXX)
add_subdirectory(cli)
CMAKE
# As in the real tree a step of every build is nothing to tell.
cat >"$tree/cli/CMakeLists.txt" <<'CMAKE'
add_executable(fusec main.cpp)
add_custom_target(look COMMAND true COMMENT "Looking at the commit")
add_dependencies(fusec look)
CMAKE
cat >"$tree/cli/main.cpp" <<'CPP'
#include <cstdio>
#include <unistd.h>
int main(int argc, char** argv) {
    char folder[4096];
    std::printf("%s", getcwd(folder, sizeof folder));
    for (int i = 1; i < argc; ++i) {
        std::printf("|%s", argv[i]);
    }
    std::printf("\n");
    return 7;
}
CPP

fail() {
    echo "launcher: $*"
    exit 1
}

# expect CODE OUTPUT COMMAND...
expect() {
    local wanted_code=$1 wanted=$2 code=0 output
    shift 2
    output=$("$@" 2>"$place/stderr") || code=$?
    [[ $code -eq $wanted_code ]] || fail "expected exit $wanted_code, got $code from $*: $(cat "$place/stderr")"
    [[ $output == "$wanted" ]] || fail "expected '$wanted', got '$output'"
}

# From another folder, through a chain of symbolic links, arguments untouched, the first build on stderr only.
mkdir "$place/elsewhere"
ln -s "$tree/fusec" "$place/bin/first"
ln -s first "$place/bin/fusec"
cd "$place/elsewhere"
expect 7 "$place/elsewhere|a b||--x=*" "$place/bin/fusec" "a b" "" "--x=*"
grep -q 'Building CXX' "$place/stderr" || fail "the first run did not say that it builds"

# Up to date: silent, and under a second of its own: processor time, so that a busy machine fails no one.
TIMEFORMAT='%3U %3S'
spent=$({ time expect 7 "$place/elsewhere|x" "$tree/fusec" x; } 2>&1) || fail "$spent"
[[ ! -s $place/stderr ]] || fail "an up-to-date run said: $(cat "$place/stderr")"
awk '{exit !($1 + $2 < 1)}' <<<"$spent" || fail "an up-to-date run took $spent s (user, system)"

# Two at once on a changed source: one builds, the other waits for it, both run the new compiler.
sed -i 's/return 7/return 8/' "$tree/cli/main.cpp"
"$tree/fusec" first >"$place/out1" 2>"$place/err1" &
one=$!
"$tree/fusec" second >"$place/out2" 2>"$place/err2" &
two=$!
code=0
wait $one || code=$?
[[ $code -eq 8 ]] || fail "first of two ended with $code"
code=0
wait $two || code=$?
[[ $code -eq 8 ]] || fail "second of two ended with $code"
[[ $(cat "$place/err1" "$place/err2" | grep -c 'Building CXX') -eq 1 ]] || fail "two at once did not build exactly once"

# A tree that was moved with its build folder is configured anew.
mv "$tree" "$place/moved"
expect 8 "$place/elsewhere" "$place/moved/fusec"

# A compiler that does not build: the error on stderr, exit 70, nothing on stdout; the old binary is not run.
echo 'int broken' >>"$place/moved/cli/main.cpp"
expect 70 "" "$place/moved/fusec"
grep -q 'could not be built' "$place/stderr" || fail "a failed build was not explained"

# Nothing installed, no root, no sudo: the line to run and exit 2. The stand-ins know no package and a user who is not root.
mkdir "$place/poor"
for tool in bash env dirname readlink mkdir flock grep cat mktemp rm tail; do
    ln -s "$(command -v $tool)" "$place/poor/$tool"
done
printf '#!/bin/bash\nexit 1\n' >"$place/poor/dpkg-query"
printf '#!/bin/bash\nexit 1\n' >"$place/poor/apt-get"
printf '#!/bin/bash\necho 1000\n' >"$place/poor/id"
chmod +x "$place/poor"/{dpkg-query,apt-get,id}
expect 2 "" env PATH="$place/poor" "$place/moved/fusec"
grep -q '^    apt-get update && apt-get install -y --no-install-recommends g++ cmake ' "$place/stderr" || fail "no line to run: $(cat "$place/stderr")"
# With sudo it installs without asking.
printf '#!/bin/bash\necho "sudo $*" >>"%s/sudo.log"\n' "$place" >"$place/poor/sudo"
chmod +x "$place/poor/sudo"
env PATH="$place/poor" "$place/moved/scripts/setup.sh" 2>/dev/null || fail "set-up with sudo failed"
grep -q '^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get .*install -y .*llvm-19-dev' "$place/sudo.log" || fail "sudo was asked for: $(cat "$place/sudo.log")"
