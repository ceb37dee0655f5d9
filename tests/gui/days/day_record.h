// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <time.h>

#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {

inline std::int64_t localMs(const QDate& day, int hour, int minute = 0) {
  return QDateTime(day, QTime(hour, minute)).toMSecsSinceEpoch();
}

/// Writes minutes and pictures of local days: from six to eighteen bright with 40 of 65 rows,
/// including one prefix token, else dark with 20.
class DayRecord {
 public:
  explicit DayRecord(const std::vector<monitor::Event>& events = {}) : record_(path()) {
    monitor::RunFacts facts =
        monitor::sampleRun("gate", {"live_rows", "merged_share", "luma", "area.car", "rows.0"});
    facts.begun = {1, localMs(QDate(2026, 11, 1), 0), 0, true};
    run_ = record_.beginRun(facts);
    for (const monitor::Event& event : events) record_.write(run_, event);
  }
  std::string path() const { return folder_ / "a.sqlite"; }

  void minute(std::int64_t utcMs) {
    monitor::Bucket bucket;
    bucket.startUtcMs = utcMs;
    const bool day = isDay(utcMs);
    const auto light = day ? monitor::LightState::day : monitor::LightState::night;
    bucket.frames[static_cast<std::size_t>(light)] = 2;
    const double rows = day ? 40 : 20;
    const double merged = (65 - rows) / 64;
    bucket.tallies = {monitor::tallyOf({rows, rows}), monitor::tallyOf({merged, merged}),
                      monitor::tallyOf({day ? 0.5 : 0.1}), monitor::tallyOf({0.25, 0.25}),
                      monitor::tallyOf({65, 65})};
    record_.write(run_, {{monitor::Resolution::minute, bucket}});
  }
  /// Two patches of one row share a token: by day the left ones, at night the right ones.
  void picture(std::int64_t utcMs) {
    const bool day = isDay(utcMs);
    monitor::Snapshot snapshot;
    snapshot.taken = {1, utcMs, 0, true};
    snapshot.reason = monitor::kDayPicture;
    snapshot.picture = cv::Mat(40, 80, CV_8UC3, cv::Scalar::all(day ? 200 : 30));
    snapshot.labels = cv::Mat(40, 80, CV_8U, cv::Scalar(1));
    if (!day) snapshot.labels.rowRange(0, 10).setTo(2);
    snapshot.mergeMap = day ? (cv::Mat_<std::uint16_t>(1, 4) << 0, 0, 1, 2)
                            : (cv::Mat_<std::uint16_t>(1, 4) << 0, 1, 2, 2);
    snapshot.facts =
        day ? R"({"light":"day","figures":{"live_rows":40,"rows.0":65,"merged_share":0.390625}})"
            : R"({"light":"night","figures":{"live_rows":20,"rows.0":65,"merged_share":0.703125}})";
    record_.write(run_, snapshot);
  }
  void flush() { ASSERT_TRUE(record_.flush(monitor::kDiskMs)); }

 private:
  static bool isDay(std::int64_t utcMs) {
    const int hour = QDateTime::fromMSecsSinceEpoch(utcMs).time().hour();
    return hour >= 6 && hour < 18;
  }

  const monitor::Folder folder_;
  monitor::Record record_;
  std::int64_t run_ = 0;
};

/// Sets the local time zone while it exists.
class ZoneHere {
 public:
  explicit ZoneHere(const char* zone)
      : before_(qgetenv("TZ")), isSet_(qEnvironmentVariableIsSet("TZ")) {
    qputenv("TZ", zone);
    tzset();
  }
  ~ZoneHere() {
    isSet_ ? qputenv("TZ", before_) : qunsetenv("TZ");
    tzset();
  }
  ZoneHere(const ZoneHere&) = delete;
  ZoneHere& operator=(const ZoneHere&) = delete;

 private:
  QByteArray before_;
  bool isSet_;
};

}  // namespace mpm::gui
