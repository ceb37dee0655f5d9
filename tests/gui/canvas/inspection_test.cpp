// SPDX-License-Identifier: Apache-2.0
// What is told of a place: its class, its token and whom it shares it with; why a view shows none.
#include "gui/canvas/inspection.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/canvas/painting.h"
#include "gui/canvas/small_result.h"

namespace mpm::gui {
namespace {

const QRectF kWhole(0, 0, 1, 1);

class InspectionTest : public ::testing::Test {
 protected:
  InspectionTest() { giveSmallClasses(classes_); }
  // Inspects the middle of a patch of the grid of 4 x 3.
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
    const char* words;
  } cases[] = {
      {0, 0,
       "wall, 75% sure. A token of 3 patches. 25.0% of the picture. Together since merge 1. "
       "Similarity then: 0.900"},
      {4, 0,
       "wall, 75% sure. A token of 3 patches. 25.0% of the picture. Together since merge 2. "
       "Similarity then: 0.500"},
      {4, 1, "wall, 75% sure. A token of one patch. 8.3% of the picture. Best match: 0.900"},
      {10, 0,
       "road, 75% sure. Computed one frame ago. A token of 2 patches. 16.7% of the picture. "
       "Together since merge 2. Similarity then: 0.500"},
      {7, 0,  // it had no partner
       "road, 75% sure. Computed 7 frames ago. A token of one patch. 8.3% of the picture"}};
  for (const auto& one : cases)
    EXPECT_EQ(describe(at(one.place, one.stage)).toStdString(), one.words) << one.place;
  EXPECT_EQ(at(4).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(at(4).className, "wall");
  const Inspection above = inspect(*result_, classes_, 0, {0.3, 0}, kWhole);
  EXPECT_EQ(above.lines.value(1), "Unmerged: sky");
  result_->segmentation.labels.rowRange(20, 40).setTo(2);
  EXPECT_EQ(at(4).lines.last(), "Patches: 2 wall, 1 road");
}

// Guards against "2 s ago" on a picture that is itself minutes old.
TEST_F(InspectionTest, TokensOfARememberedFrameAreThoseOfTheNewestThatTells) {
  const auto before = smallResult();
  forgetTokens();
  EXPECT_EQ(at(0).lines, QStringList{"wall, 75% sure"}) << "the class alone";
  result_->segmentation.labels.setTo(2);
  result_->merged = before;
  result_->frame.taken.steadyMs = before->frame.taken.steadyMs + 2500;
  EXPECT_EQ(at(4).group.places, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(at(4).className, "road") << "the frame's own";
  EXPECT_EQ(at(4).lines.last(), "Tokens from a frame 2 s earlier");
  result_ = smallResult();
  result_->segmentation = {};
  result_->full.reset();
  EXPECT_EQ(at(3).group.place, -1);
  EXPECT_EQ(describe(at(3)), "");
}

TEST_F(InspectionTest, BordersBelongToThePictureAndBesideTheGridThereIsNoGroup) {
  EXPECT_EQ(inspect(*result_, classes_, 0, {1, 1}, kWhole).group.place, 11);
  EXPECT_EQ(inspect(*result_, classes_, 0, {-4, 9}, kWhole).group.place, 8);
  const Inspection beside = inspect(*result_, classes_, 0, {0.9, 0.5}, {0, 0, 0.5, 1});
  EXPECT_EQ(beside.group.place, -1);
  EXPECT_EQ(beside.lines, QStringList{"road, 75% sure"});
  for (const QRectF& area : {kWhole, QRectF(0, 0, 0.6, 1.3)}) {
    for (int place = 0; place < 12; ++place)
      EXPECT_EQ(placeAt(placeArea(place, {4, 3}, area).center(), {4, 3}, area), place);
    EXPECT_EQ(placeAt({area.right() + 0.01, 0.1}, {4, 3}, area), -1);
  }
  EXPECT_EQ(placeAt({0.5, 0.5}, {}, kWhole), -1);
}

TEST_F(InspectionTest, StagesAreCountedFromOneAndTheMapInTheEndIsTheLast) {
  Segmentation& found = result_->segmentation;
  const MergeStage &one = found.stages[0], &two = found.stages[1];
  for (const auto& [stage, map] :
       {std::pair(1, &one.map), {2, &two.map}, {0, &two.map}, {3, nullptr}, {-1, nullptr}})
    EXPECT_EQ(mapBehind(found, stage), map) << stage;
  EXPECT_EQ(similarityBefore(found, 1), &one.similarity);
  EXPECT_EQ(similarityBefore(found, 5), nullptr);
  EXPECT_EQ(mergesUpTo(found, 0), 2);
  EXPECT_EQ(mergesUpTo(found, 1), 1);
  found.stages.clear();
  EXPECT_EQ(mapBehind(found, 0), &found.mergeMap);
  EXPECT_EQ(mapBehind(found, 2), &found.mergeMap);
  EXPECT_EQ(mapBehind(found, 1), nullptr);
  EXPECT_EQ(similarityBefore(found, 0), nullptr);
  for (const cv::Mat& none : std::initializer_list<cv::Mat>{{},
                                                            cv::Mat1i({1, 3}, {0, 1, 3}),
                                                            cv::Mat1i({1, 3}, {0, 1, -1}),
                                                            cv::Mat1f({1, 3}, {0, 1, 2})}) {
    found.mergeMap = none;
    EXPECT_EQ(mapBehind(found, 0), nullptr) << "what is no map is not taken";
  }
}

QImage drawn(QPointF position, const TokenGroup& group) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::black);
  QPainter painter(&image);
  const ViewGeometry geometry({400, 300}, {80, 60}, 1, {0.5, 0.5});
  drawLinks(painter, geometry, group, position, kWhole, LinkKind::hovered);
  return image;
}

TEST(LinkDrawing, LinesGoToEachPlaceOfTheGroupAndACrossMarksAPlaceWithoutOne) {
  const auto result = smallResult();
  const QPointF position(0.1, 0.1);
  QImage image = drawn(position, groupAt(result->segmentation, 0, position, kWhole));
  EXPECT_GT(qRed(image.pixel(50, 100)), 150) << "from place 0 down to place 4";
  EXPECT_GT(qRed(image.pixel(120, 50)), 150) << "and right to place 1";
  EXPECT_GT(qRed(image.pixel(200, 20)), 100) << "its outline";
  EXPECT_EQ(qRed(image.pixel(300, 250)), 0);
  image = drawn({0.5, 0.5}, {});
  EXPECT_GT(qRed(image.pixel(204, 150)), 200);
  EXPECT_EQ(qRed(image.pixel(230, 150)), 0);
}

Painting of(ViewKind kind, int stage = 0) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  return painting;
}

TEST(Painting, EachKindHasWordsOfItsOwnAndSaysWhatIsMissing) {
  const auto whole = smallResult(), plain = smallResult();
  plain->segmentation = {};
  plain->full.reset();
  QSet<QString> titles, descriptions;
  for (int i = 0; i < kViewKinds; ++i) {
    const auto kind = static_cast<ViewKind>(i);
    titles << titleOf(kind);
    descriptions << descriptionOf(kind);
    EXPECT_EQ(whyNot(*whole, of(kind)), "") << i;
    EXPECT_EQ(whyNot(*plain, of(kind)).isEmpty(), kind == ViewKind::camera) << i;
    EXPECT_NE(whyNot({}, of(kind)), "") << i;
  }
  EXPECT_EQ(titles.size(), kViewKinds);
  EXPECT_EQ(descriptions.size(), kViewKinds);
  EXPECT_FALSE(titles.contains(QString()));
  EXPECT_EQ(titleOf(of(ViewKind::groups, 2)), "Groups, merge 2");
  EXPECT_EQ(titleOf(of(ViewKind::confidence, 2)), "Confidence");
  EXPECT_NE(whyNot(*whole, of(ViewKind::mergeMap, 3)), "") << "there are two merges";
  whole->full->labels = cv::Mat(3, 3, CV_8U, cv::Scalar(0));
  EXPECT_NE(whyNot(*whole, of(ViewKind::difference)), "") << "another size than its own labels";
  whole->frame.picture = cv::Mat(4, 4, CV_8UC1, cv::Scalar(0));
  EXPECT_TRUE(whyNot(*whole, of(ViewKind::camera)).contains("BGR"));
}

}  // namespace
}  // namespace mpm::gui
