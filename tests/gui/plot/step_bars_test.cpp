// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/step_bars.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QBuffer>
#include <QHelpEvent>
#include <QToolTip>
#include <cmath>
#include <limits>

#include "gui/plot/colours.h"
#include "gui/plot/palettes.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

class OpenStepBars : public StepBars {
 public:
  using StepBars::draw;
};

class StepBarsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    bars_.setPalette(testing::lightPalette());
    bars_.setSteps({{"Prepare", 2, 0},
                    {"Network", 30, 0},
                    {"Block 1", 12, 1},
                    {"Block 2", 17.5, 1},
                    {"Labels", 8, 0},
                    {"GUI", std::nan(""), 0}});
  }
  testing::DrawnTexts recorded(QSize size) {
    testing::TextRecorder recorder(size);
    QPainter painter(&recorder);
    bars_.draw(painter, size);
    painter.end();
    return recorder.drawn;
  }
  OpenStepBars bars_;
};

TEST_F(StepBarsTest, StepsMakeTheWholeAndPartsDoNot) {
  EXPECT_DOUBLE_EQ(bars_.totalMs(), 40);
  const QStringList words = recorded({500, 300}).words();
  EXPECT_TRUE(words.contains("40.0 ms for a frame")) << words.join('|').toStdString();
  for (const char* word : {"Network", "30.0 ms", "75%", "Block 2", "17.5 ms", "44%", "–"})
    EXPECT_TRUE(words.contains(word)) << word;
}

TEST_F(StepBarsTest, BarsAreAsLongAsTheirTimes) {
  const QImage image = bars_.image({500, 300});
  const QRgb colour = seriesColour(0, testing::lightPalette()).rgb();
  std::vector<int> lengths;
  for (int y = 1; y < image.height(); ++y) {
    int here = 0, above = 0;
    for (int x = 0; x < image.width(); ++x) {
      here += image.pixel(x, y) == colour ? 1 : 0;
      above += image.pixel(x, y - 1) == colour ? 1 : 0;
    }
    if (here > 2 && above <= 2) lengths.push_back(here);
  }
  ASSERT_EQ(lengths.size(), 3U);  // prepare, network, labels; parts are paler
  EXPECT_NEAR(lengths[0], lengths[1] * 2.0 / 30, 2);
  EXPECT_NEAR(lengths[2], lengths[1] * 8.0 / 30, 2);
}

TEST_F(StepBarsTest, PartsGiveWayWhereThereIsNoRoom) {
  const QStringList words = recorded({500, 130}).words();
  EXPECT_FALSE(words.contains("Block 1"));
  EXPECT_TRUE(words.contains("Labels"));
  EXPECT_TRUE(words.join(' ').contains("no room for 2 of the parts"));
  EXPECT_GE(bars_.sizeHint().height(), bars_.minimumSizeHint().height());
  EXPECT_TRUE(recorded(bars_.sizeHint()).words().contains("Block 1"));
}

TEST_F(StepBarsTest, NoWordsTouchInAnySize) {
  for (const QSize size : {QSize(220, 100), QSize(400, 200), QSize(1600, 400)})
    EXPECT_EQ(testing::collision(recorded(size), QRectF({0, 0}, size)).toStdString(), "")
        << size.width();
}

TEST_F(StepBarsTest, NamesAreWholeWhereThereIsRoom) {
  for (const int width : {300, 400, 1600})
    EXPECT_TRUE(recorded({width, 300}).words().contains("Block 2")) << width;
}

TEST_F(StepBarsTest, TheTableHasEveryStep) {
  const QAbstractItemModelTester tester(bars_.table(),
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QAbstractTableModel& table = *bars_.table();
  ASSERT_EQ(table.rowCount(), 6);
  EXPECT_EQ(table.index(1, 1).data().toString(), "30.0 ms");
  EXPECT_EQ(table.index(1, 2).data(Qt::UserRole).toDouble(), 0.75);
  EXPECT_FALSE(table.index(5, 1).data(Qt::UserRole).isValid());
  bars_.setSteps({{"Prepare", 1, 0}});
  EXPECT_EQ(bars_.table()->rowCount(), 1);
}

TEST_F(StepBarsTest, CsvHasEveryStep) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  EXPECT_TRUE(bars_.exportCsv(buffer));
  EXPECT_EQ(buffer.data(),
            "step,depth,ms\r\nPrepare,0,2\r\nNetwork,0,30\r\nBlock 1,1,12\r\nBlock 2,1,17.5\r\n"
            "Labels,0,8\r\nGUI,0,\r\n");
}

TEST_F(StepBarsTest, SaysWhatTakesLongest) {
  EXPECT_EQ(bars_.summary(), "40.0 ms for a frame, most of it for Network: 30.0 ms, 75%.");
  bars_.setSteps({{"Prepare", -1, 0}, {"Network", std::numeric_limits<double>::infinity(), 0}});
  EXPECT_EQ(bars_.summary(), "No frame has been timed yet.");
  EXPECT_TRUE(recorded({400, 200}).words().join(' ').contains("No frame has been timed yet."));
  bars_.setSteps({{"Prepare", 0, 0}});
  EXPECT_FALSE(bars_.image({400, 200}).isNull());
}

TEST_F(StepBarsTest, ThePointerTellsFigures) {
  bars_.resize(500, 300);
  bars_.show();
  const QPoint network(100, 6 + 2 * (QFontMetrics(bars_.font()).height() + 6) + 5);
  QHelpEvent help(QEvent::ToolTip, network, bars_.mapToGlobal(network));
  QApplication::sendEvent(&bars_, &help);
  EXPECT_EQ(QToolTip::text(), "Network: 30.0 ms, 75%");
  QToolTip::hideText();
}

}  // namespace
}  // namespace mpm::gui
