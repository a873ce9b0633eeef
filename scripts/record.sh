# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts that write result files: what each says about the run that made it, as bench/run_record.hpp does.

# record ROOT: the lines `"date": ...,`, `"machine": ...,` and `"commit": ...,`; the commit ends with `+` when files other than
# results differ.
record() {
    local commit processor
    commit=$(git -C "$1" rev-parse HEAD)
    if [[ -n $(git -C "$1" status --porcelain --untracked-files=no -- . ':!bench/results') ]]; then
        commit+=+
    fi
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    printf '  "date": "%s",\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf '  "machine": {"processor": "%s", "threads": %s, "system": "%s", "load_average": "%s"},\n' \
        "${processor:-unknown}" "$(nproc)" "$(uname -sr)" "$(cut -d' ' -f1 /proc/loadavg)"
    printf '  "commit": "%s",\n' "$commit"
}

# joined: the lines of standard input, indented, as the elements of a JSON array.
joined() {
    sed -e 's/^ */    /' -e '$!s/$/,/'
}
