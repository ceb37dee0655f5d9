// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "onnx/operators/known_tensor.h"
#include "onnx/operators/values.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {

// Parts of a graph are recognised by what they compute, not by how they are written: a region is
// run on a few inputs that are made up, and compared with what it may be.

// Nodes that make `exit` of constants and of one value, the entry, alone.
struct Region {
  std::string entry, exit;
  std::vector<const Node*> nodes;  // from exit to entry
};

using TakesNode = bool (*)(const AnalysedModel& analysed, const Node& node);

// Gives the regions of at most so many nodes that end at a value, the smallest first; each is a
// part of the next.
std::vector<Region> regionsBehind(const AnalysedModel& analysed, const std::string& exit,
                                  std::size_t most, TakesNode takes);

// Values by their names.
using Computed = std::unordered_map<std::string, KnownTensor>;

// Runs a region on an entry; empty where a node cannot be computed. isShort: the entry has but two
// steps along each axis in front of its last, if it has more than one, and so have other values.
Computed run(const AnalysedModel& analysed, const Region& region, KnownTensor entry, bool isShort);

// Gives each element a number in [-1, 1), without any order.
inline float noise(std::size_t element) {
  const std::uint32_t state = static_cast<std::uint32_t>(element) * 747796405U + 2891336453U;
  return static_cast<float>((state ^ (state >> 15)) * 2246822519U >> 8) * 0x1p-23F - 1;
}

// Says what a region makes of each row of one value.
struct RowFunction {
  enum class Kind { none, norm, unit, softmax };

  Kind kind = Kind::none;
  FoundNormalize norm;  // a softmax has but an input and nodes
};

// Keeps answers about one model, which stays as it is: finders ask about a value several times.
struct Probed {
  struct Turned {
    std::vector<const KnownTensor*> constants;
    std::optional<FoundRotary> factors;
  };

  std::unordered_map<const Node*, std::size_t> places;  // of all nodes in the model's order
  std::unordered_map<std::string, RowFunction> rows;    // by exit
  std::multimap<std::string, Turned> turned;            // by what the region's nodes say
};

Probed& probedOf(const AnalysedModel& analysed);

}  // namespace mpm::onnx
