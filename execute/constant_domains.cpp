// SPDX-License-Identifier: Apache-2.0
#include "execute/constant_domains.hpp"

#include "execute/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace fusec::execute {

using library::Domain;

namespace {

/// A zero without its sign.
std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value + 0.0);
    return text.data();
}

/// A square matrix by components.
class Square {
public:
    Square(int n, const std::vector<double>& components, Precision precision)
        : n_(static_cast<std::size_t>(n)), a_(components), tolerance_(32 * unit_roundoff(precision) * static_cast<double>(n)) {}

    /// A pivot of the elimination, each time the largest component that is left, vanishes beside the first.
    bool singular() {
        const double least = tolerance_ * largest();
        for (std::size_t k = 0; k < n_; ++k) {
            std::size_t row = k;
            std::size_t column = k;
            for (std::size_t i = k; i < n_; ++i) {
                for (std::size_t j = k; j < n_; ++j) {
                    if (std::abs(at(i, j)) > std::abs(at(row, column))) {
                        row = i;
                        column = j;
                    }
                }
            }
            if (std::abs(at(row, column)) <= least) {
                return true;
            }
            for (std::size_t j = 0; j < n_; ++j) {
                std::swap(at(k, j), at(row, j));
            }
            for (std::size_t i = 0; i < n_; ++i) {
                std::swap(at(i, k), at(i, column));
            }
            eliminate(k);
        }
        return false;
    }
    bool symmetric() {
        const double most = tolerance_ * largest();
        for (std::size_t i = 0; i < n_; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (std::abs(at(i, j) - at(j, i)) > most) {
                    return false;
                }
            }
        }
        return true;
    }
    /// Of a symmetric matrix: all pivots of the elimination without exchanges are positive.
    bool positive_definite() {
        const double least = tolerance_ * largest();
        for (std::size_t k = 0; k < n_; ++k) {
            if (at(k, k) <= least) {
                return false;
            }
            eliminate(k);
        }
        return true;
    }

private:
    double& at(std::size_t i, std::size_t j) { return a_[i * n_ + j]; }
    double largest() const {
        double size = 0;
        for (const double x : a_) {
            size = std::max(size, std::abs(x));
        }
        return size;
    }
    void eliminate(std::size_t k) {
        for (std::size_t i = k + 1; i < n_; ++i) {
            const double factor = at(i, k) / at(k, k);
            for (std::size_t j = k; j < n_; ++j) {
                at(i, j) -= factor * at(k, j);
            }
        }
    }

    std::size_t n_;
    std::vector<double> a_;
    double tolerance_; ///< relative to the largest component
};

std::string text_of_component(const Shape& shape, std::size_t component, double value) {
    const auto columns = static_cast<std::size_t>(shape.columns);
    switch (shape.form) {
    case Form::scalar:
        return "is " + number(value);
    case Form::vector:
        return "has the component [" + std::to_string(component) + "] = " + number(value);
    case Form::matrix:
        return "has the component [" + std::to_string(component / columns) + ", " + std::to_string(component % columns) +
            "] = " + number(value);
    }
    return {};
}

std::optional<std::string> first_component(const Type& type, const std::vector<double>& components, bool (*within)(double)) {
    const auto bad = std::find_if_not(components.begin(), components.end(), within);
    if (bad == components.end()) {
        return std::nullopt;
    }
    return text_of_component(type.shape, static_cast<std::size_t>(bad - components.begin()), *bad);
}

} // namespace

std::optional<std::string> outside(Domain domain, const Type& type, const std::vector<double>& components) {
    const Square matrix(type.shape.rows, components, type.precision);
    switch (domain) {
    case Domain::any:
        return std::nullopt;
    case Domain::positive:
        return first_component(type, components, [](double x) { return x > 0; });
    case Domain::nonzero:
        return first_component(type, components, [](double x) { return x != 0; });
    case Domain::invertible:
        return Square(matrix).singular() ? std::optional<std::string>("is singular") : std::nullopt;
    case Domain::spd:
        return !Square(matrix).symmetric()        ? std::optional<std::string>("is not symmetric")
            : !Square(matrix).positive_definite() ? std::optional<std::string>("is not positive definite")
                                                  : std::nullopt;
    }
    return std::nullopt;
}

void warn_outside_domains(const frontend::CheckedProgram& program, const frontend::Call& call, const library::Function& function,
    bool finite, GroupedMessages& messages) {
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
        const frontend::Datum& operand = program.datum(call.operands[i]);
        const Domain domain = function.inputs[i].domain;
        if (operand.kind != frontend::DatumKind::constant || (finite && (domain == Domain::positive || domain == Domain::nonzero))) {
            continue;
        }
        if (const auto what = outside(domain, operand.type, operand.values)) {
            const std::string& result = program.datum(call.result).name;
            messages.add(kind::outside_domain, i < call.operand_spans.size() ? call.operand_spans[i] : call.span, result,
                "operand `" + function.inputs[i].name + "` of `" + function.name + "` " + *what + ", outside of its domain `" +
                    std::string(name_of(domain)) + "`");
        }
    }
}

} // namespace fusec::execute
