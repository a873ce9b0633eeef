// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"
#include <gtest/gtest.h>
#include <fstream>
using namespace fusec;
using namespace fusec::codegen;
using namespace fusec::codegen::test;
TEST(Emission, demo) {
    const auto demo = sample("demo", demo_text);
    Draft draft;
    draft.calls = {{"M1", "element"}, {"v1", "element"}, {"s1", "element"}, {"M2", "element"}, {"M3", "element"}, {"F", "element"}};
    draft.stores = {"F"};
    draft.load = fusion::Staging::async;
    const Unit unit = lower(plan_of({build(draft, *demo)}, *demo), demo->graph, demo->catalog);
    EmitOptions o; o.header_name = "demo.h";
    const Emitted e = emit(unit, demo->graph, demo->catalog, o);
    std::ofstream("/tmp/p/demo.cu") << e.source;
    std::ofstream("/tmp/p/demo.h") << e.header;
    std::ofstream("/tmp/p/demo.ir") << dump(unit);
}
