// SPDX-License-Identifier: Apache-2.0
// The plans that bench/gpu_plans times, without a GPU: prints, as a JSON array, what it would record of each before it is timed, with the work of its kernels.
// Usage: gpu_plan_works DEVICE PROGRAM.fus N CHOICE...    as of gpu_plans
#include "bench/plan_choice.hpp"

#include <iostream>
#include <stdexcept>

int main(int argc, char** argv) {
    if (argc < 5) {
        std::cerr << "usage: gpu_plan_works DEVICE PROGRAM.fus N CHOICE...\n";
        return 2;
    }
    try {
        auto plans = nlohmann::ordered_json::array();
        for (int i = 4; i < argc; ++i) {
            fusec::bench::Choice choice;
            choice.text = argv[i];
            fusec::bench::compile(choice, argv[2], std::stoull(argv[3]), fusec::fusion::Target::cuda, argv[1]);
            plans.push_back(fusec::bench::described(choice));
        }
        std::cout << plans.dump() << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "gpu_plan_works: " << error.what() << '\n';
        return 1;
    }
}
