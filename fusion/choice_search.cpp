// SPDX-License-Identifier: Apache-2.0
#include "fusion/choice_search.hpp"

#include <algorithm>
#include <array>

namespace fusec::fusion {

namespace {

/// Dear ones last: another order of the calls has to be found first.
enum Axis : std::size_t {
    elements,
    loads,
    stores,
    streaming,
    orders,
    axis_count
};

/// Index of a value on each axis.
using Point = std::array<std::size_t, axis_count>;

Point extent(const ChoiceAxes& axes) {
    return {axes.elements.size(), axes.loads.size(), axes.stores.size(), axes.streaming.size(), axes.orders.size()};
}

/// Where the value stands in the list; 0, the preferred, if it is not there.
template <class T, std::size_t most>
std::size_t position(const Few<T, most>& values, T value) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == value) {
            return i;
        }
    }
    return 0;
}

class Search {
public:
    Search(ChoiceSpace& space, std::size_t most, const std::function<Trial(const KernelChoice&)>& attempt)
        : space_(space), left_(most), attempt_(attempt) {}

    void run() {
        probe();
        descend();
        for (std::size_t combination = 0; combination < space_.uniform(); ++combination) {
            try_like_best(combination);
        }
        change_calls();
        rest();
    }

private:
    /// True if it is better than all before.
    bool try_one(std::size_t combination, const Point& point) {
        const ChoiceAxes& axes = space_.axes(combination);
        if (axes.count() == 0) {
            return false; // no block of these routines has whole warps
        }
        const Point sizes = extent(axes);
        std::size_t index = 0;
        for (std::size_t axis = 0; axis < axis_count; ++axis) {
            index = index * sizes[axis] + point[axis];
        }
        tried_.resize(space_.combinations());
        tried_[combination].resize(axes.count());
        if (left_ == 0 || tried_[combination][index]) {
            return false;
        }
        --left_;
        tried_[combination][index] = true;
        const Trial trial = attempt_({static_cast<std::uint32_t>(combination), axes.elements[point[elements]], axes.loads[point[loads]],
            axes.stores[point[stores]], axes.orders[point[orders]], axes.streaming[point[streaming]]});
        if (!(trial < best_trial_)) {
            return false;
        }
        best_trial_ = trial;
        best_combination_ = combination;
        best_ = point;
        return true;
    }

    void probe() {
        for (std::size_t combination = 0; combination < space_.uniform(); ++combination) {
            try_one(combination, {});
        }
        for (std::size_t combination = 0; combination < space_.uniform(); ++combination) {
            Point point{};
            point[loads] = position(space_.axes(combination).loads, LoadPolicy::in_place);
            try_one(combination, point);
        }
    }

    void descend() {
        for (bool better = true; better;) {
            better = false;
            for (std::size_t axis = 0; axis < axis_count; ++axis) {
                Point point = best_;
                const std::size_t combination = best_combination_;
                for (point[axis] = 0; point[axis] < extent(space_.axes(combination))[axis]; ++point[axis]) {
                    better = try_one(combination, point) || better;
                }
            }
        }
    }

    /// The axes of the best, as far as this combination has them.
    Point like_best(std::size_t combination) const {
        const ChoiceAxes& from = space_.axes(best_combination_);
        const ChoiceAxes& to = space_.axes(combination);
        return {position(to.elements, from.elements[best_[elements]]), position(to.loads, from.loads[best_[loads]]),
            position(to.stores, from.stores[best_[stores]]), position(to.streaming, from.streaming[best_[streaming]]),
            position(to.orders, from.orders[best_[orders]])};
    }

    /// Routines and stores go together: threads that hold one component each may well store it themselves.
    void try_like_best(std::size_t combination) {
        Point point = like_best(combination);
        const bool better = try_one(combination, point);
        point[stores] = position(space_.axes(combination).stores, StorePolicy::direct);
        if (try_one(combination, point) || better) {
            descend();
        }
    }

    /// One call of the best combination at a time takes another routine, until a round over all calls finds nothing better.
    void change_calls() {
        for (std::size_t before = space_.combinations(); before != best_combination_ && left_ > 0;) {
            before = best_combination_;
            for (std::size_t call = 0; call < space_.calls() && left_ > 0; ++call) {
                for (std::size_t routine = 0; routine < space_.routines(call) && left_ > 0; ++routine) {
                    try_like_best(space_.neighbour(best_combination_, call, routine));
                }
            }
        }
    }

    void rest() {
        const std::size_t listed = space_.combinations();
        for (const bool usual : {true, false}) {
            for (std::size_t combination = 0; combination < listed; ++combination) {
                try_all(combination, usual);
            }
        }
        for (std::size_t base = 0; base < space_.combinations(); ++base) {
            for (std::size_t call = 0; call < space_.calls(); ++call) {
                for (std::size_t routine = 0; routine < space_.routines(call) && left_ > 0; ++routine) {
                    const std::size_t combination = space_.neighbour(base, call, routine);
                    try_all(combination, true);
                    try_all(combination, false);
                }
            }
        }
    }

    /// What has not been tried of this combination. Block sizes change fastest: all else is elaborated once for them.
    void try_all(std::size_t combination, bool usual) {
        const ChoiceAxes& axes = space_.axes(combination);
        const Point sizes = extent(axes);
        Point point{};
        const auto next = [&] {
            for (const std::size_t axis : {elements, loads, stores, streaming, orders}) {
                if (++point[axis] < sizes[axis]) {
                    return true;
                }
                point[axis] = 0;
            }
            return false;
        };
        do {
            const bool is_usual = point[elements] < axes.usual_elements && point[loads] < axes.usual_loads &&
                point[stores] < axes.usual_stores && point[orders] == 0;
            if (is_usual == usual) {
                try_one(combination, point);
            }
        } while (left_ > 0 && next());
    }

    ChoiceSpace& space_;
    std::size_t left_;
    const std::function<Trial(const KernelChoice&)>& attempt_;
    std::vector<std::vector<bool>> tried_; ///< per combination, by index of the choice
    Trial best_trial_;
    std::size_t best_combination_ = 0;
    Point best_{};
};

} // namespace

void search_choices(ChoiceSpace& space, std::size_t most, const std::function<Trial(const KernelChoice&)>& attempt) {
    Search(space, most, attempt).run();
}

} // namespace fusec::fusion
