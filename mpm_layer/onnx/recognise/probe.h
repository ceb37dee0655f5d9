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

// Recognises parts of a graph by the function that they compute, not by their form. A region runs
// on a few made-up inputs, and its results are compared with candidates.

// Nodes that make `exit` only from constants and one value, the entry.
struct Region {
  std::string entry, exit;
  std::vector<const Node*> nodes;  // from exit to entry
};

using TakesNode = bool (*)(const AnalysedModel& analysed, const Node& node);

// Returns the regions of at most so many nodes that end at a value. The smallest comes first; each
// is a part of the next.
std::vector<Region> regionsBehind(const AnalysedModel& analysed, const std::string& exit,
                                  std::size_t most, TakesNode takes);

// Values by their names.
using Computed = std::unordered_map<std::string, KnownTensor>;

// Runs a region on an entry; empty if a node cannot be computed. isShort: each axis longer than
// one, except the last, has just two steps in all values.
Computed run(const AnalysedModel& analysed, const Region& region, KnownTensor entry, bool isShort);

// Returns a number in [-1, 1) for each element, without any order.
inline float noise(std::size_t element) {
  const std::uint32_t state = static_cast<std::uint32_t>(element) * 747796405U + 2891336453U;
  return static_cast<float>((state ^ (state >> 15)) * 2246822519U >> 8) * 0x1p-23F - 1;
}

// Says which function of rows a region computes.
struct RowFunction {
  enum class Kind { none, norm, unit, softmax };

  Kind kind = Kind::none;
  FoundNormalize norm;  // a softmax has but an input and nodes
};

// Caches answers about one unchanged model, since finders ask about a value several times.
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
