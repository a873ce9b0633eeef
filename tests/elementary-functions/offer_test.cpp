// SPDX-License-Identifier: Apache-2.0
// What the library offers, from its metadata: the functions of the language, and for each the ways to share an element among threads.
#include "elementary-lib/catalog.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

namespace fusec::library {

namespace {

const Catalog& catalog() {
    static const Catalog loaded = [] {
        Diagnostics diagnostics;
        return Catalog::load({FUSEC_SOURCE_DIR "/elementary-lib"}, diagnostics).value();
    }();
    return loaded;
}

/// Functions that the language promises (`midentity` is a constant of the language).
TEST(LibraryOffer, EveryFunctionOfTheLanguage) {
    const std::vector<std::string> names = catalog().names();
    for (const char* name :
        {"mmul", "mtmul", "mmult", "madd", "msub", "mneg", "smmul", "mvmul", "mtvmul", "mtrans", "mtrace", "mdet", "minv", "mcof", "mddot",
            "mfnorm", "msym", "mskew", "vouter", "vcross", "vadd", "vsub", "vneg", "svmul", "vdot", "venorm", "axpy", "mchol", "mcholsolve",
            "sadd", "ssub", "smul", "sdiv", "sneg", "sabs", "ssqrt", "srsqrt", "sexp", "slog", "ssin", "scos", "spow", "smin", "smax",
            "sselect_lt", "sselect_le", "sselect_eq", "vselect_lt", "vselect_le", "vselect_eq", "mselect_lt", "mselect_le", "mselect_eq"}) {
        EXPECT_THAT(names, testing::Contains(name));
    }
}

/// Parts of the result that threads make in the implementations that are legal for some shape up to 12.
std::set<Touch> parts_offered(const Function& function) {
    std::set<Touch> parts;
    for (int size = 1; size <= 12; ++size) {
        std::vector<Type> operands;
        for (const Parameter& input : function.inputs) {
            ShapeValues shape;
            for (const std::string& parameter : function.shape) {
                shape[parameter] = size;
            }
            const auto dimension = [&](const SizeExpression& expression) { return static_cast<int>(expression.evaluate(shape).value()); };
            operands.push_back({{input.form, dimension(input.rows), dimension(input.columns)}, Precision::f32});
        }
        const auto matched = catalog().match(catalog().find(function.name).value(), operands);
        if (const auto* instance = std::get_if<Instance>(&matched)) {
            for (const Implementation& implementation : function.implementations) {
                if (catalog().threads(*instance, implementation).value_or(1) > 1) {
                    parts.insert(implementation.output);
                }
            }
        }
    }
    return parts;
}

std::string text(const std::set<Touch>& parts) {
    std::string list;
    for (const Touch part : parts) {
        list += (list.empty() ? "" : ", ") + std::string(name_of(part));
    }
    return list;
}

/// A matrix is made by rows, columns, entries and blocks of rows, a vector by entries and blocks. What is missing is said here, with the
/// reason; a reason that is no longer needed fails too.
TEST(LibraryOffer, WaysToShareAnElement) {
    const std::string rows =
        "threads that share the columns would exchange as much as those that share the rows, which also hold A by rows";
    const std::string closed = "the formula is shorter than what its parts would repeat";
    struct Missing {
        std::set<Touch> parts;
        std::string why;
    };
    const std::map<std::string, Missing> missing{
        {"minv", {{Touch::entry}, "every thread would form the whole determinant for one entry"}},
        {"mchol", {{Touch::column, Touch::entry}, rows}},
        {"mdet", {{Touch::all}, closed}},
        {"vcross", {{Touch::rows}, "3 components have no blocks"}},
    };
    for (const std::string& name : catalog().names()) {
        const Function& function = catalog().function(catalog().find(name).value());
        std::set<Touch> expected;
        if (function.output.form == Form::matrix) {
            expected = {Touch::row, Touch::column, Touch::entry, Touch::rows};
        } else if (function.output.form == Form::vector) {
            expected = {Touch::entry, Touch::rows};
        } else if (function.inputs.front().form != Form::scalar) {
            expected = {Touch::all}; // each thread has the whole
        }
        if (const auto gap = missing.find(name); gap != missing.end()) {
            for (const Touch part : gap->second.parts) {
                EXPECT_EQ(expected.erase(part), 1U) << name << ": " << gap->second.why;
            }
        }
        const std::set<Touch> offered = parts_offered(function);
        EXPECT_EQ(offered, expected) << name << " offers " << text(offered) << "; expected " << text(expected);
    }
}

/// One template per idea: blocks of rows, and rows, are not written out again.
TEST(LibraryOffer, BlocksOfRowsShareATemplate) {
    for (const std::string& name : catalog().names()) {
        for (const Implementation& implementation : catalog().function(catalog().find(name).value()).implementations) {
            if (implementation.output == Touch::rows || implementation.output == Touch::row) {
                EXPECT_EQ(implementation.routine, "rows") << name << " by " << implementation.name;
            }
        }
    }
}

} // namespace

} // namespace fusec::library
