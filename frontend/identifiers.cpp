// SPDX-License-Identifier: Apache-2.0
#include "frontend/identifiers.hpp"

#include <algorithm>
#include <array>

namespace fusec::frontend {

namespace {

/// Sorted by byte. Keywords of C and C++, qualifiers, built-in variables and vector types of CUDA, macros of the headers that
/// generated text includes (more of them: header_names.cpp), and the names it declares beside the program's: parameters of the interface,
/// locals of kernels.
constexpr auto reserved_words = std::to_array<std::string_view>({
    "Aligned",
    "BUFSIZ",
    "CHAR_BIT",
    "CUDARTAPI",
    "CUDART_CB",
    "CUDART_VERSION",
    "DBL_EPSILON",
    "DBL_MAX",
    "DBL_MIN",
    "DOMAIN",
    "EOF",
    "FLT_EPSILON",
    "FLT_MAX",
    "FLT_MIN",
    "FP_INFINITE",
    "FP_NAN",
    "FP_NORMAL",
    "FP_SUBNORMAL",
    "FP_ZERO",
    "FUSEC_DEVICE",
    "FUSEC_UNROLL",
    "FUSEC_UNROLL_SHORT",
    "HUGE_VAL",
    "HUGE_VALF",
    "I",
    "INFINITY",
    "INT16_MAX",
    "INT32_MAX",
    "INT64_MAX",
    "INT8_MAX",
    "INTMAX_MAX",
    "INTPTR_MAX",
    "INT_MAX",
    "INT_MIN",
    "LONG_MAX",
    "MATH_ERREXCEPT",
    "MATH_ERRNO",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN10",
    "M_LN2",
    "M_LOG10E",
    "M_LOG2E",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_SQRT1_2",
    "M_SQRT2",
    "NAN",
    "NULL",
    "OVERFLOW",
    "PLOSS",
    "PTRDIFF_MAX",
    "RAND_MAX",
    "SING",
    "SIZE_MAX",
    "TLOSS",
    "UINT16_MAX",
    "UINT32_MAX",
    "UINT64_MAX",
    "UINT8_MAX",
    "UINTMAX_MAX",
    "UINTPTR_MAX",
    "UINT_MAX",
    "ULONG_MAX",
    "UNDERFLOW",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__cluster_dims__",
    "__constant__",
    "__device__",
    "__forceinline__",
    "__global__",
    "__grid_constant__",
    "__host__",
    "__inline__",
    "__launch_bounds__",
    "__managed__",
    "__noinline__",
    "__restrict",
    "__restrict__",
    "__shared__",
    "__syncthreads",
    "__syncwarp",
    "alignas",
    "aligned",
    "alignof",
    "and",
    "and_eq",
    "arguments",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "copy_in",
    "copy_out",
    "count",
    "cuda",
    "decltype",
    "default",
    "delete",
    "dim3",
    "do",
    "double",
    "double2",
    "double3",
    "double4",
    "dynamic_cast",
    "element",
    "elements_left",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "first",
    "float",
    "float2",
    "float3",
    "float4",
    "for",
    "fpclassify",
    "friend",
    "fusec",
    "goto",
    "gridDim",
    "if",
    "imaginary",
    "inline",
    "int",
    "int16_t",
    "int2",
    "int3",
    "int32_t",
    "int4",
    "int64_t",
    "int8_t",
    "intptr_t",
    "isfinite",
    "isgreater",
    "isinf",
    "isless",
    "isnan",
    "isnormal",
    "item",
    "lane",
    "linux",
    "long",
    "main",
    "mutable",
    "n",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "offsetof",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "ptrdiff_t",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "shared_memory",
    "short",
    "signbit",
    "signed",
    "simd",
    "size_t",
    "sizeof",
    "ssize_t",
    "static",
    "static_assert",
    "static_cast",
    "status",
    "std",
    "stderr",
    "stdin",
    "stdout",
    "stream",
    "struct",
    "switch",
    "template",
    "this",
    "threadIdx",
    "thread_local",
    "throw",
    "tile",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "uint16_t",
    "uint2",
    "uint3",
    "uint32_t",
    "uint4",
    "uint64_t",
    "uint8_t",
    "uintptr_t",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "workspace",
    "workspace_bytes",
    "xor",
    "xor_eq",
});
static_assert(std::is_sorted(reserved_words.begin(), reserved_words.end()));

bool is_identifier_character(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

} // namespace

bool is_reserved(std::string_view word) {
    return std::binary_search(reserved_words.begin(), reserved_words.end(), word) || is_header_macro(word);
}

std::string as_identifier(std::string_view text, std::string_view prefix) {
    std::string word;
    for (const char c : text) {
        if (is_identifier_character(c)) {
            word.push_back(c);
        } else if (word.empty() || word.back() != '_') {
            word.push_back(word.ends_with('_') ? '1' : '_'); // `__` belongs to the implementation
        }
    }
    if (word.find_first_not_of('_') == std::string::npos) {
        return std::string(prefix);
    }
    return word.front() >= '0' && word.front() <= '9' ? std::string(prefix) + "_" + word : word;
}

std::string without_implementation_form(std::string word) {
    const auto twice = [](char a, char b) { return a == '_' && b == '_'; };
    word.erase(std::unique(word.begin(), word.end(), twice), word.end());
    if (word.size() > 1 && word[0] == '_' && word[1] >= 'A' && word[1] <= 'Z') {
        word.erase(0, 1);
    }
    return word;
}

std::string program_name(std::string_view text) {
    std::string word = without_implementation_form(as_identifier(text, "program"));
    const std::size_t begin = word.find_first_not_of('_');
    word = begin == std::string::npos ? "program" : word.substr(begin, word.find_last_not_of('_') + 1 - begin);
    return as_identifier(word, "program"); // `_3d`
}

std::string namespace_name(const std::string& program) {
    return is_reserved(program) || is_global_name(program) ? program + "_" : program;
}

std::string IdentifierPool::take(std::string word) {
    while (is_reserved(word) || taken_.contains(word)) {
        word.push_back(word.ends_with('_') ? '1' : '_'); // `__` belongs to the implementation
    }
    taken_.insert(word);
    return word;
}

} // namespace fusec::frontend
