// SPDX-License-Identifier: Apache-2.0
// The learned last step of `pipeline`. Zhang, Chen, Ming feed launch, cycles, uncoalesced accesses and a control-flow graph of 27 nodes to a
// "workflow network", of which they give neither layers nor weights nor training set: it cannot be rebuilt. In its place stands the simplest
// regressor over the same features that cannot run wild far from its data: a log-linear factor on the uncorrected time,
//     t = (l + cycles / clock) * exp(b0 + b1 ln l + b2 ln cycles + b3 ln(1 + uncoalesced) + b4 ln blocks),
// trained by ridge regression, which holds it near a factor of 1 in proportion where there is little to learn. The graph is only its number of
// basic blocks: kernels of this compiler have no loops, and no branches but the guards of threads.
#pragma once

#include "perfmodel/device.hpp"

#include <span>
#include <string>
#include <vector>

namespace fusec::perfmodel::pipeline {

struct Features {
    double launch_us = 1;
    double cycles = 1;      ///< at least 1
    double uncoalesced = 0; ///< accesses of warps, on a multiprocessor
    double blocks = 1;      ///< basic blocks, at least 1
};

/// All zeros: uncorrected. Figures pipeline.correction_* of a device (correction_figures), all of them or none.
struct Correction {
    double intercept = 0, launch = 0, cycles = 0, uncoalesced = 0, blocks = 0;

    double factor(const Features& of) const;
};

/// The figures, in the order of the key.
struct CorrectionFigure {
    const char* key;
    double Correction::* weight;
};
std::span<const CorrectionFigure> correction_figures();

struct Sample {
    Features features;
    double uncorrected = 0;  ///< s
    double measured = 0;     ///< s
    std::string kernel = {}; ///< samples of one differ in their launches alone, and are near-copies of each other
};

struct Training {
    Correction correction;
    std::string data; ///< what the samples are
    std::size_t samples = 0;
    double mape_before = 0, mape_after = 0; ///< on the samples themselves
    double mape_left_out = 0; ///< of each sample with the correction trained on all other kernels; 0 where there is one kernel
    std::size_t kernels = 0;  ///< of the samples
    std::vector<double Correction::*> undetermined = {}; ///< weights of features that hardly vary among the samples: 0

    bool determines(double Correction::* weight) const;
};

/// The intercept and the weights w of least sum of squares of ln(measured / (uncorrected * factor)) plus ridge * samples * |w|^2, where weights
/// are of features of mean 0 and deviation 1; a feature that varies by less than a hundredth has weight 0. Pre: a sample, times and ridge
/// positive. Linear in samples times kernels.
Training train(std::span<const Sample> samples, double ridge, std::string data);

/// Of the device's figures. Without them it is uncorrected, and `data` is empty.
struct Corrected {
    Correction correction;
    bool trained = false;
    std::string data; ///< what it was trained on, as the source of the device's figures says
};
/// Pre: correction_complete.
Corrected correction_of(const Device& device);
/// Whether the device has all figures of the correction or none; reports the first that is missing.
bool correction_complete(const Device& device, Diagnostics& diagnostics);
/// Sets them, each with the training's data as its source. False, and nothing set, if one is no possible figure.
bool store(const Training& training, Device& device);
/// "trained on DATA: N samples of N kernels, mean error ...", what `store` and a calibration say of the figures.
std::string described(const Training& training);
/// The same of one weight, which says where it is undetermined.
std::string described(const Training& training, double Correction::* weight);

} // namespace fusec::perfmodel::pipeline
