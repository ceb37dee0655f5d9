// SPDX-License-Identifier: Apache-2.0
#include "cli/wording.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "files/text.h"

namespace mpm::cli {

std::string shapeText(const std::vector<int>& shape) {
  std::vector<std::string> sizes;
  for (const int size : shape) sizes.push_back(size < 0 ? "any" : std::to_string(size));
  return "[" + files::joined(sizes, " x ") + "]";
}

std::string sizeText(const cv::Size& size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

std::string scheduleText(const Schedule& blocks) {
  if (blocks.empty()) return "none: unmerged";
  std::vector<std::string> numbers;
  for (const int block : blocks.blocks()) numbers.push_back(std::to_string(block));
  return (numbers.size() == 1 ? "before block " : "before blocks ") + files::listed(numbers);
}

std::string mergingText(const Schedule& blocks) {
  return blocks.empty() ? "unmerged" : "merge before " + blocks.text();
}

std::string withoutFrame(const std::string& text) {
  const std::size_t first = text.find_first_not_of("> \n"), last = text.find_last_not_of("> \n");
  return first == std::string::npos ? text : text.substr(first, last + 1 - first);
}

std::string tableText(const std::vector<std::vector<std::string>>& rows,
                      const std::string& layout) {
  std::vector<std::size_t> widths(layout.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths.at(c) = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (layout[c] == 'r' ? space + row[c] : row[c] + space);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string numberText(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string msText(double ms) { return numberText(ms, ms < 9.995 ? 2 : 1) + " ms"; }

std::string countText(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string shareText(double share, int digits) { return numberText(100 * share, digits) + "%"; }

std::string percentText(double share) {
  return numberText(std::floor(share * 10000 + 1e-6) / 100, 2) + "%";
}

std::string precisionText(const std::string& chosen,
                          const std::vector<TunedPrecision>& precisions) {
  std::string text = "computing in " + chosen, others;
  if (precisions.empty())
    return text + ": there was no frame of several colours to compare other precisions on";
  for (const TunedPrecision& one : precisions) {
    const std::string time = numberText(one.ratio, 2), labels = percentText(one.agreement);
    if (one.precision == chosen && chosen != "fp32") {
      text += ", which takes " + time + " of fp32's time and labels " + labels +
              " of the pixels as fp32 does";
    } else if (one.precision != "fp32") {
      others += (others.empty() ? "" : "; ") + one.precision + ": " + time + ", " + labels;
    }
  }
  return others.empty() ? text : text + " (" + others + ")";
}

double rounded(double number, int digits) {
  const double steps = std::pow(10, digits);
  return std::round(number * steps) / steps;
}

std::string jsonText(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace mpm::cli
