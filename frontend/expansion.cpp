// SPDX-License-Identifier: Apache-2.0
#include "frontend/expansion.hpp"
#include "frontend/nesting.hpp"
#include "frontend/syntax_messages.hpp"

#include <algorithm>

namespace fusec::frontend {

namespace {

constexpr std::size_t most_notes = 4;    ///< about the loops and calls around a message
constexpr std::size_t most_errors = 100; ///< in expansions, after which nothing more is expanded

} // namespace

void Expansion::pass_on() {
    for (const Diagnostic& message : staged_.all()) {
        if (inside() && repeated(message)) {
            continue;
        }
        Diagnostic& d = diagnostics_.report(message.kind, message.span, message.message);
        d.notes = message.notes;
        d.hint = message.hint;
        add_notes(d);
        if (inside() && d.kind.severity == Severity::error) {
            stopped_ = ++errors_ >= most_errors || stopped_;
        }
    }
    if (!staged_.all().empty()) {
        staged_ = Diagnostics{};
    }
}

bool Expansion::repeated(const Diagnostic& message) {
    const Place place{message.kind.name, message.span.source.get(), message.span.begin, message.span.end};
    const bool new_message = messages_.emplace(place, message.message).second;
    const bool new_place = places_.emplace(place, frames_.back().instance).second;
    return !new_message || !new_place;
}

void Expansion::add_notes(Diagnostic& message) const {
    std::size_t notes = 0;
    for (std::size_t i = frames_.size(); i-- > 0 && notes < most_notes; ++notes) {
        message.notes.push_back({frames_[i].place, frames_[i].note});
    }
}

bool Expansion::may_nest(const Span& place) {
    if (frames_.size() < max_nesting) {
        return true;
    }
    staged_.report(kind::nesting_limit, place,
        "nesting of " + std::to_string(frames_.size() + 1) + " loops and calls of definitions, the limit is " +
            std::to_string(max_nesting));
    stopped_ = true;
    return false;
}

bool Expansion::may_iterate(std::uint64_t count, const std::string& what, const Span& place) {
    if (stopped_) {
        return false;
    }
    if (count > max_iterations - iterations_) {
        const bool alone = iterations_ == 0;
        // Of two 64-bit counts the sum may not be one.
        const std::string total =
            count > max_iterations ? std::to_string(count) + (alone ? "" : " more") : std::to_string(iterations_ + count);
        staged_.report(kind::iteration_limit, place,
            what + (alone ? " has " : " brings the program to ") + total + " iterations and calls of definitions, the limit is " +
                std::to_string(max_iterations));
        stopped_ = true;
        return false;
    }
    iterations_ += count;
    return true;
}

bool Expansion::may_loop(const ast::Loop& loop, const Span& place, std::uint64_t count) {
    return may_nest(place) && may_iterate(count, "the loop over " + in_backticks(loop.variable.text), place);
}

bool Expansion::may_call(const std::string& definition, const Span& place) {
    return may_nest(place) && may_iterate(1, "this call of " + in_backticks(definition), place);
}

void Expansion::enter_iteration(const ast::Loop& loop, std::size_t block, std::int64_t value) {
    Frame frame = frames_.empty() ? Frame{} : frames_.back();
    frame.note = "with " + loop.variable.text + " = " + std::to_string(value);
    frame.place = loop.variable.span;
    frame.index = "[" + std::to_string(value) + "]";
    frame.block = block;
    ++frame.loops;
    calls_before_ = frames_.empty() ? calls_ : calls_before_;
    frames_.push_back(std::move(frame));
}

void Expansion::enter_call(const std::string& definition, std::size_t number, const Span& place) {
    calls_before_ = frames_.empty() ? calls_ : calls_before_;
    frames_.push_back({"in the call of " + in_backticks(definition), place, definition, definition + "(" + std::to_string(number) + ")", {},
        0, ++instances_, 0});
}

void Expansion::leave() {
    if (frames_.size() == 1) {
        Share& outermost = share();
        outermost.place = frames_.front().place;
        outermost.calls += calls_ - calls_before_;
    }
    frames_.pop_back();
}

void Expansion::spend(std::size_t work, const Span& place, bool everywhere) {
    if (stopped_ || (!everywhere && !inside())) {
        return;
    }
    elaborated_ += work;
    if (elaborated_ > max_elaborated && errors_ > 0) {
        stopped_ = true; // what there is to say was said
    } else if (elaborated_ > max_elaborated) {
        staged_.report(kind::iteration_limit, place,
            "the expansions come to " + std::to_string(elaborated_) + " names, numbers, operators and moved components, the limit is " +
                std::to_string(max_elaborated));
        stopped_ = true;
    }
}

bool Expansion::count_call(const Span& place) {
    if (stopped_ && calls_ >= max_calls) {
        return false;
    }
    if (++calls_ <= max_calls) {
        return true;
    }
    stopped_ = true;
    Diagnostic& d = staged_.report(kind::call_limit, place, std::to_string(calls_) + " calls, the limit is " + std::to_string(max_calls));
    if (inside()) {
        share().place = frames_.front().place;
        share().calls += calls_ - calls_before_;
    }
    const auto most =
        std::max_element(shares_.begin(), shares_.end(), [](const auto& a, const auto& b) { return a.second.calls < b.second.calls; });
    if (most != shares_.end()) {
        d.notes.push_back({most->second.place, "expanding this makes " + std::to_string(most->second.calls) + " of them"});
    }
    d.hint = "make two programs of it";
    return false;
}

std::string Expansion::qualified(const std::string& name, std::size_t loops) {
    if (frames_.empty()) {
        return name;
    }
    const Frame& inner = frames_.back();
    std::string text = inner.prefix.empty() ? name : inner.prefix + "." + name;
    if (loops == 0) {
        return text;
    }
    const std::size_t first = frames_.size() - inner.loops;
    auto& numbers = ordinals_[{inner.definition, name, loops}];
    const std::size_t number = numbers.try_emplace(frames_[first + loops - 1].block, numbers.size() + 1).first->second;
    if (number > 1) {
        text += "#" + std::to_string(number);
    }
    for (std::size_t i = first; i < first + loops; ++i) {
        text += frames_[i].index;
    }
    return text;
}

std::string Expansion::call_name() const {
    return frames_.back().prefix;
}

} // namespace fusec::frontend
