// SPDX-License-Identifier: Apache-2.0
// Plots of steps, distributions and schedules: what each says as a picture, a sentence, a table,
// CSV and to the pointer.
#include <gtest/gtest.h>

#include <random>

#include "gui/hands.h"
#include "gui/plot/colours.h"
#include "gui/plot/histogram_plot.h"
#include "gui/plot/opened.h"
#include "gui/plot/pareto_plot.h"
#include "gui/plot/step_plot.h"

namespace mpm::gui {
namespace {

using monitor::LightState;
using testing::Opened;

// Visits the pixels of an image that have a colour.
template <class Use>
void eachPixelOf(const QImage& image, const QColor& colour, const Use& use) {
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixelColor(x, y) == colour) use(x, y);
}

template <class Kind>
void expectSaid(Opened<Kind>& plot, QSize size, const QStringList& expected) {
  const QStringList words = plot.words(size);
  for (const QString& word : expected)
    EXPECT_TRUE(words.contains(word)) << qPrintable(word + " in " + words.join('|'));
}

class StepPlotTest : public ::testing::Test {
 protected:
  StepPlotTest() {
    layers_.setPalette(testing::lightPalette());
    layers_.setSteps({{"Embedding", "embed", 2, false},
                      {"Block 0", "0", 8, false},
                      {"Merge before block 1", "m", 1, true},
                      {"Block 1", "1", 4, false},
                      {"Head", "head", std::nan(""), false}});
    frame_.setSteps({{"Prepare", "Prepare", 2, false},
                     {"Network", "Network", 30, false},
                     {"Labels", "Labels", 8, false}});
  }
  Opened<StepPlot> layers_{StepPlot::Names{"Network", "Merges", "Nothing is known of the layers."}};
  Opened<StepPlot> frame_{StepPlot::Names{"Frame", {}, "No frame has been timed yet."}};
};

TEST_F(StepPlotTest, SaysTheSameAsPictureSentenceTableAndCsv) {
  EXPECT_DOUBLE_EQ(layers_.totalMs(), 15);
  EXPECT_DOUBLE_EQ(layers_.apartMs(), 1);
  expectSaid(layers_, {500, 200}, {"Network 15.0 ms", "Merges 1.0 ms, 7%"});
  expectSaid(layers_, {300, 200}, {"8.0", "embed", "–"});
  EXPECT_EQ(
      layers_.summary().toStdString(),
      "Network: 15.0 ms, of which 1.0 ms for Merges; the longest step is Block 0 with 8.0 ms.");
  EXPECT_EQ(layers_.tableWords(),
            "Embedding|2.0 ms|13%\nBlock 0|8.0 ms|53%\nMerge before block 1|1.0 ms|7%\n"
            "Block 1|4.0 ms|27%\nHead|–|");
  EXPECT_EQ(layers_.csv().join('\n').toStdString(),
            "step,apart,ms\nEmbedding,0,2\nBlock 0,0,8\nMerge before block 1,1,1\n"
            "Block 1,0,4\nHead,0,\n");
  const QPoint second(6 + 488 * 3 / 10, 120);  // of five
  layers_.resize(500, 200);
  EXPECT_EQ(hands::tipAt(&layers_, second), "Block 0: 8.0 ms, 53%");
  expectSaid(frame_, {500, 200}, {"Frame 40.0 ms", "Network", "30.0 ms, 75%", "2.0 ms, 5%"});
  expectSaid(frame_, {150, 200}, {"30"});
  EXPECT_EQ(frame_.summary().toStdString(),
            "Frame: 40.0 ms; the longest step is Network with 30.0 ms, 75%.");
  qsizetype cut = 0;  // before it is left out
  for (int width = 240; width < 500; width += 10)
    cut += layers_.words({width, 200}).filter(QRegularExpression("^Merg.*…$")).size();
  EXPECT_GT(cut, 0);
}

TEST_F(StepPlotTest, ColumnsAreAsTallAsTheirTimesAndMergesHaveAColourOfTheirOwn) {
  layers_.resize(400, 300);
  layers_.setSteps({{"A", "a", 20, false}, {"B", "b", 10, false}, {"M", "m", 5, true}});
  const QImage image = layers_.grab().toImage();
  // Returns the pixel rows of each run of columns of this colour, from the left.
  const auto heightsOf = [&](int series) {
    std::vector<int> columns(static_cast<std::size_t>(image.width()) + 1), heights;
    eachPixelOf(image, seriesColour(series, testing::lightPalette()), [&](int x, int y) {
      columns[static_cast<std::size_t>(x) + 1] += y >= image.height() / 3;
    });
    for (std::size_t i = 1; i < columns.size(); ++i)
      if (columns[i] > 0 && columns[i - 1] == 0) heights.push_back(columns[i]);
    return heights;
  };
  const auto steps = heightsOf(0), merges = heightsOf(1);
  ASSERT_EQ(steps.size(), 2u);
  ASSERT_EQ(merges.size(), 1u);
  EXPECT_GT(merges[0], 20);
  EXPECT_NEAR(steps[1], 2 * merges[0], 2);
}

// Parallel work is shown, but is no part of the whole and has no share of it.
TEST_F(StepPlotTest, WhatStandsBesideTheWholeDoesNotCount) {
  Opened<StepPlot> plot{StepPlot::Names{"Frame", "Views", "No frame has been timed yet.", false}};
  plot.setSteps({{"Prepare", "Prepare", 10, false},
                 {"Network", "Network", 30, false},
                 {"Views", "Views", 50, true}});
  EXPECT_DOUBLE_EQ(plot.totalMs(), 40);
  EXPECT_EQ(
      plot.summary().toStdString(),
      "Frame: 40.0 ms; the longest step is Network with 30.0 ms, 75%. Next to it, Views: 50.0 "
      "ms.");
  expectSaid(plot, {500, 200}, {"Frame 40.0 ms", "Views 50.0 ms", "30.0 ms, 75%", "50.0 ms"});
  EXPECT_EQ(plot.tableWords(), "Prepare|10.0 ms|25%\nNetwork|30.0 ms|75%\nViews|50.0 ms|");
}

TEST_F(StepPlotTest, SaysWhereNothingIsKnownAndNoWordsTouch) {
  const double infinity = std::numeric_limits<double>::infinity();
  frame_.setSteps({{"Prepare", "p", -1, false}, {"Network", "n", infinity, false}});
  EXPECT_EQ(frame_.summary(), "No frame has been timed yet.");
  EXPECT_TRUE(frame_.says({400, 200}, "No frame has been timed yet."));
  frame_.setSteps({{"Prepare", "p", 0, false}});
  EXPECT_FALSE(frame_.says({400, 200}, "timed yet"));
  layers_.setSteps({});
  EXPECT_EQ(layers_.summary(), "Nothing is known of the layers.");
  EXPECT_EQ(layers_.tableWords(), "");
  std::vector<StepPlot::Step> many;
  for (int i = 0; i < 12; ++i)
    many.push_back({QString("Block %1").arg(i), QString::number(i), 4.5 + i, false});
  layers_.setSteps(many);
  for (Opened<StepPlot>* plot : {&layers_, &frame_})
    plot->expectNoWordsTouch({{240, 120}, {500, 200}, {1600, 400}});
}

// Returns the shape of 1001 equally spaced values.
DistributionShape around(LightState light, double mean, double step = 0.125) {
  std::vector<double> values;
  for (int i = -500; i <= 500; ++i) values.push_back(mean + i * step);
  return *shapeOf(light, values);
}

class HistogramPlotTest : public ::testing::Test {
 protected:
  HistogramPlotTest() {
    plot_.resize(640, 280);
    plot_.setPalette(testing::lightPalette());
    plot_.setPanels({{"Live rows",
                      "rows",
                      "live_rows",
                      {around(LightState::night, 412), around(LightState::day, 437)}},
                     {"Network", "ms", "ms.network", {around(LightState::day, 32, 1. / 64)}}},
                    monitor::Resolution::minute);
  }
  Opened<HistogramPlot> plot_;
};

TEST_F(HistogramPlotTest, SaysTheSameAsPictureSentenceTableAndCsv) {
  const QStringList words = plot_.words({640, 280});
  EXPECT_EQ(words.count("Day"), 1) << "a row for each light that was seen";
  EXPECT_EQ(words.count("Night"), 1);
  EXPECT_FALSE(words.contains("Dusk"));
  expectSaid(plot_, {640, 280}, {"Live rows [rows]", "Network [ms]"});
  EXPECT_EQ(
      plot_.summary().toStdString(),
      "Medians: Live rows, Day: 437 rows; Live rows, Night: 412 rows; Network, Day: 32.0 ms.");
  EXPECT_EQ(plot_.tableWords(),
            "Live rows|Day|1,001|381 rows|437 rows|493 rows\n"
            "Live rows|Night|1,001|356 rows|412 rows|468 rows\n"
            "Network|Day|1,001|25.0 ms|32.0 ms|39.0 ms");
  EXPECT_EQ(plot_.csv().join('\n').toStdString(),
            "metric,light,count,q05,median,q95\nlive_rows,day,1001,380.75,437,493.25\n"
            "live_rows,night,1001,355.75,412,468.25\n"
            "ms.network,day,1001,24.96875,32,39.03125\n");
  plot_.resize(640, 280);
  EXPECT_TRUE(hands::tipAt(&plot_, {150, 60}).startsWith("Live rows, Day: median 437"));
  const QImage image = plot_.grab().toImage();
  for (const LightState state : {LightState::day, LightState::night}) {
    int pixels = 0;
    eachPixelOf(image, strongLightColour(state, testing::lightPalette()),
                [&](int, int) { ++pixels; });
    EXPECT_GT(pixels, 200) << monitor::nameOf(state);
  }
  plot_.setPanels({}, monitor::Resolution::minute);
  EXPECT_EQ(plot_.tableWords(), "");
  EXPECT_EQ(plot_.summary(), "Nothing has been measured yet in any light.");
  EXPECT_TRUE(plot_.says({400, 200}, "Nothing has been measured"));
}

// Guards against "Live tokens [tok...", and "Means of seconds. Bar: 5% to 95% of them. Mark: me..."
// in a window of 900 x 600.
TEST_F(HistogramPlotTest, AUnitIsLeftOutBeforeItIsCutAndWhatIsWhatIsToldToTheEnd) {
  int whole = 0, without = 0;
  for (int width = 160; width <= 480; width += 10) {
    const QStringList words = plot_.words({width, 140});
    whole += words.contains("Network [ms]");
    without += words.contains("Network");
    for (const QString& word : words)
      EXPECT_FALSE(word.contains('[') && word.endsWith(QChar(0x2026))) << width << qPrintable(word);
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(without, 0);
  for (const int width : {240, 350, 640})
    EXPECT_TRUE(plot_.words({width, 145})
                    .join(' ')
                    .simplified()
                    .endsWith("One-minute means. Bar: 5% to 95% of them. Mark: median."))
        << width;
}

TEST_F(HistogramPlotTest, NoWordsTouchInAnySize) {
  std::vector<HistogramPlot::Panel> panels(2, {"Live rows", "rows", "live_rows", {}});
  for (const LightState state : monitor::kAllLightStates)
    for (auto& panel : panels) panel.shapes.push_back(around(state, 400));
  plot_.setPanels(panels, monitor::Resolution::minute);
  plot_.expectNoWordsTouch({{240, 140}, {400, 200}, {640, 280}, {1600, 400}});
}

TEST(DistributionShape, HasTheHumpsThatItsValuesHave) {
  std::mt19937 random(9);
  const auto normal = [&](int count, double mean, double deviation,
                          std::vector<double> values = {}) {
    std::normal_distribution<double> value(mean, deviation);
    for (int i = 0; i < count; ++i) values.push_back(value(random));
    return values;
  };
  const auto shape = shapeOf(LightState::day, normal(20'000, 437, 20));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->count, 20'000U);
  EXPECT_NEAR(shape->median, 437, 1);
  EXPECT_NEAR(shape->low, 437 - 1.645 * 20, 1.5);
  EXPECT_NEAR(shape->high, 437 + 1.645 * 20, 1.5);
  const auto higher = [](const auto& one, const auto& other) {
    return one.density < other.density;
  };
  EXPECT_NEAR(std::max_element(shape->outline.begin(), shape->outline.end(), higher)->value, 437,
              6);
  for (const auto& point : shape->outline) EXPECT_TRUE(point.density > 0 && point.density <= 1);
  const auto two = shapeOf(LightState::night, normal(5000, 300, 10, normal(5000, 500, 10)));
  ASSERT_TRUE(two);
  const auto at = [&](double value) {
    const auto nearer = [value](const auto& one, const auto& other) {
      return std::fabs(one.value - value) < std::fabs(other.value - value);
    };
    return std::min_element(two->outline.begin(), two->outline.end(), nearer)->density;
  };
  EXPECT_GT(at(300), 0.5);
  EXPECT_GT(at(500), 0.5);
  EXPECT_LT(at(400), 0.2);
}

TEST(DistributionShape, FewOrEqualValuesHaveNoOutline) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(shapeOf(LightState::day, {}));
  EXPECT_FALSE(shapeOf(LightState::day, {std::nan(""), infinity}));
  EXPECT_EQ(shapeOf(LightState::day, {std::nan(""), 4.0})->count, 1U);
  for (const std::vector<double>& values : {std::vector<double>{1, 2, 3}, {2, 2, 2, 2, 2, 2, 2}}) {
    const auto shape = shapeOf(LightState::day, values);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->median, 2);
    EXPECT_TRUE(shape->outline.empty());
  }
}

class ParetoPlotTest : public ::testing::Test {
 protected:
  ParetoPlotTest() {
    plot_.setPalette(testing::lightPalette());
    plot_.resize(480, 320);
    plot_.setPoints({{"unmerged", 52, 100, true, false, true},
                     {"2,5", 30, 97, true, false, false},
                     {"3,7", 38, 99, true, true, false},
                     {"1,2", 36, 94, false, false, false},
                     {"broken", std::nan(""), 94, false, false, false}});
    plot_.show();
    plot_.setFocus();
    QApplication::processEvents();  // with the focus's frame, whenever it comes
  }
  /// Returns the middle of the pixels in the colour of the pick's ring.
  QPoint pick() {
    QRect ring;
    eachPixelOf(plot_.grab().toImage(), seriesColour(1, testing::lightPalette()),
                [&](int x, int y) { ring |= QRect(x, y, 1, 1); });
    return ring.center();
  }
  QString chosen() const { return chosen_.isEmpty() ? QString() : chosen_.last()[0].toString(); }
  Opened<ParetoPlot> plot_;
  QSignalSpy chosen_{&plot_, &ParetoPlot::scheduleChosen};
};

TEST_F(ParetoPlotTest, ThePointerNamesAndAClickChoosesTheSchedule) {
  const QPoint place = pick(), nothing(100, 30);
  const QImage without = plot_.grab().toImage();
  QTest::mouseMove(&plot_, place);
  EXPECT_NE(plot_.grab().toImage(), without);
  EXPECT_EQ(plot_.cursor().shape(), Qt::PointingHandCursor);
  QTest::mouseMove(&plot_, nothing);
  EXPECT_EQ(plot_.grab().toImage(), without);
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, place + QPoint(3, -2));
  EXPECT_EQ(chosen(), "3,7");
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, nothing);
  QTest::mouseClick(&plot_, Qt::RightButton, {}, place);
  EXPECT_EQ(chosen_.count(), 1);
}

TEST_F(ParetoPlotTest, KeysNameAndChoose) {
  hands::keys(&plot_, "Return");
  EXPECT_EQ(chosen_.count(), 0);
  for (const auto& [keys, label] : {std::pair("Right Return", "2,5"),  // the fastest
                                    {"Right Space", "1,2"},
                                    {"End Right Enter", "unmerged"},
                                    {"Home Left Enter", "2,5"}}) {
    hands::keys(&plot_, keys);
    EXPECT_EQ(chosen(), label) << keys;
  }
}

TEST_F(ParetoPlotTest, SaysTheSameAsPictureSentenceTableAndCsv) {
  for (const QSize size : {QSize(300, 200), QSize(480, 320), QSize(1600, 400)}) {
    expectSaid(plot_, size, {"3,7 (the pick)", "unmerged", "2,5"});
    EXPECT_FALSE(plot_.words(size).contains("1,2"));
  }
  EXPECT_EQ(plot_.summary(),
            "4 schedules; 3,7 (the pick): 38.0 ms, 99.0% agreement; unmerged: 52.0 ms, 100.0% "
            "agreement.");
  EXPECT_EQ(plot_.tableWords(),  // by time, without what is no number
            "2,5|30.0|97.0%|yes|no\n1,2|36.0|94.0%|no|no\n3,7|38.0|99.0%|yes|yes\n"
            "unmerged|52.0|100.0%|yes|no");
  EXPECT_EQ(plot_.csv().join('\n'),
            "schedule,ms,agreement_percent,full,on_front,pick\n\"2,5\",30,97,0,1,0\n"
            "\"1,2\",36,94,0,0,0\n\"3,7\",38,99,0,1,1\nunmerged,52,100,1,1,0\n");
  for (const auto& [running, words] : {std::pair("1,2", "1,2 (running)"),
                                       {"3,7", "3,7 (the pick, running)"},
                                       {"4", "3,7 (the pick)"}}) {  // which nobody measured
    EXPECT_FALSE(plot_.words({480, 320}).contains(words)) << running;
    plot_.setRunning(running);
    EXPECT_TRUE(plot_.words({480, 320}).contains(words)) << running;
  }
  plot_.setPoints({{"unmerged", 52, 100, true, true, true}});
  expectSaid(plot_, {400, 200}, {"unmerged (the pick)"});
  plot_.setPoints({});
  EXPECT_TRUE(
      plot_.summary().startsWith("No schedule has been measured yet. Each will be a point"));
  EXPECT_TRUE(plot_.says({400, 200}, plot_.summary()));
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, {100, 100});
}

TEST_F(ParetoPlotTest, NoWordsTouchWithManySchedules) {
  std::vector<ParetoPoint> points;
  for (int i = 0; i < 40; ++i)
    points.push_back({QString("%1, %2").arg(i).arg(i + 3), 20.0 + i % 7 + i * 0.2,
                      90.0 + (i * 7 % 11) * 0.5, i % 2 == 0, i == 10, false});
  plot_.setPoints(points);
  plot_.expectNoWordsTouch({{220, 140}, {400, 200}, {1600, 400}});
}

}  // namespace
}  // namespace mpm::gui
