// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace mpm::cli {

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

}  // namespace mpm::cli
