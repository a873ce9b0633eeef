#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# example_figures_test.sh FUSEC ROOT: the figures of docs/examples.md are those of the compiler and of the result files, and a page with
# another figure is refused, whatever kind of figure it is.
set -euo pipefail
fusec=$1
root=$2
checker=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/example_figures.py
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 "$checker" "$fusec" "$root"
# All planted at once: a time of a table, of a text, of an option, bytes, a speed, a difference, a measured and a predicted ratio.
sed -E -e '/demo-3-1-1-555\.json/s/[0-9.]+ ms \|/9.991 ms |/' -e 's/(--no-recompute` predicted )[0-9.]+ ms/\19.992 ms/' -e 's/(against )[0-9.]+ ms (\(\+)/\19.993 ms \2/' \
    -e 's/[0-9]+ B\/element, predicted [0-9.]+ us/9994 B\/element, predicted 9.995 us/' -e 's/[0-9]+ times faster/996 times faster/' -e 's/\(\+[0-9]+ %/(+997 %/' \
    -e 's/[0-9]\.[0-9]+ of/0.01 of/' -e 's/predicted [0-9]\.[0-9]+;/predicted 0.02;/' \
    "$root/docs/examples.md" >"$place/planted.md"
if found=$(python3 "$checker" "$fusec" "$root" "$place/planted.md"); then
    echo "a page with wrong figures is accepted"
    exit 1
fi
for figure in '9.991 ms' '9.992 ms' '9.993 ms' '9994 B/element' '9.995 us' '996 times faster than a kernel per call' '997 %' '0.01' '0.02'; do
    if [[ $found != *"\`$figure\` is no figure"* ]]; then
        printf '%s is not found in:\n%s\n' "$figure" "$found"
        exit 1
    fi
done
