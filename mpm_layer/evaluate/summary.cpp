// SPDX-License-Identifier: Apache-2.0
#include "evaluate/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tune/median.h"

namespace mpm::evaluate {
namespace {

void addRecord(const ScheduleRecord& record, std::size_t merges, ScheduleTotals& totals) {
  // A model that cannot merge reports no rows.
  if (!record.rows.empty() && record.rows.size() != merges + 1)
    throw std::runtime_error("a record's merges differ from its schedule's");
  for (const Count& count : record.counts) totals.all.add(count);
  for (const Count& count : record.edgeCounts) totals.edges.add(count);
  totals.rows.resize(record.rows.size(), 0);
  for (std::size_t i = 0; i < record.rows.size(); ++i)
    totals.rows[i] += static_cast<std::uint64_t>(record.rows[i]);
  totals.windows += static_cast<std::uint64_t>(record.windows);
  totals.networkMs.push_back(record.networkMs);
  totals.ms.push_back(record.ms);
  if (record.agreement) totals.agreements.push_back(*record.agreement);
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
  for (std::size_t i = 0; i < schedules_.size(); ++i)
    addRecord(record.schedules.at(i), merges_[i], schedules_[i]);
  if (record.floor) floors_.push_back(*record.floor);
  ++pictures_;
}

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double median(const std::vector<double>& values) {
  return values.empty() ? kNone : tune::median(values);
}

double ratioTo(const ScheduleTotals& totals, const ScheduleTotals* full) {
  if (full == nullptr) return kNone;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < totals.ms.size(); ++i) {
    if (full->ms[i] > 0) ratios.push_back(totals.ms[i] / full->ms[i]);
  }
  return median(ratios);
}

ScheduleFigures figuresOf(const ScheduleTotals& totals, const Schedule& schedule,
                          const Header& header, const ScheduleTotals* full, double floor) {
  ScheduleFigures figures;
  figures.schedule = schedule;
  figures.all = qualityOf(totals.all);
  figures.edges = qualityOf(totals.edges);
  for (const std::uint64_t rows : totals.rows)
    figures.rows.push_back(static_cast<double>(rows) / static_cast<double>(totals.windows));
  figures.merged = kNone;
  if (!figures.rows.empty()) {
    const double all = figures.rows.front() - header.special;
    figures.merged = (figures.rows.front() - figures.rows.back()) / all;
  }
  figures.networkMs = median(totals.networkMs);
  figures.ms = median(totals.ms);
  figures.ratio = ratioTo(totals, full);
  figures.agreement = meanOf(totals.agreements);
  figures.beyondFloor = std::isnan(floor) ? kNone : std::max(0.0, floor - figures.agreement);
  return figures;
}

}  // namespace

Summary summaryOf(const Totals& totals, const Header& header) {
  Summary summary;
  summary.pictures = totals.pictures();
  summary.faults = totals.faults();
  summary.compared = totals.floors().size();
  summary.floor = meanOf(totals.floors());
  const auto full = std::find(header.schedules.begin(), header.schedules.end(), Schedule());
  const ScheduleTotals* const fullTotals =
      full == header.schedules.end() ? nullptr
                                     : &totals.schedules()[full - header.schedules.begin()];
  for (std::size_t i = 0; i < header.schedules.size(); ++i) {
    summary.schedules.push_back(
        figuresOf(totals.schedules()[i], header.schedules[i], header, fullTotals, summary.floor));
  }
  return summary;
}

const ScheduleFigures* fullTokensOf(const Summary& summary) {
  for (const ScheduleFigures& figures : summary.schedules) {
    if (figures.schedule.empty()) return &figures;
  }
  return nullptr;
}

}  // namespace mpm::evaluate
