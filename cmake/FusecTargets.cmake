# Helpers that give every target of the project the same language level, warnings and sanitizers.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(FUSEC_CCACHE ccache)
if(FUSEC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without this ccache keeps nothing that was compiled with a precompiled header. No source asks for macros of the time.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${FUSEC_CCACHE}")
endif()

add_library(fusec_options INTERFACE)
target_compile_features(fusec_options INTERFACE cxx_std_20)
target_include_directories(fusec_options INTERFACE "${PROJECT_SOURCE_DIR}")
# The compiler's own arithmetic must give the same bytes on every machine: no contraction, no -march=native.
target_compile_options(fusec_options INTERFACE -ffp-contract=off)
if(FUSEC_SANITIZE)
    target_compile_options(fusec_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(fusec_options INTERFACE -fsanitize=address,undefined)
endif()

add_library(fusec_warnings INTERFACE)
target_compile_options(fusec_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
    # g++ 12 sees overlapping copies in std::string's operator+ (GCC bug 105651); with precompiled headers, which make it forget what is a
    # system's, copies out of bounds too.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<BOOL:${CMAKE_DISABLE_PRECOMPILE_HEADERS}>>>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>
    # g++ 12 takes libstdc++'s <regex> for uninitialised once it is instrumented (GCC bug 105616).
    $<$<AND:$<BOOL:${FUSEC_SANITIZE}>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>
    # libstdc++ 12's std::stable_sort uses a function that it deprecates, and clang says so where the template is used; g++ watches ours.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)

# Headers of the standard library, and in tests those of GoogleTest, are parsed once per build: half of its time. Every file names what it
# includes all the same; the preset `clang` has no precompiled headers and sees what is missing.
set(precompiled <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <sstream> <string> <string_view>
    <tuple> <utility> <variant> <vector>)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/precompiled.cpp" CONTENT "")
add_library(fusec_precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
target_link_libraries(fusec_precompiled PRIVATE fusec_options fusec_warnings)
target_precompile_headers(fusec_precompiled PRIVATE ${precompiled})

# fusec_library(NAME SOURCES ... [LINK ...] [PRIVATE ...]): the static library of one phase.
function(fusec_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;PRIVATE")
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC fusec_options ${arg_LINK} PRIVATE fusec_warnings ${arg_PRIVATE})
    target_precompile_headers(${name} REUSE_FROM fusec_precompiled)
endfunction()

# fusec_test_precompiled(): what fusec_test needs once, when GoogleTest has been found.
function(fusec_test_precompiled)
    add_library(fusec_test_precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
    target_link_libraries(fusec_test_precompiled PRIVATE fusec_options fusec_warnings GTest::gtest GTest::gmock)
    target_compile_options(fusec_test_precompiled PRIVATE ${fusec_test_options})
    target_precompile_headers(fusec_test_precompiled PRIVATE ${precompiled} <gmock/gmock.h> <gtest/gtest.h>)
endfunction()
# The code of tests runs for a moment and takes long to optimise.
set(fusec_test_options $<$<CONFIG:Release>:-Og>)

# fusec_test(NAME [TEXTS_BY_CLANG] [TIMEOUT SECONDS] SOURCES ... LINK ...): one GoogleTest executable, its cases found when it is built.
# FUSEC_SOURCE_DIR is the root of the checkout, for test data. TEXTS_BY_CLANG: emitted texts that its cases execute are compiled by clang 19
# (by $CXX, that is), so that the suite has executed them by two compilers; by the default compiler where clang 19 is not installed, and
# under sanitizers, whose run-time libraries two compilers do not share.
function(fusec_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "TEXTS_BY_CLANG" "TIMEOUT" "SOURCES;LINK")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE fusec_options fusec_warnings ${arg_LINK} GTest::gtest_main GTest::gmock)
    target_compile_options(${name} PRIVATE ${fusec_test_options})
    target_precompile_headers(${name} REUSE_FROM fusec_test_precompiled)
    target_compile_definitions(${name} PRIVATE FUSEC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(FUSEC_SANITIZE)
        math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}") # checks of every access take their time
    endif()
    # Calibrations that a user has imported are not those of the tests.
    set(environment XDG_CONFIG_HOME=${PROJECT_BINARY_DIR}/no-configuration)
    set(properties TIMEOUT ${arg_TIMEOUT})
    if(arg_TEXTS_BY_CLANG AND NOT FUSEC_SANITIZE)
        find_program(FUSEC_CLANG clang++-19)
        if(FUSEC_CLANG)
            list(APPEND environment CXX=${FUSEC_CLANG})
        else()
            message(STATUS "clang++-19 is not installed: the texts of ${name} are compiled by the default compiler")
        endif()
    endif()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES ${properties} ENVIRONMENT "${environment}")
endfunction()
