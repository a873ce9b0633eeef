#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh RULE ROOT: prints every place of the tree ROOT that breaks one rule of docs/architecture.md; exit 1 if there is one.
set -euo pipefail
rule=$1
cd "$2"

# Files of the tree, ignored ones left out: as git sees them, or all but build folders and what the README's commands make where there is no
# repository.
tree() {
    local file
    {
        git ls-files --cached --others --exclude-standard 2>/dev/null ||
            find . -name '.?*' -prune -o -path './build*' -prune -o -path './fused.*' -prune -o -type f -printf '%P\n'
    } | while IFS= read -r file; do
        if [[ -f $file && ! -L $file ]]; then
            printf '%s\n' "$file"
        fi
    done | LC_ALL=C sort
}

# Expected outputs of tests are compared with the compiler's and follow its rules.
sources() {
    tree | grep -E '\.(cpp|hpp|cuh|h|g4|sh|cmake)$|(^|/)CMakeLists\.txt$|^fusec$' | grep -vE '^tests/.*/(golden|expected)/' || true
}

# Sources of the phases: what include rules speak of.
phase_sources() {
    sources | grep -E '^(support|elementary-lib|frontend|dag|fusion|perfmodel|codegen|execute|cli)/.*\.(cpp|hpp|cuh|h)$' || true
}

# breaches: passes standard input on and remembers whether there was any.
breaches() {
    ! grep .
}

case "$rule" in
include-direction)
    # What each phase may include besides itself; perfmodel and codegen do not know each other. Text that generated programs include
    # (runtime, device sources, C headers of the emulation) knows nothing of the compiler.
    # shellcheck disable=SC2016
    phase_sources | xargs -r awk '
        BEGIN {
            below["support"] = ""
            below["elementary-lib"] = " support "
            below["frontend"] = below["elementary-lib"] "elementary-lib "
            below["dag"] = below["frontend"] "frontend "
            below["fusion"] = below["dag"] "dag "
            below["perfmodel"] = below["codegen"] = below["fusion"] "fusion "
            below["execute"] = below["perfmodel"] "perfmodel codegen "
            below["cli"] = below["execute"] "execute "
        }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, quoted, "\"")
            target = quoted[2]
            split(target, parts, "/")
            split(FILENAME, own, "/")
            phase = own[1]
            if (target ~ /(^|\/)\.\.\//)
                print FILENAME ":" FNR ": includes \"" target "\" by a relative path"
            else if (parts[1] == "tests" || parts[1] == "bench")
                print FILENAME ":" FNR ": includes \"" target "\""
            else if (parts[1] in below) {
                if (phase == "elementary-lib" && (own[2] == "runtime" || FILENAME ~ /\.(cuh|h)$/) && target !~ /\.h$/)
                    print FILENAME ":" FNR ": text for generated programs includes \"" target "\""
                else if (parts[1] != phase && index(below[phase], " " parts[1] " ") == 0)
                    print FILENAME ":" FNR ": " phase " includes \"" target "\""
            }
        }' | breaches
    ;;
third-party)
    # Library, then the files that may include it; only .cpp files, so that no other file compiles it.
    {
        while read -r library pattern allowed; do
            phase_sources | xargs -r grep -nHE "^[ \t]*#[ \t]*include[ \t]*[<\"]$pattern" |
                grep -vE "^$allowed:" | sed "s,\$, ($library belongs in $allowed)," || true
        done <<'RULES'
toml++ toml\+\+/ (elementary-lib|perfmodel)/[^/]*\.cpp
ANTLR (antlr4-runtime|antlr4-common|Fusec(Lexer|Parser|BaseVisitor|Visitor|BaseListener|Listener)) frontend/[^/]*\.cpp
Boost boost/([a-ce-z]|d[^y]) dag/[^/]*\.cpp
dynamic_bitset boost/dynamic_bitset (dag|fusion|perfmodel|codegen|execute|cli)/[^/]*\.[ch]pp
CBC (coin/|Cbc|Clp|Coin|Osi|Cgl) fusion/solver_cbc\.cpp
LLVM (llvm|clang)(-c)?/ perfmodel/analysis/[^/]*\.cpp
NLopt nlopt perfmodel/fit/[^/]*\.cpp
CLI11 CLI/ cli/[^/]*\.cpp
nlohmann-json nlohmann/ (cli/(report|predictions|measurements)_json|fusion/plan_file_json|perfmodel/(calibration|routine_times|analysis/analyser|fit/kernel_work)_json|support/located_json)\.cpp
GoogleTest g(test|mock)/ tests/.*
Eigen Eigen/ (tests/.*|perfmodel/fit/transfer_times\.cpp)
RULES
    } | breaches
    ;;
file-length)
    sources | while IFS= read -r file; do
        lines=$(wc -l <"$file")
        if [[ $lines -gt 600 ]]; then
            echo "$file: $lines lines, at most 600"
        fi
    done | breaches
    ;;
file-names)
    { tree | grep -iE '(^|/|_|-)utils?(_|-|\.|/|$)' || true; } | sed 's|$|: named after nothing|' | breaches
    ;;
licence-line)
    sources | grep -vE '(^|/)CMakeLists\.txt$|\.cmake$' | while IFS= read -r file; do
        if ! head -n 2 "$file" | grep -qE '^(//|#|/\*) SPDX-License-Identifier: Apache-2\.0( \*/)?$'; then
            echo "$file: no SPDX line at the top"
        fi
    done | breaches
    ;;
machine-paths)
    # Paths of one machine and hosts of package registries; brackets keep the patterns from finding themselves. Tests that need a home
    # folder call its owner somebody.
    { tree | tr '\n' '\0' | xargs -0 -r grep -nHIE \
        '(^|[^[:alnum:]_.~-])/(wor[k]|hom[e]|roo[t]|User[s])/[[:alnum:]_]|[a-z.]*debia[n]\.org|ubunt[u]\.com|pyp[i]\.org|npmj[s]\.|crate[s]\.io' || true; } | { grep -vE '/hom[e]/somebody' || true; } | breaches
    ;;
source-lists)
    # Every .cpp stands in the CMakeLists.txt of its folder or of a folder above.
    sources | grep '\.cpp$' | grep -vE '/(data|fixtures|starter)/' | while IFS= read -r file; do
        folder=$(dirname "$file")
        listed=false
        while [[ $folder != . ]]; do
            name=${file#"$folder"/}
            if [[ -f $folder/CMakeLists.txt ]] && grep -qE "(^|[^[:alnum:]_])${name//./\\.}([^[:alnum:]_]|\$)" "$folder/CMakeLists.txt"; then
                listed=true
                break
            fi
            folder=$(dirname "$folder")
        done
        $listed || echo "$file: in no CMakeLists.txt"
    done | breaches
    ;;
named-files)
    # Files that comments of perfmodel/ name exist: by their path from the root, from the folder of the file or from any folder, or by a name that
    # some file has. NAME.json with its stem in capitals stands for any file, emitted*.cu for files that are made, <math.h> for a header of a
    # system.
    # shellcheck disable=SC2016
    {
        tree
        echo
        tree | grep -E '^perfmodel/.*\.(cpp|hpp|cuh|cu|h|fus|toml)$|^perfmodel/(.*/)?CMakeLists\.txt$' | xargs -r awk '
            { start = FILENAME ~ /\.toml$|CMakeLists\.txt$/ ? "#" : "//" }
            place = index($0, start) { print FILENAME ":" FNR ":" substr($0, place) }'
    } | awk '
        !comments && $0 == "" { comments = 1; next }
        !comments {
            for (place = $0; ; sub(/^[^\/]*\//, "", place)) {
                known[place] = 1
                if (place !~ /\//) break
            }
            next
        }
        {
            match($0, /^[^:]*:[0-9]+:/)
            where = substr($0, 1, RLENGTH - 1)
            folder = where
            sub(/[^\/]*$/, "", folder)
            rest = substr($0, RLENGTH + 1)
            while (match(rest, /[A-Za-z0-9_.*\/<-]*[A-Za-z0-9_*]\.(cpp|hpp|cuh|cu|h|fus|toml|json|md|py|sh|def|txt)($|[^A-Za-z0-9_])/)) {
                name = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                sub(/[^A-Za-z0-9_]$/, "", name)
                stem = name
                sub(/^.*\//, "", stem)
                sub(/\.[a-z]*$/, "", stem)
                if (name ~ /[*<]/ || stem ~ /^[A-Z_]+$/ || name in known || (folder name) in known)
                    continue
                print where ": names `" name "`, which is no file"
            }
        }' | breaches
    ;;
format)
    sources | grep -E '\.(cpp|hpp|h)$' | grep -v '^elementary-lib/runtime/' | tr '\n' '\0' | xargs -0 -r clang-format-19 --dry-run -Werror
    # What becomes part of emitted text has that text's style.
    sources | grep -E '\.cuh$|^elementary-lib/runtime/.*\.(hpp|h)$' | tr '\n' '\0' | xargs -0 -r clang-format-19 --style=file:codegen/emitted.clang-format --dry-run -Werror
    ;;
*)
    echo "check: no rule is named $rule" >&2
    exit 2
    ;;
esac
