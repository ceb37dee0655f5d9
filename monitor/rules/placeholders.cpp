// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/placeholders.h"

#include <algorithm>
#include <string_view>

#include "monitor/rules/likeness.h"

namespace mpm::monitor {
namespace {

// The word between braces that begins at `brace`: empty where there is none.
std::string_view wordAt(std::string_view text, std::size_t brace) {
  const std::size_t end = text.find_first_of("{}", brace + 1);
  if (end == std::string_view::npos || text[end] != '}') return {};
  return text.substr(brace + 1, end - brace - 1);
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

const std::vector<std::string>& placeholderNames() {
  static const std::vector<std::string> names{"rule", "source", "value", "time", "state"};
  return names;
}

std::string withValues(const std::string& text, const PlaceholderValues& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      const std::string_view word = wordAt(text, i);
      const auto found = std::find_if(values.begin(), values.end(),
                                      [&](const auto& value) { return value.first == word; });
      if (!word.empty() && found != values.end()) {
        result += found->second;
        i += word.size() + 1;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::optional<std::pair<std::string, std::string>> misspelled(const std::string& text) {
  const std::vector<std::string>& names = placeholderNames();
  for (std::size_t i = text.find('{'); i != std::string::npos; i = text.find('{', i + 1)) {
    const std::string_view word = wordAt(text, i);
    const bool isWord = std::all_of(word.begin(), word.end(), isLetter);
    if (word.empty() || !isWord || std::find(names.begin(), names.end(), word) != names.end()) {
      continue;
    }
    const std::vector<std::string> meant = likeThese(word, names, 1);
    if (!meant.empty()) return std::pair(std::string(word), meant[0]);
  }
  return std::nullopt;
}

}  // namespace mpm::monitor
