// SPDX-License-Identifier: Apache-2.0
#include "gui/app/record_heat.h"

#include <gtest/gtest.h>

#include <vector>

#include "gui/wait_for.h"
#include "monitor/record/record.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

// A picture of four places, the first two of which share a token.
monitor::Snapshot picture(std::int64_t utcMs, const std::string& facts) {
  monitor::Snapshot snapshot;
  snapshot.taken = {1, utcMs, 0, true};
  snapshot.reason = monitor::kDayPicture;
  snapshot.picture = cv::Mat(40, 80, CV_8UC3, cv::Scalar::all(200));
  snapshot.labels = cv::Mat(40, 80, CV_8U, cv::Scalar(1));
  snapshot.mergeMap = (cv::Mat_<std::uint16_t>(1, 4) << 0, 0, 1, 2);
  snapshot.facts = facts;
  return snapshot;
}

TEST(RecordHeat, IsOfThisModelByScheduleAndLight) {
  const monitor::Folder folder;
  const std::string file = folder / "record.sqlite";
  {
    monitor::Record record(file);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    monitor::RunFacts taught = monitor::sampleRun();
    taught.modelHash = "0ther";
    const std::int64_t other = record.beginRun(taught);
    record.write(run, picture(monitor::kNoon, R"({"light":"day","schedule":[2,5]})"));
    record.write(run,
                 picture(monitor::kNoon + 12 * kHourMs, R"({"light":"night","schedule":[2,5]})"));
    record.write(run, picture(monitor::kNoon + kHourMs, R"({"light":"day","schedule":[3]})"));
    record.write(run, picture(monitor::kNoon + 2 * kHourMs,
                              R"({"light":"day","schedule":[2,5],"filtered":true})"));
    record.write(run, picture(monitor::kNoon + 3 * kHourMs, R"({"light":"day"})"));
    record.write(run, picture(monitor::kNoon + 4 * kHourMs, R"({"light":"day","schedule":"x"})"));
    record.write(other, picture(monitor::kNoon, R"({"light":"day","schedule":[2,5]})"));
    ASSERT_TRUE(record.flush(monitor::kDiskMs));
  }
  const monitor::RecordReader reader(file);
  const std::int64_t now = monitor::kNoon + 24 * kHourMs;
  const std::vector<MergeHeat> heats = heatOf(reader, "gate", "5ca1ab1e", now);
  ASSERT_EQ(heats.size(), 2U);
  const MergeHeat& both = heats[0].schedule() == Schedule{2, 5} ? heats[0] : heats[1];
  ASSERT_EQ(both.schedule(), (Schedule{2, 5}));
  EXPECT_EQ(both.frames(MergeHeat::kAll), 2U);
  EXPECT_EQ(both.frames(MergeHeat::kDay), 1U);
  EXPECT_EQ(both.frames(MergeHeat::kNight), 1U);
  EXPECT_EQ(both.share(MergeHeat::kAll, 0), 1);
  EXPECT_EQ(both.share(MergeHeat::kAll, 3), 0);
  EXPECT_EQ(both.sinceUtcMs(), monitor::kNoon);
  EXPECT_TRUE(heatOf(reader, "gate", "5ca1ab1e", now + 60 * 24 * kHourMs).empty()) << "long ago";
  EXPECT_TRUE(heatOf(reader, "yard", "5ca1ab1e", now).empty());
}

// A window that was open for days showed the pictures of its beginning.
TEST(RecordHeat, WhatTheRecordHasByNowIsReadAgain) {
  const monitor::Folder folder;
  const std::string file = folder / "record.sqlite";
  monitor::Record record(file);
  const std::int64_t run = record.beginRun(monitor::sampleRun());
  const std::int64_t now = monitor::systemClock().now().utcMs;
  const auto write = [&](std::int64_t utcMs) {
    record.write(run, picture(utcMs, R"({"light":"day","schedule":[2,5]})"));
    return record.flush(monitor::kDiskMs);
  };
  ASSERT_TRUE(write(now - 2 * kHourMs));
  RecordHeat heat;
  std::uint32_t frames = 0;
  QObject::connect(&heat, &RecordHeat::known, &heat, [&](const std::vector<MergeHeat>& heats) {
    frames = heats.empty() ? 0 : heats[0].frames(MergeHeat::kAll);
  });
  heat.begin(QString::fromStdString(file), "gate", "5ca1ab1e");
  ASSERT_TRUE(waitFor([&] { return frames == 1; }));
  ASSERT_TRUE(write(now - kHourMs));
  EXPECT_TRUE(heat.again().isActive());
  heat.again().setSingleShot(true);
  heat.again().setInterval(1);  // instead of an hour
  EXPECT_TRUE(waitFor([&] { return frames == 2; }));
}

}  // namespace
}  // namespace mpm::gui
