// SPDX-License-Identifier: Apache-2.0
#include "onnx/layers/positions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "onnx/recognise/embedding.h"

namespace mpm::onnx {

namespace {

// Returns for each row of a token blob on the model's own grid its index among the value's rows.
std::vector<std::size_t> placesOf(const Tokens& tokens) {
  std::vector<std::size_t> places(static_cast<std::size_t>(tokens.special + tokens.ownImage));
  std::size_t place = 0;
  for (const Part& part : tokens.parts) {
    const std::int64_t begin = part.isImage ? tokens.special : part.begin;
    const std::int64_t end = part.isImage ? tokens.special + tokens.ownImage : part.end;
    for (std::int64_t row = begin; row < end; ++row)
      places[static_cast<std::size_t>(row)] = place++;
  }
  return places;
}

// Repeats the rows of one window for all windows, in the order of the blob.
std::vector<float> spreadOverWindows(const std::vector<float>& rows, std::size_t width,
                                     const Tokens& tokens) {
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(tokens.image) * width);
  for (std::int64_t y = 0; y < tokens.gridHeight; ++y) {
    for (std::int64_t x = 0; x < tokens.gridWidth; ++x) {
      const std::int64_t place =
          y % tokens.windows.height * tokens.windows.width + x % tokens.windows.width;
      const auto from = rows.begin() + place * static_cast<std::ptrdiff_t>(width);
      result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(width));
    }
  }
  return result;
}

// Moves the rows of patches to the blob's grid; special ones stay as they are.
std::string moveRotary(RotaryFactors& factors, std::int64_t d, const Tokens& tokens,
                       const Embedding& embedding) {
  const auto specialOf = [&](std::vector<float>& rows) {
    return rows.begin() + static_cast<std::ptrdiff_t>(tokens.special * d);
  };
  const RotaryFactors image{{specialOf(factors.own), factors.own.end()},
                            {specialOf(factors.other), factors.other.end()}};
  const RotaryOnGrid moved = rotaryOnGrid(
      image, d, {embedding.gridHeight, embedding.gridWidth, tokens.gridHeight, tokens.gridWidth});
  if (!moved.obstacle.empty()) return moved.obstacle;
  for (const auto& [rows, made] : {std::pair{&factors.own, &moved.factors.own},
                                   std::pair{&factors.other, &moved.factors.other}}) {
    rows->erase(specialOf(*rows), rows->end());
    rows->insert(rows->end(), made->begin(), made->end());
  }
  return {};
}

// Makes [heads * rows, rows] in the order of the blob, from a constant that heads may share.
Weight biasWeight(const FoundAttention& found, std::vector<std::size_t> places) {
  const auto rows = static_cast<std::int64_t>(places.size());
  return {"bias",
          {found.heads * rows, rows},
          [constant = found.bias, factor = found.biasScale, heads = found.heads,
           places = std::move(places)](const Model& from, float* out) {
            const Tensor tensor = *from.constant(constant);
            const Floats values = tensor.floats();
            const std::size_t count = places.size(), plane = count * count;
            for (std::int64_t head = 0; head < heads; ++head) {
              const float* const table =
                  values.data() + (tensor.count() == static_cast<std::int64_t>(plane)
                                       ? 0
                                       : static_cast<std::size_t>(head) * plane);
              for (const std::size_t query : places) {
                for (const std::size_t key : places) *out++ = table[query * count + key] * factor;
              }
            }
          }};
}

std::optional<Weight> movedBias(const Model& model, const FoundAttention& found,
                                const Tokens& tokens, const Embedding& embedding) {
  const Tensor tensor = *model.constant(found.bias);
  const std::vector<std::size_t> places = placesOf(tokens);
  const auto plane = static_cast<std::int64_t>(places.size() * places.size());
  const Floats values = tensor.floats();
  const std::optional<RelativeBias> own = findRelativeBias(
      values.data(), tensor.count() / plane, places, embedding.gridHeight, embedding.gridWidth);
  if (!own) return std::nullopt;
  const auto moved =
      std::make_shared<const RelativeBias>(biasOnGrid(*own, tokens.gridHeight, tokens.gridWidth));
  const std::int64_t rows = tokens.special + tokens.image;
  return Weight{"bias",
                {found.heads * rows, rows},
                [moved, heads = found.heads, factor = found.biasScale, count = rows * rows](
                    const Model&, float* out) {
                  moved->write(out);
                  const std::int64_t written = moved->heads * count;
                  for (std::int64_t i = written; i < heads * count; ++i) out[i] = out[i - written];
                  for (std::int64_t i = 0; i < heads * count; ++i) out[i] *= factor;
                }};
}

}  // namespace

std::vector<float> inOrder(const std::vector<float>& rows, std::size_t width,
                           const Tokens& tokens) {
  std::vector<float> result;
  result.reserve(rows.size());
  for (const std::size_t place : placesOf(tokens)) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(place * width);
    result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

Finding<std::vector<Weight>> positionsOf(const Model& model, const FoundAttention& attention,
                                         const Tokens& tokens, const Embedding& embedding) {
  std::vector<Weight> weights;
  if (attention.q.rotary) {
    const std::int64_t width = attention.headDim * attention.q.rotary->heads;
    const auto ordered = [&](const std::vector<float>& rows) {
      const auto count = static_cast<std::size_t>(width);
      return attention.windows > 0 ? spreadOverWindows(rows, count, tokens)
                                   : inOrder(rows, count, tokens);
    };
    RotaryFactors factors{ordered(attention.q.rotary->own), ordered(attention.q.rotary->other)};
    if (!tokens.hasOwnGrid && width != attention.headDim)
      return {std::nullopt,
              "each head has rotary positions of its own, which are for its own size alone",
              nullptr};
    if (!tokens.hasOwnGrid) {
      const std::string obstacle = moveRotary(factors, attention.headDim, tokens, embedding);
      if (!obstacle.empty()) return {std::nullopt, obstacle, nullptr};
    }
    const Integers dims{tokens.special + tokens.image, width};
    weights.push_back(ownedWeight("rotary_own", dims, std::move(factors.own)));
    weights.push_back(ownedWeight("rotary_other", dims, std::move(factors.other)));
  }
  if (attention.bias.empty()) return {std::move(weights), {}, nullptr};
  std::optional<Weight> bias = tokens.hasOwnGrid ? biasWeight(attention, placesOf(tokens))
                                                 : movedBias(model, attention, tokens, embedding);
  if (!bias)
    return {std::nullopt,
            "its attention has a bias that depends on more than the distance between two patches",
            nullptr};
  weights.push_back(std::move(*bias));
  return {std::move(weights), {}, nullptr};
}

namespace {

constexpr float kTolerance = 1e-5F;  // of the largest number

// Place of the numbers for a query and a key, of all heads.
struct Place {
  std::vector<float> RelativeBias::*in;
  std::int64_t at;
};

Place placeOf(const RelativeBias& bias, std::int64_t query, std::int64_t key) {
  const std::int64_t s = bias.special, width = bias.columns;
  if (query < s && key < s) return {&RelativeBias::amongSpecial, query * s + key};
  if (query < s) return {&RelativeBias::ofSpecial, query};
  if (key < s) return {&RelativeBias::toSpecial, key};
  const std::int64_t q = query - s, k = key - s;
  const std::int64_t down = q / width - k / width + bias.rows - 1;
  const std::int64_t across = q % width - k % width + width - 1;
  return {&RelativeBias::byDistance, down * (2 * width - 1) + across};
}

template <class Bias>
auto& numberOf(Bias& bias, std::int64_t head, std::int64_t query, std::int64_t key) {
  const Place place = placeOf(bias, query, key);
  return (bias.*place.in)[static_cast<std::size_t>(place.at * bias.heads + head)];
}

}  // namespace

void RelativeBias::write(float* out) const {
  const std::int64_t count = special + rows * columns;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 0; query < count; ++query) {
      for (std::int64_t key = 0; key < count; ++key) *out++ = numberOf(*this, head, query, key);
    }
  }
}

std::optional<RelativeBias> findRelativeBias(const float* values, std::int64_t heads,
                                             const std::vector<std::size_t>& places,
                                             std::int64_t rows, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(places.size());
  RelativeBias found{heads, count - rows * columns, rows, columns, {}, {}, {}, {}};
  const auto special = static_cast<std::size_t>(found.special);
  const auto width = static_cast<std::size_t>(heads);
  const auto empty = [&](std::size_t numbers) {
    return std::vector<float>(numbers * width, std::numeric_limits<float>::quiet_NaN());
  };
  found.byDistance = empty(static_cast<std::size_t>((2 * rows - 1) * (2 * columns - 1)));
  found.ofSpecial = empty(special);
  found.toSpecial = empty(special);
  found.amongSpecial = empty(special * special);
  const std::size_t plane = places.size() * places.size();
  float largest = 0;
  for (std::size_t i = 0; i < plane * width; ++i) largest = std::max(largest, std::abs(values[i]));
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t query = 0; query < count; ++query) {
      const float* const row = values + static_cast<std::size_t>(head) * plane +
                               places[static_cast<std::size_t>(query)] * places.size();
      for (std::int64_t key = 0; key < count; ++key) {
        const float value = row[places[static_cast<std::size_t>(key)]];
        float& known = numberOf(found, head, query, key);
        if (std::isnan(known)) known = value;
        if (!(std::abs(value - known) <= kTolerance * largest)) return std::nullopt;
      }
    }
  }
  return found;
}

RelativeBias biasOnGrid(const RelativeBias& bias, std::int64_t rows, std::int64_t columns) {
  RelativeBias moved = bias;
  moved.rows = rows;
  moved.columns = columns;
  moved.byDistance = resizePositions(bias.byDistance, bias.heads, 2 * bias.rows - 1,
                                     2 * bias.columns - 1, 2 * rows - 1, 2 * columns - 1);
  return moved;
}

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kAngleTolerance = 2e-3;  // of an angle: factors may have been float16
// A larger angle from patch to patch might stand for another one, a whole turn away.
constexpr double kFastest = 3.1;

// Angle at (y, x): first + perRow y + perColumn x.
struct Angle {
  double first = 0, perRow = 0, perColumn = 0;

  double at(double y, double x) const { return first + perRow * y + perColumn * x; }
};

bool isNoTurn(double angle) { return std::abs(std::remainder(angle, 2 * kPi)) <= kAngleTolerance; }

// Fits the slope of a line to angles without their whole turns.
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

// Returns the angles of feature i.
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
      if (!(std::abs(length - 1) <= kAngleTolerance) || !isNoTurn(at(y, x) - fitted)) return {};
    }
  }
  return angle;
}

// Position at which angles are 0, for a grid of so many rows and columns.
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

bool isNear(double value, double to) { return std::abs(value - to) <= kAngleTolerance * to; }

// Returns std::nullopt if the angles on another grid are unknown.
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
