// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/token_groups.h"

#include <gtest/gtest.h>

#include "small_result.h"

namespace mpm::gui {
namespace {

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

TEST(TokenGroups, AGridCoversWhatTheSegmentationSays) {
  Segmentation found;
  EXPECT_EQ(gridAreaOf(found), QRectF(0, 0, 1, 1));
  found.gridArea = {0, 0, 0.5, 1.25};
  EXPECT_EQ(gridAreaOf(found), QRectF(0, 0, 0.5, 1.25));
}

}  // namespace
}  // namespace mpm::gui
