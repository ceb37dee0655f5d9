// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/words.h"

#include <algorithm>
#include <utility>

namespace mpm::monitor {
namespace {

// Shorter words within a word are not significant.
constexpr std::size_t kShortestPart = 3;

bool contains(std::string_view whole, std::string_view part) {
  return part.size() >= kShortestPart && whole.find(part) != std::string_view::npos;
}

std::string twoUnits(std::int64_t whole, const char* unit, std::int64_t rest, const char* smaller) {
  const std::string text = std::to_string(whole) + " " + unit;
  return rest == 0 ? text : text + " " + std::to_string(rest) + " " + smaller;
}

}  // namespace

std::size_t differences(std::string_view a, std::string_view b) {
  // Row i goes from the first i letters of `a` to the first 0, 1, ... letters of `b`.
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::vector<std::string> likeThese(std::string_view wrong, const std::vector<std::string>& right,
                                   std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& word : right) {
    const std::size_t apart = differences(wrong, word);
    const std::size_t longer = std::max(wrong.size(), word.size());
    const bool near = apart <= std::max<std::size_t>(1, longer / 3);
    const bool within = contains(word, wrong) || contains(wrong, word);
    if (near || within) found.emplace_back(apart, word);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > most) found.resize(most);
  std::vector<std::string> words;
  for (auto& [apart, word] : found) words.push_back(std::move(word));
  return words;
}

std::string durationText(std::int64_t ms) {
  ms = std::max<std::int64_t>(ms, 0);
  const std::int64_t tenths = ms / 100;
  if (tenths < 100 && tenths % 10 != 0) {
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
  }
  const std::int64_t seconds = ms / 1000, minutes = seconds / 60, hours = minutes / 60;
  if (minutes == 0) return std::to_string(seconds) + " s";
  if (hours == 0) return twoUnits(minutes, "min", seconds % 60, "s");
  if (hours < 24) return twoUnits(hours, "h", minutes % 60, "min");
  return twoUnits(hours / 24, "d", hours % 24, "h");
}

}  // namespace mpm::monitor
