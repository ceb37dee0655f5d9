// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/inspection.h"

#include <gtest/gtest.h>

#include <QImage>

#include "small_result.h"

namespace mpm::gui {
namespace {

const QRectF kWhole(0, 0, 1, 1);

class InspectionTest : public ::testing::Test {
 protected:
  InspectionTest() { giveSmallClasses(classes_); }
  // In the middle of a place of the grid of 4 x 3.
  Inspection at(int place, int stage = 0) {
    const QPointF position((place % 4 + 0.5) / 4, (place / 4 + 0.5) / 3);
    return inspect(*result_, classes_, stage, position, kWhole);
  }
  void forgetTokens() {
    result_->segmentation.mergeMap.release();
    result_->segmentation.stages.clear();
  }
  std::shared_ptr<monitor::FrameResult> result_ = smallResult();
  ClassSettings classes_;
};

TEST_F(InspectionTest, TellsClassesAndTokens) {
  const struct {
    int place, stage;
    QStringList lines;
  } cases[] = {
      {0,
       0,
       {"wall, 75% sure", "A token of 3 places", "25.0% of the picture", "Together since merge 1",
        "Similarity then: 0.900"}},
      {4,
       0,
       {"wall, 75% sure", "A token of 3 places", "25.0% of the picture", "Together since merge 2",
        "Similarity then: 0.500"}},
      {4, 1, {"wall, 75% sure", "A token of its own", "8.3% of the picture", "Most alike: 0.900"}},
      {10,
       0,
       {"road, 75% sure", "Computed one frame ago", "A token of 2 places", "16.7% of the picture",
        "Together since merge 2", "Similarity then: 0.500"}},
      {7,
       0,
       {"road, 75% sure", "Computed 7 frames ago", "A token of its own",
        "8.3% of the picture"}}};  // it had no partner
  for (const auto& one : cases) {
    EXPECT_EQ(at(one.place, one.stage).lines, one.lines) << one.place;
    EXPECT_EQ(describe(at(one.place, one.stage)), one.lines.join(". "));
  }
  EXPECT_EQ(at(4).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(at(4).className, "wall");
  const Inspection above = inspect(*result_, classes_, 0, {0.3, 0}, kWhole);
  EXPECT_EQ(above.lines.value(1), "sky with full tokens");
  result_->segmentation.labels.rowRange(20, 40).setTo(2);
  EXPECT_EQ(at(4).lines.last(), "Places: 2 wall, 1 road");
}

TEST_F(InspectionTest, KnowsNothingWhereNothingIsKnown) {
  forgetTokens();
  EXPECT_EQ(at(0).lines, QStringList{"wall, 75% sure"}) << "the class alone";
  result_->segmentation = {};
  result_->full.reset();
  EXPECT_EQ(at(3).group.place, -1);
  EXPECT_EQ(describe(at(3)), "");
}

// Seen: "2 s ago", on a picture that was itself minutes old.
TEST_F(InspectionTest, TokensOfARememberedFrameAreThoseOfTheNewestThatTells) {
  const auto before = smallResult();
  forgetTokens();
  result_->segmentation.labels.setTo(2);
  EXPECT_EQ(at(4).group.place, -1);
  result_->merged = before;
  result_->frame.taken.steadyMs = before->frame.taken.steadyMs + 2500;
  EXPECT_EQ(at(4).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(at(4).className, "road") << "the frame's own";
  EXPECT_EQ(at(4).lines.last(), "Tokens from a picture taken 2 s earlier");
}

TEST_F(InspectionTest, BordersBelongToThePictureAndBesideTheGridThereIsNoGroup) {
  EXPECT_EQ(inspect(*result_, classes_, 0, {1, 1}, kWhole).group.place, 11);
  EXPECT_EQ(inspect(*result_, classes_, 0, {-4, 9}, kWhole).group.place, 8);
  const Inspection beside = inspect(*result_, classes_, 0, {0.9, 0.5}, {0, 0, 0.5, 1});
  EXPECT_EQ(beside.group.place, -1);
  EXPECT_EQ(beside.lines, QStringList{"road, 75% sure"});
}

QImage drawn(QPointF position, const TokenGroup& group) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::black);
  QPainter painter(&image);
  const ViewGeometry geometry({400, 300}, {80, 60}, 1, {0.5, 0.5});
  drawLinks(painter, geometry, group, position, {0, 0, 1, 1}, LinkKind::hovered);
  return image;
}

TEST(LinkDrawing, LinesGoToEachPlaceOfTheGroup) {
  const auto result = smallResult();
  const QPointF position(0.1, 0.1);
  const TokenGroup group = groupAt(result->segmentation, 0, position, {0, 0, 1, 1});
  const QImage image = drawn(position, group);
  EXPECT_GT(qRed(image.pixel(50, 100)), 150) << "from place 0 down to place 4";
  EXPECT_GT(qRed(image.pixel(120, 50)), 150) << "and right to place 1";
  EXPECT_GT(qRed(image.pixel(200, 20)), 100) << "its outline";
  EXPECT_EQ(qRed(image.pixel(300, 250)), 0);
}

TEST(LinkDrawing, ACrossMarksAPlaceWithoutAGroup) {
  const QImage image = drawn({0.5, 0.5}, {});
  EXPECT_GT(qRed(image.pixel(204, 150)), 200);
  EXPECT_EQ(qRed(image.pixel(230, 150)), 0);
}

}  // namespace
}  // namespace mpm::gui
