// SPDX-License-Identifier: Apache-2.0
// The session behind the app, and its record: also one that an earlier version wrote.
#include "gui/app/live.h"

#include <gtest/gtest.h>

#include <QtTest>
#include <QtWidgets>

#include "gui/app/options.h"
#include "gui/app/settings.h"
#include "gui/app/watched.h"
#include "gui/wait_for.h"
#include "in_project.h"
#include "monitor/record/old_record.h"
#include "monitor/record/record_reader.h"

namespace mpm::gui {
namespace {

constexpr std::int64_t kNoon = 1793534400000, kEver = kNoon * 2;

class LiveTest : public ::testing::Test {
 protected:
  static constexpr const char* kSource = "scene:?clock=600x&hour=12&size=64x64";

  /// Returns options without a record, except for what `set` changes.
  static LiveOptions watching(const std::function<void(AppOptions&)>& set = {}) {
    AppOptions options;
    options.source = kSource;
    options.record = "none";
    if (set) set(options);
    return withOptions({}, options).live;
  }
  bool opens(const LiveOptions& options) {
    live_.open(options);
    return shows();
  }
  bool shows(std::size_t source = 0) {
    return waitFor([&] { return live_.engine() && live_.newest(source); });
  }

  Live live_;
};

TEST_F(LiveTest, GoesOnWithARecordThatAnEarlierVersionOfTheAppWrote) {
  const QTemporaryDir folder;
  const QString record = folder.filePath("a.sqlite");
  const std::string name = sourceName(kSource).toStdString();
  monitor::makeOldRecord(record.toStdString(), name, monitor::kOldSettings[1]);
  {
    Live live;
    EXPECT_EQ(live.modelHash(), "?");
    live.open(watching([&](AppOptions& options) { options.record = record; }));
    ASSERT_TRUE(waitFor([&] { return live.engine() && live.engine()->latest(); }));
    EXPECT_EQ(live.modelHash().size(), 64);
    EXPECT_GT(live.usualConfidence().value_or(0), 0.5) << "the street model says it";
    EXPECT_EQ(live.recordFault(), "");
    EXPECT_TRUE(live.snapshot("by hand"));
  }
  const monitor::RecordReader reader(record.toStdString());
  EXPECT_EQ(reader.sources(), std::vector<std::string>{name});
  const auto runs = reader.runs(name);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].facts.settings, monitor::kOldSettings[1]);
  EXPECT_NE(runs[1].facts.settings.find("\"merge_before\":[2,5]"), std::string::npos)
      << runs[1].facts.settings;
  const auto minutes =
      reader.buckets(name, monitor::Resolution::minute, kNoon, kNoon + 1, {"live_rows"});
  EXPECT_EQ(minutes.at(0).tallies[0].sum, 512);
  EXPECT_EQ(reader.snapshots(name, 0, kEver).size(), 2u);
}

// Guards against "Live" next to "Nothing is watched yet.", when the session ended for a source that
// no program could read.
TEST_F(LiveTest, WhatWasWatchedComesBackWhereAnotherOneFailsLate) {
  LiveOptions options = watching();
  ASSERT_TRUE(opens(options));
  QSignalSpy closing(&live_, &Live::closing), failed(&live_, &Live::failed),
      back(&live_, &Live::opened);
  qputenv("MPM_READER", "/nowhere/mpm-reader");
  options.source = "/nowhere/video.mp4";
  live_.open(options);
  ASSERT_TRUE(waitFor([&] { return !back.isEmpty(); }));
  qunsetenv("MPM_READER");
  EXPECT_EQ(closing.count(), 2);
  ASSERT_EQ(failed.count(), 1);
  EXPECT_TRUE(failed[0][0].toString().contains("/nowhere/mpm-reader"))
      << qPrintable(failed[0][0].toString());
  EXPECT_EQ(live_.options().source, kSource);
  EXPECT_TRUE(shows());
}

// Guards against listing the next source's first events among the previous one's.
TEST_F(LiveTest, WhatHappensBeforeItIsOpenedIsToldAfterwards) {
  QStringList told, sources;  // told: of which source it is taken to be, as long as there is one
  QObject::connect(&live_, &Live::happened, [&](int, const monitor::Event& event) {
    if (event.kind == "source" && event.name == "live")
      told << (live_.engine() ? live_.options().source : QString());
  });
  for (const char* source : {kSource, "scene:?hour=0&size=64x64"}) {
    sources << source;
    live_.open(watching([&](AppOptions& options) { options.source = source; }));
    ASSERT_TRUE(waitFor([&] { return told.size() == sources.size(); }));
    ASSERT_TRUE(shows());
  }
  EXPECT_EQ(told, sources);
}

// A new choice for each drawn zone would take seconds, and might differ.
TEST_F(LiveTest, APrecisionThatWasChosenHoldsForTheSameSourcesAndModel) {
  LiveOptions opened = watching([](AppOptions& options) {
    options.model = QString::fromStdString(test::inProject("tests/models/segmenter_mask.onnx"));
    options.precision = kAutoPrecision;
  });
  QSignalSpy there(&live_, &Live::opened);
  const auto times = [&] {
    std::vector<double> all;
    const qsizetype before = there.count();
    live_.open(opened);
    EXPECT_TRUE(waitFor([&] { return there.count() > before; }) && shows());
    for (const TunedPrecision& one : live_.computing().precisions) all.push_back(one.ms);
    return all;
  };
  const std::vector<double> first = times();
  ASSERT_FALSE(first.empty());
  const QString chosen = live_.computing().precision;
  EXPECT_EQ(times(), first) << "nothing was measured once more";
  EXPECT_EQ(live_.computing().precision, chosen);
  opened.beside = QStringList{"scene:?hour=12&size=96x64"};
  EXPECT_EQ(times(), first) << "nor is it for a camera more";
  opened.source = "scene:?hour=0&size=64x64";
  opened.beside.clear();
  EXPECT_NE(times(), first) << "of other sources it was";
}

// Guards against replaying a webcam's night at present times, with infrared at noon.
TEST(Replay, IsOfTheTimesInTheNamesOfPicturesWithTheSunOfThePlace) {
  const QTemporaryDir folder;
  QImage picture(64, 48, QImage::Format_RGB32);
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) picture.setPixelColor(x, y, {4 * x, 160, 5 * y});
  for (const char* name : {"20240612T234000Z.png", "20240612T234500Z.png", "20240612T235000Z.png",
                           "20240613T000000Z.png"})
    ASSERT_TRUE(picture.save(folder.filePath(name)));
  EXPECT_TRUE(hasNamedTimes(folder.path()));
  AppOptions options;
  options.source = folder.path();
  options.record = "none";
  options.location = {42.5, 1.6};
  options.replay = true;
  constexpr std::int64_t kMidnight = 1718236800000, kNewMs = kMidnight + 86'400'000;
  Watched watched(options);
  ASSERT_TRUE(watched.shows() && waitFor([&] { return watched.engine().done(); }));
  ASSERT_TRUE(waitFor([&] { return watched.session.nowUtcMs() == kMidnight; }));
  EXPECT_EQ(watched.session.frame()->light.state, monitor::LightState::night);
  EXPECT_FALSE(watched.stands().oldMs) << "its pictures are of no age";
  EXPECT_EQ(watched.stands().state, "Ended");
  watched.session.openSource(folder.path());
  EXPECT_TRUE(waitFor([&] {
    return watched.session.frame() && watched.session.frame()->frame.taken.utcMs > kNewMs;
  })) << "and asked for without it, a slide show";
  ASSERT_TRUE(picture.save(folder.filePath("gate.png")));
  EXPECT_FALSE(hasNamedTimes(folder.path()));
}

TEST_F(LiveTest, WatchesWithoutARecordThatCannotBeOpenedAndSaysWhy) {
  ASSERT_TRUE(opens(watching([](AppOptions& options) { options.record = "/nowhere/a.sqlite"; })));
  EXPECT_TRUE(live_.recordFault().startsWith("There is no folder"));
  EXPECT_FALSE(live_.snapshot("by hand"));
}

}  // namespace
}  // namespace mpm::gui
