// SPDX-License-Identifier: Apache-2.0
// Program text through the front end, with the invariants that hold for every text, and included files that are in memory.
#pragma once

#include "frontend/file_reader.hpp"
#include "frontend/frontend.hpp"

#include <map>
#include <optional>
#include <string>

namespace fusec::frontend::testing {

/// Files by path.
class MemoryReader final : public FileReader {
public:
    explicit MemoryReader(std::map<std::string, std::string> files) : files_(std::move(files)) {}
    std::string identity(const std::filesystem::path& path) const override { return path.lexically_normal().string(); }
    std::optional<std::string> read(const std::filesystem::path& path, const Span& from, Diagnostics& diagnostics) override;
    std::size_t reads() const { return reads_; }

private:
    std::map<std::string, std::string> files_;
    std::size_t reads_ = 0;
};

struct Compiled {
    Diagnostics diagnostics;
    std::optional<CheckedProgram> program;
    double seconds = 0; ///< of processor time

    /// Everything said, as rendered.
    std::string text() const;
};

/// Checks on the way that there is a result if and only if there is no error, that the result is verified, and that every message has a
/// place in a text. Fails if it takes longer than 20 s.
Compiled compile(const std::string& text, FileReader* reader = nullptr, const CheckOptions& options = {});

/// `unit` until there are so many bytes.
std::string repeated(std::string_view unit, std::size_t bytes);

/// What a program computes, without its names: interface, calls with functions and operands, constants by type and value.
std::string without_names(const CheckedProgram& program);

} // namespace fusec::frontend::testing
