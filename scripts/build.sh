# SPDX-License-Identifier: Apache-2.0
# Functions that ./fusec and ./test.sh share: one lock per checkout, set-up, configure, build. Sourced; needs `root`, the checkout.
# shellcheck shell=bash
: "${root:?the checkout}"

# say TEXT: a message of the scripts themselves.
say() {
    printf '%s\n' "$*" >&2
}

# lock_checkout: holds the checkout until unlock_checkout or the end of the process. Waits for a set-up or build in progress.
lock_checkout() {
    mkdir -p "$root/build" || exit 2
    exec 9>"$root/build/.lock" || exit 2
    if ! flock --nonblock 9; then
        say "fusec: waiting for another build in $root"
        flock 9
    fi
}

unlock_checkout() {
    exec 9>&-
}

# build_preset PRESET FOLDER TARGET: configures a preset of CMakePresets.json where needed and builds TARGET with every core.
# Silent when nothing is to do; else all on stderr. Needs the lock. A checkout that was moved is configured anew.
build_preset() {
    local preset=$1 folder=$root/$2 target=$3
    local cache=$folder/CMakeCache.txt
    if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        rm -rf "$cache" "$folder/CMakeFiles" "$folder/build.ninja"
    fi
    if [[ ! -f $folder/build.ninja ]]; then
        cmake -S "$root" --preset "$preset" >&2 || return 1
    fi
    # Piped, ninja writes a line per step and leaves the terminal alone; its lines without news are dropped.
    ninja -C "$folder" -j "$(nproc)" "$target" 2>&1 |
        { grep --line-buffered -v -e '^ninja: Entering directory' -e '^ninja: no work to do' -e '\] Looking at the commit$' >&2 || true; }
    return "${PIPESTATUS[0]}"
}
