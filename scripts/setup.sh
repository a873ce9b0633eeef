#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that building and testing need and that are missing. This is the only list of them.
# Nothing missing: silent, a few hundredths of a second. No root and no sudo: prints the command to run and exits 2.
set -euo pipefail

packages=(
    # build
    g++
    cmake
    ninja-build
    pkg-config
    ccache
    # grammar: tool (needs a Java runtime) and C++ runtime
    antlr4
    default-jre-headless
    libantlr4-runtime-dev
    # libraries of the compiler
    coinor-libcbc-dev
    zlib1g-dev # the package of cbc names the library and does not depend on it
    libboost-graph-dev
    libcli11-dev
    libeigen3-dev
    libfmt-dev
    libnlopt-cxx-dev # minimiser of fits
    libnlopt-dev
    libtomlplusplus-dev
    nlohmann-json3-dev
    llvm-19-dev
    # static analysis of device sources, checks, sanitizers
    clang-19
    clang-format-19
    clang-tidy-19
    clang-tools-19
    libclang-rt-19-dev
    libomp-19-dev
    # tests and measurements
    libgtest-dev
    libgmock-dev
    libbenchmark-dev
    python3-numpy
    graphviz
    make # what CMake projects of users may build with
    git
)
case "${1:-}" in
--list)
    printf '%s\n' "${packages[@]}"
    exit 0
    ;;
"") ;;
*)
    echo "usage: setup.sh [--list]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this machine has no apt-get; fusec is set up from these Debian 12 packages: ${packages[*]}" >&2
    exit 2
fi

# A java runtime under any name does for antlr4, and default-jre-headless is only one way to get one.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
    if [[ $'\n'$installed$'\n' != *$'\n'"installed $package"$'\n'* ]]; then
        [[ $package == default-jre-headless ]] && command -v java >/dev/null && continue
        missing+=("$package")
    fi
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ $(id -u) -eq 0 ]]; then
    as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n env)
else
    echo "setup: ${#missing[@]} packages are missing and this user cannot install them; run as root:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 2
fi

echo "setup: installing ${#missing[@]} packages and what they need: ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# apt_get ARGUMENT...: waits for another apt-get; its many lines are shown only when it fails.
apt_get() {
    "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -q "$@" </dev/null >"$log" 2>&1
}
if ! apt_get update; then
    tail -n 5 "$log" >&2
    echo "setup: apt-get update failed; trying with the package lists at hand" >&2
fi
if ! apt_get install -y --no-install-recommends "${missing[@]}"; then
    tail -n 30 "$log" >&2
    echo "setup: apt-get could not install ${missing[*]}" >&2
    exit 2
fi
