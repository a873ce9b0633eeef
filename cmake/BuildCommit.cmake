# Says, in a source file, of which commit a build is: cmake -DSOURCE=DIR -DOUTPUT=FILE.cpp -P BuildCommit.cmake. DIR is the root of the sources: where it is
# no git tree of its own (an archive, or a folder of another project) the commit is empty. `+` behind it: files that it has, other than results, differ from it, or nobody knows.
# The file is only written where it would change, so that a build of the same commit compiles nothing.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(git git)
# Those of a hook that builds would name another tree.
unset(ENV{GIT_DIR})
unset(ENV{GIT_WORK_TREE})
unset(ENV{GIT_INDEX_FILE})
if(git)
    execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --show-prefix OUTPUT_VARIABLE prefix RESULT_VARIABLE failed
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed EQUAL 0 AND prefix STREQUAL "")
        execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --verify HEAD OUTPUT_VARIABLE commit RESULT_VARIABLE failed
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        execute_process(COMMAND "${git}" --no-optional-locks -C "${SOURCE}" status --porcelain --untracked-files=no -- . ":!bench/results"
            OUTPUT_VARIABLE changed RESULT_VARIABLE unknown OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT failed EQUAL 0)
            set(commit "")
        elseif(NOT unknown EQUAL 0 OR NOT changed STREQUAL "")
            string(APPEND commit "+")
        endif()
    endif()
endif()
set(text "// SPDX-License-Identifier: Apache-2.0\n// Written by cmake/BuildCommit.cmake.\n#include \"support/build_commit.hpp\"\n
const char* fusec::build_commit() {\n    return \"${commit}\";\n}\n")
set(before "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
