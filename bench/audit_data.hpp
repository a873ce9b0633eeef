// SPDX-License-Identifier: Apache-2.0
// The public measurements of GPUs by device, and what the audit lets a predictor know of a device before it is fitted.
#pragma once

#include "perfmodel/device.hpp"
#include "perfmodel/fit/point.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fusec::bench {

struct FileRead {
    std::string file;    ///< "gpu-stream/l40.txt"
    std::string reading; ///< in words
    std::size_t points = 0;
};

/// A figure that the audit does not take from the description: it was made from points that are held out, or there is none.
struct Replaced {
    std::string key;
    double described = 0, used = 0;
    std::string reason;
};

struct DeviceData {
    perfmodel::Device device; ///< figures replaced
    std::vector<perfmodel::Point> points;
    std::vector<FileRead> files;
    std::vector<Replaced> replaced;
    bool l2_measured = false; ///< its bandwidth of L2 is of gpu-l2-cache, and no mean of others'
    bool has(perfmodel::Role role) const;
};

/// Files of streams, latencies, rooflines and small kernels below `folder` that read_audit_data leaves out, by name: those of AMD's GPUs, for
/// which nothing is emitted, and of launches in graphs or otherwise than one kernel after the other.
std::vector<std::string> files_not_read(const std::filesystem::path& folder);

/// All devices with files below `folder` (the layout of RRZE-HPC/gpu-benches: gpu-stream/NAME.txt, ...), by name. Other files are left out
/// (files_not_read). Errors as of the readers, and where no device has a bandwidth of L2 (gpu-l2-cache); then the
/// result is empty.
std::vector<DeviceData> read_audit_data(const std::filesystem::path& folder, Diagnostics& diagnostics);

} // namespace fusec::bench
