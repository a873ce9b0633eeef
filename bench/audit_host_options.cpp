// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_host_options.hpp"

#include "perfmodel/fit/kernel_work_json.hpp"

#include <nlohmann/json.hpp>

#include <charconv>

namespace fusec::bench {

namespace {

bool read(const std::string& word, std::filesystem::path& file) {
    file = word;
    return true;
}

/// False: no number, or not one of at least 1.
bool read(const std::string& word, std::size_t& count) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
    return error == std::errc() && end == word.data() + word.size() && count > 0;
}

bool read(const std::string& word, Withheld& withheld) {
    withheld = word == "programs" ? Withheld::programs : Withheld::kernels;
    return word == "programs" || word == "kernels";
}

bool read_half(const std::string& word, std::size_t& first_held_out) {
    first_held_out = word == "first" ? 0 : 1;
    return word == "first" || word == "second";
}

} // namespace

std::optional<HostAuditOptions> host_audit_options(const std::vector<std::string>& words) {
    HostAuditOptions options;
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (!word->starts_with("--")) {
            options.programs.emplace_back(*word);
            continue;
        }
        const std::string& option = *word;
        if (++word == words.end()) {
            return std::nullopt;
        }
        const bool known = option == "--out" ? read(*word, options.out)
            : option == "--points-out"       ? read(*word, options.points_out)
            : option == "--sample"           ? read(*word, options.sample)
            : option == "--rounds"           ? read(*word, options.rounds)
            : option == "--withhold"         ? read(*word, options.withheld)
            : option == "--hold-out"         ? read_half(*word, options.first_held_out)
                                             : false;
        if (!known) {
            return std::nullopt;
        }
    }
    return options.out.empty() || options.programs.size() < 2 ? std::nullopt : std::optional(options);
}

std::string points_text(const std::vector<perfmodel::Point>& points) {
    using Json = nlohmann::ordered_json;
    std::string text;
    for (const perfmodel::Point& point : points) {
        text += Json{{"place", point.place}, {"kernel", point.kernel}, {"fitted", point.role == perfmodel::Role::fit},
                    {"elements", point.elements}, {"seconds", point.seconds}, {"work", Json::parse(perfmodel::to_json(point.work))}}
                    .dump() +
            "\n";
    }
    return text;
}

} // namespace fusec::bench
