#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves that a bare Debian 12 is enough: makes a minimal chroot, clones HEAD into it, and runs the README's commands there.
#
#     scripts/prove-fresh-machine.sh                 ./fusec examples/demo.fus -o fused.cu
#     scripts/prove-fresh-machine.sh --tests         the same, then ./test.sh
#     scripts/prove-fresh-machine.sh -- COMMAND...   COMMAND... in the clone instead
#     --keep                                         leaves the chroot in place and says where
#
# Needs root, debootstrap and git, and three gigabytes under TMPDIR. The package mirror and the proxies are those of this
# machine's own apt configuration. Nothing of this machine is bound into the chroot; its processes and mounts end with the script.
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")

say() {
    printf 'fresh machine: %s\n' "$*" >&2
}

keep=false
tests=false
command=()
while [[ $# -gt 0 ]]; do
    case "$1" in
    --keep) keep=true ;;
    --tests) tests=true ;;
    --)
        shift
        command=("$@")
        break
        ;;
    *)
        echo "usage: prove-fresh-machine.sh [--tests] [--keep] [-- COMMAND...]" >&2
        exit 2
        ;;
    esac
    shift
done
if [[ $(id -u) -ne 0 ]]; then
    say "needs root (chroot, debootstrap)"
    exit 2
fi
for tool in debootstrap git unshare chroot; do
    if ! command -v "$tool" >/dev/null; then
        say "needs $tool"
        exit 2
    fi
done

# One line "URI RELEASE COMPONENT" for each part of Debian 12 that this machine's apt uses.
# shellcheck disable=SC2016
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    awk '$2 ~ /^bookworm/' | sort -u)
mirror=$(awk '$2 == "bookworm" && $3 == "main" {print $1; exit}' <<<"$sources")
if [[ -z $mirror ]]; then
    say "apt on this machine knows no bookworm main (try apt-get update first)"
    exit 2
fi

place=$(mktemp -d "${TMPDIR:-/tmp}/fusec-fresh-XXXXXX")
chmod 755 "$place"
cleanup() {
    if $keep; then
        say "left in $place"
    else
        rm -rf --one-file-system "$place"
    fi
}
trap cleanup EXIT

say "debootstrap (bookworm, minbase)"
debootstrap --variant=minbase bookworm "$place/root" "$mirror" >"$place/debootstrap.log" 2>&1 || {
    tail -n 20 "$place/debootstrap.log" >&2
    exit 1
}
awk '{print "deb " $1 " " $2 " " $3}' <<<"$sources" >"$place/root/etc/apt/sources.list"
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if [[ -f $file ]] && grep -qi '^ *acquire' "$file"; then
        cp "$file" "$place/root/etc/apt/apt.conf.d/"
    fi
done
cp /etc/resolv.conf /etc/hosts "$place/root/etc/"
commit=$(git -C "$root" rev-parse --short HEAD) # what is cloned and proven: another may be there when the tests end
git -c advice.detachedHead=false clone --quiet --no-local "$root" "$place/root/fusec"

# in_chroot USER COMMAND...: own mounts and process ids, a clean environment but for the proxies.
in_chroot() {
    local user=$1
    shift
    local environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8)
    local name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [[ -n ${!name:-} ]] && environment+=("$name=${!name}")
    done
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child env -i "${environment[@]}" bash -c '
        mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" || exit 1
        exec chroot --userspec="$2" "$1" bash -c "cd /fusec && exec \"\$@\"" bash "${@:3}"' bash "$place/root" "$user" "$@"
}

say "without root and sudo: the line to run, exit 2"
chown -R nobody "$place/root/fusec"
code=0
in_chroot nobody ./fusec --version 2>"$place/refusal" || code=$?
if [[ $code -ne 2 ]] || ! grep -q '^    apt-get update && apt-get install ' "$place/refusal"; then
    say "expected exit 2 and the apt-get line, got exit $code:"
    cat "$place/refusal" >&2
    exit 1
fi
chown -R root "$place/root/fusec"

run() {
    say "$*"
    local begin=$SECONDS
    in_chroot root "$@"
    say "done in $((SECONDS - begin)) s"
}
if [[ ${#command[@]} -gt 0 ]]; then
    run "${command[@]}"
else
    run ./fusec examples/demo.fus -o fused.cu
    for file in fused.cu fused.h; do
        if [[ ! -s $place/root/fusec/$file ]]; then
            say "$file was not written"
            exit 1
        fi
    done
    if $tests; then
        run ./test.sh
    fi
fi
say "proven at $commit"
