// SPDX-License-Identifier: Apache-2.0
#include "monitor/statistics/metrics.h"

#include <stdexcept>
#include <utility>

namespace mpm::monitor {

Metrics::Metrics(std::span<const MetricName> parsed) : parsed_(parsed.begin(), parsed.end()) {
  for (const MetricName& name : parsed_) names_.push_back(name.text());
  placeNames();
}

Metrics::Metrics(std::vector<std::string> names) : names_(std::move(names)) {
  for (const std::string& name : names_) parsed_.push_back(MetricName::parse(name));
  placeNames();
}

void Metrics::placeNames() {
  for (std::size_t place = 0; place < names_.size(); ++place) {
    if (!places_.emplace(names_[place], place).second) {
      throw std::invalid_argument(
          "two metrics are named '" + names_[place] +
          "'; give their classes or zones names that differ in letters, digits, '_' or '-'");
    }
  }
}

std::optional<std::size_t> Metrics::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mpm::monitor
