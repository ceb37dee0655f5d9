// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/attention_positions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace mpm::onnx {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kTolerance = 2e-3;  // of an angle: factors may have been float16
// Angles further apart than this from patch to patch might be others, a turn away.
constexpr double kFastest = 3.1;

// An angle at (y, x): first + perRow y + perColumn x.
struct Angle {
  double first = 0, perRow = 0, perColumn = 0;

  double at(double y, double x) const { return first + perRow * y + perColumn * x; }
};

bool isNoTurn(double angle) { return std::abs(std::remainder(angle, 2 * kPi)) <= kTolerance; }

// The line's slope that is nearest to values without their whole turns.
double slopeOf(const std::vector<double>& angles) {
  const auto count = static_cast<double>(angles.size());
  double value = 0, sum = 0, squares = 0;
  for (std::size_t i = 1; i < angles.size(); ++i) {
    value += std::remainder(angles[i] - angles[i - 1], 2 * kPi);
    sum += (static_cast<double>(i) - (count - 1) / 2) * value;
  }
  for (std::size_t i = 0; i < angles.size(); ++i)
    squares += std::pow(static_cast<double>(i) - (count - 1) / 2, 2);
  return sum / squares;
}

// The angles of feature i.
std::optional<Angle> angleOf(const RotaryFactors& factors, std::size_t i, std::size_t d,
                             const GridChange& grid) {
  const auto rows = static_cast<std::size_t>(grid.rows);
  const auto columns = static_cast<std::size_t>(grid.columns);
  const auto factorsAt = [&](std::size_t y, std::size_t x) { return (y * columns + x) * d + i; };
  const auto at = [&](std::size_t y, std::size_t x) {
    const std::size_t e = factorsAt(y, x);
    return std::atan2(static_cast<double>(factors.other[e]), static_cast<double>(factors.own[e]));
  };
  std::vector<double> down(rows), across(columns);
  for (std::size_t y = 0; y < rows; ++y) down[y] = at(y, 0);
  for (std::size_t x = 0; x < columns; ++x) across[x] = at(0, x);
  const Angle angle{at(0, 0), slopeOf(down), slopeOf(across)};
  if (std::abs(angle.perRow) > kFastest || std::abs(angle.perColumn) > kFastest) return {};
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t e = factorsAt(y, x);
      const double length =
          std::hypot(static_cast<double>(factors.own[e]), static_cast<double>(factors.other[e]));
      const double fitted = angle.at(static_cast<double>(y), static_cast<double>(x));
      if (!(std::abs(length - 1) <= kTolerance) || !isNoTurn(at(y, x) - fitted)) return {};
    }
  }
  return angle;
}

// Where angles are 0, by a grid of so many rows and columns.
struct Origin {
  bool isCentre = false;
  double offset = 0;  // patches in front of the first one

  double y(std::int64_t rows) const {
    return isCentre ? static_cast<double>(rows - 1) / 2 : -offset;
  }
  bool holds(const std::vector<Angle>& angles, const GridChange& grid) const {
    return std::all_of(angles.begin(), angles.end(), [&](const Angle& angle) {
      return isNoTurn(angle.at(y(grid.rows), y(grid.columns)));
    });
  }
};

double fastest(const std::vector<Angle>& angles, double Angle::*step) {
  double most = 0;
  for (const Angle& angle : angles) most = std::max(most, std::abs(angle.*step));
  return most;
}

bool isNear(double value, double to) { return std::abs(value - to) <= kTolerance * to; }

// Nothing where it cannot be told what becomes of the angles on another grid.
std::optional<Origin> originOf(const std::vector<Angle>& angles, const GridChange& grid) {
  const double down = fastest(angles, &Angle::perRow) * static_cast<double>(grid.rows);
  const double across = fastest(angles, &Angle::perColumn) * static_cast<double>(grid.columns);
  const Origin centre{true};
  if (isNear(down, 4 * kPi) && isNear(across, 4 * kPi) && centre.holds(angles, grid)) return centre;
  const double rows = std::round(down), columns = std::round(across);
  const bool isScaled = rows >= 1 && columns >= 1 && isNear(down, rows) && isNear(across, columns);
  const bool isOwn =
      rows == static_cast<double>(grid.rows) && columns == static_cast<double>(grid.columns);
  if (!isScaled || isOwn) return std::nullopt;
  for (const double offset : {0.0, 1.0}) {
    if (Origin{false, offset}.holds(angles, grid)) return Origin{false, offset};
  }
  return std::nullopt;
}

}  // namespace

RotaryOnGrid rotaryOnGrid(const RotaryFactors& factors, std::int64_t d, const GridChange& change) {
  const auto width = static_cast<std::size_t>(d);
  RotaryOnGrid result;
  std::vector<Angle> angles;
  for (std::size_t i = 0; i < width; ++i) {
    const std::optional<Angle> angle = angleOf(factors, i, width, change);
    if (!angle) {
      result.obstacle = "it turns q and k by angles that are not linear in a patch's place";
      return result;
    }
    angles.push_back(*angle);
  }
  const std::optional<Origin> origin = originOf(angles, change);
  if (!origin) {
    result.obstacle =
        "it is not clear whether its rotary positions are scaled to another grid of patches";
    return result;
  }
  const double y0 = origin->y(change.newRows), x0 = origin->y(change.newColumns);
  for (Angle& angle : angles) {
    angle.perRow *= static_cast<double>(change.rows) / static_cast<double>(change.newRows);
    angle.perColumn *= static_cast<double>(change.columns) / static_cast<double>(change.newColumns);
    angle.first = -angle.perRow * y0 - angle.perColumn * x0;
  }
  for (std::int64_t y = 0; y < change.newRows; ++y) {
    for (std::int64_t x = 0; x < change.newColumns; ++x) {
      for (const Angle& angle : angles) {
        const double at = angle.at(static_cast<double>(y), static_cast<double>(x));
        result.factors.own.push_back(static_cast<float>(std::cos(at)));
        result.factors.other.push_back(static_cast<float>(std::sin(at)));
      }
    }
  }
  return result;
}

}  // namespace mpm::onnx
