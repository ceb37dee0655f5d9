// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/record/export.h"
#include "monitor/record/sample_record.h"

namespace mpm::monitor {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::int64_t kDay = 86400000;
constexpr ExportFormat kCsv = ExportFormat::csv, kJson = ExportFormat::json;

/// RFC 4180, as a spreadsheet reads it.
inline Rows rowsOf(const std::string& csv) {
  Rows rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    std::string& field = rows.back().back();
    if (quoted && csv[i] == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      field += csv[i++];
    } else if (csv[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && csv[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && csv[i] == '\n') {
      rows.push_back({""});
    } else {
      field += csv[i];
    }
  }
  rows.pop_back();
  return rows;
}

/// A number as CSV has it.
inline std::string sixDigits(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

inline std::string seriesText(const RecordReader& reader, ExportFormat format,
                              const std::vector<std::string>& metrics = {}, std::int64_t from = 0,
                              std::int64_t to = kEver, Resolution resolution = Resolution::second) {
  std::ostringstream out;
  exportSeries(reader, {"gate", from, to}, resolution, metrics, format, out);
  return out.str();
}

/// Hours from `begin` on, twelve by day and twelve by night, in turn.
inline std::vector<Series::Changed> hoursFrom(std::int64_t begin, int count, double byDay,
                                              double atNight, std::uint32_t frames = 10) {
  std::vector<Series::Changed> hours;
  for (int hour = 0; hour < count; ++hour) {
    const bool isNight = hour % 24 >= 12;
    hours.push_back(sampleBucket(begin + hour * std::int64_t{3600000}, isNight ? atNight : byDay,
                                 Resolution::hour));
    hours.back().bucket.frames = {};
    const LightState light = isNight ? LightState::night : LightState::day;
    hours.back().bucket.frames[static_cast<std::size_t>(light)] = frames;
  }
  return hours;
}

/// A record "a.sqlite" that a run of `gate` is written to.
class Export : public testing::Test {
 protected:
  Export() : record_(folder_ / "a.sqlite"), run_(record_.beginRun(sampleRun())) {}

  RecordReader written() {
    EXPECT_TRUE(record_.flush(kDiskMs));
    return RecordReader(folder_ / "a.sqlite");
  }

  /// Another run of `gate`, begun at `begun`.
  std::int64_t beginRun(std::int64_t begun, const std::string& settings,
                        std::vector<std::string> metrics = sampleRun().metrics) {
    RunFacts facts = sampleRun("gate", std::move(metrics));
    facts.settings = settings;
    facts.begun.utcMs = begun;
    return record_.beginRun(facts);
  }
  Rows dayNightRows(const std::vector<std::string>& metrics = {"live_rows"},
                    std::int64_t to = kEver) {
    std::ostringstream csv;
    exportDayNight(written(), {"gate", 0, to}, metrics, kCsv, csv);
    return rowsOf(csv.str());
  }

  Folder folder_;
  Record record_;
  std::int64_t run_;
};

}  // namespace mpm::monitor
