// SPDX-License-Identifier: Apache-2.0
#include "evaluate/totals.h"

#include <stdexcept>

namespace mpm::evaluate {
namespace {

void addRecord(const ScheduleRecord& record, std::size_t merges, ScheduleTotals& totals) {
  // A model that cannot merge tells no rows.
  if ((!record.rows.empty() && record.rows.size() != merges + 1) ||
      (!record.distances.empty() && record.distances.size() != merges)) {
    throw std::runtime_error("a record has other merges than its schedule");
  }
  for (const Count& count : record.counts) totals.all.add(count);
  for (const Count& count : record.edgeCounts) totals.edges.add(count);
  totals.rows.resize(record.rows.size(), 0);
  for (std::size_t i = 0; i < record.rows.size(); ++i)
    totals.rows[i] += static_cast<std::uint64_t>(record.rows[i]);
  totals.windows += static_cast<std::uint64_t>(record.windows);
  totals.networkMs.push_back(record.networkMs);
  totals.ms.push_back(record.ms);
  totals.distances.resize(merges);
  for (std::size_t i = 0; i < record.distances.size(); ++i) {
    for (const auto& [distance, pairs] : record.distances[i])
      totals.distances[i][distance] += pairs;
  }
}

}  // namespace

Totals::Totals(const Header& header)
    : schedules_(header.schedules.size(), ScheduleTotals(header.classes.size())) {
  for (const Schedule& schedule : header.schedules) merges_.push_back(schedule.size());
}

void Totals::add(const PictureRecord& record) {
  if (record.fault) {
    faults_.push_back(*record.fault);
    return;
  }
  bool hasDistances = false;
  for (std::size_t i = 0; i < schedules_.size(); ++i) {
    addRecord(record.schedules.at(i), merges_[i], schedules_[i]);
    hasDistances = hasDistances || !record.schedules[i].distances.empty();
  }
  ++pictures_;
  distancePictures_ += hasDistances;
}

}  // namespace mpm::evaluate
