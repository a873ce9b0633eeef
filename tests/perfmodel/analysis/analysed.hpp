// SPDX-License-Identifier: Apache-2.0
// Kernels of tests, compiled and analysed.
#pragma once

#include "perfmodel/analysis/device_module.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace fusec::perfmodel::analysis {

inline std::string messages(const Diagnostics& diagnostics) {
    std::ostringstream text;
    render(diagnostics, text, false);
    return text.str();
}

/// Throws where a test cannot go on.
inline std::unique_ptr<DeviceModule> module_of(const DeviceText& text) {
    Diagnostics diagnostics;
    const auto compiler = find_device_compiler(diagnostics);
    const auto code = compiler ? compile_device_text(text, *compiler, {}, diagnostics) : std::nullopt;
    std::unique_ptr<DeviceModule> module = code ? DeviceModule::read(*code, diagnostics) : nullptr;
    if (!module) {
        throw std::runtime_error(messages(diagnostics));
    }
    return module;
}

inline std::unique_ptr<DeviceModule> module_of(const std::string& text) {
    DeviceText unit;
    unit.files = {{"test.cu", text}};
    return module_of(unit);
}

inline KernelProfile profile_of(
    const DeviceModule& module, const std::string& kernel, const Launch& launch, const LatencyTable& latencies = hopper_latencies()) {
    Diagnostics diagnostics;
    auto profile = module.profile(kernel, launch, latencies, diagnostics);
    if (!profile) {
        throw std::runtime_error(messages(diagnostics));
    }
    return *profile;
}

/// Of the text's only kernel.
inline KernelProfile profile_of(const std::string& text, const Launch& launch, const LatencyTable& latencies = hopper_latencies()) {
    const auto module = module_of(text);
    return profile_of(*module, module->kernels().at(0), launch, latencies);
}

inline std::string file_text(const std::string& path) {
    std::ifstream stream(std::string(FUSEC_SOURCE_DIR) + "/" + path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// The emitted text of examples/demo.fus.
inline DeviceText demo_text() {
    DeviceText text;
    text.files = {{"demo.cu", file_text("tests/cli/golden/demo.cu")}, {"demo.h", file_text("tests/cli/golden/demo.h")}};
    return text;
}

} // namespace fusec::perfmodel::analysis
