// SPDX-License-Identifier: Apache-2.0
#include "onnx/resizing.h"

#include <algorithm>
#include <cmath>

#include "onnx/attribute.h"

namespace mpm::onnx {
namespace {

// Scales or sizes that are given for some axes, for all four; nothing where an axis is wrong.
template <typename T>
std::optional<std::vector<T>> forAllAxes(const std::optional<std::vector<T>>& given,
                                         const std::optional<Integers>& axes,
                                         std::vector<T> others) {
  if (!given || !axes) {
    if (!given || given->size() != others.size()) return std::nullopt;
    return given;
  }
  if (given->size() != axes->size()) return std::nullopt;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto place = axisOf((*axes)[i], others.size());
    if (!place) return std::nullopt;
    others[*place] = (*given)[i];
  }
  return others;
}

bool isCount(const Spelling& spelling, const std::string& value) {
  const auto constant = spelling.model().constant(value);
  return constant && constant->count() > 0;
}

// Sets scales and to; false where they are not known or touch batch or channels.
bool readSizes(Spelling& spelling, Resizing& resizing) {
  const Node& node = spelling.node();
  const bool isOld = node.op_type() == "Upsample" || spelling.model().opset() < 11;
  const std::string scales = inputOf(node, isOld ? 1 : 2);
  const std::string sizes = isOld ? "" : inputOf(node, 3);
  const auto axes = intsAttribute(node, "axes");
  if (isCount(spelling, scales)) {
    const auto all = forAllAxes<float>(spelling.floatsIn(scales), axes, {1, 1, 1, 1});
    if (!all || (*all)[0] != 1 || (*all)[1] != 1) return false;
    resizing.scales = *all;
    resizing.to = resizing.from;
    for (const std::size_t axis : {2U, 3U}) {
      const double size =
          static_cast<double>(resizing.from[axis]) * static_cast<double>(resizing.scales[axis]);
      if (!(size >= 1 && size < 65536)) return false;
      resizing.to[axis] = static_cast<std::int64_t>(std::floor(size));
    }
    return true;
  }
  if (!isCount(spelling, sizes)) return false;
  const auto all = forAllAxes<std::int64_t>(spelling.integersIn(sizes), axes, resizing.from);
  if (!all || (*all)[1] != resizing.from[1]) return false;
  if (resizing.from[0] >= 0 && (*all)[0] != resizing.from[0]) return false;
  resizing.to = *all;
  return true;
}

}  // namespace

std::optional<Resizing> readResizing(Spelling& spelling) {
  const Node& node = spelling.node();
  const bool isOld = node.op_type() == "Upsample" || spelling.model().opset() < 11;
  Resizing resizing;
  resizing.mode = stringAttribute(node, "mode").value_or("nearest");
  resizing.place =
      isOld ? "asymmetric"
            : stringAttribute(node, "coordinate_transformation_mode").value_or("half_pixel");
  resizing.rounding =
      isOld ? "floor" : stringAttribute(node, "nearest_mode").value_or("round_prefer_floor");
  resizing.bend = floatAttribute(node, "cubic_coeff_a").value_or(-0.75F);
  const bool isBent = intAttribute(node, "antialias").value_or(0) != 0 ||
                      intAttribute(node, "exclude_outside").value_or(0) != 0;
  const auto policy = stringAttribute(node, "keep_aspect_ratio_policy").value_or("stretch");
  if (isBent || policy != "stretch" || !hasInput(node, 0)) return std::nullopt;
  const bool isMode =
      resizing.mode == "nearest" || resizing.mode == "linear" || resizing.mode == "cubic";
  static const std::vector<std::string> places = {"half_pixel", "pytorch_half_pixel", "asymmetric",
                                                  "align_corners", "half_pixel_symmetric"};
  if (!isMode || std::find(places.begin(), places.end(), resizing.place) == places.end()) {
    return std::nullopt;
  }
  const Integers* dims = spelling.dims(node.input(0));
  if (dims == nullptr || dims->size() != 4) return std::nullopt;
  resizing.from = *dims;
  if (!readSizes(spelling, resizing)) return std::nullopt;
  for (const std::size_t axis : {2U, 3U}) {
    if (resizing.from[axis] < 1 || resizing.to[axis] < 1) return std::nullopt;
  }
  return resizing;
}

}  // namespace mpm::onnx
