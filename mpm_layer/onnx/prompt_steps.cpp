// SPDX-License-Identifier: Apache-2.0
#include "onnx/row_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/attribute.h"
#include "onnx/rows_of.h"

namespace mpm::onnx {
namespace {

// The rows of a stream that has all of its blob's which lie in this range of it; nothing where that
// has some of the image's alone.
std::optional<std::vector<Part>> partsIn(const Tokens& stream, const RowRange& range) {
  std::vector<Part> parts;
  std::int64_t first = 0;
  for (const Part& part : stream.parts) {
    const std::int64_t count = part.isImage ? stream.ownImage : part.end - part.begin;
    const std::int64_t begin = std::max(range.begin - first, std::int64_t{0});
    const std::int64_t end = std::min(range.end - first, count);
    first += count;
    if (begin >= end) continue;
    if (part.isImage && end - begin != count) return std::nullopt;
    parts.push_back(part.isImage ? part : Part{false, part.begin + begin, part.begin + end});
  }
  return parts;
}

// How many special rows these are, if they are the first ones of the blob, in its order, and the
// image's are there once.
std::optional<std::int64_t> specialKept(const std::vector<Part>& parts) {
  std::int64_t next = 0;
  int images = 0;
  for (const Part& part : parts) {
    images += part.isImage ? 1 : 0;
    if (part.isImage) continue;
    if (part.begin != next) return std::nullopt;
    next = part.end;
  }
  return images == 1 ? std::optional(next) : std::nullopt;
}

// What all rows that a node joins are cut from, but for constant ones; empty where that is more
// than one value.
std::string streamOf(const Facts& facts, const Node& concat) {
  std::string stream;
  for (const std::string& input : concat.input()) {
    const Node* cut = facts.model.producer(input);
    if (facts.values.content(input) != nullptr || cut == nullptr) continue;
    if (cut->input_size() < 1 || (!stream.empty() && stream != cut->input(0))) return {};
    stream = cut->input(0);
  }
  return stream;
}

}  // namespace

bool PromptSteps::follow(const Node& node, const std::string& value) {
  const std::string stream = isOp(node, "Concat") ? streamOf(facts_, node) : std::string();
  const Tokens* found = stream.empty() ? nullptr : standing_.tokens(stream);
  if (found == nullptr || !found->inEncoder || found->blocks == 0 || found->flat ||
      !found->hasAll() || found->windows.areThere())
    return false;
  const Tokens before = *found;
  const auto axis = axisOf(intAttribute(node, "axis").value_or(0), 3);
  if (axis != (before.rowsFirst ? 0U : 1U)) return false;
  std::vector<Part> parts, kept;
  std::vector<std::size_t> ofPrompts;  // which of `parts`
  std::vector<float> prompts;
  std::int64_t count = 0;
  for (const std::string& input : node.input()) {
    const Integers* dims = facts_.values.dims(input);
    if (dims == nullptr || dims->size() != 3) return false;
    const std::int64_t rows = (*dims)[*axis];
    if (const auto constant = constantRows(facts_, input, rows, before.dim, before.rowsFirst)) {
      prompts.insert(prompts.end(), constant->begin(), constant->end());
      ofPrompts.push_back(parts.size());
      parts.push_back({false, count, count + rows});
      count += rows;
      continue;
    }
    const Node* cut = facts_.model.producer(input);
    const auto range =
        cut == nullptr ? std::nullopt : rowRange(facts_, *cut, input, before.rowsFirst);
    const auto own = range && !range->dropsAxis ? partsIn(before, *range) : std::nullopt;
    if (!own) return false;
    parts.insert(parts.end(), own->begin(), own->end());
    kept.insert(kept.end(), own->begin(), own->end());
  }
  const std::optional<std::int64_t> special = specialKept(kept);
  // Where none stays, they may be a decoder's classes.
  if (!special || *special == 0 || count == 0 || *special + count != before.special) return false;
  for (const std::size_t prompt : ofPrompts) {
    parts[prompt].begin += *special;
    parts[prompt].end += *special;
  }
  Tokens after = emit_.replaceLastSpecial(before, count, std::move(prompts));
  after.parts = std::move(parts);
  standing_.setTokens(value, std::move(after));
  return true;
}

}  // namespace mpm::onnx
