// SPDX-License-Identifier: Apache-2.0
// Rows that are chosen, and copies.
#include "onnx/attribute.h"
#include "onnx/lower_rules.h"

namespace mpm::onnx {
namespace {

// Pieces are nodes; a list of more stays as it is.
constexpr std::size_t kMostPieces = 64;
constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

std::string slice(Spelling& spelling, const std::string& value, std::int64_t axis,
                  std::int64_t begin, std::int64_t end, const std::string& output) {
  const auto starts = spelling.integers({begin});
  const auto ends = spelling.integers({end});
  return spelling.add("Slice", {value, starts, ends, spelling.integers({axis})}, output);
}

// Rows that follow each other, as [begin, end).
std::vector<std::pair<std::int64_t, std::int64_t>> runsOf(const Integers& rows) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (const std::int64_t row : rows) {
    if (!runs.empty() && runs.back().second == row) {
      ++runs.back().second;
    } else {
      runs.emplace_back(row, row + 1);
    }
  }
  return runs;
}

}  // namespace

// The importer takes one row, counted from the front, and drops its axis always.
bool spellGather(Spelling& spelling) {
  const Node& node = spelling.node();
  if (!hasInput(node, 0) || !hasInput(node, 1) || spelling.model().constant(node.input(0))) {
    return false;
  }
  const auto index = spelling.model().constant(node.input(1));
  if (!index || !index->isInteger() || index->dims().size() > 1) return false;
  if (index->count() == 0 || index->count() > 4096) return false;
  Integers rows = index->integers();
  std::int64_t axis = intAttribute(node, "axis").value_or(0);
  const Integers* dims = spelling.dims(node.input(0));
  bool isChanged = axis < 0;
  const auto place = axisOf(axis, dims != nullptr ? dims->size() : 64);
  if (!place || (axis < 0 && dims == nullptr)) return false;
  axis = static_cast<std::int64_t>(*place);
  for (std::int64_t& row : rows) {
    if (row > kMostRows) return false;
    if (row >= 0) continue;
    if (dims == nullptr || (*dims)[*place] < 0 || (*dims)[*place] + row < 0) return false;
    row += (*dims)[*place];
    isChanged = true;
  }
  if (index->dims().empty()) {
    if (!isChanged) return false;
    setAttribute(spelling.addCopy({node.input(0), spelling.integer(rows[0])}), "axis", axis);
    return true;
  }
  const auto runs = runsOf(rows);
  if (runs.size() > kMostPieces) return false;
  std::vector<std::string> pieces;
  for (const auto& [begin, end] : runs) {
    pieces.push_back(slice(spelling, node.input(0), axis, begin, end,
                           runs.size() == 1 ? node.output(0) : std::string()));
  }
  if (runs.size() == 1) return true;
  spelling.add("Concat", pieces, node.output(0));
  setAttribute(spelling.last(), "axis", axis);
  return true;
}

bool spellTile(Spelling& spelling) {
  const Node& node = spelling.node();
  if (node.input_size() != 2 || !hasInput(node, 0)) return false;
  const auto repeats = spelling.integersIn(node.input(1));
  if (!repeats || spelling.model().constant(node.input(0))) return false;
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < repeats->size(); ++i) {
    const std::int64_t times = (*repeats)[i];
    if (times < 1 || times > static_cast<std::int64_t>(kMostPieces)) return false;
    if (times > 1) axes.push_back(i);
  }
  if (axes.empty() || axes.size() > 8) return false;
  std::string value = node.input(0);
  for (const std::size_t axis : axes) {
    const std::vector<std::string> copies(static_cast<std::size_t>((*repeats)[axis]), value);
    value = spelling.add("Concat", copies, axis == axes.back() ? node.output(0) : std::string());
    setAttribute(spelling.last(), "axis", static_cast<std::int64_t>(axis));
  }
  return true;
}

}  // namespace mpm::onnx
