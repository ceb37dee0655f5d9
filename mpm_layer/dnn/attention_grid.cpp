// SPDX-License-Identifier: Apache-2.0
#include "dnn/attention_grid.h"

#include <algorithm>
#include <string>

namespace mpm::dnn {

using std::to_string;

AttentionGrid::AttentionGrid(const LayerIdentity& layer, const std::vector<int>& grid,
                             const std::vector<int>& window)
    : layer_(layer) {
  const auto isPair = [](const std::vector<int>& sizes) {
    return sizes.size() == 2 && sizes[0] >= 1 && sizes[1] >= 1;
  };
  if (grid.empty() && window.empty()) return;
  if (!isPair(grid))
    refuseLayer(layer_, "grid is no [height, width]; expected two numbers of 1 or more");
  constexpr int kLongest = 1 << 10;
  if (!window.empty() && (!isPair(window) || window[0] > kLongest || window[1] > kLongest)) {
    refuseLayer(layer_, "window is no [height, width]; expected two numbers from 1 to " +
                            to_string(kLongest));
  }
  const std::vector<int>& cells = window.empty() ? grid : window;
  grid_ = {static_cast<std::size_t>(grid[0]), static_cast<std::size_t>(grid[1]),
           static_cast<std::size_t>(cells[0]), static_cast<std::size_t>(cells[1])};
}

void AttentionGrid::readWeights(const LayerInputs& inputs, const TokenShape& shape, int d,
                                int width) {
  down_ = across_ = outside_ = {};
  const bool hasDown = inputs.find("distance_down") != nullptr;
  if (hasDown != (inputs.find("distance_across") != nullptr)) {
    refuseLayer(layer_, "has one of distance_down and distance_across; expected both, or neither");
  }
  const bool hasOutside = inputs.find("outside") != nullptr;
  if (!isThere()) {
    if (hasDown || hasOutside)
      refuseLayer(layer_, "has distances or cells outside; expected a grid with them");
    return;
  }
  if (shape.special != 0 || static_cast<std::size_t>(shape.image) != grid_.height * grid_.width) {
    refuseLayer(layer_, "has " + to_string(shape.special) + " special and " +
                            to_string(shape.image) + " image rows; expected none and " +
                            to_string(grid_.height * grid_.width) + ", those of its grid");
  }
  if (hasOutside != grid_.reachesOver()) {
    refuseLayer(layer_, hasOutside ? "has cells outside, but its windows do not reach over its grid"
                                   : "has windows that reach over its grid; expected outside with "
                                     "them: q, k and v of a cell there");
  }
  if (hasOutside) outside_ = ConstRows(inputs.vector("outside", 3 * width), 1, 3 * width);
  if (!hasDown) return;
  down_ = inputs.matrix("distance_down", 2 * static_cast<int>(grid_.windowHeight) - 1, d);
  across_ = inputs.matrix("distance_across", 2 * static_cast<int>(grid_.windowWidth) - 1, d);
}

void AttentionGrid::packWeights() {
  packedOutside_.assign(outside_.data, outside_.data + outside_.dim);
  hasDistances_ = down_.data != nullptr;
  if (hasDistances_) distances_ = {down_, across_};
}

vit::GridPositions AttentionGrid::positions(const vit::Members& members) {
  windowOfLive_.assign(members.live(), 0);
  for (std::size_t row = 0; row < members.live(); ++row) {
    const std::int32_t *first = members.begin(row), *end = members.end(row);
    if (first == end)
      refuseInput(layer_, "map", "leaves out a live row; expected a token for each");
    const auto windowOf = [&](std::int32_t token) {
      return grid_.windowOf(static_cast<std::size_t>(token));
    };
    const auto other = std::find_if(
        first, end, [&](std::int32_t token) { return windowOf(token) != windowOf(*first); });
    if (other != end) {
      refuseInput(layer_, "map",
                  "merges token " + to_string(*other) + " of window " +
                      to_string(windowOf(*other)) + " with one of window " +
                      to_string(windowOf(*first)) +
                      "; expected merges within windows, by their input regions");
    }
    windowOfLive_[row] = static_cast<std::int32_t>(windowOf(*first));
  }
  windows_.set(windowOfLive_, grid_.windows());
  return {grid_, &members, &windows_, hasDistances_ ? &distances_ : nullptr,
          packedOutside_.empty() ? nullptr : packedOutside_.data()};
}

}  // namespace mpm::dnn
