// SPDX-License-Identifier: Apache-2.0
#include "frontend/text_encoding.hpp"

#include <algorithm>
#include <cstdio>

namespace fusec::frontend {

namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool is_continuation(unsigned byte) {
    return (byte & 0xC0U) == 0x80U;
}

/// Bytes of the well-formed sequence at `i`, or 0: table 3-7 of the Unicode Standard.
std::size_t sequence_length(std::string_view text, std::size_t i) {
    const unsigned lead = byte_at(text, i);
    const unsigned second = byte_at(text, i + 1);
    if (lead < 0x80U) {
        return 1;
    }
    if (lead >= 0xC2U && lead <= 0xDFU) {
        return is_continuation(second) ? 2 : 0;
    }
    if (lead >= 0xE0U && lead <= 0xEFU) {
        const unsigned lowest = lead == 0xE0U ? 0xA0U : 0x80U;  // overlong
        const unsigned highest = lead == 0xEDU ? 0x9FU : 0xBFU; // surrogates
        return second >= lowest && second <= highest && is_continuation(byte_at(text, i + 2)) ? 3 : 0;
    }
    if (lead >= 0xF0U && lead <= 0xF4U) {
        const unsigned lowest = lead == 0xF0U ? 0x90U : 0x80U;  // overlong
        const unsigned highest = lead == 0xF4U ? 0x8FU : 0xBFU; // above U+10FFFF
        return second >= lowest && second <= highest && is_continuation(byte_at(text, i + 2)) && is_continuation(byte_at(text, i + 3)) ? 4
                                                                                                                                       : 0;
    }
    return 0;
}

std::string hexadecimal(unsigned byte) {
    char text[8];
    std::snprintf(text, sizeof text, "0x%02X", byte);
    return text;
}

bool is_rejected_control(unsigned byte) {
    return (byte < 0x20U && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f') || byte == 0x7FU;
}

} // namespace

bool check_encoding(const SourcePtr& source, Diagnostics& diagnostics) {
    const std::string_view text = source->text();
    constexpr std::size_t most_reports = 20; // a binary file would drown everything else
    std::size_t reports = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        const unsigned byte = byte_at(text, i);
        if (length == 0) {
            diagnostics
                .report(kind::invalid_utf8, {source, i, i + 1},
                    "byte " + std::to_string(i) + " of the file, " + hexadecimal(byte) + ", is not UTF-8")
                .hint = "save the file as UTF-8";
            return false;
        }
        if (length == 1 && is_rejected_control(byte) && reports < most_reports) {
            diagnostics.report(kind::control_character, {source, i, i + 1},
                "control character " + hexadecimal(byte) + " at byte " + std::to_string(i) + " of the file");
            ++reports;
        }
        i += length;
    }
    return reports == 0;
}

std::size_t byte_order_mark_length(std::string_view text) {
    return text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

std::vector<std::size_t> code_point_offsets(std::string_view text, std::size_t from) {
    std::vector<std::size_t> offsets;
    if (std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; })) {
        return offsets;
    }
    for (std::size_t i = from; i < text.size(); ++i) {
        if (!is_continuation(static_cast<unsigned char>(text[i]))) {
            offsets.push_back(i);
        }
    }
    offsets.push_back(text.size());
    return offsets;
}

} // namespace fusec::frontend
