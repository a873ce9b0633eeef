// SPDX-License-Identifier: Apache-2.0
// The grammar of references: trees written back with all parentheses, and located errors.
#include "elementary-lib/reference.hpp"

#include <gtest/gtest.h>

namespace fusec::library {
namespace {

std::string text_of(const ReferenceExpression& expression, int index) {
    const ReferenceNode& node = expression.nodes[static_cast<std::size_t>(index)];
    const auto child = [&](std::size_t which) { return text_of(expression, node.children[which]); };
    const auto list = [&](const std::string& open, const std::string& close) {
        std::string text;
        for (const SizeExpression& one : node.indices) {
            text += (text.empty() ? open : ", ") + one.text();
        }
        return text.empty() ? text : text + close;
    };
    switch (node.kind) {
    case ReferenceNode::Kind::number: {
        std::string number = std::to_string(node.number);
        return number.substr(0, number.find_last_not_of('0') + 1);
    }
    case ReferenceNode::Kind::condition:
        return list("[", "]");
    case ReferenceNode::Kind::component:
        return node.name + list("[", "]");
    case ReferenceNode::Kind::sum:
        return "sum(" + node.name + "; " + child(0) + ")";
    case ReferenceNode::Kind::add:
        return "(" + child(0) + " + " + child(1) + ")";
    case ReferenceNode::Kind::subtract:
        return "(" + child(0) + " - " + child(1) + ")";
    case ReferenceNode::Kind::multiply:
        return "(" + child(0) + " * " + child(1) + ")";
    case ReferenceNode::Kind::divide:
        return "(" + child(0) + " / " + child(1) + ")";
    case ReferenceNode::Kind::negate:
        return "(-" + child(0) + ")";
    case ReferenceNode::Kind::call:
        return node.name + "(" + child(0) + (node.children.size() > 1 ? ", " + child(1) : "") + ")";
    case ReferenceNode::Kind::select:
        return "(" + child(0) + " " + node.name + " " + child(1) + " ? " + child(2) + " : " + child(3) + ")";
    }
    return {};
}

std::string parsed(std::string_view text) {
    std::string error;
    std::size_t where = 0;
    const auto reference = parse_reference(text, error, where);
    if (!reference) {
        return std::to_string(where) + ": " + error;
    }
    if (const auto* algorithm = std::get_if<Algorithm>(&*reference)) {
        return "algorithm " + std::string(name_of(*algorithm));
    }
    const auto& expression = std::get<ReferenceExpression>(*reference);
    std::string result = expression.result;
    for (const std::string& index : expression.result_indices) {
        result += "." + index;
    }
    return result + " = " + text_of(expression, expression.root);
}

TEST(ReferenceParser, Trees) {
    EXPECT_EQ(parsed("C[i,j] = sum(k) A[i,k] * B[k,j]"), "C.i.j = sum(k; (A[i, k] * B[k, j]))");
    EXPECT_EQ(parsed("d = a*b"), "d = (a * b)");
    EXPECT_EQ(parsed("d=a-b-c"), "d = ((a - b) - c)");
    EXPECT_EQ(parsed("d = a/b*c"), "d = ((a / b) * c)");
    EXPECT_EQ(parsed("d = a + b*c"), "d = (a + (b * c))");
    EXPECT_EQ(parsed("d = -a*b"), "d = ((-a) * b)");
    EXPECT_EQ(parsed("d = - -a"), "d = (-(-a))");
    EXPECT_EQ(parsed("d = (a + b)*c"), "d = ((a + b) * c)");
    EXPECT_EQ(parsed("y[i] = sum(k) A[i,k]*x[k] + y[i]"), "y.i = (sum(k; (A[i, k] * x[k])) + y[i])") << "a sum takes the product after it";
    EXPECT_EQ(parsed("y = sum(k) (x[k] + 1)"), "y = sum(k; (x[k] + 1.))");
    EXPECT_EQ(parsed("c = sqrt(sum(i) sum(j) A[i,j] * A[i,j])"), "c = sqrt(sum(i; sum(j; (A[i, j] * A[i, j]))))");
    EXPECT_EQ(parsed("c = sum(i, j) A[i,j]"), "c = sum(i; sum(j; A[i, j]))");
    EXPECT_EQ(parsed("c = 2 * sum(i) v[i]"), "c = (2. * sum(i; v[i]))");
    EXPECT_EQ(
        parsed("c[i] = a[(i+1)%3]*b[(i+2)%3] - a[(i+2)%3]*b[(i+1)%3]"), "c.i = ((a[(i+1)%3] * b[(i+2)%3]) - (a[(i+2)%3] * b[(i+1)%3]))");
    EXPECT_EQ(parsed("C[i,j] = delta(i, j) * s"), "C.i.j = ([(i)==( j)] * s)");
    EXPECT_EQ(parsed("C[i,j] = [i <= j] * A[i,j]"), "C.i.j = ([i <= j] * A[i, j])");
    EXPECT_EQ(parsed("c = pow(a, min(b, 0.5)) / 1e3"), "c = (pow(a, min(b, 0.5)) / 1000.)");
    EXPECT_EQ(parsed("c[i] = select(a < b, x[i], -y[i])"), "c.i = (a < b ? x[i] : (-y[i]))");
    EXPECT_EQ(parsed("c = select(a + 1<=2 * b, x, y) * a"), "c = (((a + 1.) <= (2. * b) ? x : y) * a)");
    EXPECT_EQ(parsed("c = select(a > b, x, y)"), "c = (b < a ? x : y)");
    EXPECT_EQ(parsed("c = select(a >= b, x, y)"), "c = (b <= a ? x : y)") << "not (a < b ? y : x), which is x where a is no number";
    EXPECT_EQ(parsed("c = select(a == b, x, y)"), "c = (a == b ? x : y)");
    EXPECT_EQ(parsed("c = select(a != b, x, y)"), "c = (a == b ? y : x)");
    EXPECT_EQ(parsed("inverse"), "algorithm inverse");
    EXPECT_EQ(parsed("cofactor"), "algorithm cofactor");
}

TEST(ReferenceParser, ErrorsAreLocated) {
    EXPECT_EQ(parsed(""), "0: `` is neither an index expression nor an algorithm (`det`, `inverse`, `cofactor`, `cholesky`, `solve`)");
    EXPECT_EQ(parsed("c[i"), "1: the bracket is not closed");
    EXPECT_EQ(parsed("c[i+1] = a[i]"), "2: an index of the result must be a name");
    EXPECT_EQ(parsed("c[i] a[i]"), "5: `=` is missing after the result");
    EXPECT_EQ(parsed("c = "), "4: a value is missing at the end");
    EXPECT_EQ(parsed("c = a +* b"), "7: unexpected `*`");
    EXPECT_EQ(parsed("c = a b"), "6: unexpected `b`");
    EXPECT_EQ(parsed("c = (a"), "6: `)` is missing");
    EXPECT_EQ(parsed("c = a[i ^ 2]"), "8: not an index: unexpected `^`");
    EXPECT_EQ(parsed("c = tan(a)"), "4: `tan` is no function of references");
    EXPECT_EQ(parsed("c = pow(a)"), "4: `pow` takes 2 operands, but 1 is given");
    EXPECT_EQ(parsed("c = sqrt(a, b)"), "4: `sqrt` takes 1 operand, but 2 are given");
    EXPECT_EQ(parsed("c = sum() a"), "8: `sum` needs the name of an index");
    EXPECT_EQ(parsed("c = delta(i) * a"), "4: `delta` takes two indices");
    EXPECT_EQ(parsed("c = [i, j] * a"), "4: one condition is needed between `[` and `]`");
    EXPECT_EQ(parsed("c = select(a, x, y)"), "12: a comparison is missing in `select`");
    EXPECT_EQ(parsed("c = select(a = b, x, y)"), "13: a comparison is missing in `select`");
    EXPECT_EQ(parsed("c = select(a < b, x)"), "19: `select` takes a comparison and two values");
    EXPECT_EQ(parsed("c = select(a < b, x, y, z)"), "22: `)` is missing");
    EXPECT_EQ(parsed("c = a < b"), "6: unexpected `<`");
    EXPECT_EQ(parsed("c = 1e999"), "4: the number cannot be represented");
    std::string wide = "c = a";
    for (int i = 0; i < 2000; ++i) {
        wide += "+a";
    }
    EXPECT_EQ(parsed(wide).substr(wide.empty() ? 0 : parsed(wide).find(':')), ": the reference has more than 1000 parts");
}

} // namespace
} // namespace fusec::library
