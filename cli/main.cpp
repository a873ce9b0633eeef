// SPDX-License-Identifier: Apache-2.0
// fusec: parse the command line, run one command, print what it reported.
#include "cli/commands.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <unistd.h>

namespace {

bool use_color(fusec::cli::Color color) {
    switch (color) {
    case fusec::cli::Color::always:
        return true;
    case fusec::cli::Color::never:
        return false;
    case fusec::cli::Color::automatic:
        return ::isatty(STDERR_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
    }
    return false;
}

/// Reports it if something printed has not arrived.
void check_standard_output(fusec::Diagnostics& diagnostics) {
    std::cout.flush();
    if (!std::cout) {
        diagnostics.report(fusec::kind::unwritable_file, {}, "cannot write to standard output");
    }
}

/// The exit code of a command line that asks for nothing but a text (--help, --version) or is wrong.
int finish(int code) {
    fusec::Diagnostics diagnostics;
    check_standard_output(diagnostics);
    fusec::render(diagnostics, std::cerr, use_color(fusec::cli::Color::automatic));
    return code != 0 ? code : diagnostics.exit_code();
}

int run(const fusec::cli::CommandLine& line) {
    fusec::Diagnostics diagnostics;
    std::visit([&](const auto& command) { fusec::cli::run_command(command, diagnostics); }, line.command);
    check_standard_output(diagnostics);
    fusec::render(diagnostics, std::cerr, use_color(line.color));
    return diagnostics.exit_code();
}

} // namespace

int main(int argc, char** argv) {
    constexpr int internal_error = 70;
    try {
        const auto parsed = fusec::cli::parse_command_line(argc, argv);
        if (const int* code = std::get_if<int>(&parsed)) {
            return finish(*code);
        }
        return run(std::get<fusec::cli::CommandLine>(parsed));
    } catch (const std::bad_alloc&) {
        std::cerr << "fusec: error: out of memory [memory-limit]\n";
        return 3;
    } catch (const std::exception& error) {
        std::cerr << "fusec: internal error: " << error.what()
                  << "\n  this is a bug of fusec: please report it with the program and the command line\n";
        return internal_error;
    }
}
