// SPDX-License-Identifier: Apache-2.0
// What a filter, as for a simulated night, does not touch: rules, the watch over the camera, events
// of light.
#include "monitor/engine/engine_case.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

cv::Mat darkened(const cv::Mat& picture) { return picture * 0.1; }

// Bright things that stand still, with fresh noise; from `covered` on something dim before the
// lens.
class Street : public StubReader {
 public:
  Street(const StubReaderPlan& plan, int covered) : StubReader(plan), covered_(covered) {
    cv::RNG rng(3);
    wall_ = cv::Mat(plan.size, CV_8UC3, cv::Scalar(200, 210, 230));
    for (int i = 0; i < 150; ++i) {
      const cv::Point corner(rng.uniform(0, plan.size.width), rng.uniform(0, plan.size.height));
      const cv::Size sides(rng.uniform(6, 30), rng.uniform(6, 30));
      cv::rectangle(wall_, {corner, sides}, cv::Scalar(195, 195, rng.uniform(200, 250)),
                    cv::FILLED);
    }
  }
  ReadStatus read(Shot& shot) override {
    const ReadStatus status = StubReader::read(shot);
    if (status != ReadStatus::frame) return status;
    cv::Mat noise(wall_.size(), CV_16SC3);
    rng_.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(2));
    const cv::Mat seen =
        shown_++ < covered_ ? wall_ : cv::Mat(wall_.size(), CV_8UC3, cv::Scalar(90, 100, 110));
    cv::add(seen, noise, shot.picture, cv::noArray(), CV_8U);
    return status;
  }

 private:
  cv::Mat wall_;
  int covered_, shown_ = 0;
  cv::RNG rng_{11};
};

class EngineFilter : public EngineCase {};

// Darkens the frames from <= number < to, of a replay, and keeps what is told with the number of
// the frame at which it is.
class Night : public EngineListener {
 public:
  Night(int from, int to) : from_(from), to_(to) {}

  void onResult(std::size_t, const FrameResultPtr& result) override {
    if (result->filtered) ++filtered;
    if (++frames == from_) engine->setFilter(darkened);
    if (frames == to_) engine->setFilter({});
  }
  void onFiring(std::size_t, const Rule& rule, const Firing& firing,
                const FrameResultPtr&) override {
    note(rule.name, firing.began);
  }
  void onCamera(std::size_t, const CameraChange& change, const FrameResultPtr&) override {
    note("camera " + std::string(nameOf(change.fault)), change.began);
  }
  void onEvent(std::size_t, const Event& event) override {
    if (event.kind == "light") lights.push_back(event.name);
  }

  Engine* engine = nullptr;
  int frames = 0, filtered = 0;
  std::vector<std::string> told, lights;

 private:
  void note(const std::string& name, bool began) {
    told.push_back(name + (began ? " began, " : " ended, ") +
                   (frames <= from_ ? "before"
                    : frames <= to_ ? "meanwhile"
                                    : "after"));
  }
  int from_, to_;
};

void watchNight(Night& night, const StubReaderPlan& plan, const std::vector<Rule>& rules,
                int covered = 1 << 20) {
  // The first frame waits until the listener knows the engine.
  StubReaderPlan hanging = plan;
  hanging.hang = std::make_shared<StubHang>();
  hanging.hang->hangs = true;
  Engine engine(watching([&] { return std::make_unique<Street>(hanging, covered); }, true,
                         {named("gate", rules)}),
                std::make_unique<StubNetwork>(), {&night});
  night.engine = &engine;
  hanging.hang->hangs = false;
  ASSERT_TRUE(eventually([&] { return engine.done(); }, std::chrono::minutes(10)));
  engine.stop();
  EXPECT_EQ(night.frames, plan.frames);
}

TEST_F(EngineFilter, RulesWaitAndTheTimeDoesNotCount) {
  std::vector<LightState> dark;
  for (const LightState state : kAllLightStates)
    if (state != LightState::day && state != LightState::transition) dark.push_back(state);
  // It is bright for 10 s on each side of the darkness, and 20 s long nearly.
  const std::vector<Rule> rules{metricRule("bright", "area.bright", 0.5),
                                metricRule("dim", "area.dark", 0.5),
                                metricRule("20 s", "area.bright", 0.5, 20000),
                                metricRule("15 s", "area.bright", 0.5, 15000), lightRule(dark)};
  Night seen(100, 200);
  watchNight(seen, {.frames = 300}, rules);
  EXPECT_EQ(seen.filtered, 100);
  EXPECT_EQ(seen.told, (std::vector<std::string>{"bright began, before", "15 s began, after",
                                                 "bright ended, after", "15 s ended, after"}));
  EXPECT_EQ(seen.lights, (std::vector<std::string>{"transition", "day"}));
}

TEST_F(EngineFilter, TheCameraIsWatchedOnItsOwnPictures) {
  const StubReaderPlan plan{.frames = 400, .stepMs = 500, .size = {320, 240}};
  Night known(150, 300);  // when its view by day is known
  watchNight(known, plan, {});
  EXPECT_EQ(known.filtered, 150);
  EXPECT_EQ(known.told, std::vector<std::string>());
  Night covered(150, 300);
  watchNight(covered, plan, {}, 200);
  EXPECT_EQ(covered.told, std::vector<std::string>{"camera covered began, meanwhile"});
}

TEST_F(EngineFilter, SaysWhenTheNewestFrameWasChanged) {
  begin(watching(livePlan()));
  ASSERT_TRUE(goesOn(1));
  EXPECT_FALSE(engine_->filteredAt(0));
  engine_->setFilter(darkened);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.filtered; }));
  engine_->setFilter({});
  ASSERT_TRUE(becomes([](auto& newest) { return !newest.filtered; }));
  EXPECT_LE(engine_->filteredAt(0)->steadyMs, engine_->latest(0)->frame.taken.steadyMs);
}

}  // namespace
}  // namespace mpm::test
