// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mpm {

/// Blocks of an encoder before which tokens merge, counted from 0: ascending, each once, in
/// whatever order they were given. Empty: unmerged.
class Schedule {
 public:
  using value_type = int;
  using const_iterator = std::vector<int>::const_iterator;
  using iterator = const_iterator;

  Schedule() = default;
  Schedule(std::initializer_list<int> blocks) : Schedule(std::vector<int>(blocks)) {}
  Schedule(std::vector<int> blocks) : blocks_(std::move(blocks)) {
    std::sort(blocks_.begin(), blocks_.end());
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
  }

  /// Reads "2,5", with or without spaces ("2, 5", "2 5"), or "none". Throws std::invalid_argument
  /// on anything else, with one sentence that names the wrong word.
  static Schedule parse(std::string_view text);
  std::string text() const;  ///< "2,5", or "none"

  const std::vector<int>& blocks() const { return blocks_; }
  operator const std::vector<int>&() const { return blocks_; }
  bool empty() const { return blocks_.empty(); }
  std::size_t size() const { return blocks_.size(); }
  const_iterator begin() const { return blocks_.begin(); }
  const_iterator end() const { return blocks_.end(); }
  int operator[](std::size_t merge) const { return blocks_[merge]; }
  bool contains(int block) const { return std::binary_search(begin(), end(), block); }

  /// Throws std::invalid_argument with one sentence if a block is not in `mergeable`: the blocks
  /// that a net can merge before, ascending.
  void check(const std::vector<int>& mergeable) const;
  /// Checks against an encoder of this many blocks that can merge before each of them.
  void check(int blocks) const;

  friend bool operator==(const Schedule& a, const Schedule& b) { return a.blocks_ == b.blocks_; }
  friend bool operator!=(const Schedule& a, const Schedule& b) { return a.blocks_ != b.blocks_; }
  /// Orders schedules lexicographically.
  friend bool operator<(const Schedule& a, const Schedule& b) { return a.blocks_ < b.blocks_; }

 private:
  std::vector<int> blocks_;
};

inline Schedule Schedule::parse(std::string_view text) {
  constexpr const char* kSpaces = " \t\n";
  std::vector<int> blocks;
  const std::size_t first = text.find_first_not_of(kSpaces);
  const std::size_t last = text.find_last_not_of(kSpaces);
  if (first != text.npos && text.substr(first, last + 1 - first) == "none") return blocks;
  while (true) {  // words separated by commas, spaces or both
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(",; \t\n"));
    int block = -1;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, block);
    if (error != std::errc() || rest != end || block < 0) {
      throw std::invalid_argument("'" + std::string(word) +
                                  "' is not a block; give numbers from 0 with commas between "
                                  "them, as 2,5, or none for unmerged");
    }
    blocks.push_back(block);
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) return blocks;
    if (text.front() == ',' || text.front() == ';') text.remove_prefix(1);
  }
}

inline std::string Schedule::text() const {
  std::string text;
  for (const int block : blocks_) text += (text.empty() ? "" : ",") + std::to_string(block);
  return text.empty() ? "none" : text;
}

inline void Schedule::check(const std::vector<int>& mergeable) const {
  for (const int block : blocks_) {
    if (std::binary_search(mergeable.begin(), mergeable.end(), block)) continue;
    const std::string begin = "merge before " + std::to_string(block) + ": ";
    if (mergeable.empty())
      throw std::invalid_argument(begin + "there is no encoder that can merge");
    const int last = mergeable.back();
    const bool isAll = mergeable.size() > 1 && mergeable.size() == std::size_t(last) + 1;
    throw std::invalid_argument(
        begin + (isAll ? "the encoder has " + std::to_string(mergeable.size()) + " blocks, 0 to " +
                             std::to_string(last)
                       : "the net can only merge before " + Schedule(mergeable).text()));
  }
}

inline void Schedule::check(int blocks) const {
  std::vector<int> all(static_cast<std::size_t>(std::max(0, blocks)));
  std::iota(all.begin(), all.end(), 0);
  check(all);
}

}  // namespace mpm
