// SPDX-License-Identifier: Apache-2.0
// Every error of a metadata file: its kind, its place, its text.
#include "elementary-lib/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

namespace fusec::library {
namespace {

constexpr const char* good_metadata = R"toml(summary   = "C = A B"
shape     = ["M", "N"]
operator  = "*"
reference = "c[i] = sum(j) A[i,j] * b[j]"
flops     = "M*(2*N - 1)"

[[input]]
name = "A"
type = "MATRIX[M,N]"

[[input]]
name = "b"
type = "VECTOR[N]"

[output]
name = "c"
type = "VECTOR[M]"

[[implementation]]
name = "element"
threads = "1"

[[implementation]]
name = "entry"
threads = "M"
map = { A = "row", b = "all", c = "entry" }
)toml";
constexpr const char* good_source = "template <class Lane>\nvoid f_element(Lane) {\n}\n\ntemplate <class Lane>\nvoid f_entry(Lane) {\n}\n";

class MetadataTest : public testing::Test {
protected:
    void SetUp() override {
        folder = std::filesystem::temp_directory_path() / ("fusec_metadata_test_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name, std::ios::binary) << text; }

    /// What loading the folder reports, paths without the folder.
    std::string load() const {
        Diagnostics diagnostics;
        const auto catalog = Catalog::load({folder}, diagnostics);
        EXPECT_EQ(catalog.has_value(), !diagnostics.has_errors());
        std::ostringstream out;
        render(diagnostics, out, false);
        std::string text = out.str();
        const std::string prefix = folder.string() + "/";
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
            text.erase(at, prefix.size());
        }
        return text;
    }
    /// The report after one replacement in good metadata.
    std::string with(const std::string& from, const std::string& to) const {
        std::string text = good_metadata;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        write("f.toml", text.replace(at, from.size(), to));
        write("f.cuh", good_source);
        return load();
    }
    std::filesystem::path folder;
};

TEST_F(MetadataTest, GoodMetadataLoads) {
    EXPECT_EQ(with("c", "c"), "");
    EXPECT_EQ(with("threads = \"1\"", "threads = 1"), "") << "an integer is an expression";
}

TEST_F(MetadataTest, RenderedWithLineAndCaret) {
    EXPECT_EQ(with("\"M*(2*N - 1)\"", "\"M*(2*Q - 1)\""), R"text(f.toml:5:19: error: `Q` is not a shape parameter [library-expression]
  flops     = "M*(2*Q - 1)"
                    ^
)text");
}

struct Case {
    const char* from;
    const char* to;
    const char* place;
    const char* message;
    const char* hint = "";
};

TEST_F(MetadataTest, EveryFaultIsLocated) {
    const std::vector<Case> cases{
        // syntax
        {"shape     =", "shape     ", "2:12", "not TOML: "},
        {"shape     =", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1\nshape     =", "2:33", "a key of more than 16 parts [library-syntax]"},
        {"\"C = A B\"", "\"C = \xff B\"", "1:17", "[library-syntax]"},
        // keys
        {"operator", "operater", "3:1", "`operater` is no key of a function [library-unknown-key]", "did you mean `operator`?"},
        {"type = \"MATRIX", "tipe = \"MATRIX", "9:1", "`tipe` is no key of `input` [library-unknown-key]", "did you mean `type`?"},
        {"type = \"MATRIX", "tipe = \"MATRIX", "7:1", "`type` is missing in this `input` [library-missing-key]"},
        {"summary   = \"C = A B\"", "", "1:1", "`summary` is missing [library-missing-key]"},
        {"reference = ", "commutative = true #", "1:1", "`reference` is missing [library-missing-key]"},
        {"[output]", "[outputs]", "1:1", "`output` is missing [library-missing-key]"},
        {"threads = \"1\"", "", "19:1", "`threads` is missing in this `implementation` [library-missing-key]"},
        {"name = \"c\"", "domain = \"any\"\nname = \"c\"", "16:1", "`domain` is no key of `output` [library-unknown-key]"},
        // types of values
        {"\"C = A B\"", "3", "1:13", "`summary` is an integer, but a string is needed [library-wrong-type]"},
        {"[\"M\", \"N\"]", "\"M\"", "2:13", "`shape` is a string, but an array of strings is needed [library-wrong-type]"},
        {"[\"M\", \"N\"]", "[\"M\", 3]", "2:19", "`shape` is an integer, but an array of strings is needed [library-wrong-type]"},
        {"threads = \"M\"", "threads = 1.5", "25:11",
            "`threads` is a floating-point number, but an expression (a string) is needed [library-wrong-type]"},
        {"threads = \"M\"", "threads = \"M\"\nbarrier = 1", "26:11",
            "`barrier` is an integer, but a boolean is needed [library-wrong-type]"},
        {"map = { A = \"row\", b = \"all\", c = \"entry\" }", "map = \"row\"", "26:7",
            "`map` is a string, but a table is needed [library-wrong-type]"},
        {"[output]", "[[output]]", "15:1", "`output` is an array, but a table is needed [library-wrong-type]"},
        // closed sets of values
        {"operator  = \"*\"", "operator  = \"**\"", "3:13",
            "`**` is no value of `operator` (`*`, `+`, `-`, `/`, `'`, `neg`, `<`, `<=`, `==`) [library-wrong-value]"},
        {"A = \"row\"", "A = \"rwo\"", "26:13", "`rwo` is no value of `A` (`all`, `row`, `column`, `entry`, `rows`) [library-wrong-value]"},
        {"type = \"VECTOR[N]\"", "type = \"VECTOR[N]\"\ndomain = \"possitive\"", "14:10",
            "`possitive` is no value of `domain` (`any`, `positive`, `nonzero`, `invertible`, `spd`) [library-wrong-value]",
            "did you mean `positive`?"},
        // expressions
        {"M*(2*N - 1)", "M*(2*N - 1", "5:24", "not a size expression: `)` is missing [library-expression]"},
        {"threads = \"M\"", "threads = \"M *\"", "25:15",
            "not a size expression: a number, a name or `(` is missing at the end [library-expression]"},
        {"threads = \"M\"", "threads = \"M\"\nlimit = \"M < K\"", "26:14", "`K` is not a shape parameter [library-expression]"},
        // type patterns
        {"MATRIX[M,N]", "MATRIX[M]", "9:8", "`MATRIX` has 2 dimensions, but 1 is given [library-type]"},
        {"VECTOR[N]", "VECTOR[N,M]", "13:8", "`VECTOR` has 1 dimension, but 2 are given [library-type]"},
        {"VECTOR[N]", "VEKTOR[N]", "13:8", "`VEKTOR[N]` is not a type [library-type]", "types are `SCALAR`, `VECTOR[N]` and `MATRIX[M,N]`"},
        {"VECTOR[N]", "VECTOR", "13:8", "`VECTOR` is not a type [library-type]"},
        {"VECTOR[N]", "SCALAR[1]", "13:8", "`SCALAR[1]` is not a type [library-type]"},
        {"MATRIX[M,N]", "MATRIX[M,K]", "9:18", "`K` is not a shape parameter [library-expression]"},
        {"MATRIX[M,N]", "MATRIX[M,min(N,)]", "9:24", "not a size expression: unexpected `)` [library-expression]"},
        // reference
        {"c[i] = sum(j)", "c[i] = prod(j)", "4:21", "`prod` is no function of references [library-reference]"},
        {"c[i] = sum", "d[i] = sum", "4:14", "the reference defines `d`, but the result is `c` [library-reference]"},
        {"c[i] = sum", "c[i,l] = sum", "4:14", "`c` has 1 dimension, but 2 indices are given [library-reference]"},
        {"* b[j]", "* B[j]", "4:37", "the reference reads `B`, which is not an operand [library-reference]"},
        {"* b[j]", "* b[j,i]", "4:37", "`b` has 1 dimension, but 2 indices are given [library-reference]"},
        {"* b[j]", "* b[k]", "4:37", "the index `k` is bound by neither the result nor a sum [library-reference]"},
        {"sum(j) A[i,j] * b[j]", "sum(i) A[i,1] * b[i]", "4:21", "the index `i` is bound twice [library-reference]"},
        {"sum(j) A[i,j] * b[j]", "sum(j) A[i,j+0] * b[0]", "4:21",
            "the range of `j` is unknown: no operand has it alone as an index [library-reference]"},
        {"\"c[i] = sum(j) A[i,j] * b[j]\"", "\"determinant\"", "4:14",
            "`determinant` is neither an index expression nor an algorithm (`det`, `inverse`, `cofactor`, `cholesky`, `solve`) "
            "[library-reference]"},
        {"\"c[i] = sum(j) A[i,j] * b[j]\"", "\"det\"", "4:13", "`det` takes 1 operand, but the function has 2 [library-reference]"},
        {"\"c[i] = sum(j) A[i,j] * b[j]\"", "\"solve\"", "4:13", "`solve` needs a square matrix, but `A` is none [library-reference]"},
        // what the parts say about each other
        {"name = \"entry\"", "name = \"element\"", "24:8", "`element` names two things [library-metadata]"},
        {"name = \"entry\"", "name = \"en-try\"", "24:8", "`en-try` is not an identifier [library-metadata]"},
        {"[\"M\", \"N\"]", "[\"M\", \"N\", \"b\"]", "12:8", "`b` names two things [library-metadata]"},
        {"[\"M\", \"N\"]", "[\"M\", \"N\", \"K\"]", "2:24", "`K` stands alone as a dimension of no operand [library-metadata]"},
        {"operator  = \"*\"", "operator  = \"<\"", "3:13", "the operator `<` takes 4 operands, but the function has 2 [library-metadata]"},
        {"operator  = \"*\"", "operator  = \"'\"", "3:13", "the operator `'` takes 1 operand, but the function has 2 [library-metadata]"},
        {"type = \"VECTOR[N]\"", "type = \"VECTOR[N]\"\nneutral = \"identity\"", "14:11",
            "`b` is a vector, which is never an identity [library-metadata]"},
        {"type = \"VECTOR[N]\"", "type = \"VECTOR[N]\"\nneutral = \"zero\"", "14:11",
            "`neutral` says that the result is `A`, but `MATRIX[M,N]` is no `VECTOR[M]` [library-metadata]"},
        {"type = \"VECTOR[N]\"", "type = \"VECTOR[N]\"\nneutral = \"null\"", "14:11",
            "`null` is no value of `neutral` (`zero`, `one`, `identity`) [library-wrong-value]"},
        {"flops     =", "involution = true\nflops =", "5:14",
            "only a function of 1 operand can be applied to its own result, but this has 2 [library-metadata]"},
        {"flops     =", "symmetric = \"always\"\nflops =", "5:13",
            "`symmetric` is a fact about a matrix, but the result is `VECTOR[M]` [library-metadata]"},
        {"flops     =", "symmetric = \"often\"\nflops =", "5:13",
            "`often` is no value of `symmetric` (`always`, `kept`, `equal`) [library-wrong-value]"},
        {"type = \"VECTOR[N]\"", "type = \"VECTOR[N]\"\ndomain = \"spd\"", "14:10",
            "`b` is not a square matrix, so this domain means nothing [library-metadata]"},
        // implementations
        {"threads = \"1\"", "threads = \"M\"", "21:11",
            "the first implementation has `M` threads, but it must have 1 [library-implementation]"},
        {"threads = \"1\"", "threads = \"1\"\nlimit = \"M < 9\"", "22:9",
            "the first implementation has a limit, so some shapes would have none; `where` restricts a function [library-implementation]"},
        {"b = \"all\"", "B = \"all\"", "26:20", "`map` names `B`, which is neither an operand nor the result [library-implementation]"},
        {"threads = \"1\"", "threads = \"1\"\nexchanges = \"2\"", "22:13",
            "one thread has no other to exchange values with [library-implementation]"},
        {", c = \"entry\"", "", "23:1", "`map` does not say which part of `c` each thread computes [library-implementation]"},
        {"b = \"all\"", "b = \"row\"", "26:24", "`b` is a vector, which has no such part [library-implementation]"},
        {"threads = \"1\"", "threads = \"1\"\nmap = { A = \"row\" }", "22:13", "one thread touches all of `A` [library-implementation]"},
        {"threads = \"M\"", "threads = \"N\"", "26:35",
            "for `M` = 2, `N` = 1, 1 thread cannot make one each of the 2 components of `c` [library-implementation]"},
        {"threads = \"M\"\nmap = { A = \"row\", b = \"all\", c = \"entry\"",
            "threads = \"M/2\"\nmap = { A = \"rows\", b = \"all\", c = \"rows\"", "26:36",
            "for `M` = 5, `N` = 1, 2 threads cannot share the 5 components of `c` evenly [library-implementation]"},
        {"name = \"entry\"", "name = \"entry\"\nroutine = \"en-try\"", "25:11", "`en-try` is not an identifier [library-metadata]"},
        {"name = \"entry\"", "name = \"entry\"\nroutine = \"rows\"", "25:11", "`f.cuh` has no template `f_rows` [library-template]"},
        {"name = \"entry\"", "name = \"entri\"", "24:8", "`f.cuh` has no template `f_entri` [library-template]",
            "its templates are `f_element`, `f_entry`"},
    };
    for (const Case& one : cases) {
        const std::string report = with(one.from, one.to);
        EXPECT_THAT(report, testing::HasSubstr(std::string("f.toml:") + one.place + ": error: ")) << one.from << " -> " << one.to;
        EXPECT_THAT(report, testing::HasSubstr(one.message)) << one.from << " -> " << one.to;
        EXPECT_THAT(report, testing::HasSubstr(one.hint)) << one.from << " -> " << one.to;
    }
}

/// Faults that need another function than the one above.
TEST_F(MetadataTest, FaultsOfOtherFunctionsAreLocated) {
    const std::string one_operand = R"toml(summary   = "C"
shape     = ["N", "M"]
reference = "C[i,j] = A[i,j]"
flops     = "N"
[[input]]
name = "A"
type = "MATRIX[N,M]"
[output]
name = "C"
type = "MATRIX[N,M]"
[[implementation]]
name = "element"
threads = "1"
)toml";
    const auto report = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
        std::string text = one_operand;
        for (const auto& [from, to] : changes) {
            EXPECT_NE(text.find(from), std::string::npos) << from;
            text.replace(text.find(from), from.size(), to);
        }
        write("f.toml", text);
        write("f.cuh", good_source);
        return load();
    };
    using testing::HasSubstr;
    EXPECT_EQ(report({}), "");
    EXPECT_THAT(
        report({{"C[i,j] =", "C[i,i] ="}}), HasSubstr("f.toml:3:14: error: the indices of `C` are not distinct [library-reference]"));
    EXPECT_EQ(report({{"flops ", "involution = true\nidempotent = true\nflops "}}), "");
    const std::pair<std::string, std::string> turned{"MATRIX[N,M]", "MATRIX[M,N]"};
    EXPECT_EQ(report({{"flops ", "involution = true\nflops "}, turned}), "");
    EXPECT_THAT(report({{"flops ", "idempotent = true\nflops "}, turned}),
        HasSubstr("f.toml:4:14: error: `idempotent` says what the function of its own result is, but `MATRIX[N,M]` is no `MATRIX[M,N]` "
                  "[library-metadata]"));
    EXPECT_EQ(report({{"flops ", "symmetric = \"kept\"\nflops "}}), "");
    EXPECT_THAT(report({{"flops ", "symmetric = \"always\"\nflops "}}),
        HasSubstr("f.toml:4:13: error: `MATRIX[N,M]` is not always square, so it is not always symmetric [library-metadata]"));
    EXPECT_THAT(report({{"flops ", "symmetric = \"equal\"\nflops "}}),
        HasSubstr("f.toml:4:13: error: `equal` says what is where two operands are one value, but the operands are not two of one form "
                  "[library-metadata]"));
    EXPECT_THAT(
        report({{"flops ", "symmetric = \"kept\"\nflops "}, {"name = \"A\"\ntype = \"MATRIX[N,M]\"", "name = \"A\"\ntype = \"VECTOR[N]\""},
            {"= A[i,j]", "= A[i]"}, {"[\"N\", \"M\"]", "[\"N\"]"}, {"MATRIX[N,M]", "MATRIX[N,N]"}}),
        HasSubstr("error: `kept` says that the result is symmetric where the matrices are, but no operand is a matrix [library-metadata]"));
    EXPECT_THAT(report({{"name = \"A\"", "name = \"A\"\nneutral = \"one\""}}),
        HasSubstr("error: `neutral` says that the result is the other of 2 operands, but the function has 1 [library-metadata]"));
    EXPECT_THAT(report({{"flops ", "commutative = true\nflops "}}),
        HasSubstr("f.toml:4:15: error: only a function of 2 operands can be commutative, but this has 1 [library-metadata]"));
    const std::pair<std::string, std::string> four{"[[input]]\nname = \"A\"",
        "[[input]]\nname = \"a\"\ntype = \"SCALAR\"\n[[input]]\nname = \"b\"\ntype = \"SCALAR\"\n[[input]]\nname = \"B\"\ntype = "
        "\"MATRIX[N,M]\"\n[[input]]\nname = \"A\""};
    const std::pair<std::string, std::string> less{"flops ", "operator = \"<\"\nflops "};
    EXPECT_EQ(report({{"= A[i,j]", "= select(a < b, A[i,j], B[i,j])"}, four, less}), "");
    const std::string no_selection =
        "a function of the comparison `<` is a selection: its first operands are scalars, the others like the result [library-metadata]";
    for (const char* reference : {"= select(a <= b, A[i,j], B[i,j])", "= select(a < b, A[i,j], -B[i,j])", "= select(a < b, A[i,j], B[j,i])",
             "= select(a < b, A[i,j], a)", "= select(A[0,0] < b, A[i,j], B[i,j])", "= a + b + A[i,j] + B[i,j]"}) {
        EXPECT_THAT(report({{"= A[i,j]", reference}, four, less}), HasSubstr("f.toml:4:12: error: " + no_selection)) << reference;
    }
    const std::pair<std::string, std::string> square{"[N,M]\"\n[output]", "[N,N]\"\n[output]"};
    const std::pair<std::string, std::string> one_parameter{"[\"N\", \"M\"]", "[\"N\"]"};
    EXPECT_THAT(report({{"C[i,j] = A[i,j]", "det"}, one_parameter, square, {"\"MATRIX[N,M]\"", "\"MATRIX[N,N]\""}}),
        HasSubstr("f.toml:3:13: error: `det` gives a scalar, but `C` is none [library-reference]"));
    EXPECT_THAT(report({{"C[i,j] = A[i,j]", "inverse"}, one_parameter, square, {"\"MATRIX[N,M]\"", "\"VECTOR[N]\""}}),
        HasSubstr("f.toml:3:13: error: `inverse` gives a matrix like `A`, but `C` differs [library-reference]"));
    EXPECT_THAT(report({{"C[i,j] = A[i,j]", "solve"}, one_parameter,
                    {"[N,M]\"\n[output]", "[N,N]\"\n[[input]]\nname = \"b\"\ntype = \"VECTOR[N]\"\n[output]"},
                    {"\"MATRIX[N,M]\"", "\"MATRIX[N,N]\""}}),
        HasSubstr("f.toml:3:13: error: "
                  "`solve` takes a matrix and a right-hand side of its rows and gives the like of the latter, but `C` differs "
                  "[library-reference]"));
    const std::string implementation = "[[implementation]]\nname = \"element\"\nthreads = \"1\"\n";
    const std::string missing = report({{implementation, "[implementation]\nname = \"element\"\n"}});
    EXPECT_THAT(
        missing, HasSubstr("f.toml:11:1: error: `implementation` is a table, but an array of tables is needed [library-wrong-type]"));
    EXPECT_THAT(missing, HasSubstr("hint: each one is written under its own `[[implementation]]`"));
    EXPECT_THAT(report({{implementation, ""}, {"flops ", "implementation = []\nflops "}}),
        HasSubstr("f.toml:4:18: error: `implementation` has no entry [library-missing-key]"));
    EXPECT_THAT(report({{implementation, ""}, {"flops ", "implementation = [1]\nflops "}}),
        HasSubstr("f.toml:4:19: error: `implementation` is an integer, but a table is needed [library-wrong-type]"));
    EXPECT_THAT(report({{"flops     = \"N\"", "flops     = 1979-05-27"}}),
        HasSubstr("f.toml:4:13: error: `flops` is a date or time, but an expression (a string) is needed [library-wrong-type]"));
    write("f-g.toml", one_operand);
    write("f-g.cuh", good_source);
    EXPECT_THAT(load(), HasSubstr("f-g.toml:1:1: error: the file's name `f-g` is not an identifier [library-metadata]"));
}

/// Every message of the files that read metadata has a case here: its longest literal pieces are in this file.
TEST_F(MetadataTest, EveryMessageHasACase) {
    const auto text_of = [](const std::string& path) {
        std::ostringstream out;
        out << std::ifstream(std::string(FUSEC_SOURCE_DIR) + "/" + path).rdbuf();
        return out.str();
    };
    const std::string cases = text_of("tests/elementary-lib/metadata_test.cpp");
    std::size_t pieces = 0;
    for (const char* file : {"elementary-lib/load.cpp", "elementary-lib/located_toml.cpp", "elementary-lib/metadata.cpp",
             "elementary-lib/metadata_check.cpp", "elementary-lib/metadata_keys.cpp"}) {
        std::istringstream in(text_of(file));
        for (std::string line; std::getline(in, line);) {
            line.erase(std::min(line.find("//"), line.size()));
            for (std::size_t quote = line.find("'\"'"); quote != std::string::npos; quote = line.find("'\"'")) {
                line.erase(quote, 3);
            }
            for (std::size_t open = line.find('"'); open != std::string::npos; open = line.find('"', open)) {
                std::size_t close = open + 1;
                while (close < line.size() && line[close] != '"') {
                    close += line[close] == '\\' ? 2U : 1U;
                }
                const std::string piece = line.substr(open + 1, close - open - 1);
                // Shorter ones are keys, names and joints.
                if (std::count(piece.begin(), piece.end(), ' ') >= 2) {
                    ++pieces;
                    EXPECT_NE(cases.find(piece), std::string::npos) << file << ": " << piece;
                }
                open = close + 1;
            }
        }
    }
    EXPECT_GT(pieces, 40U);
}

TEST_F(MetadataTest, CountsAreNumbersThatCanBe) {
    using testing::HasSubstr;
    const std::string flops = "flops     = \"M*(2*N - 1)\"";
    const std::string none = " has no value (a division by zero, or an overflow)";
    EXPECT_THAT(with(flops, "flops = \"1/0\""),
        HasSubstr("f.toml:5:9: error: `flops`" + none + " for `M` = 1, `N` = 1, needed 0 to 4294967296 [library-metadata]"));
    EXPECT_THAT(with(flops, "flops = \"9223372036854775807 + N\""), HasSubstr("error: `flops`" + none + " for `M` = 1, `N` = 1"));
    EXPECT_THAT(with(flops, "flops = \"N*9223372036854775807\""), HasSubstr("error: `flops` is 9223372036854775807 for `M` = 1, `N` = 1"));
    EXPECT_THAT(with(flops, "flops = \"M*N*1048577\""), HasSubstr("error: `flops` is 4294971392 for `M` = 64, `N` = 64"));
    EXPECT_THAT(with(flops, "flops = \"M - N\""), HasSubstr("error: `flops` is -1 for `M` = 1, `N` = 2, needed 0 to"));
    EXPECT_THAT(with(flops, flops + "\ndivisions = \"-7\""), HasSubstr("f.toml:6:13: error: `divisions` is -7 for"));
    EXPECT_THAT(with(flops, flops + "\nsquare_roots = \"-7\""), HasSubstr("error: `square_roots` is -7 for"));
    EXPECT_THAT(with(flops, flops + "\ntranscendentals = \"M/0\""), HasSubstr("error: `transcendentals`" + none));
    const std::string threads = "threads = \"M\"";
    EXPECT_THAT(with(threads, threads + "\ntemporaries = \"-100\""),
        HasSubstr("error: `temporaries` is -100 for `M` = 1, `N` = 1, needed 0 to 1048576 [library-metadata]"));
    EXPECT_THAT(with(threads, threads + "\nexchanges = \"1048577\""), HasSubstr("error: `exchanges` is 1048577 for"));
    EXPECT_THAT(with(threads, threads + "\nflops = \"M - 2\""), HasSubstr("error: `flops` is -1 for"));
    // Shapes that the function or the implementation does not exist for do not count.
    EXPECT_EQ(with(threads, threads + "\nlimit = \"M > 1\"\nflops = \"M - 2\""), "");
    EXPECT_EQ(with(flops, "where = \"M >= N\"\nflops = \"M - N\""), "");
}

TEST_F(MetadataTest, AllFaultsOfAFileAreReported) {
    const std::string report = with("summary   = \"C = A B\"\nshape     = [\"M\", \"N\"]", "summary = 1\nshpe = 2\nwhere = \"M <\"");
    for (const char* message : {"`summary` is an integer", "`shpe` is no key", "`shape` is missing", "not a size expression"}) {
        EXPECT_THAT(report, testing::HasSubstr(message));
    }
}

TEST_F(MetadataTest, FaultsOfADeviceSourceAreLocated) {
    write("f.toml", good_metadata);
    std::string source = good_source;
    source.replace(source.rfind('}'), 1, ")");
    write("f.cuh", source);
    EXPECT_EQ(load(),
        "f.cuh:7:1: error: this `)` closes a `{` [library-template]\n"
        "  )\n"
        "  ^\n"
        "f.cuh:6:20: note: which is opened here\n"
        "  void f_entry(Lane) {\n"
        "                     ^\n");
    write("f.cuh", "// template <class A> void f_element(A) {}\n");
    EXPECT_THAT(load(),
        testing::AllOf(testing::HasSubstr("`f.cuh` has no template `f_element` [library-template]"),
            testing::HasSubstr("hint: it has no function template with a body\n")));
}

TEST_F(MetadataTest, NamesThatAProgramsFileLacksAreLocated) {
    write("f.toml", good_metadata);
    write("f.cuh",
        "template <class A>\nA helper(A a) { return missing(a); }\nconstexpr int one = 1;\n"
        "template <class Lane>\nvoid f_element(Lane) {\n    helper(one);\n}\ntemplate <class Lane>\nvoid f_entry(Lane) {\n    "
        "other(2);\n}\n");
    const std::string report = load();
    const std::string foreign = "which is not part of it: a program gets nothing else of this file [library-template]\n";
    for (const std::string& said : {"f.cuh:6:5: error: `f_element` calls `helper`, " + foreign + "      helper(one);\n      ^~~~~~\n",
             std::string("f.cuh:2:3: note: defined here\n"),
             std::string("  hint: make it a lambda in the template, or write out what it does\n"),
             "f.cuh:6:12: error: `f_element` uses `one`, " + foreign, std::string("f.cuh:3:15: note: defined here\n"),
             std::string("  hint: define it in the template\n"),
             std::string(
                 "f.cuh:10:5: error: `f_entry` calls `other`, which is no function of the runtime or of <cmath> [library-template]\n")}) {
        EXPECT_THAT(report, testing::HasSubstr(said));
    }
    EXPECT_EQ(report.find("`missing`"), std::string::npos) << "no program gets the helper";
}

TEST_F(MetadataTest, MissingDeviceSource) {
    write("g.toml", good_metadata);
    EXPECT_THAT(load(), testing::HasSubstr("g.toml:1:1: error: the device source `g.cuh` is missing [missing-device-source]"));
}

TEST_F(MetadataTest, UnreadableMetadata) {
    std::filesystem::create_directories(folder / "family" / "h.toml"); // a folder where a file is expected
    EXPECT_THAT(load(), testing::HasSubstr("[unreadable-file]"));
}

TEST_F(MetadataTest, DuplicateFunction) {
    std::filesystem::create_directories(folder / "one");
    std::filesystem::create_directories(folder / "two");
    for (const char* family : {"one/", "two/"}) {
        write(std::string(family) + "f.toml", good_metadata);
        write(std::string(family) + "f.cuh", good_source);
    }
    const std::string report = load();
    EXPECT_THAT(report, testing::HasSubstr("two/f.toml:1:1: error: the function `f` is defined twice [duplicate-function]"));
    EXPECT_THAT(report, testing::HasSubstr("one/f.toml:1:1: note: first defined here"));
}

TEST_F(MetadataTest, MissingFolder) {
    Diagnostics diagnostics;
    EXPECT_FALSE(Catalog::load({folder / "nowhere"}, diagnostics));
    ASSERT_EQ(diagnostics.all().size(), 1U);
    EXPECT_EQ(diagnostics.all()[0].kind.name, "library-folder");
    EXPECT_THAT(diagnostics.all()[0].message, testing::StartsWith("cannot read the library folder `"));
    EXPECT_EQ(diagnostics.exit_code(), 1);
}

TEST_F(MetadataTest, HostileFilesAreErrorsAndNotCrashes) {
    std::string deep = "summary = ";
    deep.append(1'000'000, '[');
    for (const std::string& text : {std::string(), std::string("\0\0\0", 3), std::string("\xef\xbb\xbf"), deep,
             std::string("a.") + std::string(100'000, 'b') + " = 1"}) {
        write("f.toml", text);
        write("f.cuh", good_source);
        EXPECT_NE(load(), "");
    }
    std::string sums = "\"c[i] = ";
    for (int i = 0; i < 100'000; ++i) {
        sums += "sqrt(";
    }
    EXPECT_THAT(with("\"c[i] = sum(j) A[i,j] * b[j]\"", sums + "\""), testing::HasSubstr("nested deeper than 128"));
}

} // namespace
} // namespace fusec::library
