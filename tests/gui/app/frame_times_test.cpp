// SPDX-License-Identifier: Apache-2.0
#include "gui/app/frame_times.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gui/app/glance_figures.h"

namespace mpm::gui {
namespace {

monitor::FrameResult frame(std::uint64_t number, double ms, bool remembers = true) {
  monitor::FrameResult made;
  made.frame.number = number;
  made.frame.taken.steadyMs = static_cast<std::int64_t>(1000 * number);
  made.readyMs = made.frame.taken.steadyMs + static_cast<std::int64_t>(ms);
  made.remembers = remembers;
  made.schedule = {2, 5};
  made.segmentation.times = {0.1 * ms, 0.8 * ms, 0.1 * ms};
  made.segmentation.memory.rows = 64;
  made.segmentation.steps = {{NetworkStep::Kind::embedding, -1, 0.2 * ms},
                             {NetworkStep::Kind::block, 0, 0.6 * ms}};
  return made;
}

// More of them than either looks back over.
TEST(FrameTimes, AreThoseOfTheStripWithAMemory) {
  GlanceFigures strip;
  FrameTimes times;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const monitor::FrameResult each = frame(i, i % 8 == 0 ? 400 : 100.0 + static_cast<double>(i));
    strip.add(each, nullptr);
    times.add(each, 3);
    if (i > 0) {
      EXPECT_NEAR(frameMs(times.means().frame), strip.nowMs(), 1e-6) << i;
    }
  }
}

TEST(FrameTimes, StepsAddUpToTheNetworkAndNoFrameIsYoungerThanItTook) {
  FrameTimes times;
  for (std::uint64_t i = 0; i < 9; ++i) {
    times.add(frame(i, i % 4 == 3 ? 40.9 : 400.9), 5);
    const FrameTimes::Means means = times.means();
    double steps = 0;
    for (const NetworkStep& step : means.steps) steps += step.ms;
    EXPECT_NEAR(steps, means.frame.networkMs, 1e-9) << i;
    EXPECT_GE(means.ageMs, frameMs(means.frame)) << i;
    EXPECT_DOUBLE_EQ(means.viewsMs, 5) << i;
  }
}

TEST(FrameTimes, AFrameThatIsShownTwiceCountsOnce) {
  FrameTimes times;
  for (const std::uint64_t number : {1, 2, 3, 3, 3}) {
    times.add(frame(number, number == 3 ? 200 : 100), 5);
  }
  EXPECT_NEAR(frameMs(times.means().frame), 150, 1e-9) << "of the second and the third";
}

TEST(FrameTimes, BeginAnewWithoutAMemory) {
  FrameTimes times;
  for (std::uint64_t i = 0; i < 5; ++i) times.add(frame(i, 100), 5);
  times.add(frame(5, 300, false), 5);
  EXPECT_NEAR(frameMs(times.means().frame), 300, 1e-9);
}

}  // namespace
}  // namespace mpm::gui
