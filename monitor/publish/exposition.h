// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace mpm::monitor {

enum class FamilyKind { gauge, counter };

/// What all samples of one name have in common; its texts outlive whatever is told.
struct Family {
  const char* name;
  FamilyKind kind;
  const char* help;
};

/// Text of Prometheus, version 0.0.4. Families stand in the order of their first sample, each with
/// its HELP and TYPE in front and all its samples together, as the format wants it.
class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  /// A sample that is there already is not added again: a second one would be refused.
  void add(const Family& family, const Labels& labels, double value);
  std::string text() const;

 private:
  struct Block {
    Family family;
    std::string lines;
  };
  std::vector<Block> blocks_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::unordered_set<std::string> series_;
};

}  // namespace mpm::monitor
