#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc's verdict on the chosen plan of every example and workload for sm_80 and sm_90, and with FUSEC_FULL_TESTS set (`./test.sh --full`) on every
# plan mode, and on the products and solves of large matrices in large/: no warning, no spill in the chosen plan of an example, and no spill anywhere that fusec did not warn of (register-spill). Nor any
# local memory that ptxas does not call a spill (`bytes stack frame` beyond what is spilled): an array of registers whose index is not constant. The reduction
# of large/ is a unit of its own, for which no stage of nvcc may take more than 10 seconds of processor time (1.25 for all of them here, 29
# with its loop unrolled whole); for the others 400.
# Usage: nvcc_test.sh FUSEC SOURCE_DIR; prints a table; exits 77 (skipped) where there is no nvcc. One translation unit per mode and
# architecture, two at a time.
set -euo pipefail
fusec=$(realpath "$1")
root=$(realpath "$2")
# shellcheck source=tests/codegen/find_nvcc.sh
source "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/find_nvcc.sh"
declare -A options=([checked]=--checked [entries]="--checked --entries --runtime include")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plans=(auto workloads reduction checked entries)
if [[ -n ${FUSEC_FULL_TESTS:-} ]]; then
    plans+=(none max greedy large)
else
    echo "chosen plans only; all plan modes and large/ with FUSEC_FULL_TESTS=1, as ./test.sh --full sets it"
fi
for unit in h200:90 a100:80; do
    for plan in "${plans[@]}"; do
        folder=$work/sm_${unit#*:}/$plan
        mkdir -p "$folder"
        programs=("$root"/examples/*.fus)
        mode=$plan
        if [[ $plan == workloads ]]; then
            programs=("$root"/examples/workloads/*.fus)
            mode=auto
        elif [[ $plan == checked ]]; then # all in one kernel and one for each call, with and without a workspace
            programs=("$root"/examples/{neo_hookean,explicit_step,tet_plasticity}.fus "$root"/tests/codegen/large/checks_*.fus)
            mode=auto
        elif [[ $plan == entries ]]; then # against the headers in place of what is embedded
            programs=("$root"/examples/{explicit_step,tet_plasticity}.fus)
            mode=auto
        elif [[ $plan == large ]]; then
            programs=("$root"/tests/codegen/large/{chain,congruence,product,solve}_*.fus)
            mode=auto
        elif [[ $plan == reduction ]]; then
            programs=("$root"/tests/codegen/large/reduction_*.fus)
            mode=auto
        fi
        read -ra more <<<"${options[$plan]:-}"
        for program in "${programs[@]}"; do
            name=$(basename "$program" .fus)
            "$fusec" "$program" -o "$folder/$name.cu" --plan "$mode" "${more[@]}" --device "${unit%:*}" --arch "sm_${unit#*:}" 2>"$folder/$name.log" || {
                echo "fusec fails: $name --plan $mode --arch sm_${unit#*:}"
                cat "$folder/$name.log"
                exit 1
            }
            sed -nE "s/.*kernel \`([A-Za-z0-9_]+)\`.*\\[register-spill\\]\$/$name \\1/p" "$folder/$name.log" >>"$folder/foreseen"
            echo "#include \"$name.cu\"" >>"$folder/unit.cu.in"
        done
        mv "$folder/unit.cu.in" "$folder/all.cu"
    done
done

compile() {
    local folder=$1 arch
    ulimit -t "$([[ $folder == */reduction ]] && echo 10 || echo 400)"
    arch=$(basename "$(dirname "$folder")")
    (cd "$folder" && "$nvcc" -std=c++17 "-arch=$arch" -Werror all-warnings -Xcompiler -Wall,-Wextra -Xptxas -v "-I$runtime" -c all.cu -o all.o) >"$folder/log" 2>&1 && echo 0 >"$folder/rc" || echo $? >"$folder/rc"
}
export -f compile
runtime=$root/elementary-lib/runtime
export nvcc runtime
printf '%s\n' "$work"/sm_*/* | xargs -P 2 -I{} bash -c 'compile {}'

# Four rows of a product per thread, which keeps the other operand for all of them where rows were expected to be made side by side
# (docs/status.md).
known_spill="bp2_p2 Y workloads sm_80"
known_bytes=512

status=0
printf '%-20s %-9s %-6s %8s %10s %12s %12s %s\n' program plan arch kernels registers "spill bytes" "frame bytes" foreseen
for folder in "$work"/sm_*/*; do
    plan=$(basename "$folder")
    arch=$(basename "$(dirname "$folder")")
    if [[ $(cat "$folder/rc") != 0 ]]; then
        echo "nvcc --plan $plan $arch does not accept the text without a warning, or takes too long:"
        head -c 4000 "$folder/log"
        status=1
        continue
    fi
    # A kernel has up to two forms (aligned and not): two instances of a template NAMESPACE::KERNEL, in mangled names _ZN, then both with
    # their lengths before them. The most registers and bytes of either count. What is spilled lies in the frame too.
    awk -v plan="$plan" -v arch="$arch" -v known="$known_spill" -v known_bytes="$known_bytes" '
        function piece(  length_and_rest, name_length) { # takes the next name off `rest`: its length, then itself
            match(rest, /^[0-9]+/); name_length = substr(rest, 1, RLENGTH) + 0
            length_and_rest = substr(rest, RLENGTH + 1); rest = substr(length_and_rest, name_length + 1)
            return substr(length_and_rest, 1, name_length)
        }
        warnings                   { foreseen[$1, $2]; next }
        /Compiling entry function/ { match($0, /_ZN[0-9]+/); rest = substr($0, RSTART + 3); name = piece(); sub(/_kernels$/, "", name)
                                     kernel = piece(); sub("^" name "_", "", kernel); if (!((name, kernel) in seen)) { seen[name, kernel]; ++kernels[name] } }
        /bytes spill stores/       { for (i = 1; i <= NF; ++i) if ($i == "spill" && $(i + 1) ~ /^stores/) { bytes = $(i - 2)
                                         if (bytes > spill[name]) spill[name] = bytes
                                         if ($1 > frame[name]) frame[name] = $1
                                         if ($1 > 0 && bytes == 0) { printf "local memory: %s has an array of %d bytes in kernel %s, plan %s, %s\n", name, $1, kernel, plan, arch; bad = 1 }
                                         if (bytes > 0 && (name, kernel) in foreseen) warned[name] = "yes"
                                         if (bytes > 0 && bytes <= known_bytes && known == name " " kernel " " plan " " arch) { warned[name] = "no, and known"; met = 1; spill[name] = 0; continue }
                                         if (bytes > 0 && !((name, kernel) in foreseen)) { printf "not foreseen: %s spills %d bytes in kernel %s, plan %s, %s\n", name, bytes, kernel, plan, arch; bad = 1 } } }
        /Used [0-9]+ registers/    { for (i = 1; i <= NF; ++i) if ($i == "Used" && $(i + 1) > registers[name]) registers[name] = $(i + 1) }
        END { for (pair in foreseen) { split(pair, of, SUBSEP); if (!(pair in seen)) { printf "warned of kernel %s of %s, which is not in the text\n", of[2], of[1]; bad = 1 }
                                       if (spill[of[1]] + 0 == 0) warned[of[1]] = "warned, does not spill" }
              for (name in registers) { printf "%-20s %-9s %-6s %8d %10d %12d %12d %s\n", name, plan, arch, kernels[name], registers[name], spill[name] + 0, frame[name] + 0, warned[name]
                  if ((plan == "auto" || plan == "workloads") && spill[name] + 0 > 0) bad = 1; ++programs }
              if (index(known, " " plan " " arch) && !met) { printf "no longer there: the spill of %s\n", known; bad = 1 }
              if (programs == 0) bad = 1; exit bad }' warnings=1 "$folder/foreseen" warnings=0 "$folder/log" | sort || status=1
done
if [[ $status != 0 ]]; then
    echo "failed: a warning, too much time, a spill in the chosen plan of an example, one that was not foreseen, or an array in local memory"
fi
exit $status
