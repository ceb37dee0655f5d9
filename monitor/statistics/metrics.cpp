// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include <stdexcept>
#include <utility>

#include "monitor/statistics/letters.h"

namespace mpm::monitor {

Metrics::Metrics(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t place = 0; place < names_.size(); ++place) {
    if (!places_.emplace(names_[place], place).second) {
      throw std::invalid_argument("two metrics are named '" + names_[place] +
                                  "'; the classes and zones that they are of need names that "
                                  "differ in letters, digits, '_' or '-'");
    }
  }
}

std::optional<std::size_t> Metrics::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::string metricPart(std::string_view name) {
  std::string part;
  while (!name.empty()) {
    const Letter letter = firstLetter(name);
    if (letter.stays) {
      part += name.substr(0, letter.bytes);
    } else {
      part += '_';
    }
    name.remove_prefix(letter.bytes);
  }
  return part.empty() ? "_" : part;
}

}  // namespace mpm::monitor
