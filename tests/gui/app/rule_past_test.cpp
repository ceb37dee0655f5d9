// SPDX-License-Identifier: Apache-2.0
#include "gui/app/rule_past.h"

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <string>
#include <vector>

#include "monitor/engine/stub_network.h"
#include "monitor/record/sample_record.h"

namespace mpm::gui {
namespace {

TEST(RulePast, OfARecordHasNoFramesOfSimulatedNights) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("a.sqlite").toStdString();
  {
    monitor::Record record(path);
    const std::int64_t run = record.beginRun(monitor::sampleRun());
    std::vector<monitor::Series::Changed> seconds;
    for (int i = 0; i < 10; ++i)
      seconds.push_back(monitor::sampleBucket(monitor::kNoon + i * 1000, 0.5));
    record.write(run, std::move(seconds));
    const auto tell = [&](std::int64_t afterMs, const char* kind, const char* name) {
      record.write(run, {{1000 + afterMs, monitor::kNoon + afterMs, 0, true}, kind, name, "", {}});
    };
    tell(3500, monitor::kFilterEvent, monitor::kOn);
    tell(4000, monitor::kScheduleEvent, "none");
    tell(6000, monitor::kFilterEvent, "off");
  }
  const RulePast past = pastOf(monitor::RecordReader(path), "gate",
                               monitor::Metrics({"luma", "live_rows"}), monitor::kNoon + 10'000);
  ASSERT_EQ(past.runs.size(), 1u);
  std::string seen;
  for (const monitor::Bucket& second : past.runs[0])
    seen += second.frames == decltype(second.frames){} ? '-' : 'x';
  EXPECT_EQ(seen, "xxx---xxxx");
}

TEST(RulePast, OfAnEngineIsWhatCameBehindASimulatedNight) {
  monitor::EngineOptions options;
  options.sources = {{"street", monitor::parseSourceAddress("scene:?size=64x64"), {}}};
  monitor::Engine engine(std::move(options), std::make_unique<test::StubNetwork>(), {});
  ASSERT_TRUE(QTest::qWaitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }, 60000));
  engine.setFilter([](const cv::Mat& picture) { return picture; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return pastOf(engine, 0).runs[0].empty(); }, 60000));
  engine.setFilter({});
  EXPECT_TRUE(QTest::qWaitFor([&] { return !pastOf(engine, 0).runs[0].empty(); }, 60000));
}

}  // namespace
}  // namespace mpm::gui
