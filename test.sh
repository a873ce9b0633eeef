#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds and runs every test. --full adds nvcc's verdict on every plan mode (not the chosen plans alone), a build with clang 19 and
# its warnings, clang-tidy on the whole tree, and the suite under AddressSanitizer and UndefinedBehaviorSanitizer. The last lines are ctest's
# summary.
set -euo pipefail
root=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"

full=false
case "$#:${1:-}" in
1:--full) full=true ;;
0:) ;;
*)
    say "usage: test.sh [--full]"
    exit 2
    ;;
esac

# Tests call ./fusec, so the lock is not held while they run.
build() {
    lock_checkout
    if ! build_preset "$1" "$2" all; then
        say "test: building $2 failed"
        exit 1
    fi
    unlock_checkout
}

run_tests() {
    ctest --test-dir "$root/$1" --output-on-failure --parallel "$(nproc)" --no-tests=error "${@:2}"
}

export XDG_CONFIG_HOME=$root/build/no-configuration # calibrations that a user has imported are not those of the tests
lock_checkout
"$root/scripts/setup.sh" || exit 2
build release build
if $full; then
    export FUSEC_FULL_TESTS=1
fi
run_tests build
if $full; then
    build clang build-clang
    "$root/scripts/tidy.sh" build-clang
    build asan build-asan
    # A finding has an exit code of its own, so that no test takes it for the compiler's 1.
    export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
    # nvcc's verdict on a text does not depend on how fusec was built; and for time, a third of the random programs.
    FUSEC_RANDOM_COUNT=100 run_tests build-asan --exclude-regex '^emitted_text.nvcc$'
fi
