// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>

#include "gui/app/window_parts.h"
#include "gui/plot/day_night_sentence.h"
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
  void SetUp() override { emit session_.began(*engine_); }
  void show(const monitor::FrameResultPtr& newest, const monitor::FrameResultPtr& compared) {
    emit session_.came(newest, compared, 0);
  }
  void look(bool old) {
    Liveness stands;
    if (old) stands.oldMs = 3'600'000;
    emit session_.looked(stands);
  }
  FigureTile* tokens() const { return tile(*strip_, "Fewer tokens"); }
  FigureTile* computed() const { return tile(*strip_, "Computed"); }
  FigureTile* time() const { return tile(*strip_, "Less time"); }
  FigureTile* labels() const { return tile(*strip_, "Same labels"); }
  FigureTile* night() const { return tile(*strip_, "Tokens at night"); }

  std::unique_ptr<monitor::Engine> engine_ = engineOf(6);
  Settings settings_;
  Session session_{settings_};
  const std::unique_ptr<Strip> strip_{newGlanceStrip(session_)};
};

TEST_F(GlanceStripTest, TokensAreThoseOfTheNewestFrame) {
  show(frame({2}, 10), nullptr);
  EXPECT_EQ(tokens()->figure(), "25.0%");
  EXPECT_EQ(tokens()->note(), "48 of 64");
}

TEST_F(GlanceStripTest, TimeAndLabelsAreOfFramesThatWereSegmentedWithBoth) {
  show(frame({2}, 10), nullptr);
  EXPECT_EQ(time()->figure(), "–");
  const auto first = frame({2}, 50, 400, 9);  // lays out memory
  show(first, first);
  EXPECT_EQ(time()->figure(), "–");
  const auto second = frame({2}, 12, 20, 3);
  show(second, second);
  for (int i = 0; i < 9; ++i) show(frame({2}, 77), second);  // compared once
  EXPECT_EQ(time()->figure(), "40%");
  EXPECT_EQ(time()->note(), QString::fromUtf8("12\u00a0ms instead of 20\u00a0ms"));
  EXPECT_EQ(labels()->figure(), "97.0%");
}

TEST_F(GlanceStripTest, NoiseStandsBesideTheLabelsOnceItIsKnown) {
  for (const std::optional<double> floor : {std::optional<double>(), std::optional(0.974)}) {
    auto both = std::make_shared<monitor::FrameResult>(*frame({2}, 12, 20, 3));
    both->floor = floor;
    show(both, both);
  }
  EXPECT_EQ(labels()->figure(), "97.0%");
  EXPECT_EQ(labels()->note(), "noise alone: 97.4%");
  const auto later = frame({2}, 12, 20, 3);
  show(later, later);
  EXPECT_EQ(labels()->note(), "noise alone: 97.4%");
}

// Seen while schedules were measured: "-184%, 1,390 ms instead of 489 ms".
TEST_F(GlanceStripTest, WhatIsMeasuredBesideAFrameDoesNotCountAsItsTime) {
  for (int i = 0; i < 2; ++i) {
    const auto both = frame({2}, 12, 20);
    show(both, both);
  }
  ASSERT_EQ(time()->figure(), "40%");
  for (int i = 0; i < 9; ++i) {
    const auto slowed = frame({2}, 90, 45, 3);
    session_.setMeasuring(true);
    show(slowed, slowed);
  }
  EXPECT_EQ(time()->figure(), "40%");
  EXPECT_EQ(labels()->figure(), "97.0%") << "which no load changes";
}

// A note that takes two lines leaves its figure less room than others have.
// Seen: one figure stood above the line of the others.
TEST_F(GlanceStripTest, DigitsAreAsHighInEachTileAndInOneLine) {
  strip_->resize(900, strip_->height());
  strip_->show();
  for (int i = 0; i < 2; ++i) {
    const auto both = frame({2}, 1'234'567, 2'345'678, 3);
    show(both, both);
  }
  ASSERT_EQ(time()->noteLines(), 2);
  ASSERT_EQ(tokens()->noteLines(), 1);
  const auto placeOf = [](FigureTile* tile, const QString& digits) {
    testing::TextRecorder recorder(tile->size());
    tile->render(&recorder, {}, {}, {});
    for (const auto& drawn : recorder.drawn.texts)
      if (drawn.text == digits) return drawn.place;
    return QRectF();
  };
  const QRectF left = placeOf(tokens(), "25.0"), right = placeOf(time(), "47");
  EXPECT_GT(right.height(), 0);
  EXPECT_EQ(left.height(), right.height());
  EXPECT_EQ(left.top(), right.top());
}

TEST_F(GlanceStripTest, IsHigherInAHigherWindow) {
  strip_->suit(600);
  const int least = strip_->height();
  const double points = tokens()->font().pointSizeF();
  strip_->suit(800);
  EXPECT_EQ(strip_->height(), least);
  strip_->suit(1200);
  EXPECT_EQ(strip_->height(), least * 3 / 2);
  EXPECT_NEAR(tokens()->font().pointSizeF(), points * 1.5, 0.01);
  strip_->suit(5000);
  EXPECT_EQ(strip_->height(), least * 2);
  strip_->suit(800);
  EXPECT_EQ(strip_->height(), least);
  EXPECT_NEAR(tokens()->font().pointSizeF(), points, 0.01);
}

TEST_F(GlanceStripTest, AnotherScheduleBeginsAnew) {
  for (const auto& one : {frame({2}, 10, 20), frame({2}, 10, 20)}) show(one, one);
  ASSERT_EQ(time()->figure(), "50%");
  const auto old = frame({2}, 10, 20);
  show(frame({2, 5}, 5), old);
  EXPECT_EQ(time()->figure(), "–") << "what was compared had another schedule";
  show(frame({}, 20), old);
  EXPECT_EQ(tokens()->figure(), "–");
  EXPECT_EQ(tokens()->note(), "merging is off");
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
  emit session_.began(*engine);
  const auto told = remembered(64, 20, true, 1000);
  show(told, nullptr);
  EXPECT_EQ(computed()->figure(), "100%");
  EXPECT_EQ(tokens()->note(), "48 of 64");
  show(remembered(16, 5, false, 1900, told), nullptr);
  EXPECT_EQ(computed()->figure(), "25%");
  EXPECT_EQ(computed()->note(), "16 of 64");
  EXPECT_EQ(tokens()->figure(), "25.0%");
  EXPECT_EQ(tokens()->note(), "48 of 64");
  show(remembered(16, 5, false, 5200, told), nullptr);
  EXPECT_EQ(tokens()->note(), "4 s ago: 48 of 64");
  look(true);  // by an hour, maybe
  EXPECT_EQ(tokens()->note(), "48 of 64");
  look(false);
  EXPECT_EQ(tokens()->note(), "4 s ago: 48 of 64");
}

TEST_F(GlanceStripTest, WithAMemoryTimeIsTheMeanOfFramesBesideFullTokens) {
  const auto engine = engineOf(6, true);
  emit session_.began(*engine);
  const auto told = remembered(64, 500, true, 0);  // lays out memory
  show(told, nullptr);
  for (int i = 0; i < 3; ++i) show(remembered(16, 4, false, i, told), nullptr);
  for (int i = 0; i < 2; ++i) {
    const auto both = remembered(32, 9, false, 10 + i, told, 40);
    show(both, both);
  }
  EXPECT_EQ(time()->note(), QString::fromUtf8("6\u00a0ms instead of 40\u00a0ms"));
  EXPECT_EQ(time()->figure(), "85%");
  show(frame({2}, 20), nullptr);  // switched off
  EXPECT_EQ(computed()->note(), "the scene memory is off");
  EXPECT_EQ(time()->figure(), "–");
  show(frame({}, 20), nullptr);
  EXPECT_EQ(computed()->note(), "the scene memory is off");
  EXPECT_EQ(time()->note(), "merging is off");
  auto full = remembered(16, 4, false, 20);
  full->schedule = {};
  show(full, nullptr);
  EXPECT_EQ(tokens()->note(), "merging is off");
  EXPECT_EQ(computed()->figure(), "25%");
  EXPECT_EQ(time()->note(), "comparing with full tokens ...");
}

// Seen: 65 to 96 percent within half an hour, of frames against full tokens of another load.
TEST_F(GlanceStripTest, LoadThatComesAndGoesChangesNoShareOfTime) {
  for (const bool remembers : {false, true}) {
    const auto engine = engineOf(6, true);
    emit session_.began(*engine);
    const auto told = remembered(64, 500, true, 0);
    for (int i = 0; i < 200; ++i) {
      const double load = i / 20 % 2 == 0 ? 1 : 3;
      const bool isCompared = i % 17 == 1;
      std::optional<double> full;
      if (isCompared) full = 100 * load;
      const auto one =
          remembers ? remembered(16, 20 * load, false, i, told, full) : frame({2}, 60 * load, full);
      show(one, isCompared ? one : nullptr);
    }
    if (!remembers) {
      EXPECT_EQ(time()->figure(), "40%");
      EXPECT_TRUE(time()->note().endsWith(" instead of 100\u00a0ms") ||
                  time()->note().endsWith(" instead of 300\u00a0ms"))
          << "no range where all agree: " << qPrintable(time()->note());
      continue;
    }
    // A few frames before a comparison may be of another load than it.
    const double less = QString(time()->figure()).remove('%').toDouble();
    EXPECT_NEAR(less, 80, 5);
    EXPECT_TRUE(time()->note().contains(" to ")) << qPrintable(time()->note());
  }
}

TEST_F(GlanceStripTest, NightsStandBesideDays) {
  KnownNights known;
  emit session_.nightsKnown(known);
  EXPECT_EQ(night()->note(), "none by day or night yet");
  for (const double live : {628.0, 632.0}) known.tokens.days.add(live);
  emit session_.nightsKnown(known);
  EXPECT_EQ(night()->note(), "none at night yet; 630 by day");
  known.tokens.nightFrames.add(655);
  emit session_.nightsKnown(known);
  EXPECT_EQ(night()->figure(), "655");
  EXPECT_EQ(night()->note(), "630 by day");
}

// Seen: the strip and the sentence below it named other figures of the same night.
TEST_F(GlanceStripTest, NightsAndDaysAreThoseOfTheSentence) {
  const auto of = [](std::initializer_list<double> values) {
    monitor::Running running;
    for (const double value : values) running.add(value);
    return running;
  };
  for (const bool ended : {false, true}) {
    KnownNights known;
    known.tokens.days = of({630});
    known.tokens.dayFrames = of({630, 640, 700});
    if (ended) known.tokens.nights = of({655});
    known.tokens.nightFrames = of({655, 665, 702});
    emit session_.nightsKnown(known);
    const QString sentence = dayNightSentence(known.tokens, 1024, QLocale());
    EXPECT_TRUE(sentence.contains(night()->figure() + (ended ? " against" : " ± ")))
        << qPrintable(sentence) << " " << qPrintable(night()->figure());
    EXPECT_EQ(night()->note(), "630 by day");
    EXPECT_TRUE(sentence.contains("against 630 live")) << qPrintable(sentence);
  }
}

// Seen: medians of time over a simulated night and the picture itself.
TEST_F(GlanceStripTest, ASimulatedNightIsNotMixedWithWhatTheCameraSees) {
  for (const auto& one : {frame({2}, 10, 20), frame({2}, 10, 20)}) show(one, one);
  ASSERT_EQ(time()->figure(), "50%");
  const auto dark = [](double ms, std::optional<double> fullMs) {
    auto result = std::make_shared<monitor::FrameResult>(*frame({2}, ms, fullMs));
    result->filtered = true;
    return result;
  };
  const auto lit = frame({2}, 10, 20);
  show(dark(15, std::nullopt), lit);
  EXPECT_EQ(time()->figure(), "–") << "what was compared was lit";
  for (const auto& one : {dark(15, 20), dark(15, 20)}) show(one, one);
  EXPECT_EQ(time()->figure(), "25%");
  show(frame({2}, 10), dark(15, 20));
  EXPECT_EQ(time()->figure(), "–");
}

// Seen: "Fewer tokens" rose while its line fell, which was of tokens that were left.
TEST_F(GlanceStripTest, LinesShowWhatTheirFiguresSay) {
  const auto frameOf = [](int live, double ms) {
    auto result = std::make_shared<monitor::FrameResult>(*frame({2}, ms, 20));
    result->segmentation.rows.back() = 1 + live;
    return result;
  };
  for (const auto& one : {frameOf(48, 15), frameOf(40, 10), frameOf(32, 5)}) show(one, one);
  EXPECT_EQ(tokens()->figure(), "50.0%");
  EXPECT_EQ(tokens()->trend(), (std::vector<double>{25, 37.5, 50}));
  EXPECT_EQ(time()->trend(), (std::vector<double>{50, 75})) << "the first lays out memory";
  KnownNights known;
  known.tokens.nights.add(655);
  known.atNight = {650, 660};
  emit session_.nightsKnown(known);
  EXPECT_EQ(night()->trend(), known.atNight);
}

TEST_F(GlanceStripTest, AModelThatCannotMergeSaysSo) {
  const auto plain = engineOf(0);
  emit session_.began(*plain);
  show(frame({}, 20), nullptr);
  for (const FigureTile* tile : {tokens(), time(), labels(), night()}) {
    EXPECT_EQ(tile->figure(), "–");
    EXPECT_EQ(tile->note(), "this model cannot merge");
  }
  EXPECT_EQ(computed()->note(), "this model cannot remember");
}

}  // namespace
}  // namespace mpm::gui
