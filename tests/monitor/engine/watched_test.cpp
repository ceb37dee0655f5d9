// SPDX-License-Identifier: Apache-2.0
// What becomes of one camera's frames: zones that follow it where it is moved, what a filter, as
// for a simulated night, does not touch, and what its memory keeps.
#include "monitor/engine/watched.h"

#include "comma_locale.h"
#include "monitor/engine/engine_case.h"
#include "monitor/statistics/comparison.h"

namespace mpm::test {
namespace {

using namespace mpm::monitor;

constexpr int kMovedFrom = 200, kBackFrom = 320, kFrames = 400;  // twice a second

Placement moveOf() {
  Placement placement;
  placement.shift = {0.08, 0.03};
  placement.degrees = 2;
  return placement;
}

// A wall full of structure with one bright square, moved for a while.
std::unique_ptr<Reader> movedReader() {
  cv::Mat wall(240, 320, CV_8UC3, cv::Scalar(110, 115, 120));
  cv::RNG rng(1);
  for (int i = 0; i < 150; ++i) {
    const cv::Point corner(rng.uniform(0, 320), rng.uniform(0, 240));
    const cv::Size sides(rng.uniform(6, 40), rng.uniform(6, 40));
    const cv::Scalar colour(rng.uniform(40, 150), rng.uniform(40, 150), rng.uniform(40, 150));
    cv::rectangle(wall, {corner, sides}, colour, cv::FILLED);
  }
  cv::rectangle(wall, {120, 100, 40, 40}, cv::Scalar(200, 225, 200), cv::FILLED);
  return std::make_unique<MadeReader>(
      kFrames, 500, [wall, chance = cv::RNG(11)](int frame) mutable {
        cv::Mat picture = wall, noise(wall.size(), CV_16SC3), noisy;
        if (frame >= kMovedFrom && frame < kBackFrom) {
          picture.release();
          cv::warpAffine(wall, picture, transformOf(moveOf(), wall.size()), wall.size(),
                         cv::INTER_LINEAR, cv::BORDER_REFLECT);
        }
        chance.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(3));
        cv::add(picture, noise, noisy, cv::noArray(), CV_8U);
        return noisy;
      });
}

RuleBook bookOf(bool follows) {
  RuleBook book;
  const double left = 120.0 / 320, right = 160.0 / 320, top = 100.0 / 240, bottom = 140.0 / 240;
  book.zones = {{"square", {{left, top}, {right, top}, {right, bottom}, {left, bottom}}, true}};
  book.ground = Ground{{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}},
                       {{{0, 0}, {2, 0}, {2, 2}, {0, 2}}}};
  book.greenness = true;
  book.followCamera = follows;
  return book;
}

class Following : public EngineCase {
 protected:
  void watchMoved(bool follows) {
    EngineOptions options = watching(movedReader, true);
    options.source.book = bookOf(follows);
    watch(options);
    ASSERT_EQ(heard_.results.size(), static_cast<std::size_t>(kFrames));
    EXPECT_EQ(heard_.of(std::string(kViewEvent) + " " + kHomeView).size(), 1u);
    EXPECT_EQ(heard_.of(kViewEvent).size(), 2u);
  }
};

TEST_F(Following, ZonesAndGroundGoWithTheCamera) {
  watchMoved(true);
  const char *share = "zone.square.area.bright", *metres = "zone.square.m2.bright";
  EXPECT_GT(figure(100, share), 0.98);
  EXPECT_NEAR(figure(100, metres), 4, 0.05);
  EXPECT_LT(figure(kMovedFrom + 10, share), 0.7) << "nothing was told yet";
  EXPECT_GT(figure(kBackFrom - 5, share), 0.93);
  EXPECT_NEAR(figure(kBackFrom - 5, metres), 4, 0.3);
  EXPECT_NEAR(figure(kBackFrom - 5, "m2.bright"), 4, 0.3);
  EXPECT_NEAR(figure(kBackFrom - 5, "zone.square.gcc"), 0.36, 0.005);
  EXPECT_TRUE(heard_.results[kBackFrom - 5]->placed);
  EXPECT_GT(figure(kFrames - 1, share), 0.98);
  EXPECT_FALSE(heard_.results[kFrames - 1]->placed);
}

TEST_F(Following, WithoutItZonesStayAndTheSeriesIsMarked) {
  watchMoved(false);
  EXPECT_LT(figure(kBackFrom - 5, "zone.square.area.bright"), 0.7);
  EXPECT_FALSE(heard_.results[kBackFrom - 5]->placed);
}

TEST_F(Following, SaysWhatBecomesOfZones) {
  const CameraChange moved{CameraFault::moved, true, 0.1, "", moveOf()};
  const CameraChange lost{CameraFault::moved, true, 1, "", std::nullopt};
  const CameraChange back{CameraFault::moved, false, 0, "", std::nullopt};
  {
    // Else the app in German and `mpm watch` would never compare what they saw of one view.
    const CommaLocale locale;
    EXPECT_EQ(viewName(moved), "0.0800,0.0300,2.00");
  }
  EXPECT_EQ(viewName(lost), "other");
  EXPECT_EQ(viewName(back), kHomeView);
  const std::string other = "figures are of another view from now on";
  EXPECT_EQ(viewText(moved, {}), other);
  EXPECT_EQ(viewText(moved, bookOf(false)), other + "; zones stay where they are in the picture");
  EXPECT_EQ(viewText(moved, bookOf(true)),
            other +
                "; zones follow the camera, to 8% further right, 3% further down, 2 degrees "
                "clockwise (of the picture's width)");
  EXPECT_TRUE(has(viewText(lost, bookOf(true)), "zones cannot follow"));
  EXPECT_EQ(viewText(back, bookOf(true)),
            "figures are of the first view again, and zones are where they were drawn");
}

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

  void onResult(const std::string&, const FrameResultPtr& result) override {
    if (result->filtered) ++filtered;
    if (++frames == from_) engine->setFilter(darkened);
    if (frames == to_) engine->setFilter({});
  }
  void onFiring(const std::string&, const Rule& rule, const Firing& firing,
                const FrameResultPtr&) override {
    note(rule.name, firing.began);
  }
  void onCamera(const std::string&, const CameraChange& change, const FrameResultPtr&) override {
    note("camera " + std::string(nameOf(change.fault)), change.began);
  }
  void onEvent(const std::string&, const Event& event) override {
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
                         named("gate", rules)),
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
  EXPECT_FALSE(engine_->filteredAt());
  engine_->setFilter(darkened);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.filtered; }));
  engine_->setFilter({});
  ASSERT_TRUE(becomes([](auto& newest) { return !newest.filtered; }));
  EXPECT_LE(engine_->filteredAt()->steadyMs, engine_->latest()->frame.taken.steadyMs);
}

class EngineMemory : public EngineCase {
 protected:
  void SetUp() override { network_->remembers = true; }

  std::shared_ptr<StubNetwork> network_ = std::make_shared<StubNetwork>();
};

TEST_F(EngineMemory, TokensCountInFramesThatAreDueAloneAndAreWhatTheyAreWithoutAMemory) {
  EngineOptions off = watching({.frames = 200});
  off.memory = false;
  watch(off, network_);
  std::vector<FrameResultPtr> without;
  without.swap(heard_.results);
  watch(watching({.frames = 200}), network_);
  ASSERT_EQ(heard_.results.size(), 200U);
  ASSERT_EQ(without.size(), 200U);
  double known = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const FrameResult &a = *heard_.results[i], &b = *without[i];
    EXPECT_FALSE(b.remembers);
    EXPECT_TRUE(std::isnan(figure(b.figures, "fresh_rows")));
    EXPECT_EQ(a.counted, i % 64 == 0);
    for (const char* name : {"live_rows", "rows.0", "rows.1", "merged_share"}) {
      const double counted = figure(a.figures, name);
      EXPECT_TRUE(a.counted ? counted == figure(b.figures, name) : std::isnan(counted))
          << name << " of frame " << i;
    }
    if (a.counted) known = figure(a.figures, "live_rows");
    EXPECT_EQ(figure(a.known, "live_rows"), known);
    EXPECT_EQ(figure(a.figures, "fresh_rows"), a.counted ? 64 : 8);
    EXPECT_EQ(figure(a.known, "memory_agreement") == 0.75, i >= 64);
  }
  engine_->readStatistics([&](const Statistics& statistics) {
    const auto countOf = [&](const char* name) {
      std::uint64_t count = 0;
      for (const LightState light : kAllLightStates)
        count += statistics.of(statistics.metrics().find(name).value(), light).running.count();
      return count;
    };
    EXPECT_EQ(countOf("live_rows"), 4U);
    EXPECT_EQ(countOf("fresh_share"), 200U);
    EXPECT_EQ(countOf("area.dark"), 200U);
  });
}

TEST_F(EngineMemory, AModelThatCannotRememberHasNoFiguresOfIt) {
  watch(watching(StubReaderPlan{}));
  EXPECT_EQ(engine_->memoryFault(), "it is a stub");
  for (const char* name : {"fresh_rows", "fresh_share", "memory_agreement", "memory_age"})
    EXPECT_FALSE(engine_->metrics().find(name)) << name;
  for (const FrameResultPtr& result : heard_.results) {
    EXPECT_FALSE(result->remembers);
    EXPECT_FALSE(std::isnan(figure(result->figures, "live_rows")));
  }
  EXPECT_TRUE(heard_.of("memory off").empty());
}

TEST_F(EngineMemory, SwitchingItIsAnEventAndASimulatedNightIsAnotherPicture) {
  begin(watching(livePlan()), network_);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.remembers; }));
  engine_->setMemory(false);
  ASSERT_TRUE(becomes([](auto& newest) { return !newest.remembers; }));
  EXPECT_TRUE(isTold("memory off"));
  engine_->setMemory(true);
  ASSERT_TRUE(becomes([](auto& newest) { return newest.remembers; }));
  EXPECT_TRUE(isTold("memory on"));
  EXPECT_EQ(network_->forgotten, 0);
  engine_->setFilter([](const cv::Mat& picture) { return picture.clone(); });
  EXPECT_TRUE(eventually([&] { return network_->forgotten == 1; }));
  engine_->setFilter({});
  EXPECT_TRUE(eventually([&] { return network_->forgotten == 2; }));
}

// The tenth read of each attempt to open it fails.
class LosingReader : public StubReader {
 public:
  using StubReader::StubReader;
  ReadStatus read(Shot& shot) override {
    return ++reads_ == 10 ? ReadStatus::failed : StubReader::read(shot);
  }

 private:
  int reads_ = 0;
};

TEST_F(EngineMemory, ASourceThatComesBackIsForgotten) {
  begin(watching([] { return std::make_unique<LosingReader>(livePlan()); }, false), network_);
  EXPECT_TRUE(eventually([&] { return network_->forgotten > 0; }));
  EXPECT_GT(engine_->capture().reconnects, 0U);
}

// A wall with marks on it, seen a tenth further to the side from the 100th second on; two frames a
// second.
std::unique_ptr<Reader> turnedReader() {
  cv::Mat wall(120, 200, CV_8UC3);
  cv::RNG(7).fill(wall, cv::RNG::UNIFORM, 0, 255);
  cv::GaussianBlur(wall, wall, {}, 3);
  cv::normalize(wall, wall, 40, 220, cv::NORM_MINMAX);
  return std::make_unique<MadeReader>(300, 500, [wall, chance = cv::RNG(3)](int frame) mutable {
    cv::Mat noise(120, 160, CV_8UC3);
    chance.fill(noise, cv::RNG::UNIFORM, 0, 6);
    return cv::Mat(wall(cv::Rect(frame < 200 ? 0 : 16, 0, 160, 120)) + noise);
  });
}

TEST_F(EngineMemory, ACameraThatWasMovedIsForgotten) {
  watch(watching(turnedReader, true), network_);
  EXPECT_FALSE(heard_.of("camera moved").empty());
  EXPECT_EQ(network_->forgotten, 1);
}

}  // namespace
}  // namespace mpm::test
