#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc's verdict on every example under every plan mode: no warning for sm_80 and sm_90, and no spill in the chosen plan.
# Usage: nvcc_test.sh FUSEC SOURCE_DIR; prints a table; exits 77 (skipped) where there is no nvcc. One translation unit per mode and
# architecture, two at a time.
set -euo pipefail
fusec=$(realpath "$1")
root=$(realpath "$2")
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
if [[ -z $nvcc ]]; then
    echo "skipped: nvcc is neither on PATH nor in /usr/local/cuda/bin"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for unit in h200:90 a100:80; do
    for plan in auto none max greedy; do
        folder=$work/sm_${unit#*:}/$plan
        mkdir -p "$folder"
        for program in "$root"/examples/*.fus; do
            name=$(basename "$program" .fus)
            "$fusec" "$program" -o "$folder/$name.cu" --plan "$plan" --device "${unit%:*}" --arch "sm_${unit#*:}" 2>>"$folder/fusec.log" || {
                echo "fusec fails: $name --plan $plan --arch sm_${unit#*:}"
                cat "$folder/fusec.log"
                exit 1
            }
            echo "#include \"$name.cu\"" >>"$folder/unit.cu.in"
        done
        mv "$folder/unit.cu.in" "$folder/all_examples.cu"
    done
done

compile() {
    local folder=$1 arch
    arch=$(basename "$(dirname "$folder")")
    (cd "$folder" && "$nvcc" -std=c++17 "-arch=$arch" -Werror all-warnings -Xcompiler -Wall,-Wextra -Xptxas -v -c all_examples.cu -o all.o) >"$folder/log" 2>&1 && echo 0 >"$folder/rc" || echo $? >"$folder/rc"
}
export -f compile
export nvcc
printf '%s\n' "$work"/sm_*/* | xargs -P 2 -I{} bash -c 'compile {}'

status=0
printf '%-16s %-7s %-6s %8s %13s %11s\n' example plan arch kernels "registers" "spill bytes"
for folder in "$work"/sm_*/*; do
    plan=$(basename "$folder")
    arch=$(basename "$(dirname "$folder")")
    if [[ $(cat "$folder/rc") != 0 ]]; then
        echo "nvcc --plan $plan $arch does not accept the text without a warning:"
        head -c 4000 "$folder/log"
        status=1
        continue
    fi
    # A kernel has up to two forms (aligned and not); the most registers and spilled bytes of either.
    awk -v plan="$plan" -v arch="$arch" '
        /Compiling entry function/ { match($0, /_ZN[0-9]+[A-Za-z0-9_]+_kernels/); name = substr($0, RSTART, RLENGTH); sub(/^_ZN[0-9]+/, "", name); sub(/_kernels$/, "", name)
                                     kernel = $0; sub(/.*_kernels[0-9]+/, "", kernel); sub(/(I?Lb|E).*/, "", kernel); if (!((name, kernel) in seen)) { seen[name, kernel]; ++kernels[name] } }
        /bytes spill stores/       { for (i = 1; i <= NF; ++i) if ($i == "spill" && $(i + 1) ~ /^stores/ && $(i - 2) > spill[name]) spill[name] = $(i - 2) }
        /Used [0-9]+ registers/    { for (i = 1; i <= NF; ++i) if ($i == "Used" && $(i + 1) > registers[name]) registers[name] = $(i + 1) }
        END { for (name in registers) { printf "%-16s %-7s %-6s %8d %13d %11d\n", name, plan, arch, kernels[name], registers[name], spill[name] + 0; if (plan == "auto" && spill[name] + 0 > 0) bad = 1; ++programs }
              if (programs == 0) bad = 1; exit bad }' "$folder/log" | sort || status=1
done
if [[ $status != 0 ]]; then
    echo "failed: a warning, or a spill in a chosen plan"
fi
exit $status
