// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/zones.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <string>

#include "gui/canvas/captions.h"

namespace mpm::gui {
namespace {

using Outcome = ZoneEditor::Outcome;
const QSizeF kReach(0.02, 0.02);

monitor::Zone square(const std::string& name, double from, double to) {
  return {name, {{from, from}, {to, from}, {to, to}, {from, to}}};
}

class ZoneEditorTest : public ::testing::Test {
 protected:
  Outcome click(QPointF at, bool draw = false) {
    const Outcome outcome = editor_.press(at, kReach, draw);
    const Outcome released = editor_.release();
    return released == Outcome::nothing ? outcome : released;
  }
  ZoneEditor editor_;
};

TEST_F(ZoneEditorTest, CornersBecomeAZone) {
  click({0.1, 0.1});
  click({0.5, 0.1});
  EXPECT_EQ(editor_.close(), Outcome::nothing) << "two corners";
  click({0.5, 2});
  EXPECT_EQ(editor_.draft().size(), 3U);
  EXPECT_EQ(editor_.close(), Outcome::changed);
  ASSERT_EQ(editor_.zones().size(), 1U);
  EXPECT_EQ(editor_.zones()[0].name, "Zone 1");
  EXPECT_EQ(editor_.zones()[0].corners[2], cv::Point2d(0.5, 1)) << "held inside the picture";
  EXPECT_EQ(editor_.chosen(), 0);
  EXPECT_TRUE(editor_.draft().empty());
}

TEST_F(ZoneEditorTest, ItsFirstCornerClosesADraft) {
  click({0.1, 0.1});
  click({0.5, 0.1});
  click({0.5, 0.5});
  EXPECT_EQ(click({0.11, 0.1}), Outcome::changed);
  EXPECT_EQ(editor_.zones().size(), 1U);
}

TEST_F(ZoneEditorTest, WithoutAnAreaThereIsNoZone) {
  click({0.1, 0.1});
  click({0.3, 0.3});
  click({0.5, 0.5});
  EXPECT_EQ(editor_.close(), Outcome::nothing);
  EXPECT_EQ(editor_.draft().size(), 3U);
}

TEST_F(ZoneEditorTest, NewNamesAreFree) {
  editor_.setZones({square("Zone 2", 0, 0.2)});
  click({0.5, 0.5});
  click({0.9, 0.5});
  click({0.9, 0.9});
  editor_.close();
  EXPECT_EQ(editor_.zones()[1].name, "Zone 3");
}

TEST_F(ZoneEditorTest, CornersCanBeDragged) {
  editor_.setZones({square("a", 0.2, 0.6)});
  EXPECT_EQ(editor_.press({0.61, 0.61}, kReach, false), Outcome::seen);
  EXPECT_EQ(editor_.held(), (ZoneEditor::Corner{0, 2}));
  EXPECT_EQ(editor_.moveTo({0.8, 0.7}), Outcome::seen);
  EXPECT_EQ(editor_.release(), Outcome::changed);
  EXPECT_EQ(editor_.zones()[0].corners[2], cv::Point2d(0.8, 0.7));
  EXPECT_EQ(editor_.moveTo({0.1, 0.1}), Outcome::nothing) << "nothing is held";
  EXPECT_EQ(click({0.8, 0.7}), Outcome::seen) << "it did not move";
}

TEST_F(ZoneEditorTest, AZoneThatLosesItsAreaGetsItsCornerBack) {
  const monitor::Zone zone{"t", {{0.2, 0.2}, {0.6, 0.2}, {0.4, 0.6}}};
  editor_.setZones({zone});
  editor_.press({0.4, 0.6}, kReach, false);
  editor_.moveTo({0.5, 0.2});
  EXPECT_EQ(editor_.release(), Outcome::seen);
  EXPECT_EQ(editor_.zones()[0], zone);
}

TEST_F(ZoneEditorTest, InsideAZoneAClickChooses) {
  editor_.setZones({square("a", 0.1, 0.5), square("b", 0.3, 0.9)});
  click({0.4, 0.4});
  EXPECT_EQ(editor_.chosen(), 1) << "the upper one";
  click({0.2, 0.2});
  EXPECT_EQ(editor_.chosen(), 0);
  click({0.95, 0.05});
  EXPECT_EQ(editor_.chosen(), -1);
  EXPECT_EQ(editor_.draft().size(), 1U);
  click({0.2, 0.2});
  EXPECT_EQ(editor_.draft().size(), 2U) << "once begun, corners can lie anywhere";
  editor_.cancel();
  click({0.2, 0.2}, true);
  EXPECT_EQ(editor_.draft().size(), 1U) << "or where that is wanted";
}

TEST_F(ZoneEditorTest, CancelTakesBackStepByStep) {
  editor_.setZones({square("a", 0.1, 0.5)});
  editor_.press({0.1, 0.1}, kReach, false);
  editor_.moveTo({0.2, 0.2});
  EXPECT_EQ(editor_.cancel(), Outcome::seen);
  EXPECT_EQ(editor_.zones()[0], square("a", 0.1, 0.5));
  EXPECT_EQ(editor_.chosen(), 0);
  EXPECT_EQ(editor_.cancel(), Outcome::seen);
  EXPECT_EQ(editor_.chosen(), -1);
  EXPECT_EQ(editor_.cancel(), Outcome::nothing);
  click({0.8, 0.8});
  EXPECT_EQ(editor_.cancel(), Outcome::seen);
  EXPECT_TRUE(editor_.draft().empty());
}

TEST_F(ZoneEditorTest, RemovesACornerOrTheChosenZone) {
  editor_.setZones({square("a", 0.1, 0.3), square("b", 0.5, 0.9)});
  EXPECT_EQ(editor_.remove(), Outcome::nothing);
  click({0.05, 0.9});
  click({0.15, 0.9});
  EXPECT_EQ(editor_.remove(), Outcome::seen);
  EXPECT_EQ(editor_.draft().size(), 1U);
  editor_.remove();
  editor_.choose(-1);
  EXPECT_EQ(editor_.chosen(), 1);
  editor_.choose(1);
  EXPECT_EQ(editor_.chosen(), 0) << "in turn";
  EXPECT_EQ(editor_.remove(), Outcome::changed);
  ASSERT_EQ(editor_.zones().size(), 1U);
  EXPECT_EQ(editor_.zones()[0].name, "b");
}

constexpr QSizeF kView(400, 300);

class ZoneDrawing : public ::testing::Test {
 protected:
  ZoneDrawing() : image_(kView.toSize(), QImage::Format_RGB32) { image_.fill(Qt::black); }
  const ViewGeometry geometry_{kView, {80, 60}, 1, {0.5, 0.5}};
  const QRectF bounds_{{0, 0}, kView};
  QImage image_;
};

TEST_F(ZoneDrawing, DrawsBordersAndKeepsNamesInside) {
  QPainter painter(&image_);
  drawZones(painter, geometry_, bounds_, {{"Far right", {{0.9, 0.5}, {1, 0.6}, {0.9, 0.9}}}}, {});
  painter.end();
  EXPECT_GT(qGray(image_.pixel(360, 200)), 200);
  int lit = 0;  // the name's letters, left of where it would begin
  for (int y = 150; y < 180; ++y) {
    for (int x = 330; x < 355; ++x) lit += qGray(image_.pixel(x, y)) > 128;
  }
  EXPECT_GT(lit, 5);
}

TEST_F(ZoneDrawing, ALitZoneShinesAndTheOthersDoNot) {
  const std::vector<monitor::Zone> zones{
      {"left", {{0.1, 0.2}, {0.4, 0.2}, {0.4, 0.9}, {0.1, 0.9}}},
      {"right", {{0.6, 0.2}, {0.9, 0.2}, {0.9, 0.9}, {0.6, 0.9}}}};
  QPainter painter(&image_);
  drawZones(painter, geometry_, bounds_, zones, {"right"});
  painter.end();
  const QColor left = image_.pixel(100, 200), right = image_.pixel(300, 200);
  EXPECT_GT(right.red(), left.red() + 20);
  EXPECT_GT(right.red(), 2 * right.blue()) << "in a colour of its own";
  EXPECT_EQ(left.red(), left.blue());
}

TEST_F(ZoneDrawing, TheDraftGoesOnToTheCursor) {
  ZoneEditor editor;
  editor.press({0.1, 0.5}, {0.01, 0.01}, false);
  QPainter painter(&image_);
  drawEditedZones(painter, geometry_, bounds_, editor, {0.9, 0.5});
  painter.end();
  EXPECT_GT(qRed(image_.pixel(200, 150)), 200);
  EXPECT_LT(qBlue(image_.pixel(200, 150)), 100);
}

}  // namespace
}  // namespace mpm::gui
