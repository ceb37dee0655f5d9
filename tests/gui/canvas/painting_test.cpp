// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/painting.h"

#include <gtest/gtest.h>

#include <QSet>

#include "small_result.h"

namespace mpm::gui {
namespace {

Painting of(ViewKind kind, int stage = 0) {
  Painting painting;
  painting.kind = kind;
  painting.stage = stage;
  return painting;
}

TEST(Painting, EachKindHasWordsOfItsOwn) {
  QSet<QString> titles, descriptions;
  for (int kind = 0; kind < kViewKinds; ++kind) {
    titles << titleOf(static_cast<ViewKind>(kind));
    descriptions << descriptionOf(static_cast<ViewKind>(kind));
  }
  EXPECT_EQ(titles.size(), kViewKinds);
  EXPECT_EQ(descriptions.size(), kViewKinds);
  EXPECT_FALSE(titles.contains(QString()));
  EXPECT_EQ(titleOf(of(ViewKind::groups, 2)), "Groups, merge 2");
  EXPECT_EQ(titleOf(of(ViewKind::confidence, 2)), "Confidence");
}

TEST(Painting, AWholeResultCanBeShownInEveryWay) {
  const auto result = smallResult();
  for (int kind = 0; kind < kViewKinds; ++kind) {
    EXPECT_EQ(whyNot(*result, of(static_cast<ViewKind>(kind))), "") << kind;
  }
}

TEST(Painting, SaysWhatIsMissing) {
  const monitor::FrameResult nothing;
  EXPECT_NE(whyNot(nothing, of(ViewKind::camera)), "");
  auto result = smallResult();
  result->segmentation = {};
  result->full.reset();
  EXPECT_EQ(whyNot(*result, of(ViewKind::camera)), "");
  for (int kind = 1; kind < kViewKinds; ++kind) {
    EXPECT_NE(whyNot(*result, of(static_cast<ViewKind>(kind))), "") << kind;
  }
  EXPECT_NE(whyNot(*smallResult(), of(ViewKind::mergeMap, 3)), "") << "there are two merges";
}

TEST(Painting, RefusesOtherFormats) {
  auto result = smallResult();
  result->frame.picture = cv::Mat(4, 4, CV_8UC1, cv::Scalar(0));
  EXPECT_TRUE(whyNot(*result, of(ViewKind::camera)).contains("BGR"));
  result = smallResult();
  result->full->labels = cv::Mat(3, 3, CV_8U, cv::Scalar(0));
  EXPECT_NE(whyNot(*result, of(ViewKind::difference)), "") << "another size than its own labels";
}

TEST(TokenGroups, StagesAreCountedFromOne) {
  const auto result = smallResult();
  const Segmentation& found = result->segmentation;
  EXPECT_EQ(mapBehind(found, 1), &found.stages[0].map);
  EXPECT_EQ(mapBehind(found, 2), &found.stages[1].map);
  EXPECT_EQ(mapBehind(found, 0), &found.stages[1].map) << "0: the last";
  EXPECT_EQ(mapBehind(found, 3), nullptr);
  EXPECT_EQ(mapBehind(found, -1), nullptr);
  EXPECT_EQ(similarityBefore(found, 1), &found.stages[0].similarity);
  EXPECT_EQ(similarityBefore(found, 5), nullptr);
  EXPECT_EQ(mergesUpTo(found, 0), 2);
  EXPECT_EQ(mergesUpTo(found, 1), 1);
}

TEST(TokenGroups, WithoutStagesTheMapInTheEndIsTheLast) {
  Segmentation found = smallResult()->segmentation;
  found.stages.clear();
  EXPECT_EQ(mapBehind(found, 0), &found.mergeMap);
  EXPECT_EQ(mapBehind(found, 2), &found.mergeMap);
  EXPECT_EQ(mapBehind(found, 1), nullptr);
  EXPECT_EQ(similarityBefore(found, 0), nullptr);
}

TEST(TokenGroups, AMapThatIsNoneIsNotTaken) {
  Segmentation found;
  EXPECT_EQ(mapBehind(found, 0), nullptr);
  found.mergeMap = (cv::Mat_<int>(1, 3) << 0, 1, 3);
  EXPECT_EQ(mapBehind(found, 0), nullptr) << "row 3 of 3 places";
  found.mergeMap = (cv::Mat_<int>(1, 3) << 0, 1, -1);
  EXPECT_EQ(mapBehind(found, 0), nullptr);
  found.mergeMap = (cv::Mat_<float>(1, 3) << 0, 1, 2);
  EXPECT_EQ(mapBehind(found, 0), nullptr);
}

TEST(TokenGroups, CountsWhoSharesARow) {
  std::vector<int> sizes;
  groupSizes(smallResult()->segmentation.mergeMap, sizes);
  EXPECT_EQ(sizes, (std::vector<int>{3, 3, 1, 1, 3, 1, 1, 1, 1, 1, 2, 2}));
}

TEST(TokenGroups, PlacesAndTheirAreasAgree) {
  for (const QRectF& area : {QRectF(0, 0, 1, 1), QRectF(0, 0, 0.6, 1.3)}) {
    for (int place = 0; place < 12; ++place) {
      EXPECT_EQ(placeAt(placeArea(place, {4, 3}, area).center(), {4, 3}, area), place);
    }
    EXPECT_EQ(placeAt({area.right() + 0.01, 0.1}, {4, 3}, area), -1);
  }
  EXPECT_EQ(placeAt({-0.01, 0.5}, {4, 3}, {0, 0, 1, 1}), -1);
  EXPECT_EQ(placeAt({0.5, 0.5}, {}, {0, 0, 1, 1}), -1);
}

}  // namespace
}  // namespace mpm::gui
