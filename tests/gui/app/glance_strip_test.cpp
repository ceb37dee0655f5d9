// SPDX-License-Identifier: Apache-2.0
// What merging and the scene memory save, in the strip's tiles.
#include <gtest/gtest.h>

#include "gui/app/window_parts.h"
#include "gui/hands.h"
#include "gui/plot/day_night_sentence.h"
#include "gui/plot/text_recorder.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::gui {
namespace {

// Creates an engine whose model merges and remembers as given; nothing of it runs.
std::shared_ptr<monitor::Engine> engineOf(int blocks, bool canRemember = false) {
  class Network : public test::StubNetwork {
   public:
    explicit Network(int blocks) : blocks_(blocks) {}
    int blocks() const override { return blocks_; }

   private:
    int blocks_;
  };
  monitor::EngineOptions options;
  options.source.name = "gate";
  options.makeReader = [](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(test::StubReaderPlan{});
  };
  auto network = std::make_unique<Network>(blocks);
  network->remembers = canRemember;
  return std::make_shared<monitor::Engine>(std::move(options), std::move(network),
                                           std::vector<monitor::EngineListener*>{});
}

Segmentation found(int live, double ms, int others) {
  Segmentation found;
  found.rows = {65, 1 + live};
  found.mergeMap = cv::Mat::zeros(8, 8, CV_32S);
  found.labels = cv::Mat::zeros(1, 100, CV_8U);
  found.labels.colRange(0, others).setTo(1);
  found.times = {1, ms - 2, 1};
  return found;
}

using Frame = std::shared_ptr<monitor::FrameResult>;
using FullMs = std::optional<double>;

// `others` is the percentage of labels that differ from the unmerged ones.
Frame frame(const Schedule& schedule, double ms, FullMs fullMs = {}, int others = 0) {
  auto result = std::make_shared<monitor::FrameResult>();
  result->schedule = schedule;
  result->segmentation = found(schedule.empty() ? 64 : 48, ms, others);
  if (fullMs) result->full = found(64, *fullMs, 0);
  return result;
}

// Creates a frame of a memory with `fresh` computed patches; `merged` is the newest with counts.
Frame remembered(int fresh, double ms, bool tells, std::int64_t takenMs,
                 monitor::FrameResultPtr merged = nullptr, FullMs fullMs = {}) {
  Frame result = frame({2}, ms, fullMs);
  result->remembers = true;
  result->segmentation.memory = {64, fresh, 0, std::nullopt};
  result->frame.taken.steadyMs = takenMs;
  if (!tells) result->segmentation.mergeMap.release();
  result->merged = std::move(merged);
  return result;
}

class GlanceStripTest : public ::testing::Test {
 protected:
  GlanceStripTest() { begin(6); }
  void begin(int blocks, bool canRemember = false) {
    engines_.push_back(engineOf(blocks, canRemember));
    emit session_.began({engines_.back()});
  }
  void show(const Frame& newest, const Frame& compared = nullptr) {
    emit session_.came(newest, compared, 0);
  }
  // Shows frames that also serve as comparisons.
  void compare(const std::vector<Frame>& frames) {
    for (const Frame& one : frames) show(one, one);
  }
  void look(bool old) {
    Liveness stands;
    if (old) stands.oldMs = 3'600'000;
    emit session_.looked(stands);
  }
  FigureTile* at(const char* name) const { return tile(*strip_, name); }
  // Returns "25.0%, 48 of 64".
  std::string says(const char* name) const {
    return (at(name)->figure() + ", " + QString(at(name)->note()).replace(QChar(QChar::Nbsp), ' '))
        .toStdString();
  }
  FigureTile* time() const { return at("Less time"); }

  monitor::Engines engines_;
  Settings settings_;
  Session session_{settings_};
  const std::unique_ptr<Strip> strip_{newGlanceStrip(session_)};
};

TEST_F(GlanceStripTest, TokensAreOfTheNewestFrameTimeAndLabelsOfThoseThatWereSegmentedWithBoth) {
  show(frame({2}, 10));
  EXPECT_EQ(says("Fewer tokens"), "25.0%, 48 of 64");
  EXPECT_EQ(time()->figure(), "–");
  compare({frame({2}, 50, 400, 9)});  // lays out memory
  EXPECT_EQ(time()->figure(), "–");
  const Frame second = frame({2}, 12, 20, 3);
  compare({second});
  for (int i = 0; i < 9; ++i) show(frame({2}, 77), second);  // compared once
  EXPECT_EQ(says("Less time"), "40%, 12 ms instead of 20 ms");
  EXPECT_EQ(at("Label agreement")->figure(), "97.0%");
  const Frame noisy = frame({2}, 12, 20, 3);
  noisy->floor = 0.974;
  compare({noisy});
  EXPECT_EQ(says("Label agreement"), "97.0%, noise floor: 97.4%");
  compare({frame({2}, 12, 20, 3)});
  EXPECT_EQ(says("Label agreement"), "97.0%, noise floor: 97.4%");
}

// Guards against "-184%, 1,390 ms instead of 489 ms" while schedules are measured.
TEST_F(GlanceStripTest, WhatIsMeasuredBesideAFrameDoesNotCountAsItsTime) {
  compare({frame({2}, 12, 20), frame({2}, 12, 20)});
  ASSERT_EQ(time()->figure(), "40%");
  session_.setMeasuring(true);
  for (int i = 0; i < 9; ++i) compare({frame({2}, 90, 45, 3)});
  EXPECT_EQ(time()->figure(), "40%");
  EXPECT_EQ(at("Label agreement")->figure(), "97.0%") << "which no load changes";
}

// A note of two lines leaves its figure less room. Guards against one figure that is higher up than
// the others.
TEST_F(GlanceStripTest, DigitsAreAsHighInEachTileAndInOneLine) {
  strip_->resize(900, strip_->height());
  strip_->show();
  compare({frame({2}, 1'234'567, 2'345'678, 3), frame({2}, 1'234'567, 2'345'678, 3)});
  ASSERT_EQ(time()->noteLines(), 2);
  ASSERT_EQ(at("Fewer tokens")->noteLines(), 1);
  const auto placeOf = [](FigureTile* tile, const QString& digits) {
    testing::TextRecorder recorder(tile->size());
    tile->render(&recorder, {}, {}, {});
    for (const auto& drawn : recorder.drawn.texts)
      if (drawn.text == digits) return drawn.place;
    return QRectF();
  };
  const QRectF left = placeOf(at("Fewer tokens"), "25.0"), right = placeOf(time(), "47");
  EXPECT_GT(right.height(), 0);
  EXPECT_EQ(left.height(), right.height());
  EXPECT_EQ(left.top(), right.top());
}

TEST_F(GlanceStripTest, IsHigherInAHigherWindow) {
  strip_->suit(600);
  const int least = strip_->height();
  const double points = time()->font().pointSizeF();
  for (const auto& [window, factor] : {std::pair(800, 1.0), {1200, 1.5}, {5000, 2.0}, {800, 1.0}}) {
    strip_->suit(window);
    EXPECT_EQ(strip_->height(), least * factor) << window;
    EXPECT_NEAR(time()->font().pointSizeF(), points * factor, 0.01) << window;
  }
}

TEST_F(GlanceStripTest, AnotherScheduleBeginsAnewAndAModelThatCannotMergeSaysSo) {
  compare({frame({2}, 10, 20), frame({2}, 10, 20)});
  ASSERT_EQ(time()->figure(), "50%");
  const Frame old = frame({2}, 10, 20);
  show(frame({2, 5}, 5), old);
  EXPECT_EQ(time()->figure(), "–") << "what was compared had another schedule";
  show(frame({}, 20), old);
  EXPECT_EQ(says("Fewer tokens"), "–, merging is off");
  begin(0);
  show(frame({}, 20));
  for (const char* name : {"Fewer tokens", "Less time", "Label agreement", "Tokens at night"})
    EXPECT_EQ(says(name), "–, this model cannot merge");
  EXPECT_EQ(at("Recomputed")->note(), "this model cannot remember");
}

TEST_F(GlanceStripTest, WithAMemoryItSaysWhatIsComputedAndHowOldTokensAre) {
  begin(6, true);
  const Frame told = remembered(64, 20, true, 1000);
  show(told);
  EXPECT_EQ(at("Recomputed")->figure(), "100%");
  EXPECT_EQ(at("Fewer tokens")->note(), "48 of 64");
  show(remembered(16, 5, false, 1900, told));
  EXPECT_EQ(says("Recomputed"), "25%, 16 of 64");
  EXPECT_EQ(says("Fewer tokens"), "25.0%, 48 of 64");
  show(remembered(16, 5, false, 5200, told));
  EXPECT_EQ(at("Fewer tokens")->note(), "4 s ago: 48 of 64");
  look(true);  // by an hour, maybe
  EXPECT_EQ(at("Fewer tokens")->note(), "48 of 64");
  look(false);
  EXPECT_EQ(at("Fewer tokens")->note(), "4 s ago: 48 of 64");
}

TEST_F(GlanceStripTest, WithAMemoryTimeIsTheMeanOfFramesBesideFullTokens) {
  begin(6, true);
  const Frame told = remembered(64, 500, true, 0);  // lays out memory
  show(told);
  for (int i = 0; i < 3; ++i) show(remembered(16, 4, false, i, told));
  for (int i = 0; i < 2; ++i) compare({remembered(32, 9, false, 10 + i, told, 40)});
  EXPECT_EQ(says("Less time"), "85%, 6 ms instead of 40 ms");
  show(frame({2}, 20));  // switched off
  EXPECT_EQ(at("Recomputed")->note(), "the scene memory is off");
  EXPECT_EQ(time()->figure(), "–");
  show(frame({}, 20));
  EXPECT_EQ(at("Recomputed")->note(), "the scene memory is off");
  EXPECT_EQ(time()->note(), "merging is off");
  const Frame full = remembered(16, 4, false, 20);
  full->schedule = {};
  show(full);
  EXPECT_EQ(at("Fewer tokens")->note(), "merging is off");
  EXPECT_EQ(at("Recomputed")->figure(), "25%");
  EXPECT_EQ(time()->note(), "comparing with unmerged ...");
}

// Guards against shares of 65 to 96 percent within half an hour, from unequal loads.
TEST_F(GlanceStripTest, LoadThatComesAndGoesChangesNoShareOfTime) {
  for (const bool remembers : {false, true}) {
    begin(6, true);
    const Frame told = remembered(64, 500, true, 0);
    for (int i = 0; i < 200; ++i) {
      const double load = i / 20 % 2 == 0 ? 1 : 3;
      const bool isCompared = i % 17 == 1;
      const FullMs full = isCompared ? FullMs(100 * load) : FullMs();
      const Frame one =
          remembers ? remembered(16, 20 * load, false, i, told, full) : frame({2}, 60 * load, full);
      show(one, isCompared ? one : nullptr);
    }
    const std::string note = says("Less time");
    if (!remembers) {
      EXPECT_TRUE(note == "40%, 60 ms instead of 100 ms" || note == "40%, 180 ms instead of 300 ms")
          << "no range where all agree: " << note;
      continue;
    }
    // A few frames before a comparison may have run under another load.
    EXPECT_NEAR(QString(time()->figure()).remove('%').toDouble(), 80, 5);
    EXPECT_NE(note.find(" to "), std::string::npos) << note;
  }
}

monitor::Running of(std::initializer_list<double> values) {
  monitor::Running running;
  for (const double value : values) running.add(value);
  return running;
}

// Guards against different figures of the same night in the strip and the sentence below.
TEST_F(GlanceStripTest, NightsStandBesideDaysAndAreThoseOfTheSentence) {
  KnownNights known;
  emit session_.nightsKnown(known);
  EXPECT_EQ(at("Tokens at night")->note(), "none by day or night yet");
  known.tokens.days = of({628, 632});
  emit session_.nightsKnown(known);
  EXPECT_EQ(at("Tokens at night")->note(), "none at night yet; 630 by day");
  known.tokens.days = of({630});
  known.tokens.dayFrames = of({630, 640, 700});
  known.tokens.nightFrames = of({655, 665, 702});
  for (const char* against : {" ± ", " against"}) {  // a night that goes on; one that ended
    emit session_.nightsKnown(known);
    const QString sentence = dayNightSentence(known.tokens, 1024, QLocale());
    EXPECT_TRUE(sentence.contains(at("Tokens at night")->figure() + against) &&
                sentence.contains("against 630 tokens"))
        << qPrintable(sentence) << " " << says("Tokens at night");
    EXPECT_EQ(at("Tokens at night")->note(), "630 by day");
    known.tokens.nights = of({655});
  }
  EXPECT_EQ(at("Tokens at night")->figure(), "655");
}

// Guards against medians over frames with and without a simulated night.
TEST_F(GlanceStripTest, ASimulatedNightIsNotMixedWithWhatTheCameraSees) {
  const auto dark = [](double ms, FullMs fullMs) {
    Frame result = frame({2}, ms, fullMs);
    result->filtered = true;
    return result;
  };
  compare({frame({2}, 10, 20), frame({2}, 10, 20)});
  ASSERT_EQ(time()->figure(), "50%");
  show(dark(15, {}), frame({2}, 10, 20));
  EXPECT_EQ(time()->figure(), "–") << "what was compared was lit";
  compare({dark(15, 20), dark(15, 20)});
  EXPECT_EQ(time()->figure(), "25%");
  show(frame({2}, 10), dark(15, 20));
  EXPECT_EQ(time()->figure(), "–");
}

// Guards against a rising "Fewer tokens" with a falling line, that of remaining tokens.
TEST_F(GlanceStripTest, LinesShowWhatTheirFiguresSay) {
  const auto frameOf = [](int live, double ms) {
    Frame result = frame({2}, ms, 20);
    result->segmentation.rows.back() = 1 + live;
    return result;
  };
  compare({frameOf(48, 15), frameOf(40, 10), frameOf(32, 5)});
  EXPECT_EQ(at("Fewer tokens")->figure(), "50.0%");
  EXPECT_EQ(at("Fewer tokens")->trend(), (std::vector<double>{25, 37.5, 50}));
  EXPECT_EQ(time()->trend(), (std::vector<double>{50, 75})) << "the first lays out memory";
  KnownNights known;
  known.tokens.nights.add(655);
  known.atNight = {650, 660};
  emit session_.nightsKnown(known);
  EXPECT_EQ(at("Tokens at night")->trend(), known.atNight);
}

}  // namespace
}  // namespace mpm::gui
