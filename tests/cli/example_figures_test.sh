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
sed -e 's/0\.161 ms/0.173 ms/' -e 's/0\.614 ms/0.615 ms/' -e 's/3\.96 ms/4.03 ms/' -e 's/77\.7 us/82.6 us/' -e 's/272 B/418 B/' \
    -e 's/19 times/20 times/' -e 's/+15 %/+16 %/' -e 's/1\.00 of/0.99 of/' -e 's/predicted 0\.44/predicted 0.63/' \
    "$root/docs/examples.md" >"$place/planted.md"
if found=$(python3 "$checker" "$fusec" "$root" "$place/planted.md"); then
    echo "a page with wrong figures is accepted"
    exit 1
fi
for figure in '0.173 ms' '0.615 ms' '4.03 ms' '82.6 us' '418 B/element' '20 times faster than a kernel per call' '16 %' '0.99' '0.63'; do
    if [[ $found != *"\`$figure\` is no figure"* ]]; then
        printf '%s is not found in:\n%s\n' "$figure" "$found"
        exit 1
    fi
done
