// SPDX-License-Identifier: Apache-2.0
// `fusec_analyse REQUEST.json ANSWER.json`: the static analysis of device code as a process of its own (perfmodel/analysis/analyser.hpp).
#include "perfmodel/analysis/analyser_json.hpp"
#include "support/files.hpp"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    using namespace fusec;
    if (argc != 3) {
        std::cerr << "usage: fusec_analyse REQUEST.json ANSWER.json\n";
        return 2;
    }
    try {
        Diagnostics diagnostics, writing;
        const auto text = read_file(argv[1], diagnostics);
        const auto analysis =
            text ? perfmodel::analysis::analyse_here(perfmodel::analysis::read_request(*text), diagnostics) : std::nullopt;
        return write_files({{argv[2], perfmodel::analysis::to_json(analysis, diagnostics)}}, writing) ? 0 : 1;
    } catch (const std::exception& error) { // a request that is none
        std::cerr << error.what() << '\n';
        return 70;
    }
}
