// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/distribution_shape.h"

#include <algorithm>
#include <cmath>

namespace mpm::gui {
namespace {

constexpr int kShares = 400;  // quantiles that stand for all values
constexpr int kOutlinePoints = 64;
// Of a value: a sketch's cells are 2% apart, and what is finer than this shows them.
constexpr double kSketchBlur = 0.016;

/// Silverman's rule, with the smaller of two deviations' estimates that long tails do not stretch.
double bandwidth(const std::vector<double>& quantiles, std::uint64_t count) {
  const std::size_t n = quantiles.size();
  const double middle = quantiles[n * 3 / 4] - quantiles[n / 4];
  const double wide = quantiles[n * 39 / 40] - quantiles[n / 40];
  // Half of a normal distribution lies within 1.349 deviations, 95% within 3.92.
  const double deviation = std::max(middle / 1.349, wide / 3.92 / 2);
  const double values = static_cast<double>(std::min<std::uint64_t>(count, 10000));
  return 0.9 * deviation * std::pow(values, -0.2);
}

struct Repeated {
  double value;
  int times;
};

// A sketch has few values, so that nearly all of its quantiles are the same as others.
std::vector<Repeated> repeated(const std::vector<double>& rising) {
  std::vector<Repeated> list;
  for (const double value : rising) {
    if (list.empty() || list.back().value != value) list.push_back({value, 0});
    ++list.back().times;
  }
  return list;
}

template <typename Quantile>
DistributionShape shape(monitor::LightState light, std::uint64_t count, double blur,
                        const Quantile& quantile) {
  DistributionShape made{light, count, quantile(0.05), quantile(0.5), quantile(0.95), {}};
  const double from = quantile(0.005), to = quantile(0.995);
  if (count < kFewValues || to <= from) return made;
  std::vector<double> quantiles;
  for (int i = 0; i < kShares; ++i) quantiles.push_back(quantile((i + 0.5) / kShares));
  const double width = std::max(bandwidth(quantiles, count), blur * std::fabs(made.median));
  if (width <= 0) return made;
  const std::vector<Repeated> different = repeated(quantiles);
  double most = 0;
  for (int i = 0; i < kOutlinePoints; ++i) {
    DistributionShape::Point point;
    point.value = from + (to - from) * i / (kOutlinePoints - 1);
    for (const auto& [value, times] : different) {
      const double away = (point.value - value) / width;
      point.density += times * std::exp(-0.5 * away * away);
    }
    most = std::max(most, point.density);
    made.outline.push_back(point);
  }
  for (DistributionShape::Point& point : made.outline) point.density /= most;
  return made;
}

}  // namespace

std::optional<DistributionShape> shapeOf(monitor::LightState light, const monitor::Sketch& sketch) {
  if (sketch.count() == 0) return std::nullopt;
  return shape(light, sketch.count(), kSketchBlur,
               [&](double share) { return sketch.quantile(share); });
}

std::optional<DistributionShape> shapeOf(monitor::LightState light, std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size() - 1);
  return shape(light, values.size(), 0, [&](double share) {
    return values[static_cast<std::size_t>(std::lround(share * last))];
  });
}

}  // namespace mpm::gui
