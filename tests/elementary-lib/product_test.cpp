// SPDX-License-Identifier: Apache-2.0
// Which functions of the library multiply, scale and transpose, as their references say.
#include "elementary-lib/product.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace fusec::library {
namespace {

const Catalog& standard() {
    static const Catalog catalog = [] {
        Diagnostics diagnostics;
        return Catalog::load({standard_library_folder()}, diagnostics).value();
    }();
    return catalog;
}

TEST(Products, OfTheLibrary) {
    std::map<std::string, Product> products;
    std::set<std::string> scalings, transpositions;
    for (const std::string& name : standard().names()) {
        const Function& function = standard().function(standard().find(name).value());
        if (const auto product = product_of(function)) {
            products.emplace(name, *product);
        }
        if (const auto scalar = scaling_of(function)) {
            scalings.insert(name);
            EXPECT_EQ(function.inputs[*scalar].form, Form::scalar) << name;
        }
        if (is_transposition(function)) {
            transpositions.insert(name);
        }
    }
    const std::map<std::string, Product> expected = {{"mmul", {0, 1, false, false}}, {"mtmul", {0, 1, true, false}},
        {"mmult", {0, 1, false, true}}, {"mvmul", {0, 1, false, false}}, {"mtvmul", {0, 1, true, false}}, {"vdot", {0, 1, true, false}},
        {"vouter", {0, 1, false, true}}};
    EXPECT_EQ(products, expected);
    EXPECT_THAT(scalings, testing::ElementsAre("smmul", "smul", "svmul"));
    EXPECT_THAT(transpositions, testing::ElementsAre("mtrans"));
}

TEST(Products, AreFoundByWhatTheyMultiply) {
    const auto type = [](Form form, int rows, int columns) { return Type{{form, rows, columns}, Precision::f32}; };
    const Type a = type(Form::matrix, 3, 5), b = type(Form::matrix, 3, 4), v = type(Form::vector, 3, 1), s = type(Form::scalar, 1, 1);
    const auto name = [](const std::optional<ProductCall>& found) {
        return found ? standard().function(found->instance.function).name + (found->swapped ? ", swapped" : "") : "none";
    };
    EXPECT_EQ(name(find_product(standard(), a, true, b, false)), "mtmul");
    EXPECT_EQ(name(find_product(standard(), a, false, b, false)), "none") << "dimensions";
    EXPECT_EQ(name(find_product(standard(), a, true, b, true)), "none") << "dimensions";
    EXPECT_EQ(name(find_product(standard(), a, false, a, true)), "mmult");
    EXPECT_EQ(name(find_product(standard(), a, true, v, false)), "mtvmul");
    EXPECT_EQ(name(find_product(standard(), v, true, a, false)), "none") << "a row is a column of the transposed";
    EXPECT_EQ(name(find_product(standard(), v, true, v, false)), "vdot");
    EXPECT_EQ(name(find_product(standard(), v, false, v, true)), "vouter");
    const auto scaling = find_scaling(standard(), a, s);
    ASSERT_TRUE(scaling);
    EXPECT_EQ(standard().function(scaling->instance.function).name, "smmul");
    EXPECT_EQ(standard().function(scaling->instance.function).inputs[scaling->swapped ? 0 : 1].form, Form::scalar);
    EXPECT_FALSE(find_scaling(standard(), a, v));
}

/// References that are nearly products, or products with other operands in other places.
TEST(Products, AreWhatTheReferenceSays) {
    const auto function = [](const std::string& reference, Form first, Form second) {
        Function made;
        for (const auto& [name, form] : {std::pair{"A", first}, std::pair{"B", second}}) {
            made.inputs.push_back({});
            made.inputs.back().name = name;
            made.inputs.back().form = form;
        }
        std::string error;
        std::size_t where = 0;
        made.reference = parse_reference(reference, error, where).value();
        return made;
    };
    const auto product = [&](const std::string& reference, Form first = Form::matrix, Form second = Form::matrix) {
        return product_of(function(reference, first, second));
    };
    EXPECT_EQ(product("C[i,j] = sum(k) A[k,i] * B[j,k]"), (Product{0, 1, true, true}));
    EXPECT_EQ(product("C[i,j] = sum(k) A[k,j] * B[i,k]"), (Product{1, 0, false, false})) << "B A";
    EXPECT_EQ(product("C[i,j] = sum(k) B[k,j] * A[i,k]"), (Product{0, 1, false, false})) << "written the other way round";
    EXPECT_EQ(product("c[j] = sum(k) A[k] * B[k,j]", Form::vector), (Product{1, 0, true, false})) << "a row times a matrix";
    for (const char* other : {"C[i,j] = sum(k) A[i,k] * B[k,j] + 1", "C[i,j] = sum(k) A[i,k] * B[k,j] * 2", "C[i,j] = A[i,j] * B[i,j]",
             "C[i,j] = sum(k) A[i,k] * A[k,j]", "C[i,j] = sum(k) A[k,k] * B[i,j]", "C[i,j] = sum(k) A[i,k] / B[k,j]",
             "C[i,j] = sum(k) A[i,k] * B[k,j+0]", "c = sum(i) sum(j) A[i,j] * B[i,j]", "C[i,j] = sum(k) A[i,j] * B[j,k]"}) {
        EXPECT_FALSE(product(other)) << other;
    }
    Function restricted = function("C[i,j] = sum(k) A[i,k] * B[k,j]", Form::matrix, Form::matrix);
    restricted.inputs[1].domain = Domain::invertible;
    EXPECT_FALSE(product_of(restricted)) << "other values may be outside of the domain";
}

} // namespace
} // namespace fusec::library
