// SPDX-License-Identifier: Apache-2.0
#include "bench/audit_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

namespace fusec::bench {

namespace {

constexpr double side = 300, margin = 46, gap = 24; // pixels of a panel and around it
constexpr double lowest = -6, highest = 0;          // powers of ten of seconds

double x_of(double left, double seconds) {
    return left + side * (std::clamp(std::log10(seconds), lowest, highest) - lowest) / (highest - lowest);
}

const std::array<std::pair<const char*, const char*>, 5> colours = {
    {{"triad", "#1f77b4"}, {"3pt", "#2ca02c"}, {"5pt", "#9467bd"}, {"roofline", "#d62728"}, {"small", "#ff7f0e"}}};

/// What the panel shows in a number: the mean over devices of the mean errors.
std::string title_of(const std::string& name, const std::vector<Verdict>& verdicts) {
    double sum = 0;
    int devices = 0;
    for (const Verdict& verdict : verdicts) {
        if (verdict.predictor == name && verdict.unavailable.empty()) {
            sum += verdict.all.mape;
            ++devices;
        }
    }
    std::ostringstream title;
    title << std::fixed << std::setprecision(1) << name << ": " << 100 * sum / devices << " % mean error over " << devices << " devices";
    return std::move(title).str();
}

void panel(std::ostream& out, double left, const std::string& name, const std::vector<Verdict>& verdicts) {
    const auto y_of = [&](double seconds) { return margin + side - (x_of(0, seconds)); };
    out << "<text x='" << left + side / 2 << "' y='" << margin - 14 << "' text-anchor='middle' font-size='14'>" << title_of(name, verdicts)
        << "</text>\n<rect x='" << left << "' y='" << margin << "' width='" << side << "' height='" << side
        << "' fill='none' stroke='#888'/>\n";
    for (int power = static_cast<int>(lowest); power <= highest; power += 2) {
        const double at = std::pow(10, power);
        out << "<text x='" << x_of(left, at) << "' y='" << margin + side + 15 << "' text-anchor='middle'>1e" << power
            << "</text>\n<text x='" << left - 4 << "' y='" << y_of(at) + 4 << "' text-anchor='end'>1e" << power << "</text>\n";
    }
    out << "<line x1='" << left << "' y1='" << margin + side << "' x2='" << left + side << "' y2='" << margin << "' stroke='#888'/>\n";
    for (const auto& [kernel, colour] : colours) {
        out << "<g fill='" << colour << "' fill-opacity='0.5'>\n";
        std::set<std::pair<double, double>> drawn; // whole pixels, each once
        for (const Verdict& verdict : verdicts) {
            for (const Judged& point : verdict.points) {
                if (verdict.predictor == name && point.kernel == kernel) {
                    drawn.emplace(std::round(x_of(left, point.measured)), std::round(y_of(point.predicted)));
                }
            }
        }
        for (const auto& [x, y] : drawn) {
            out << "<circle cx='" << static_cast<int>(x) << "' cy='" << static_cast<int>(y) << "' r='1.6'/>\n";
        }
        out << "</g>\n";
    }
}

} // namespace

std::string to_svg(const Audit& audit) {
    std::vector<std::string> names;
    for (const Verdict& verdict : audit.fitted) {
        if (verdict.unavailable.empty() && std::find(names.begin(), names.end(), verdict.predictor) == names.end()) {
            names.push_back(verdict.predictor);
        }
    }
    const double width = margin + static_cast<double>(names.size()) * (side + margin + gap), height = side + 2 * margin + 30;
    std::ostringstream out;
    out << std::fixed << std::setprecision(1) << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height
        << "' font-family='sans-serif' font-size='11'>\n<rect width='100%' height='100%' fill='white'/>\n";
    for (std::size_t i = 0; i < names.size(); ++i) {
        panel(out, margin + static_cast<double>(i) * (side + margin + gap), names[i], audit.fitted);
    }
    double left = margin;
    for (const auto& [kernel, colour] : colours) {
        out << "<circle cx='" << left << "' cy='" << height - 14 << "' r='4' fill='" << colour << "'/><text x='" << left + 8 << "' y='"
            << height - 10 << "'>" << kernel << "</text>\n";
        left += 70;
    }
    out << "<text x='" << left + 20 << "' y='" << height - 10
        << "'>measured (across) and predicted (up) seconds of held-out points</text>\n</svg>\n";
    return std::move(out).str();
}

} // namespace fusec::bench
