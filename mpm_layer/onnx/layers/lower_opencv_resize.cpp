// SPDX-License-Identifier: Apache-2.0
// Resize of [B C H W]. The importer is right for linear with the four usual ways to place samples,
// where the sizes are the scales' exactly and no side is 1, and for nearest with asymmetric and
// floor. Everything else is separable and becomes two products with constant matrices.
#include <algorithm>
#include <cmath>

#include "onnx/graph/attribute.h"
#include "onnx/layers/lower_opencv.h"
#include "onnx/layers/planes.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kMostWeights = std::int64_t{1} << 22;  // in one matrix

double sourceOf(const Resizing& resizing, std::size_t axis, std::int64_t i) {
  const auto in = static_cast<double>(resizing.from[axis]);
  const auto out = static_cast<double>(resizing.to[axis]);
  const auto at = static_cast<double>(i);
  const double scale =
      resizing.scales.empty() ? out / in : static_cast<double>(resizing.scales[axis]);
  if (resizing.place == "asymmetric") return at / scale;
  if (resizing.place == "align_corners") return out == 1 ? 0 : at * (in - 1) / (out - 1);
  const double centred = (at + 0.5) / scale - 0.5;
  if (resizing.place == "pytorch_half_pixel") return out > 1 ? centred : 0;
  if (resizing.place == "half_pixel_symmetric") {
    return in / 2 * (1 - out / (scale * in)) + centred;
  }
  return centred;
}

std::int64_t nearestOf(const Resizing& resizing, double source) {
  double place = std::round(source);
  const bool isTie = source - std::floor(source) == 0.5;
  if (resizing.rounding == "floor") place = std::floor(source);
  if (resizing.rounding == "ceil") place = std::ceil(source);
  if (isTie && resizing.rounding == "round_prefer_floor") place = std::floor(source);
  if (isTie && resizing.rounding == "round_prefer_ceil") place = std::ceil(source);
  return static_cast<std::int64_t>(place);
}

double cubicWeight(double distance, double bend) {
  const double d = std::abs(distance);
  if (d <= 1) return ((bend + 2) * d - (bend + 3)) * d * d + 1;
  return d < 2 ? (((d - 5) * d + 8) * d - 4) * bend : 0;
}

// [in x out]: what each place of the source gives to each place of the result.
std::vector<float> weightsOf(const Resizing& resizing, std::size_t axis) {
  const std::int64_t in = resizing.from[axis], out = resizing.to[axis];
  std::vector<float> weights(static_cast<std::size_t>(in * out), 0);
  const auto give = [&](std::int64_t from, std::int64_t to, double weight) {
    from = std::clamp<std::int64_t>(from, 0, in - 1);
    weights[static_cast<std::size_t>(from * out + to)] += static_cast<float>(weight);
  };
  for (std::int64_t i = 0; i < out; ++i) {
    const double source =
        std::clamp(sourceOf(resizing, axis, i), -4.0, static_cast<double>(in) + 4.0);
    const double base = std::floor(source);
    const auto first = static_cast<std::int64_t>(base);
    if (resizing.mode == "nearest") {
      give(nearestOf(resizing, source), i, 1);
    } else if (resizing.mode == "linear") {
      give(first, i, 1 - (source - base));
      give(first + 1, i, source - base);
    } else {
      for (std::int64_t tap = -1; tap <= 2; ++tap) {
        const double distance = source - base - static_cast<double>(tap);
        give(first + tap, i, cubicWeight(distance, static_cast<double>(resizing.bend)));
      }
    }
  }
  return weights;
}

// Can the matrices be written down?
bool isSmall(const Resizing& resizing) {
  for (const std::size_t axis : {2U, 3U}) {
    const std::int64_t in = resizing.from[axis], out = resizing.to[axis];
    if (in > 65536 || out > kMostWeights / in) return false;
  }
  return true;
}

bool isWhole(const Resizing& resizing, std::size_t axis) {
  if (resizing.scales.empty()) return true;
  return resizing.scales[axis] * static_cast<float>(resizing.from[axis]) ==
         static_cast<float>(resizing.to[axis]);
}

// Does the importer compute this?
bool isPlain(const Resizing& resizing) {
  if (resizing.mode == "cubic" || resizing.place == "half_pixel_symmetric") return false;
  for (const std::size_t axis : {2U, 3U}) {
    if (resizing.mode == "linear") {
      if (resizing.from[axis] == 1) return false;  // 5.0 reads outside of it
      const bool isOne = resizing.place == "pytorch_half_pixel" && resizing.to[axis] == 1;
      if (isOne || (resizing.place != "align_corners" && !isWhole(resizing, axis))) return false;
      continue;
    }
    const std::int64_t in = resizing.from[axis], out = resizing.to[axis];
    for (std::int64_t i = 0; i < out; ++i) {
      const std::int64_t row = nearestOf(resizing, sourceOf(resizing, axis, i));
      if (std::clamp<std::int64_t>(row, 0, in - 1) != i * in / out) return false;
    }
  }
  return true;
}

std::string product(Spelling& spelling, const Resizing& resizing, const std::string& value,
                    std::size_t axis) {
  const Integers dims = {resizing.from[axis], resizing.to[axis]};
  return spelling.add("MatMul", {value, spelling.floats(dims, weightsOf(resizing, axis))});
}

}  // namespace

bool spellResize(Spelling& spelling) {
  const Node& node = spelling.node();
  auto resizing = readResizing(spelling);
  if (!resizing || !isSmall(*resizing)) return false;
  if (resizing->mode == "linear" && resizing->from[2] == 1 && resizing->from[3] == 1) {
    resizing->mode = "nearest";  // the same, without products
    resizing->place = "asymmetric";
    resizing->rounding = "floor";
  }
  if (!isPlain(*resizing)) {
    const std::string wide =
        spellTurned(spelling, product(spelling, *resizing, node.input(0), 3), 4);
    spellTurned(spelling, product(spelling, *resizing, wide, 2), 4, node.output(0));
    return true;
  }
  Integers sizes = resizing->to;
  sizes[0] = std::max<std::int64_t>(sizes[0], 1);  // not looked at
  spelling.add("Resize", {node.input(0), "", "", spelling.integers(sizes)}, node.output(0));
  const bool isNearest = resizing->mode == "nearest";
  setAttribute(spelling.last(), "mode", resizing->mode);
  setAttribute(spelling.last(), "coordinate_transformation_mode",
               isNearest ? std::string("asymmetric") : resizing->place);
  if (isNearest) setAttribute(spelling.last(), "nearest_mode", std::string("floor"));
  return true;
}

}  // namespace mpm::onnx
