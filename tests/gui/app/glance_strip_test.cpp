// SPDX-License-Identifier: Apache-2.0
#include "gui/app/glance_strip.h"

#include <gtest/gtest.h>

#include <memory>

#include "gui/plot/text_recorder.h"
#include "monitor/engine/stub_network.h"
#include "monitor/engine/stub_reader.h"

namespace mpm::gui {
namespace {

// Whether a model merges and can remember; nothing of it runs.
std::unique_ptr<monitor::Engine> engineOf(int blocks, bool canRemember = false) {
  class Network : public test::StubNetwork {
   public:
    explicit Network(int blocks) : blocks_(blocks) {}
    int blocks() const override { return blocks_; }

   private:
    int blocks_;
  };
  monitor::EngineOptions options;
  monitor::NamedSource source;
  source.name = "gate";
  options.sources = {source};
  options.makeReader = [](const monitor::NamedSource&) {
    return std::make_unique<test::StubReader>(test::StubReaderPlan{});
  };
  auto network = std::make_unique<Network>(blocks);
  network->remembers = canRemember;
  return std::make_unique<monitor::Engine>(std::move(options), std::move(network),
                                           std::vector<monitor::EngineListener*>{});
}

Segmentation found(int live, double ms, int pixels, int others = 0) {
  Segmentation found;
  found.rows = {65, 1 + live};
  found.mergeMap = cv::Mat::zeros(8, 8, CV_32S);
  found.labels = cv::Mat::zeros(1, pixels, CV_8U);
  found.labels.colRange(0, others).setTo(1);
  found.times = {1, ms - 2, 1};
  return found;
}

monitor::FrameResultPtr frame(const Schedule& schedule, double ms,
                              std::optional<double> fullMs = std::nullopt, int others = 0) {
  auto result = std::make_shared<monitor::FrameResult>();
  result->schedule = schedule;
  result->segmentation = found(schedule.empty() ? 64 : 48, ms, 100, others);
  if (fullMs) result->full = found(64, *fullMs, 100);
  return result;
}

class GlanceStripTest : public ::testing::Test {
 protected:
  void SetUp() override { strip_.begin(*engine_); }

  std::unique_ptr<monitor::Engine> engine_ = engineOf(6);
  GlanceStrip strip_;
};

TEST_F(GlanceStripTest, TokensAreThoseOfTheNewestFrame) {
  strip_.showFrame(*frame({2}, 10), nullptr);
  EXPECT_EQ(strip_.tokens()->figure(), "25.0%");
  EXPECT_EQ(strip_.tokens()->note(), "48 of 64");
}

TEST_F(GlanceStripTest, TimeAndLabelsAreOfFramesThatWereSegmentedWithBoth) {
  strip_.showFrame(*frame({2}, 10), nullptr);
  EXPECT_EQ(strip_.time()->figure(), "–");
  const auto first = frame({2}, 50, 400, 9);  // lays out memory
  strip_.showFrame(*first, first);
  EXPECT_EQ(strip_.time()->figure(), "–");
  const auto second = frame({2}, 12, 20, 3);
  strip_.showFrame(*second, second);
  for (int i = 0; i < 9; ++i) strip_.showFrame(*frame({2}, 77), second);  // compared once
  EXPECT_EQ(strip_.time()->figure(), "40%");
  EXPECT_EQ(strip_.time()->note(), QString::fromUtf8("12\u00a0ms instead of 20\u00a0ms"));
  EXPECT_EQ(strip_.labels()->figure(), "97.0%");
}

TEST_F(GlanceStripTest, NoiseStandsBesideTheLabelsOnceItIsKnown) {
  for (const std::optional<double> floor : {std::optional<double>(), std::optional(0.974)}) {
    auto both = std::make_shared<monitor::FrameResult>(*frame({2}, 12, 20, 3));
    both->floor = floor;
    strip_.showFrame(*both, both);
  }
  EXPECT_EQ(strip_.labels()->figure(), "97.0%");
  EXPECT_EQ(strip_.labels()->note(), "noise alone: 97.4%");
  const auto later = frame({2}, 12, 20, 3);
  strip_.showFrame(*later, later);
  EXPECT_EQ(strip_.labels()->note(), "noise alone: 97.4%");
}

// Seen while schedules were measured: "-184%, 1,390 ms instead of 489 ms".
TEST_F(GlanceStripTest, WhatIsMeasuredBesideAFrameDoesNotCountAsItsTime) {
  for (int i = 0; i < 2; ++i) {
    const auto both = frame({2}, 12, 20);
    strip_.showFrame(*both, both);
  }
  ASSERT_EQ(strip_.time()->figure(), "40%");
  for (int i = 0; i < 9; ++i) {
    const auto slowed = frame({2}, 90, 45, 3);
    strip_.showFrame(*slowed, slowed, 0, true);
  }
  EXPECT_EQ(strip_.time()->figure(), "40%");
  EXPECT_EQ(strip_.labels()->figure(), "97.0%") << "which no load changes";
}

// A note that takes two lines leaves its figure less room than others have.
// Seen: one figure stood above the line of the others.
TEST_F(GlanceStripTest, DigitsAreAsHighInEachTileAndInOneLine) {
  strip_.resize(900, strip_.height());
  static_cast<QWidget&>(strip_).show();
  for (int i = 0; i < 2; ++i) {
    const auto both = frame({2}, 1'234'567, 2'345'678, 3);
    strip_.showFrame(*both, both);
  }
  ASSERT_EQ(strip_.time()->noteLines(), 2);
  ASSERT_EQ(strip_.tokens()->noteLines(), 1);
  const auto placeOf = [](FigureTile* tile, const QString& digits) {
    testing::TextRecorder recorder(tile->size());
    tile->render(&recorder, {}, {}, {});
    for (const auto& drawn : recorder.drawn.texts)
      if (drawn.text == digits) return drawn.place;
    return QRectF();
  };
  const QRectF tokens = placeOf(strip_.tokens(), "25.0"), time = placeOf(strip_.time(), "47");
  EXPECT_GT(time.height(), 0);
  EXPECT_EQ(tokens.height(), time.height());
  EXPECT_EQ(tokens.top(), time.top());
}

TEST_F(GlanceStripTest, IsHigherInAHigherWindow) {
  strip_.suit(600);
  const int least = strip_.height();
  const double points = strip_.tokens()->font().pointSizeF();
  strip_.suit(800);
  EXPECT_EQ(strip_.height(), least);
  strip_.suit(1200);
  EXPECT_EQ(strip_.height(), least * 3 / 2);
  EXPECT_NEAR(strip_.tokens()->font().pointSizeF(), points * 1.5, 0.01);
  strip_.suit(5000);
  EXPECT_EQ(strip_.height(), least * 2);
  strip_.suit(800);
  EXPECT_EQ(strip_.height(), least);
  EXPECT_NEAR(strip_.tokens()->font().pointSizeF(), points, 0.01);
}

TEST_F(GlanceStripTest, AnotherScheduleBeginsAnew) {
  for (const auto& one : {frame({2}, 10, 20), frame({2}, 10, 20)}) strip_.showFrame(*one, one);
  ASSERT_EQ(strip_.time()->figure(), "50%");
  const auto old = frame({2}, 10, 20);
  strip_.showFrame(*frame({2, 5}, 5), old);
  EXPECT_EQ(strip_.time()->figure(), "–") << "what was compared had another schedule";
  strip_.showFrame(*frame({}, 20), old);
  EXPECT_EQ(strip_.tokens()->figure(), "–");
  EXPECT_EQ(strip_.tokens()->note(), "merging is off");
}

// Of a frame with a memory; `counted`: its tokens, `merged`: the newest that told.
std::shared_ptr<monitor::FrameResult> remembered(int fresh, double ms, bool tells,
                                                 std::int64_t takenMs,
                                                 monitor::FrameResultPtr merged = nullptr,
                                                 std::optional<double> fullMs = std::nullopt) {
  auto result = std::make_shared<monitor::FrameResult>(*frame({2}, ms, fullMs));
  result->remembers = true;
  result->segmentation.memory = {64, fresh, 0, std::nullopt};
  result->frame.taken.steadyMs = takenMs;
  if (!tells) result->segmentation.mergeMap.release();
  result->merged = std::move(merged);
  return result;
}

TEST_F(GlanceStripTest, WithAMemoryItSaysWhatIsComputedAndHowOldTokensAre) {
  const auto engine = engineOf(6, true);
  strip_.begin(*engine);
  const auto told = remembered(64, 20, true, 1000);
  strip_.showFrame(*told, nullptr);
  EXPECT_EQ(strip_.computed()->figure(), "100%");
  EXPECT_EQ(strip_.tokens()->note(), "48 of 64");
  strip_.showFrame(*remembered(16, 5, false, 1900, told), nullptr);
  EXPECT_EQ(strip_.computed()->figure(), "25%");
  EXPECT_EQ(strip_.computed()->note(), "16 of 64");
  EXPECT_EQ(strip_.tokens()->figure(), "25.0%");
  EXPECT_EQ(strip_.tokens()->note(), "48 of 64");
  strip_.showFrame(*remembered(16, 5, false, 5200, told), nullptr);
  EXPECT_EQ(strip_.tokens()->note(), "4 s ago: 48 of 64");
  strip_.setOld(true);  // by an hour, maybe
  EXPECT_EQ(strip_.tokens()->note(), "48 of 64");
  strip_.setOld(false);
  EXPECT_EQ(strip_.tokens()->note(), "4 s ago: 48 of 64");
}

TEST_F(GlanceStripTest, WithAMemoryTimeIsTheMeanOfFramesBesideFullTokens) {
  const auto engine = engineOf(6, true);
  strip_.begin(*engine);
  const auto told = remembered(64, 500, true, 0);  // lays out memory
  strip_.showFrame(*told, nullptr);
  for (int i = 0; i < 3; ++i) strip_.showFrame(*remembered(16, 4, false, i, told), nullptr);
  for (int i = 0; i < 2; ++i) {
    const auto both = remembered(32, 9, false, 10 + i, told, 40);
    strip_.showFrame(*both, both);
  }
  EXPECT_EQ(strip_.time()->note(), QString::fromUtf8("6\u00a0ms instead of 40\u00a0ms"));
  EXPECT_EQ(strip_.time()->figure(), "85%");
  strip_.showFrame(*frame({2}, 20), nullptr);  // switched off
  EXPECT_EQ(strip_.computed()->note(), "the scene memory is off");
  EXPECT_EQ(strip_.time()->figure(), "–");
  strip_.showFrame(*frame({}, 20), nullptr);
  EXPECT_EQ(strip_.computed()->note(), "the scene memory is off");
  EXPECT_EQ(strip_.time()->note(), "merging is off");
  auto full = remembered(16, 4, false, 20);
  full->schedule = {};
  strip_.showFrame(*full, nullptr);
  EXPECT_EQ(strip_.tokens()->note(), "merging is off");
  EXPECT_EQ(strip_.computed()->figure(), "25%");
  EXPECT_EQ(strip_.time()->note(), "comparing with full tokens ...");
}

// Seen: 65 to 96 percent within half an hour, of frames against full tokens of another load.
TEST_F(GlanceStripTest, LoadThatComesAndGoesChangesNoShareOfTime) {
  for (const bool remembers : {false, true}) {
    const auto engine = engineOf(6, true);
    strip_.begin(*engine);
    const auto told = remembered(64, 500, true, 0);
    for (int i = 0; i < 200; ++i) {
      const double load = i / 20 % 2 == 0 ? 1 : 3;
      const bool isCompared = i % 17 == 1;
      std::optional<double> full;
      if (isCompared) full = 100 * load;
      const auto one =
          remembers ? remembered(16, 20 * load, false, i, told, full) : frame({2}, 60 * load, full);
      strip_.showFrame(*one, isCompared ? one : nullptr);
    }
    if (!remembers) {
      EXPECT_EQ(strip_.time()->figure(), "40%");
      EXPECT_TRUE(strip_.time()->note().endsWith(" instead of 100\u00a0ms") ||
                  strip_.time()->note().endsWith(" instead of 300\u00a0ms"))
          << "no range where all agree: " << qPrintable(strip_.time()->note());
      continue;
    }
    // A few frames before a comparison may be of another load than it.
    const double less = QString(strip_.time()->figure()).remove('%').toDouble();
    EXPECT_NEAR(less, 80, 5);
    EXPECT_TRUE(strip_.time()->note().contains(" to ")) << qPrintable(strip_.time()->note());
  }
}

TEST_F(GlanceStripTest, NightsStandBesideDays) {
  DayNightHistory::Known known;
  strip_.showNights(known);
  EXPECT_EQ(strip_.night()->note(), "none by day or night yet");
  for (const double live : {628.0, 632.0}) known.tokens.days.add(live);
  strip_.showNights(known);
  EXPECT_EQ(strip_.night()->note(), "none at night yet; 630 by day");
  known.tokens.nightFrames.add(655);
  strip_.showNights(known);
  EXPECT_EQ(strip_.night()->figure(), "655");
  EXPECT_EQ(strip_.night()->note(), "630 by day");
}

// Seen: the strip and the sentence below it named other figures of the same night.
TEST_F(GlanceStripTest, NightsAndDaysAreThoseOfTheSentence) {
  const auto of = [](std::initializer_list<double> values) {
    monitor::Running running;
    for (const double value : values) running.add(value);
    return running;
  };
  for (const bool ended : {false, true}) {
    DayNightHistory::Known known;
    known.tokens.days = of({630});
    known.tokens.dayFrames = of({630, 640, 700});
    if (ended) known.tokens.nights = of({655});
    known.tokens.nightFrames = of({655, 665, 702});
    strip_.showNights(known);
    const QString sentence = dayNightSentence(known.tokens, 1024, QLocale());
    EXPECT_TRUE(sentence.contains(strip_.night()->figure() + (ended ? " against" : " ± ")))
        << qPrintable(sentence) << " " << qPrintable(strip_.night()->figure());
    EXPECT_EQ(strip_.night()->note(), "630 by day");
    EXPECT_TRUE(sentence.contains("against 630 live")) << qPrintable(sentence);
  }
}

// Seen: medians of time over a simulated night and the picture itself.
TEST_F(GlanceStripTest, ASimulatedNightIsNotMixedWithWhatTheCameraSees) {
  for (const auto& one : {frame({2}, 10, 20), frame({2}, 10, 20)}) strip_.showFrame(*one, one);
  ASSERT_EQ(strip_.time()->figure(), "50%");
  const auto dark = [](double ms, std::optional<double> fullMs) {
    auto result = std::make_shared<monitor::FrameResult>(*frame({2}, ms, fullMs));
    result->filtered = true;
    return result;
  };
  const auto lit = frame({2}, 10, 20);
  strip_.showFrame(*dark(15, std::nullopt), lit);
  EXPECT_EQ(strip_.time()->figure(), "–") << "what was compared was lit";
  for (const auto& one : {dark(15, 20), dark(15, 20)}) strip_.showFrame(*one, one);
  EXPECT_EQ(strip_.time()->figure(), "25%");
  strip_.showFrame(*frame({2}, 10), dark(15, 20));
  EXPECT_EQ(strip_.time()->figure(), "–");
}

// Seen: "Fewer tokens" rose while its line fell, which was of tokens that were left.
TEST_F(GlanceStripTest, LinesShowWhatTheirFiguresSay) {
  const auto frameOf = [](int live, double ms) {
    auto result = std::make_shared<monitor::FrameResult>(*frame({2}, ms, 20));
    result->segmentation.rows.back() = 1 + live;
    return result;
  };
  for (const auto& one : {frameOf(48, 15), frameOf(40, 10), frameOf(32, 5)})
    strip_.showFrame(*one, one);
  EXPECT_EQ(strip_.tokens()->figure(), "50.0%");
  EXPECT_EQ(strip_.tokens()->trend(), (std::vector<double>{25, 37.5, 50}));
  EXPECT_EQ(strip_.time()->trend(), (std::vector<double>{50, 75})) << "the first lays out memory";
  DayNightHistory::Known known;
  known.tokens.nights.add(655);
  known.atNight = {650, 660};
  strip_.showNights(known);
  EXPECT_EQ(strip_.night()->trend(), known.atNight);
}

TEST_F(GlanceStripTest, AModelThatCannotMergeSaysSo) {
  const auto plain = engineOf(0);
  strip_.begin(*plain);
  strip_.showFrame(*frame({}, 20), nullptr);
  for (const FigureTile* tile : {strip_.tokens(), strip_.time(), strip_.labels(), strip_.night()}) {
    EXPECT_EQ(tile->figure(), "–");
    EXPECT_EQ(tile->note(), "this model cannot merge");
  }
  EXPECT_EQ(strip_.computed()->note(), "this model cannot remember");
}

}  // namespace
}  // namespace mpm::gui
