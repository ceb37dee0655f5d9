// SPDX-License-Identifier: Apache-2.0
// The session behind the app, and its record: also one that an earlier version wrote.
#include "gui/app/live.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <vector>

#include "gui/app/options.h"
#include "gui/app/settings.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "monitor/record/old_record.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kNoon = 1793534400000, kEver = kNoon * 2;
const QString kSource = QStringLiteral("scene:?clock=600x&hour=12&size=64x64");

TEST(Live, GoesOnWithARecordThatAnEarlierVersionOfTheAppWrote) {
  const QTemporaryDir folder;
  const std::string record = folder.filePath("a.sqlite").toStdString(),
                    name = sourceName(kSource).toStdString();
  monitor::makeOldRecord(record, name, monitor::kOldSettings[1]);
  {
    AppOptions options;
    options.source = kSource;
    options.record = QString::fromStdString(record);
    Live live;
    EXPECT_EQ(live.modelHash(), "?");
    live.open(withOptions({}, options).live);
    ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
    EXPECT_EQ(live.modelHash().size(), 64);
    EXPECT_GT(live.usualConfidence().value_or(0), 0.5) << "the street model says it";
    EXPECT_EQ(live.recordFault(), "");
    EXPECT_TRUE(live.snapshot("by hand"));
  }
  const monitor::RecordReader reader(record);
  EXPECT_EQ(reader.sources(), std::vector<std::string>{name});
  const auto runs = reader.runs(name);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].facts.settings, monitor::kOldSettings[1]);
  EXPECT_NE(runs[1].facts.settings.find("\"merge_before\":[2,5]"), std::string::npos)
      << runs[1].facts.settings;
  EXPECT_EQ(reader.buckets(name, monitor::Resolution::minute, kNoon, kNoon + 1, {"live_rows"})
                .at(0)
                .tallies[0]
                .sum,
            512);
  EXPECT_EQ(reader.snapshots(name, 0, kEver).size(), 2u);
}

// Seen: "Live" beside "Nothing is watched yet.": the one before had ended for a source that no
// program was there to read.
TEST(Live, WhatWasWatchedComesBackWhereAnotherOneFailsLate) {
  AppOptions options;
  options.source = kSource;
  options.record = "none";
  Live live;
  LiveOptions opened = withOptions({}, options).live;
  live.open(opened);
  ASSERT_TRUE(waitFor([&] { return live.engine() != nullptr; }));
  QSignalSpy closing(&live, &Live::closing), failed(&live, &Live::failed),
      back(&live, &Live::opened);
  qputenv("MPM_READER", "/nowhere/mpm-reader");
  opened.source = "/nowhere/video.mp4";
  live.open(opened);
  ASSERT_TRUE(waitFor([&] { return !back.isEmpty(); }));
  qunsetenv("MPM_READER");
  EXPECT_EQ(closing.count(), 2);
  ASSERT_EQ(failed.count(), 1);
  EXPECT_TRUE(failed[0][0].toString().contains("/nowhere/mpm-reader"))
      << qPrintable(failed[0][0].toString());
  EXPECT_EQ(live.options().source, kSource);
  EXPECT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
}

// Seen: what the next source told first stood among the events of the one before.
TEST(Live, WhatHappensBeforeItIsOpenedIsToldAfterwards) {
  AppOptions options;
  options.source = kSource;
  options.record = "none";
  LiveOptions opened = withOptions({}, options).live;
  Live live;
  QStringList told, sources;  // told: of which source it is taken to be, as long as there is one
  QObject::connect(&live, &Live::happened, [&](int, const monitor::Event& event) {
    if (event.kind == "source" && event.name == "live")
      told << (live.engine() ? live.options().source : QString());
  });
  for (const QString& source : {kSource, QStringLiteral("scene:?hour=0&size=64x64")}) {
    sources << source;
    opened.source = source;
    live.open(opened);
    ASSERT_TRUE(waitFor([&] { return told.size() == sources.size(); }));
    ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
  }
  EXPECT_EQ(told, sources);
}

// Of a wall the first camera's alone was looked at.
TEST(Live, GivesAPictureOfEachSourceThatStaysToChooseAPrecisionWith) {
  AppOptions options;
  options.source = kSource;
  options.record = "none";
  LiveOptions opened = withOptions({}, options).live;
  opened.beside = QStringList{"scene:?hour=12&size=96x64", "scene:?hour=12&size=128x64"};
  Live live;
  EXPECT_TRUE(live.picturesOf(opened).empty());
  live.open(opened);
  ASSERT_TRUE(
      waitFor([&] { return live.engine() && live.newest(0) && live.newest(1) && live.newest(2); }));
  const auto widths = [&](const LiveOptions& next) {
    std::vector<int> all;
    for (const cv::Mat& picture : live.picturesOf(next)) all.push_back(picture.cols);
    return all;
  };
  EXPECT_EQ(widths(opened), (std::vector<int>{64, 96, 128}));
  opened.source = "scene:?hour=0&size=64x64";
  opened.beside.removeFirst();
  EXPECT_EQ(widths(opened), std::vector<int>{128});
}

// Each zone that was drawn took the seconds of another choice, which might be another one.
TEST(Live, APrecisionThatWasChosenHoldsForTheSameSourcesAndModel) {
  AppOptions options;
  options.source = kSource;
  options.record = "none";
  options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
  options.precision = kAutoPrecision;
  LiveOptions opened = withOptions({}, options).live;
  Live live;
  QSignalSpy there(&live, &Live::opened);
  const auto times = [&] {
    std::vector<double> all;
    const qsizetype before = there.count();
    live.open(opened);
    EXPECT_TRUE(waitFor([&] { return there.count() > before; }));
    for (const TunedPrecision& one : live.computing().precisions) all.push_back(one.ms);
    return all;
  };
  const std::vector<double> first = times();
  ASSERT_FALSE(first.empty());
  const QString chosen = live.computing().precision;
  ASSERT_TRUE(waitFor([&] { return live.newest(0) != nullptr; }));
  EXPECT_EQ(times(), first) << "nothing was measured once more";
  EXPECT_EQ(live.computing().precision, chosen);
  ASSERT_TRUE(waitFor([&] { return live.newest(0) != nullptr; }));
  opened.beside = QStringList{"scene:?hour=12&size=96x64"};
  EXPECT_NE(times(), first) << "of other sources it was";
}

TEST(Live, WatchesWithoutARecordThatCannotBeOpenedAndSaysWhy) {
  AppOptions options;
  options.source = kSource;
  options.record = "/nowhere/a.sqlite";
  Live live;
  live.open(withOptions({}, options).live);
  ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(0); }));
  EXPECT_TRUE(live.recordFault().startsWith("There is no folder"));
  EXPECT_FALSE(live.snapshot("by hand"));
}

}  // namespace
}  // namespace mpm::gui
