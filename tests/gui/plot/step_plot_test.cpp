// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_plot.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QRegularExpression>
#include <QToolTip>
#include <cmath>
#include <limits>
#include <vector>

#include "gui/plot/colours.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

class OpenStepPlot : public StepPlot {
 public:
  using StepPlot::draw;
  using StepPlot::StepPlot;
};

class StepPlotTest : public ::testing::Test {
 protected:
  void SetUp() override {
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
  testing::DrawnTexts recorded(OpenStepPlot& plot, QSize size) {
    plot.resize(size);
    return testing::recorded(size, [&](QPainter& painter) { plot.draw(painter); });
  }
  OpenStepPlot layers_{{"Network", "Merges", "Nothing is known of the layers."}};
  OpenStepPlot frame_{{"Frame", {}, "No frame has been timed yet."}};
};

// How many rows of pixels each run of columns of this colour has, from the left.
std::vector<int> heightsOf(const QImage& image, QRgb colour) {
  std::vector<int> heights;
  int before = 0;
  for (int x = 0; x < image.width(); ++x) {
    int count = 0;
    for (int y = image.height() / 3; y < image.height(); ++y) count += image.pixel(x, y) == colour;
    if (count > 0 && before == 0) heights.push_back(count);
    before = count;
  }
  return heights;
}

TEST_F(StepPlotTest, ColumnsAreAsTallAsTheirTimesAndMergesHaveAColourOfTheirOwn) {
  layers_.resize(400, 300);
  layers_.setSteps({{"A", "a", 20, false}, {"B", "b", 10, false}, {"M", "m", 5, true}});
  const QImage image = layers_.grab().toImage();
  const auto steps = heightsOf(image, seriesColour(0, testing::lightPalette()).rgb());
  const auto merges = heightsOf(image, seriesColour(1, testing::lightPalette()).rgb());
  ASSERT_EQ(steps.size(), 2u);
  ASSERT_EQ(merges.size(), 1u);
  EXPECT_GT(merges[0], 20);
  EXPECT_NEAR(steps[1], 2 * merges[0], 2);
}

TEST_F(StepPlotTest, TheHeadlineTellsTheWholeAndWhatMergesTake) {
  EXPECT_DOUBLE_EQ(layers_.totalMs(), 15);
  EXPECT_DOUBLE_EQ(layers_.apartMs(), 1);
  const QStringList words = recorded(layers_, {500, 200}).words();
  EXPECT_TRUE(words.contains("Network 15.0 ms")) << words.join('|').toStdString();
  EXPECT_TRUE(words.contains("Merges 1.0 ms, 7%")) << words.join('|').toStdString();
  qsizetype cut = 0;  // before it is left out
  for (int width = 240; width < 500; width += 10)
    cut += recorded(layers_, {width, 200}).words().filter(QRegularExpression("^Merg.*…$")).size();
  EXPECT_GT(cut, 0);
  const QStringList narrow = recorded(layers_, {300, 200}).words();
  for (const char* word : {"8.0", "embed", "–"}) EXPECT_TRUE(narrow.contains(word)) << word;
}

TEST_F(StepPlotTest, SharesStandWhereThereIsRoom) {
  const QStringList words = recorded(frame_, {500, 200}).words();
  for (const char* word : {"Frame 40.0 ms", "Network", "30.0 ms, 75%", "2.0 ms, 5%"})
    EXPECT_TRUE(words.contains(word)) << word << " of " << words.join('|').toStdString();
  EXPECT_TRUE(recorded(frame_, {150, 200}).words().contains("30"));
}

TEST_F(StepPlotTest, ItsSentenceAndItsTableSayTheSame) {
  EXPECT_EQ(layers_.summary().toStdString(),
            "Network: 15.0 ms, of it 1.0 ms for Merges; the longest step is Block 0 with 8.0 ms.");
  EXPECT_EQ(frame_.summary().toStdString(),
            "Frame: 40.0 ms; the longest step is Network with 30.0 ms, 75%.");
  const QAbstractTableModel& table = *layers_.table();
  ASSERT_EQ(table.rowCount(), 5);
  EXPECT_EQ(table.index(2, 0).data().toString(), "Merge before block 1");
  EXPECT_EQ(table.index(1, 1).data().toString(), "8.0 ms");
  EXPECT_EQ(frame_.table()->index(1, 2).data().toString(), "75%");
  EXPECT_EQ(table.index(4, 1).data().toString(), "–");
  layers_.setSteps({{"Prepare", "p", 1, false}});
  EXPECT_EQ(layers_.table()->rowCount(), 1);
}

// What is done meanwhile is shown, and is neither of the whole nor has a share of it.
TEST_F(StepPlotTest, WhatStandsBesideTheWholeDoesNotCount) {
  OpenStepPlot plot{{"Frame", "Views", "No frame has been timed yet.", false}};
  plot.setSteps({{"Prepare", "Prepare", 10, false},
                 {"Network", "Network", 30, false},
                 {"Views", "Views", 50, true}});
  EXPECT_DOUBLE_EQ(plot.totalMs(), 40);
  EXPECT_EQ(plot.summary().toStdString(),
            "Frame: 40.0 ms; the longest step is Network with 30.0 ms, 75%. Beside it, Views: 50.0 "
            "ms.");
  const QStringList words = recorded(plot, {500, 200}).words();
  for (const char* word : {"Frame 40.0 ms", "Views 50.0 ms", "30.0 ms, 75%", "50.0 ms"})
    EXPECT_TRUE(words.contains(word)) << word << " of " << words.join('|').toStdString();
  EXPECT_EQ(plot.table()->index(2, 2).data().toString(), "");
}

TEST_F(StepPlotTest, SaysWhereNothingIsKnown) {
  frame_.setSteps({{"Prepare", "p", -1, false},
                   {"Network", "n", std::numeric_limits<double>::infinity(), false}});
  EXPECT_EQ(frame_.summary(), "No frame has been timed yet.");
  EXPECT_TRUE(
      recorded(frame_, {400, 200}).words().join(' ').contains("No frame has been timed yet."));
  layers_.setSteps({});
  EXPECT_EQ(layers_.summary(), "Nothing is known of the layers.");
  frame_.setSteps({{"Prepare", "p", 0, false}});
  EXPECT_FALSE(recorded(frame_, {400, 200}).words().join(' ').contains("timed yet"));
}

TEST_F(StepPlotTest, CsvHasEveryStep) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  ASSERT_TRUE(layers_.exportCsv(buffer));
  EXPECT_EQ(buffer.data().toStdString(),
            "step,apart,ms\r\nEmbedding,0,2\r\nBlock 0,0,8\r\nMerge before block 1,1,1\r\n"
            "Block 1,0,4\r\nHead,0,\r\n");
}

TEST_F(StepPlotTest, NoWordsTouchInAnySize) {
  std::vector<StepPlot::Step> many;
  for (int i = 0; i < 12; ++i)
    many.push_back({QString("Block %1").arg(i), QString::number(i), 4.5 + i, false});
  layers_.setSteps(many);
  for (OpenStepPlot* plot : {&layers_, &frame_})
    for (const QSize size : {QSize(240, 120), QSize(500, 200), QSize(1600, 400)})
      EXPECT_EQ(testing::collision(recorded(*plot, size), QRectF({0, 0}, size)).toStdString(), "")
          << size.width();
}

TEST_F(StepPlotTest, ThePointerTellsAStep) {
  layers_.resize(500, 200);
  layers_.show();
  const QPoint over(6 + 488 * 3 / 10, 120);  // the second of five
  QHelpEvent help(QEvent::ToolTip, over, layers_.mapToGlobal(over));
  QApplication::sendEvent(&layers_, &help);
  EXPECT_EQ(QToolTip::text().toStdString(), "Block 0: 8.0 ms, 53%");
  QToolTip::hideText();
}

}  // namespace
}  // namespace mpm::gui
