// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "onnx/recognise/rotary_factors.h"

namespace mpm::onnx {
namespace {

// What a region computes, but for the elements of its constants, which are noted one by one.
std::string spell(const Facts& facts, const RotaryRegion& region, const std::string& output,
                  std::vector<const Known*>& constants) {
  std::unordered_map<std::string, std::string> names{{"", ""}, {region.input, "input"}};
  const auto nameOf = [&](const std::string& value) {
    return names.emplace(value, std::to_string(names.size())).first->second;
  };
  std::string spelling;
  for (const Node* node : region.nodes) {
    Node plain = *node;
    plain.clear_name();
    plain.clear_doc_string();
    for (std::string& input : *plain.mutable_input()) {
      const bool isNew = names.count(input) == 0;
      const Known* content = isNew ? facts.values.content(input) : nullptr;
      if (content != nullptr) constants.push_back(content);
      input = nameOf(input);
    }
    for (std::string& made : *plain.mutable_output()) made = nameOf(made);
    const std::string bytes = plain.SerializeAsString();
    spelling += std::to_string(bytes.size()) + ":" + bytes;
  }
  spelling += nameOf(output) + (region.swapsAxes ? " swapped" : "");
  for (const std::int64_t dim : *facts.values.dims(output)) spelling += " " + std::to_string(dim);
  return spelling;
}

bool areEqual(const Known& a, const Known& b) {
  return &a == &b || (a.type == b.type && a.dims == b.dims && a.integers == b.integers &&
                      a.floats == b.floats && a.sure == b.sure);
}

}  // namespace

const std::optional<FoundRotary>& RotaryMemo::factors(const Facts& facts,
                                                      const RotaryRegion& region,
                                                      const std::string& output,
                                                      std::size_t rowAxis,
                                                      std::optional<std::size_t> headAxis) {
  Entry entry;
  std::string spelling = spell(facts, region, output, entry.constants);
  spelling += " rows " + std::to_string(rowAxis);
  if (headAxis) spelling += " heads " + std::to_string(*headAxis);
  const auto [begin, end] = entries_.equal_range(spelling);
  const auto same = std::find_if(begin, end, [&](const auto& before) {
    const std::vector<const Known*>& constants = before.second.constants;
    return std::equal(constants.begin(), constants.end(), entry.constants.begin(),
                      entry.constants.end(),
                      [](const Known* a, const Known* b) { return areEqual(*a, *b); });
  });
  if (same != end) return same->second.factors;
  entry.factors = rotaryFactors(facts, region, output, rowAxis, headAxis);
  return entries_.emplace(std::move(spelling), std::move(entry))->second.factors;
}

}  // namespace mpm::onnx
