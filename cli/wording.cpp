// SPDX-License-Identifier: Apache-2.0
#include "cli/wording.h"

#include <cstddef>

namespace mpm::cli {

std::string shapeText(const std::vector<int>& shape) {
  std::string text;
  for (const int size : shape) {
    text += (text.empty() ? "" : " x ") + (size < 0 ? "any" : std::to_string(size));
  }
  return "[" + text + "]";
}

std::string sizeText(const cv::Size& size) {
  return std::to_string(size.width) + " x " + std::to_string(size.height);
}

std::string scheduleText(const std::vector<int>& blocks) {
  if (blocks.empty()) return "none: full tokens";
  std::string text = blocks.size() == 1 ? "before block " : "before blocks ";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) text += i + 1 == blocks.size() ? " and " : ", ";
    text += std::to_string(blocks[i]);
  }
  return text;
}

std::string withoutFrame(const std::string& text) {
  const std::size_t first = text.find_first_not_of("> \n"), last = text.find_last_not_of("> \n");
  return first == std::string::npos ? text : text.substr(first, last + 1 - first);
}

}  // namespace mpm::cli
