// SPDX-License-Identifier: Apache-2.0
// Rules for maps of components, against the maps component by component.
#include "elementary-lib/catalog.hpp"
#include "elementary-lib/device_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace fusec::library {
namespace {

/// What the rules say, or nothing if they say two things of one component.
std::optional<std::vector<ComponentSource>> expanded(const ComponentMap& map, const std::vector<ComponentPart>& parts) {
    std::vector<std::optional<ComponentSource>> sources(map.sources.size());
    for (const ComponentPart& part : parts) {
        for (int i = 0; i < part.rows; ++i) {
            for (int j = 0; j < part.columns; ++j) {
                const int row = part.row + i;
                const int column = part.column + (part.diagonal ? i : j);
                auto& source = sources.at(static_cast<std::size_t>(row * map.result.columns + column));
                if (source || row >= map.result.rows || column >= map.result.columns) {
                    return std::nullopt;
                }
                source = ComponentSource{};
                if (part.formula != ComponentPattern::zero) {
                    const LeafRule& leaf = part.leaves.at(0);
                    const Shape& operand = map.operands.at(static_cast<std::size_t>(leaf.operand));
                    const int from_row = leaf.row + i * leaf.row_by_row + j * leaf.row_by_column;
                    const int from_column = leaf.column + i * leaf.column_by_row + j * leaf.column_by_column;
                    if (from_row < 0 || from_row >= operand.rows || from_column < 0 || from_column >= operand.columns) {
                        return std::nullopt;
                    }
                    source = ComponentSource{leaf.operand, from_row * operand.columns + from_column};
                }
            }
        }
    }
    std::vector<ComponentSource> all;
    for (const std::optional<ComponentSource>& source : sources) {
        all.push_back(source.value_or(ComponentSource{}));
    }
    return all;
}

ComponentMap slice(const Shape& operand, const Shape& result, int row, int column, int row_step, int column_step) {
    ComponentMap map{{operand}, result, {}};
    for (int i = 0; i < result.rows; ++i) {
        for (int j = 0; j < result.columns; ++j) {
            map.sources.push_back({0, (row + i * row_step) * operand.columns + column + j * column_step});
        }
    }
    return map;
}

TEST(MapParts, ArePartitionsThatSayTheMap) {
    std::mt19937 random(20261121);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    for (int round = 0; round < 3000; ++round) {
        ComponentMap map{{}, {Form::matrix, 1 + below(6), 1 + below(6)}, {}};
        for (int operand = 1 + below(3); operand > 0; --operand) {
            map.operands.push_back({Form::matrix, 1 + below(6), 1 + below(6)});
        }
        const int kind = below(4); // noise, runs, zeros with a diagonal, strides
        const int operands = static_cast<int>(map.operands.size());
        for (int k = 0; k < map.result.size(); ++k) {
            const int operand = kind == 0 ? below(operands + 1) - 1 : k * operands / map.result.size();
            const int row = k / map.result.columns, column = k % map.result.columns;
            const bool zero = operand < 0 || (kind == 2 && row != column);
            const int size = operand < 0 ? 1 : map.operands[static_cast<std::size_t>(operand)].size();
            map.sources.push_back(zero ? ComponentSource{}
                                       : ComponentSource{operand,
                                             kind == 0       ? below(size)
                                                 : kind == 3 ? (3 * k + round) % size
                                                             : k % size});
        }
        EXPECT_THAT(expanded(map, parts_of(map)), testing::Optional(testing::ContainerEq(map.sources))) << "round " << round;
    }
}

/// Whether a component of the operand belongs to a thread under the touch.
bool touches(Touch touch, int thread, int threads, const Shape& operand, int component) {
    const int row = component / operand.columns, column = component % operand.columns;
    switch (touch) {
    case Touch::all:
        return true;
    case Touch::row:
        return row == thread;
    case Touch::column:
        return column == thread;
    case Touch::entry:
        return component == thread;
    case Touch::rows:
        return row / (operand.rows / threads) == thread;
    }
    return false;
}

/// Barriers are placed by what implementations say that their threads touch: all that they read must be in it.
TEST(MovingFunctions, ThreadsReadNoMoreThanTheyTouch) {
    std::mt19937 random(20261122);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    std::map<Touch, int> seen;
    for (int round = 0; round < 3000; ++round) {
        const bool vector = below(4) == 0;
        ComponentMap map{{}, vector ? Shape{Form::vector, 2 + below(4), 1} : Shape{Form::matrix, 1 + below(4), 1 + below(4)}, {}};
        if (map.result.size() == 1) {
            continue;
        }
        const int kind = below(6);
        const int rows = kind == 3 ? map.result.columns : map.result.rows, columns = kind == 3 ? map.result.rows : 1 + below(4);
        map.operands = {kind == 5                  ? Shape{Form::vector, map.result.rows, 1}
                : kind == 0 || kind == 2 || vector ? (kind == 0 ? map.result : Shape{Form::matrix, rows, map.result.columns})
                                                   : Shape{Form::matrix, rows, columns}};
        const Shape& operand = map.operands.front();
        for (int k = 0; k < map.result.size(); ++k) {
            const int row = k / map.result.columns, column = k % map.result.columns;
            const int same = row % operand.rows * operand.columns + column % operand.columns;
            const int transposed = column % operand.rows * operand.columns + row % operand.columns;
            const int source = below(40) == 0 ? below(operand.size())
                : kind == 1                   ? row % operand.rows * operand.columns + (column + 1) % operand.columns
                : kind == 2                   ? (row + 1) % operand.rows * operand.columns + column % operand.columns
                : kind == 3                   ? transposed
                : kind == 5                   ? row
                                              : same;
            map.sources.push_back(below(9) == 0 && k > 0 ? ComponentSource{} : ComponentSource{0, source});
        }
        const Function function = moving_function(map);
        for (const Implementation& implementation : function.implementations) {
            const int threads = static_cast<int>(implementation.threads.evaluate({}).value());
            if (threads == 1) {
                continue;
            }
            const Touch touch = implementation.inputs.front();
            ++seen[touch];
            std::map<int, std::set<int>> read; // by thread
            for (int k = 0; k < map.result.size(); ++k) {
                const int row = k / map.result.columns;
                const int thread = implementation.output == Touch::row ? row
                    : implementation.output == Touch::rows             ? row / (map.result.rows / threads)
                                                                       : k;
                const ComponentSource& source = map.sources[static_cast<std::size_t>(k)];
                if (source.operand != ComponentSource::zero) {
                    EXPECT_TRUE(touches(touch, thread, threads, operand, source.component)) << function.source;
                    read[thread].insert(source.component);
                }
            }
            for (int thread = 0; touch == Touch::all && thread < threads; ++thread) {
                std::set<int> loaded;
                for (const std::vector<int>& load : implementation.loads.front()) {
                    ASSERT_EQ(load.size(), static_cast<std::size_t>(threads));
                    loaded.insert(load[static_cast<std::size_t>(thread)]);
                }
                loaded.erase(-1);
                EXPECT_EQ(loaded, read[thread]) << function.source;
            }
        }
    }
    for (const Touch touch : {Touch::all, Touch::row, Touch::rows, Touch::column, Touch::entry}) {
        EXPECT_GT(seen[touch], 50) << name_of(touch);
    }
}

TEST(MapParts, OfWhatProgramsWriteAreFew) {
    const Shape matrix{Form::matrix, 6, 5}, vector{Form::vector, 6, 1};
    EXPECT_EQ(parts_of(slice(matrix, {Form::matrix, 3, 2}, 2, 3, 1, 1)).size(), 1U);
    EXPECT_EQ(parts_of(slice(matrix, vector, 0, 4, 1, 0)).size(), 1U);
    EXPECT_EQ(parts_of(slice(matrix, {Form::matrix, 3, 3}, 5, 4, -2, -2)).size(), 1U) << "backwards by twos";
    ComponentMap diagonal{{vector}, {Form::matrix, 6, 6}, std::vector<ComponentSource>(36)};
    for (int i = 0; i < 6; ++i) {
        diagonal.sources[static_cast<std::size_t>(7 * i)] = {0, i};
    }
    ASSERT_EQ(parts_of(diagonal).size(), 1U);
    EXPECT_TRUE(parts_of(diagonal).front().diagonal);
}

TEST(MovingFunctions, HaveNamesOfWhatTheyDo) {
    const Shape matrix{Form::matrix, 4, 3}, row{Form::vector, 3, 1}, column{Form::vector, 4, 1};
    EXPECT_EQ(moving_function(slice(matrix, {}, 1, 2, 1, 1)).name, "entry_1_2_of_4x3");
    EXPECT_EQ(moving_function(slice(column, {}, 3, 0, 1, 1)).name, "entry_3_of_4");
    ComponentMap along{{matrix}, row, {{0, 3}, {0, 4}, {0, 5}}};
    EXPECT_EQ(moving_function(along).name, "row_1_of_4x3");
    EXPECT_EQ(moving_function(slice(matrix, column, 0, 2, 1, 0)).name, "column_2_of_4x3");
    EXPECT_EQ(moving_function(slice(matrix, {Form::vector, 2, 1}, 2, 2, 1, 0)).name, "column_2_from_2_to_3_of_4x3");
    EXPECT_EQ(moving_function(slice(column, {Form::vector, 2, 1}, 2, 0, 1, 0)).name, "entries_2_to_3_of_4");
    EXPECT_EQ(moving_function(slice(matrix, {Form::matrix, 2, 2}, 1, 1, 1, 1)).name, "block_2x2_at_1_1_of_4x3");
    EXPECT_THAT(moving_function(slice(matrix, {Form::matrix, 2, 2}, 0, 0, 2, 2)).name, testing::MatchesRegex("selection_[0-9a-f]{8}"));
    const ComponentMap rows{{row, row}, {Form::matrix, 2, 3}, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}};
    EXPECT_EQ(moving_function(rows).name, "rows_2x3");
    EXPECT_EQ(moving_function(rows, "rows_2x3_2").name, "rows_2x3_2");
    const ComponentMap columns{{row, row}, {Form::matrix, 3, 2}, {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}}};
    EXPECT_EQ(moving_function(columns).name, "columns_3x2");
}

TEST(MovingFunctions, AreWrittenAsSlicesWhereTheyAre) {
    const Shape matrix{Form::matrix, 4, 3}, row{Form::vector, 3, 1}, column{Form::vector, 4, 1};
    EXPECT_EQ(slice_text(slice(matrix, {}, 1, 2, 1, 1)), "[1,2]");
    EXPECT_EQ(slice_text(slice(column, {}, 3, 0, 1, 1)), "[3]");
    EXPECT_EQ(slice_text({{matrix}, row, {{0, 3}, {0, 4}, {0, 5}}}), "[1]");
    EXPECT_EQ(slice_text({{matrix}, {Form::vector, 2, 1}, {{0, 4}, {0, 5}}}), "[1,1:3]");
    EXPECT_EQ(slice_text(slice(matrix, column, 0, 2, 1, 0)), "[:,2]");
    EXPECT_EQ(slice_text(slice(matrix, {Form::vector, 2, 1}, 2, 2, 1, 0)), "[2:4,2]");
    EXPECT_EQ(slice_text(slice(column, {Form::vector, 2, 1}, 2, 0, 1, 0)), "[2:4]");
    EXPECT_EQ(slice_text(slice(matrix, {Form::matrix, 2, 2}, 1, 1, 1, 1)), "[1:3,1:3]");
    EXPECT_EQ(slice_text(slice(matrix, {Form::matrix, 2, 3}, 2, 0, 1, 1)), "[2:4]");
    EXPECT_EQ(slice_text(slice(matrix, {Form::matrix, 1, 3}, 2, 0, 1, 1)), "[2:3]");
    EXPECT_EQ(slice_text(slice(matrix, {Form::matrix, 2, 2}, 0, 0, 2, 2)), "") << "every other";
    EXPECT_EQ(slice_text({{matrix}, row, {{0, 0}, {0, 4}, {0, 8}}}), "") << "the diagonal";
    EXPECT_EQ(slice_text({{row, row}, {Form::vector, 2, 1}, {{0, 0}, {1, 0}}}), "");
    EXPECT_EQ(slice_text({{{}}, {Form::vector, 2, 1}, {{0, 0}, {0, 0}}}), "");
}

TEST(MovingFunctions, HaveATemplatePerImplementationAndNoArithmetic) {
    const Function function = moving_function(slice({Form::matrix, 4, 3}, {Form::matrix, 2, 3}, 2, 0, 1, 1));
    ASSERT_EQ(function.implementations.size(), 3U);
    for (const Implementation& implementation : function.implementations) {
        EXPECT_FALSE(implementation_source(function, implementation).empty()) << implementation.name;
    }
    EXPECT_EQ(function.implementations[0].threads.evaluate({}), 1);
    EXPECT_EQ(function.implementations[1].threads.evaluate({}), 6);
    EXPECT_EQ(function.implementations[2].threads.evaluate({}), 2);
    EXPECT_EQ(function.flops.evaluate({}), 0);
}

TEST(Catalog, FunctionsOfAProgramAreFoundByIdOnly) {
    Diagnostics diagnostics;
    const Catalog library = *Catalog::load({standard_library_folder()}, diagnostics);
    const Function function = moving_function(slice({Form::matrix, 4, 3}, {Form::matrix, 2, 3}, 2, 0, 1, 1));
    const Catalog extended = library.with({function});
    EXPECT_EQ(extended.size(), library.size() + 1);
    EXPECT_EQ(extended.library_size(), library.size());
    EXPECT_EQ(extended.function(FunctionId(library.size())).name, function.name);
    EXPECT_EQ(extended.find(function.name), std::nullopt);
    EXPECT_EQ(extended.names(), library.names());
    EXPECT_EQ(extended.with({}).size(), library.size()) << "they replace those of another program";
    const auto match = extended.match(FunctionId(library.size()), {{{Form::matrix, 4, 3}, Precision::f64}});
    EXPECT_EQ(std::get<Instance>(match).result, (Type{{Form::matrix, 2, 3}, Precision::f64}));
}

} // namespace
} // namespace fusec::library
