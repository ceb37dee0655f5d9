// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/pareto_plot.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QBuffer>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/plot/colours.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

class OpenParetoPlot : public ParetoPlot {
 public:
  using ParetoPlot::draw;
};

class ParetoPlotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    plot_.setPalette(testing::lightPalette());
    plot_.resize(480, 320);
    plot_.setPoints({{"full tokens", 52, 100, true, false, true},
                     {"2,5", 30, 97, true, false, false},
                     {"3,7", 38, 99, true, true, false},
                     {"1,2", 36, 94, false, false, false},
                     {"broken", std::nan(""), 94, false, false, false}});
    plot_.show();
    plot_.setFocus();
    QApplication::processEvents();  // with the focus's frame, whenever it comes
  }
  testing::DrawnTexts recorded(QSize size) {
    plot_.resize(size);
    return testing::recorded(size, [&](QPainter& painter) { plot_.draw(painter); });
  }
  /// The middle of what is drawn in the colour of the pick's ring.
  QPoint pick() {
    const QImage image = plot_.grab().toImage();
    const QRgb colour = seriesColour(1, testing::lightPalette()).rgb();
    QRect ring;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (image.pixel(x, y) == colour) ring |= QRect(x, y, 1, 1);
    return ring.center();
  }
  OpenParetoPlot plot_;
};

TEST_F(ParetoPlotTest, AClickChoosesTheSchedule) {
  QSignalSpy chosen(&plot_, &ParetoPlot::scheduleChosen);
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, pick() + QPoint(3, -2));
  ASSERT_EQ(chosen.count(), 1);
  EXPECT_EQ(chosen[0][0].toString(), "3,7");
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, {100, 30});  // nothing is there
  EXPECT_EQ(chosen.count(), 1);
  QTest::mouseClick(&plot_, Qt::RightButton, {}, pick());
  EXPECT_EQ(chosen.count(), 1);
}

TEST_F(ParetoPlotTest, ThePointerNamesTheSchedule) {
  const QPoint place = pick();
  const QImage without = plot_.grab().toImage();
  QTest::mouseMove(&plot_, place);
  EXPECT_NE(plot_.grab().toImage(), without);
  EXPECT_EQ(plot_.cursor().shape(), Qt::PointingHandCursor);
  QTest::mouseMove(&plot_, {100, 30});
  EXPECT_EQ(plot_.grab().toImage(), without);
}

TEST_F(ParetoPlotTest, KeysNameAndChoose) {
  QSignalSpy chosen(&plot_, &ParetoPlot::scheduleChosen);
  QTest::keyClick(&plot_, Qt::Key_Return);
  EXPECT_EQ(chosen.count(), 0);
  QTest::keyClick(&plot_, Qt::Key_Right);  // the fastest
  QTest::keyClick(&plot_, Qt::Key_Return);
  QTest::keyClick(&plot_, Qt::Key_Right);
  QTest::keyClick(&plot_, Qt::Key_Space);
  QTest::keyClick(&plot_, Qt::Key_End);
  QTest::keyClick(&plot_, Qt::Key_Right);
  QTest::keyClick(&plot_, Qt::Key_Enter);
  QTest::keyClick(&plot_, Qt::Key_Home);
  QTest::keyClick(&plot_, Qt::Key_Left);
  QTest::keyClick(&plot_, Qt::Key_Enter);
  ASSERT_EQ(chosen.count(), 4);
  EXPECT_EQ(chosen[0][0].toString(), "2,5");
  EXPECT_EQ(chosen[1][0].toString(), "1,2");
  EXPECT_EQ(chosen[2][0].toString(), "full tokens");
  EXPECT_EQ(chosen[3][0].toString(), "2,5");
}

TEST_F(ParetoPlotTest, FrontPickAndFullTokensAreNamed) {
  for (const QSize size : {QSize(300, 200), QSize(480, 320), QSize(1600, 400)}) {
    const QStringList words = recorded(size).words();
    EXPECT_TRUE(words.contains("3,7 (the pick)")) << size.width();
    EXPECT_TRUE(words.contains("full tokens"));
    EXPECT_TRUE(words.contains("2,5"));
    EXPECT_FALSE(words.contains("1,2"));
  }
}

TEST_F(ParetoPlotTest, TheScheduleThatRunsIsMarked) {
  EXPECT_FALSE(recorded({480, 320}).words().contains("1,2 (running)"));
  plot_.setRunning("1,2");
  EXPECT_TRUE(recorded({480, 320}).words().contains("1,2 (running)"));
  plot_.setRunning("3,7");
  EXPECT_TRUE(recorded({480, 320}).words().contains("3,7 (the pick, running)"));
  plot_.setRunning("4");  // which nobody measured
  EXPECT_TRUE(recorded({480, 320}).words().contains("3,7 (the pick)"));
}

TEST_F(ParetoPlotTest, NoWordsTouchWithManySchedules) {
  std::vector<ParetoPoint> points;
  for (int i = 0; i < 40; ++i)
    points.push_back({QString("%1, %2").arg(i).arg(i + 3), 20.0 + i % 7 + i * 0.2,
                      90.0 + (i * 7 % 11) * 0.5, i % 2 == 0, i == 10, false});
  plot_.setPoints(points);
  for (const QSize size : {QSize(220, 140), QSize(400, 200), QSize(1600, 400)})
    EXPECT_EQ(testing::collision(recorded(size), QRectF({0, 0}, size)).toStdString(), "")
        << size.width();
}

TEST_F(ParetoPlotTest, TheTableIsSortedByTime) {
  const QAbstractTableModel& table = *plot_.table();
  ASSERT_EQ(table.rowCount(), 4);  // what is no number is left out
  EXPECT_EQ(table.index(0, 0).data().toString(), "2,5");
  EXPECT_EQ(table.index(2, 1).data().toString(), "38.0");
  EXPECT_EQ(table.index(2, 2).data().toString(), "99.0%");
  EXPECT_EQ(table.index(1, 3).data().toString(), "no");
  EXPECT_EQ(table.index(2, 4).data().toString(), "yes");
}

TEST_F(ParetoPlotTest, CsvHasEveryPoint) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  EXPECT_TRUE(plot_.exportCsv(buffer));
  EXPECT_EQ(buffer.data(),
            "schedule,ms,agreement_percent,full,on_front,pick\r\n\"2,5\",30,97,0,1,0\r\n"
            "\"1,2\",36,94,0,0,0\r\n\"3,7\",38,99,0,1,1\r\nfull tokens,52,100,1,1,0\r\n");
}

TEST_F(ParetoPlotTest, SaysWhatThereIs) {
  EXPECT_EQ(
      plot_.summary(),
      "4 schedules; 3,7 (the pick): 38.0 ms, agrees in 99.0%; full tokens: 52.0 ms, agrees in "
      "100.0%.");
  plot_.setPoints({});
  EXPECT_TRUE(
      plot_.summary().startsWith("No schedule has been measured yet. Each will be a point"));
  EXPECT_TRUE(recorded({400, 200}).words().join(' ').contains(plot_.summary()));
  QTest::mouseClick(&plot_, Qt::LeftButton, {}, {100, 100});
}

TEST_F(ParetoPlotTest, OnePointAlone) {
  plot_.setPoints({{"full tokens", 52, 100, true, true, true}});
  EXPECT_TRUE(recorded({400, 200}).words().contains("full tokens (the pick)"));
}

}  // namespace
}  // namespace mpm::gui
