// SPDX-License-Identifier: Apache-2.0
#include "tests/elementary-functions/exchanging_threads.hpp"

#include "elementary-lib/emulation/fiber.hpp"
#include "tests/elementary-functions/recorded.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace fusec::test {

namespace {

struct Member {
    const std::function<void(int)>* body = nullptr;
    int index = 0;
    emulation::Fiber fiber;
    int exchanges = 0;
    /// Of the last exchange and the one before: a thread that goes on first may come to the next while others still take from this one.
    std::array<counted, 2> given{};
};

std::vector<std::unique_ptr<Member>> members;

void run_member(void* opaque) {
    const Member& member = *static_cast<const Member*>(opaque);
    (*member.body)(member.index);
}

} // namespace

int run_together(int threads, const std::function<void(int)>& thread) {
    members.clear();
    for (int i = 0; i < threads; ++i) {
        members.push_back(std::make_unique<Member>());
        members.back()->body = &thread;
        members.back()->index = i;
        members.back()->fiber.start(run_member, members.back().get());
    }
    const auto waits = [](const auto& member) { return !member->fiber.finished(); };
    while (std::any_of(members.begin(), members.end(), waits)) {
        for (const auto& member : members) {
            if (waits(member))
                member->fiber.resume();
        }
    }
    const int exchanges = members.front()->exchanges;
    const bool alike = std::all_of(members.begin(), members.end(), [&](const auto& member) { return member->exchanges == exchanges; });
    return alike ? exchanges : -1;
}

counted exchanged(int thread, int source, counted x) {
    Member& member = *members.at(static_cast<std::size_t>(thread));
    const std::size_t buffer = static_cast<std::size_t>(member.exchanges++) % 2;
    member.given[buffer] = x;
    member.fiber.suspend();
    return members.at(static_cast<std::size_t>(source))->given[buffer];
}

} // namespace fusec::test
