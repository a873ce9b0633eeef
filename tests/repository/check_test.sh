#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that every rule of check.sh accepts a tree that keeps it and names the place in a tree that breaks it.
set -euo pipefail
check=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/check.sh
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
spdx='// SPDX-License-Identifier: Apache-2.0'
failures=0

# tree: a small tree without faults.
tree() {
    rm -rf "$place/tree"
    mkdir -p "$place/tree"/{support,dag,fusion,codegen,perfmodel/analysis,cli,elementary-lib/runtime/fusec,tests/dag}
    cd "$place/tree"
    cp "$(dirname "$check")/../../.clang-format" .
    cp "$(dirname "$check")/../../codegen/emitted.clang-format" codegen
    printf '%s\n' "$spdx" '#pragma once' >support/ids.hpp
    printf '%s\n' "$spdx" '#include "dag/graph.hpp"' '' '#include <boost/graph/adjacency_list.hpp>' >dag/graph.cpp
    printf '%s\n' "$spdx" '#include "support/ids.hpp"' '' '#include <boost/dynamic_bitset.hpp>' >dag/graph.hpp
    printf '%s\n' "$spdx" '#include "dag/graph.hpp"' '' '#include <coin/CbcModel.hpp>' >fusion/solver_cbc.cpp
    printf '%s\n' "$spdx" '#include "codegen/emit.hpp"' '#include "perfmodel/device.hpp"' '' '#include <CLI/CLI.hpp>' >cli/main.cpp
    printf '%s\n' "$spdx" '// As graph.hpp, dag/graph.cpp, runtime/fusec/views.cuh and analysis/walk.hpp have it, of any NAME.json or <math.h>.' >perfmodel/device.hpp
    printf '%s\n' "$spdx" '// walk.hpp of this folder; emitted*.cu are made.' >perfmodel/analysis/walk.hpp
    printf '%s\n' "$spdx" '#include <fusec/lane.cuh>' >elementary-lib/runtime/fusec/views.cuh
    printf '%s\n' "$spdx" '#include "dag/graph.hpp"' '' '#include <gtest/gtest.h>' >tests/dag/graph_test.cpp
    echo 'add_library(dag graph.cpp)' >dag/CMakeLists.txt
    echo 'add_library(fusion solver_cbc.cpp)' >fusion/CMakeLists.txt
    echo 'add_executable(fusec main.cpp)' >cli/CMakeLists.txt
    echo 'add_executable(dag_test dag/graph_test.cpp)' >tests/CMakeLists.txt
}

# fails RULE TEXT: the tree as it stands breaks RULE, and the output holds TEXT.
fails() {
    local output
    if output=$("$check" "$1" "$place/tree" 2>&1); then
        echo "$1: accepted a tree that breaks it ($2)"
        failures=$((failures + 1))
    elif [[ $output != *"$2"* ]]; then
        echo "$1: expected '$2', got: $output"
        failures=$((failures + 1))
    fi
    tree
}

tree
for rule in include-direction third-party file-length file-names licence-line machine-paths source-lists named-files format; do
    if ! "$check" "$rule" "$place/tree"; then
        echo "$rule: refused a tree that keeps it"
        failures=$((failures + 1))
    fi
done

echo '#include "dag/graph.hpp"' >>support/ids.hpp
fails include-direction 'support/ids.hpp:3: support includes "dag/graph.hpp"'
printf '%s\n' "$spdx" '  #  include "codegen/emit.hpp"' >perfmodel/device.hpp
fails include-direction 'perfmodel/device.hpp:2: perfmodel includes "codegen/emit.hpp"'
printf '%s\n' "$spdx" '#include "perfmodel/device.hpp"' >codegen/emit.hpp
fails include-direction 'codegen includes "perfmodel/device.hpp"'
echo '#include "support/ids.hpp"' >>elementary-lib/runtime/fusec/views.cuh
fails include-direction 'text for generated programs includes "support/ids.hpp"'
echo '#include "tests/dag/fixture.hpp"' >>dag/graph.cpp
fails include-direction 'dag/graph.cpp:5: includes "tests/dag/fixture.hpp"'
echo '#include "../support/ids.hpp"' >>dag/graph.cpp
fails include-direction 'by a relative path'

printf '%s\n' "$spdx" '#include <llvm/IR/Module.h>' >perfmodel/device.cpp
fails third-party 'perfmodel/device.cpp:2:#include <llvm/IR/Module.h> (LLVM belongs in perfmodel/analysis/'
for line in '<toml++/toml.h>' '<antlr4-runtime.h>' '<boost/graph/adjacency_list.hpp>' '<llvm/IR/Module.h>' '<CLI/CLI.hpp>' '<nlohmann/json.hpp>' '<gtest/gtest.h>' '<Eigen/Dense>' '<CbcModel.hpp>'; do
    printf '%s\n' "$spdx" "#include $line" >fusion/space.cpp
    fails third-party "fusion/space.cpp:2:#include $line"
done
echo '#include <boost/dynamic_bitset.hpp>' >>support/ids.hpp
fails third-party 'dynamic_bitset belongs in'
echo '#include <boost/graph/graph_traits.hpp>' >>dag/graph.hpp
fails third-party 'dag/graph.hpp:5:'

{
    echo "$spdx"
    seq 600
} >dag/long.cpp
fails file-length 'dag/long.cpp: 601 lines, at most 600'
echo "$spdx" >dag/string_utils.hpp
fails file-names 'dag/string_utils.hpp'
mkdir support/util && echo "$spdx" >support/util/a.hpp
fails file-names 'support/util/a.hpp'
echo '#pragma once' >support/ids.hpp
fails licence-line 'support/ids.hpp: no SPDX line'
printf 'see /%s/someone/notes\n' home >support/notes.md
fails machine-paths 'support/notes.md:1:'
printf 'mirror=http://deb.%s.org/debian\n' debian >support/mirror.sh
fails machine-paths 'support/mirror.sh:1:'
echo "$spdx" >dag/graph2.cpp
fails source-lists 'dag/graph2.cpp: in no CMakeLists.txt'
echo '// The figures are those of perfmodel/calibrations/none.json.' >>perfmodel/device.hpp
fails named-files 'perfmodel/device.hpp:3: names `perfmodel/calibrations/none.json`, which is no file'
echo 'int x = 0; // see dag/graph.hpp, graph.md and walk.hpp' >>perfmodel/device.hpp
fails named-files 'perfmodel/device.hpp:3: names `graph.md`, which is no file'
echo '# as device.toml says' >perfmodel/analysis/CMakeLists.txt
fails named-files 'perfmodel/analysis/CMakeLists.txt:1: names `device.toml`, which is no file'
echo 'int  x;' >>dag/graph.cpp
fails format 'dag/graph.cpp:5'

[[ $failures -eq 0 ]]
