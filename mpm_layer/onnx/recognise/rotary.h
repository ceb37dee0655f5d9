// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/recognise/parts.h"

namespace mpm::onnx {

// The nodes between a value and the nearest one that all of it is made from, sources first.
struct RotaryRegion {
  std::string input;
  bool swapsAxes = false;  // the middle two of four change places
  std::vector<const Node*> nodes;

  Integers dimsBefore(Integers dims) const;  // of the input, by the output's
};

// What a region that ends at `output` turns rows by, found by running it on a few known inputs:
// `own`, `other`, `heads` and `pair` of FoundRotary. Nothing where it computes something else.
std::optional<FoundRotary> rotaryFactors(const Facts& facts, const RotaryRegion& region,
                                         const std::string& output, std::size_t rowAxis,
                                         std::optional<std::size_t> headAxis);

// What rotaryFactors gave before. All blocks of a network turn q and k in the same way, and each is
// looked at several times, while one answer takes a quarter of a second for a thousand rows.
class RotaryMemo {
 public:
  // As rotaryFactors. Regions are the same if their nodes are, whatever their values are called,
  // and their constants have the same elements.
  const std::optional<FoundRotary>& factors(const Facts& facts, const RotaryRegion& region,
                                            const std::string& output, std::size_t rowAxis,
                                            std::optional<std::size_t> headAxis);
  std::size_t size() const { return entries_.size(); }  // regions that were run

 private:
  struct Entry {
    std::vector<const Known*> constants;
    std::optional<FoundRotary> factors;
  };
  std::multimap<std::string, Entry> entries_;  // by the region's spelling
};

}  // namespace mpm::onnx
