// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/description.h"
#include "cli/wording.h"

namespace mpm::cli {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;  // the same label again: ""

constexpr std::size_t kWidestValue = 70;

// One line of it that a terminal can show, lists with their length: a file may hold anything.
std::string shown(const std::string& value) {
  const auto newLines = std::count(value.begin(), value.end(), '\n');
  std::string text = newLines == 0 ? "" : std::to_string(newLines + 1) + ": ";
  for (const char c : value) {
    if (c == '\n') text += ',';
    text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  if (text.size() > kWidestValue) {
    std::size_t end = kWidestValue - 3;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
    text = text.substr(0, end) + "...";
  }
  return text;
}

void addBlobs(Rows& rows, std::string label, const std::vector<Description::Blob>& blobs) {
  std::size_t widest = 0;
  for (const auto& blob : blobs) widest = std::max(widest, shown(blob.name).size());
  for (const auto& blob : blobs) {
    std::string name = shown(blob.name);
    name.resize(widest, ' ');
    rows.emplace_back(std::exchange(label, ""), name + "  " + shapeText(blob.shape));
  }
}

void addEncoder(Rows& rows, const Description& description) {
  const auto text = [](int number) { return std::to_string(number); };
  rows.emplace_back("encoder", text(description.blocks) + " blocks of " + text(description.dim) +
                                   " features, " + text(description.heads) + " heads, GELU " +
                                   description.gelu);
  rows.emplace_back("tokens", text(description.special) + " special + " +
                                  text(description.grid.area()) + " patches (" +
                                  sizeText(description.grid) + ") of " + text(description.patch) +
                                  " x " + text(description.patch) + " pixels");
  rows.emplace_back("head", shown(description.head));
  rows.emplace_back("merges", scheduleText(description.schedule));
}

std::string format(const Rows& rows) {
  std::size_t widest = 0;
  for (const auto& [label, value] : rows) widest = std::max(widest, label.size());
  std::string text;
  for (const auto& [label, value] : rows) {
    text += label + std::string(widest + 2 - label.size(), ' ') + value + '\n';
  }
  return text;
}

}  // namespace

std::string descriptionTable(const std::string& path, const Description& description) {
  Rows rows = {{"model", path}};
  addBlobs(rows, "inputs", description.inputs);
  addBlobs(rows, "outputs", description.outputs);
  if (description.mergeable) {
    addEncoder(rows, description);
  } else {
    rows.emplace_back("merges", "no: " + description.reason);
  }
  for (const auto& [key, value] : description.metadata) {
    if (key.starts_with("mpm.")) rows.emplace_back(shown(key), shown(value));
  }
  return format(rows);
}

}  // namespace mpm::cli
