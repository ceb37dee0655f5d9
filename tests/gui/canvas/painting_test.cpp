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

}  // namespace
}  // namespace mpm::gui
