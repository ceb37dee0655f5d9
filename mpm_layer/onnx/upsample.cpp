// SPDX-License-Identifier: Apache-2.0
#include "onnx/upsample.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "onnx/attribute.h"
#include "onnx/resizing.h"

namespace mpm::onnx {
namespace {

constexpr std::int64_t kMostPlaces = 65536;  // of the result, along an axis

bool isForLayer(const Resizing& resizing) {
  constexpr const char* kPlaces[] = {"half_pixel", "pytorch_half_pixel", "align_corners",
                                     "asymmetric"};
  return resizing.mode == "linear" && resizing.to[2] <= kMostPlaces &&
         resizing.to[3] <= kMostPlaces &&
         std::find(std::begin(kPlaces), std::end(kPlaces), resizing.place) != std::end(kPlaces);
}

// Scores [B N C] that were turned into the planes of a grid, and its height and width.
struct Scores {
  std::string value;
  Integers grid;
};

std::optional<Scores> scoresBehind(const Spelling& spelling, const Resizing& resizing) {
  const Node* reshape = spelling.model().producer(spelling.node().input(0));
  if (reshape == nullptr || !isOp(*reshape, "Reshape") || !hasInput(*reshape, 1)) return {};
  const Node* turn = spelling.model().producer(reshape->input(0));
  if (turn == nullptr || !isOp(*turn, "Transpose") || !hasInput(*turn, 0)) return {};
  if (intsAttribute(*turn, "perm") != Integers{0, 2, 1}) return {};
  const Integers* turned = spelling.dims(turn->output(0));
  const Integers& planes = resizing.from;
  std::int64_t places = 0;
  if (__builtin_mul_overflow(planes[2], planes[3], &places)) return {};
  const bool keepsChannels = turned != nullptr && turned->size() == 3 &&
                             (*turned)[1] == planes[1] && (*turned)[2] == places;
  const std::optional<Integers> target = spelling.integersIn(reshape->input(1));
  if (!keepsChannels || !target || target->size() != 4) return {};
  const Integers grid(target->begin() + 2, target->end());
  if (grid[0] < 1 || grid[1] < 1 || grid[0] > kMostPlaces || grid[1] > kMostPlaces) return {};
  return Scores{turn->input(0), grid};
}

bool spellUpsample(Spelling& spelling) {
  const std::optional<Resizing> resizing = readResizing(spelling);
  if (!resizing || !isForLayer(*resizing)) return false;
  const Node& node = spelling.node();
  const std::optional<Scores> scores = scoresBehind(spelling, *resizing);
  spelling.add("Upsample", {scores ? scores->value : node.input(0)}, node.output(0));
  Node& layer = spelling.last();
  layer.set_domain("mpm");
  setAttribute(layer, "mode", resizing->place);
  if (scores) setAttribute(layer, "grid", scores->grid);
  if (resizing->scales.empty()) {
    setAttribute(layer, "size", Integers{resizing->to[2], resizing->to[3]});
  } else {
    setAttribute(layer, "scale", std::vector<float>{resizing->scales[2], resizing->scales[3]});
  }
  return true;
}

}  // namespace

int useUpsample(Model& model, const DimsOf& ownDims) {
  static const Rules rules = {{"Resize", spellUpsample}, {"Upsample", spellUpsample}};
  return spellOut(model, rules, ownDims);
}

}  // namespace mpm::onnx
