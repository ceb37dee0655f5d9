// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/histogram_plot.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gui/plot/colours.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using monitor::LightState;

DistributionShape around(LightState light, double mean) {
  std::mt19937 random(static_cast<unsigned>(mean));
  std::normal_distribution<double> value(mean, mean / 50);
  std::vector<double> values;
  for (int i = 0; i < 1001; ++i) values.push_back(value(random));
  return *shapeOf(light, values);
}

class OpenHistogramPlot : public HistogramPlot {
 public:
  using HistogramPlot::draw;
};

class HistogramPlotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    plot_.resize(640, 280);
    plot_.setPalette(testing::lightPalette());
    plot_.setPanels({{"Live rows",
                      "rows",
                      "live_rows",
                      {around(LightState::night, 412), around(LightState::day, 437)}},
                     {"Network", "ms", "ms.network", {around(LightState::day, 31.4)}}},
                    monitor::Resolution::minute);
  }
  testing::DrawnTexts recorded(QSize size) {
    plot_.resize(size);
    return testing::recorded(size, [&](QPainter& painter) { plot_.draw(painter); });
  }
  OpenHistogramPlot plot_;
};

TEST_F(HistogramPlotTest, ARowForEachLightThatWasSeen) {
  const QStringList words = recorded({640, 280}).words();
  EXPECT_EQ(words.count("Day"), 1);
  EXPECT_EQ(words.count("Night"), 1);
  EXPECT_FALSE(words.contains("Dusk"));
  EXPECT_TRUE(words.contains("Live rows [rows]"));
  EXPECT_TRUE(words.contains("Network [ms]"));
}

// Seen: "Live tokens [tok...".
TEST_F(HistogramPlotTest, AUnitIsLeftOutBeforeItIsCut) {
  int whole = 0, without = 0;
  for (int width = 160; width <= 480; width += 10) {
    const QStringList words = recorded({width, 140}).words();
    if (words.contains("Network [ms]")) ++whole;
    if (words.contains("Network")) ++without;
    for (const QString& word : words)
      EXPECT_FALSE(word.contains('[') && word.endsWith(QChar(0x2026)))
          << width << word.toStdString();
  }
  EXPECT_GT(whole, 0);
  EXPECT_GT(without, 0);
}

// Seen: "Means of seconds. Bar: 5% to 95% of them. Mark: me..." in a window of 900 x 600.
TEST_F(HistogramPlotTest, WhatIsWhatIsToldToTheEnd) {
  for (const int width : {240, 350, 640}) {
    const QString words = recorded({width, 145}).words().join(' ').simplified();
    EXPECT_TRUE(words.endsWith("Means of minutes. Bar: 5% to 95% of them. Mark: median."))
        << width << ' ' << qPrintable(words);
  }
}

TEST_F(HistogramPlotTest, NoWordsTouchInAnySize) {
  std::vector<HistogramPlot::Panel> panels(2, {"Live rows", "rows", "live_rows", {}});
  for (const LightState state : monitor::kAllLightStates)
    for (auto& panel : panels) panel.shapes.push_back(around(state, 400));
  plot_.setPanels(panels, monitor::Resolution::minute);
  for (const QSize size : {QSize(240, 140), QSize(400, 200), QSize(640, 280), QSize(1600, 400)})
    EXPECT_EQ(testing::collision(recorded(size), QRectF({0, 0}, size)).toStdString(), "")
        << size.width();
}

TEST_F(HistogramPlotTest, ShapesHaveTheirLightsColour) {
  const QImage image = plot_.grab().toImage();
  for (const LightState state : {LightState::day, LightState::night}) {
    const QRgb colour = strongLightColour(state, testing::lightPalette()).rgb();
    int pixels = 0;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (image.pixel(x, y) == colour) ++pixels;
    EXPECT_GT(pixels, 200) << monitor::nameOf(state);
  }
}

TEST_F(HistogramPlotTest, TheTableIsSortedByLight) {
  const QAbstractTableModel& table = *plot_.table();
  ASSERT_EQ(table.rowCount(), 3);
  EXPECT_EQ(table.index(0, 0).data().toString(), "Live rows");
  EXPECT_EQ(table.index(0, 1).data().toString(), "Day");
  EXPECT_EQ(table.index(1, 1).data().toString(), "Night");
  EXPECT_EQ(table.index(0, 2).data().toString(), "1,001");
  EXPECT_TRUE(table.index(1, 4).data().toString().startsWith("41"));
  EXPECT_EQ(table.index(2, 0).data().toString(), "Network");
  plot_.setPanels({}, monitor::Resolution::minute);
  EXPECT_EQ(plot_.table()->rowCount(), 0);
}

TEST_F(HistogramPlotTest, CsvHasQuantiles) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  EXPECT_TRUE(plot_.exportCsv(buffer));
  const QStringList lines = QString::fromUtf8(buffer.data()).split("\r\n");
  ASSERT_EQ(lines.size(), 5);
  EXPECT_EQ(lines[0], "metric,light,count,q05,median,q95");
  EXPECT_TRUE(lines[1].startsWith("live_rows,day,1001,"));
  EXPECT_TRUE(lines[3].startsWith("ms.network,day,1001,"));
}

TEST_F(HistogramPlotTest, SaysWhatThereIs) {
  EXPECT_TRUE(plot_.summary().startsWith("Medians: Live rows, Day: 43"));
  plot_.setPanels({}, monitor::Resolution::minute);
  EXPECT_EQ(plot_.summary(), "Nothing has been measured yet in any light.");
  EXPECT_TRUE(recorded({400, 200}).words().join(' ').contains("Nothing has been measured"));
}

TEST_F(HistogramPlotTest, ThePointerTellsFigures) {
  plot_.show();
  QHelpEvent help(QEvent::ToolTip, {150, 60}, plot_.mapToGlobal(QPoint(150, 60)));
  QApplication::sendEvent(&plot_, &help);
  EXPECT_TRUE(QToolTip::text().startsWith("Live rows, Day: median 43"))
      << QToolTip::text().toStdString();
  QToolTip::hideText();
}

std::vector<double> normal(int count, double mean, double deviation) {
  std::mt19937 random(9);
  std::normal_distribution<double> value(mean, deviation);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(value(random));
  return values;
}

double highestAt(const DistributionShape& shape) {
  return std::max_element(
             shape.outline.begin(), shape.outline.end(),
             [](const auto& one, const auto& other) { return one.density < other.density; })
      ->value;
}

TEST(DistributionShape, OfANormalDistribution) {
  const auto shape = shapeOf(LightState::day, normal(20'000, 437, 20));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->count, 20'000U);
  EXPECT_NEAR(shape->median, 437, 1);
  EXPECT_NEAR(shape->low, 437 - 1.645 * 20, 1.5);
  EXPECT_NEAR(shape->high, 437 + 1.645 * 20, 1.5);
  EXPECT_NEAR(highestAt(*shape), 437, 6);
  for (const auto& point : shape->outline) {
    EXPECT_GT(point.density, 0);
    EXPECT_LE(point.density, 1);
  }
}

TEST(DistributionShape, TwoHumpsAreTwo) {
  auto values = normal(5000, 300, 10);
  const auto more = normal(5000, 500, 10);
  values.insert(values.end(), more.begin(), more.end());
  const auto shape = shapeOf(LightState::night, values);
  ASSERT_TRUE(shape);
  const auto at = [&](double value) {
    return std::min_element(shape->outline.begin(), shape->outline.end(),
                            [value](const auto& one, const auto& other) {
                              return std::fabs(one.value - value) < std::fabs(other.value - value);
                            })
        ->density;
  };
  EXPECT_GT(at(300), 0.5);
  EXPECT_GT(at(500), 0.5);
  EXPECT_LT(at(400), 0.2);
}

TEST(DistributionShape, FewOrEqualValuesHaveNoOutline) {
  EXPECT_FALSE(shapeOf(LightState::day, {}));
  EXPECT_FALSE(shapeOf(LightState::day, {std::nan(""), std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(shapeOf(LightState::day, {std::nan(""), 4.0})->count, 1U);
  const auto few = shapeOf(LightState::day, {1, 2, 3});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->median, 2);
  EXPECT_TRUE(few->outline.empty());
  const auto equal = shapeOf(LightState::day, std::vector<double>(100, 5.0));
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->low, 5);
  EXPECT_TRUE(equal->outline.empty());
}

}  // namespace

}  // namespace mpm::gui
