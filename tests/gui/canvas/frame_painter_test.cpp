// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_painter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gui/canvas/class_legend.h"
#include "gui/canvas/pictures.h"
#include "segment/facts.h"
#include "small_result.h"

namespace mpm::gui {
namespace {

Part wholePicture(const monitor::FrameResult& result) {
  const cv::Size size = result.frame.picture.size();
  return {cv::Rect({}, size), size, size};
}

class FramePainterTest : public ::testing::Test {
 protected:
  FramePainterTest() {
    giveSmallClasses(classes_);
    painting_.outlines = false;
    painting_.opacity = 1;
  }
  QImage paint(ViewKind kind) {
    painting_.kind = kind;
    return painter_.paint(*result_, painting_, classes_, wholePicture(*result_)).copy();
  }
  // The middle of a place of the grid of 4 x 3.
  static QRgb at(const QImage& image, int place) {
    return image.pixel(place % 4 * 20 + 10, place / 4 * 20 + 10);
  }

  std::shared_ptr<monitor::FrameResult> result_ = smallResult();
  ClassSettings classes_;
  Painting painting_;
  FramePainter painter_;
};

TEST_F(FramePainterTest, CameraIsThePicture) {
  const QImage image = paint(ViewKind::camera);
  EXPECT_EQ(image.size(), QSize(80, 60));
  EXPECT_EQ(image.pixel(0, 0), qRgb(200, 0, 0));
  EXPECT_EQ(image.pixel(79, 59), qRgb(0, 0, 200));
}

TEST_F(FramePainterTest, SegmentationMixesClassesIn) {
  painting_.opacity = 0.5;
  const QImage image = paint(ViewKind::segmentation);
  EXPECT_EQ(image.pixel(0, 0), qRgb(100, 127, 0)) << "wall is green";
  classes_.setVisible(1, false);
  EXPECT_EQ(paint(ViewKind::segmentation).pixel(0, 0), qRgb(200, 0, 0));
}

TEST(ClassesOfAnyModel, EachOfTwoAndOf150HasItsAreaAndItsColour) {
  for (const int count : {2, 150}) {
    const std::vector<cv::Vec3b> palette =
        segment::distinctColours(static_cast<std::size_t>(count));
    std::vector<std::string> names;
    std::vector<double> areas;
    auto result = smallResult();
    result->frame.picture = cv::Mat::zeros(1, count, CV_8UC3);
    result->segmentation.labels.create(1, count, CV_8U);
    for (int i = 0; i < count; ++i) {
      names.push_back("class " + std::to_string(i));
      areas.push_back(2.0 * (i + 1) / (count * (count + 1)));
      result->segmentation.labels.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(i);
    }
    ClassSettings classes;
    classes.setClasses(names, palette);
    ClassLegendModel legend(&classes);
    ASSERT_EQ(legend.rowCount(), count);
    ASSERT_TRUE(legend.addAreas(areas, 0));
    Painting painting;
    painting.kind = ViewKind::segmentation;
    painting.opacity = 1;
    painting.outlines = false;
    FramePainter painter;
    const QImage image = painter.paint(*result, painting, classes, wholePicture(*result));
    std::set<QRgb> colours;
    for (int i = 0; i < count; ++i) {
      const QModelIndex name = legend.index(i, ClassLegendModel::kName);
      const auto colour = name.data(Qt::DecorationRole).value<QColor>();
      EXPECT_EQ(QColor(image.pixel(i, 0)), colour) << count << ": " << i;
      EXPECT_NEAR(
          legend.index(i, ClassLegendModel::kArea).data(ClassLegendModel::kSortRole).toDouble(),
          areas[static_cast<std::size_t>(i)], 1e-9);
      colours.insert(colour.rgb());
    }
    EXPECT_EQ(colours.size(), static_cast<std::size_t>(count)) << "none is another one's";
  }
}

TEST_F(FramePainterTest, MergeMapGivesEachTokenItsMean) {
  // 1 is red, 2 blue: place 1 and 2 are one token now.
  result_->segmentation.stages[1].map =
      (cv::Mat_<int>(3, 4) << 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  const QImage image = paint(ViewKind::mergeMap);
  EXPECT_EQ(at(image, 0), qRgb(200, 0, 0));
  EXPECT_EQ(at(image, 1), qRgb(100, 0, 100));
  EXPECT_EQ(at(image, 2), qRgb(100, 0, 100));
  EXPECT_EQ(at(image, 3), qRgb(0, 0, 200));
}

TEST_F(FramePainterTest, MergeMapHasLinesBetweenTokens) {
  painting_.outlines = true;
  const QImage image = paint(ViewKind::mergeMap);
  EXPECT_EQ(image.pixel(20, 10), image.pixel(10, 10)) << "places 0 and 1 share a token";
  EXPECT_NE(image.pixel(40, 10), image.pixel(50, 10));
  EXPECT_NE(image.pixel(10, 40), image.pixel(10, 50));
}

TEST_F(FramePainterTest, WhatWasComputedIsInColour) {
  const QImage image = paint(ViewKind::computed);
  for (const int place : {0, 1, 4}) EXPECT_EQ(at(image, place), qRgb(200, 0, 0)) << place;
  for (const int place : {2, 5, 11}) EXPECT_EQ(at(image, place), kRememberedColour) << place;
  painting_.outlines = true;
  EXPECT_EQ(paint(ViewKind::computed).pixel(40, 10), kFreshLine) << "between places 1 and 2";
  result_->segmentation.patchAges.setTo(0);
  EXPECT_EQ(at(paint(ViewKind::computed), 5), qRgb(200, 0, 0));
}

TEST_F(FramePainterTest, GroupSizesAreAScale) {
  const QImage image = paint(ViewKind::groupSize);
  EXPECT_EQ(at(image, 0), colourAt(countScale(), sizeOnScale(3, 2)));
  EXPECT_EQ(at(image, 10), colourAt(countScale(), 0.5));
  EXPECT_EQ(at(image, 2), colourAt(countScale(), 0));
  painting_.stage = 1;
  EXPECT_EQ(at(paint(ViewKind::groupSize), 0), colourAt(countScale(), 1)) << "two of at most two";
}

TEST_F(FramePainterTest, SimilarityIsHatchedWhereThereIsNone) {
  const QImage image = paint(ViewKind::similarity);
  EXPECT_EQ(at(image, 0), colourAt(valueScale(), similarityOnScale(0.5)));
  int unknown = 0, striped = 0;
  for (int x = 60; x < 80; ++x) {
    unknown += image.pixel(x, 30) == kUnknownColour;
    striped += image.pixel(x, 30) == 0xff202020;
  }
  EXPECT_EQ(unknown + striped, 20);
  EXPECT_GT(striped, 0);
  EXPECT_GT(unknown, striped);
}

TEST_F(FramePainterTest, GroupsKeepTheirColours) {
  const QImage before = paint(ViewKind::groups);
  EXPECT_EQ(at(before, 0), at(before, 4));
  EXPECT_NE(at(before, 0), at(before, 10));
  EXPECT_EQ(qRed(at(before, 2)), qBlue(at(before, 2))) << "a token of its own stays grey";
  // The next frame: the same groups, with other rows.
  result_->segmentation.stages[1].map = (cv::Mat_<int>(3, 4) << 8, 8, 1, 2, 8, 3, 4, 5, 6, 7, 0, 0);
  const QImage after = paint(ViewKind::groups);
  EXPECT_EQ(at(after, 0), at(before, 0));
  EXPECT_EQ(at(after, 10), at(before, 10));
}

TEST_F(FramePainterTest, ConfidenceIsAScale) {
  EXPECT_EQ(paint(ViewKind::confidence).pixel(5, 5), valueScale()[191]);
}

TEST_F(FramePainterTest, DifferencesAreMarkedOnGrey) {
  const QImage image = paint(ViewKind::difference);
  EXPECT_GT(QColor(image.pixel(5, 0)).saturation(), 150);
  EXPECT_EQ(QColor(image.pixel(5, 1)).saturation(), 0);
}

TEST_F(FramePainterTest, WhatIsMissingIsAGreyPicture) {
  result_->segmentation = {};
  result_->full.reset();
  for (int kind = 1; kind < kViewKinds; ++kind) {
    EXPECT_EQ(QColor(paint(static_cast<ViewKind>(kind)).pixel(5, 5)).saturation(), 0) << kind;
  }
}

TEST_F(FramePainterTest, GreyHasNoColourLeft) {
  painting_.grey = true;
  for (int kind = 0; kind < kViewKinds; ++kind) {
    const QImage image = paint(static_cast<ViewKind>(kind));
    EXPECT_EQ(QColor(image.pixel(5, 5)).saturation(), 0) << kind;
    EXPECT_EQ(qAlpha(image.pixel(5, 5)), 255);
  }
}

TEST_F(FramePainterTest, PaintsPartsAtAnySize) {
  painting_.outlines = true;
  for (int kind = 0; kind < kViewKinds; ++kind) {
    painting_.kind = static_cast<ViewKind>(kind);
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(7, 90), cv::Size(200, 30)}) {
      const Part part{{41, 3, 17, 40}, {80, 60}, size};
      const QImage& image = painter_.paint(*result_, painting_, classes_, part);
      EXPECT_EQ(image.size(), QSize(size.width, size.height));
    }
  }
}

TEST_F(FramePainterTest, BesideTheGridThePictureIsSeen) {
  painting_.gridArea = {0, 0, 0.5, 1};
  const QImage image = paint(ViewKind::mergeMap);
  EXPECT_EQ(image.pixel(5, 5), qRgb(200, 0, 0));
  EXPECT_EQ(QColor(image.pixel(60, 5)).saturation(), 0);
}

TEST(SimilarityOnScale, IsAsFarAgainWithEachNine) {
  EXPECT_EQ(similarityOnScale(-1), 0);
  EXPECT_NEAR(similarityOnScale(0.9), 1.0 / 3, 1e-9);
  EXPECT_NEAR(similarityOnScale(0.99), 2.0 / 3, 1e-9);
  EXPECT_EQ(similarityOnScale(1), 1);
}

class PaintedViewTest : public ::testing::Test {
 protected:
  PaintedViewTest() : image_(160, 160, QImage::Format_RGB32) {
    giveSmallClasses(classes_);
    painting_.kind = ViewKind::segmentation;
  }
  quint64 draw(double zoom = 1, double ratio = 1) {
    image_.fill(Qt::black);
    image_.setDevicePixelRatio(ratio);
    QPainter painter(&image_);
    const QSizeF size = QSizeF(image_.size()) / ratio;
    const ViewGeometry geometry(size, {80, 60}, zoom, {0.5, 0.5});
    view_.draw(painter, result_, painting_, classes_, geometry, QRectF({}, size), ratio);
    return view_.paintings();
  }
  QImage image_;
  monitor::FrameResultPtr result_ = smallResult();
  Painting painting_;
  ClassSettings classes_;
  PaintedView view_;
};

TEST_F(PaintedViewTest, PaintsAnewOnlyWhatChanged) {
  EXPECT_EQ(draw(), 1U);
  EXPECT_EQ(draw(), 1U);
  EXPECT_EQ(draw(2), 2U);
  classes_.setVisible(1, false);
  EXPECT_EQ(draw(2), 3U);
  painting_.opacity = 0.1;
  EXPECT_EQ(draw(2), 4U);
  result_ = smallResult();
  EXPECT_EQ(draw(2), 5U);
  painting_.kind = ViewKind::camera;
  EXPECT_EQ(draw(2), 6U);
  classes_.setVisible(1, true);
  EXPECT_EQ(draw(2), 6U) << "the camera's picture has no classes";
}

TEST_F(PaintedViewTest, LiesWhereItsGeometrySays) {
  painting_.kind = ViewKind::camera;
  for (const double ratio : {1.0, 2.0}) {
    draw(1, ratio);
    EXPECT_EQ(image_.pixel(80, 18), qRgb(0, 0, 0)) << "above the picture";
    EXPECT_EQ(image_.pixel(10, 22), qRgb(200, 0, 0));
    EXPECT_EQ(image_.pixel(150, 138), qRgb(0, 0, 200));
    EXPECT_EQ(image_.pixel(80, 141), qRgb(0, 0, 0));
  }
}

TEST_F(PaintedViewTest, LinesAreAsWideAsALogicalPixel) {
  painting_.opacity = 0;
  for (const auto& [ratio, wanted] : {std::pair{1.0, 1}, std::pair{2.0, 2}}) {
    draw(1, ratio);
    int white = 0;
    for (int x = 70; x < 90; ++x) white += qGreen(image_.pixel(x, 80)) > 150;
    EXPECT_EQ(white, wanted);
  }
}

cv::Mat map(std::initializer_list<int> rows) {
  cv::Mat made(1, static_cast<int>(rows.size()), CV_32S);
  std::copy(rows.begin(), rows.end(), made.ptr<int>());
  return made;
}

TEST(GroupTracker, NumbersGroupsAndLeavesOthersAlone) {
  GroupTracker tracker;
  const auto numbers = tracker.update(map({0, 0, 1, 2, 2, 3}));
  EXPECT_NE(numbers[0], 0U);
  EXPECT_EQ(numbers[0], numbers[1]);
  EXPECT_EQ(numbers[2], 0U);
  EXPECT_EQ(numbers[3], numbers[4]);
  EXPECT_NE(numbers[0], numbers[3]);
  EXPECT_EQ(numbers[5], 0U);
}

TEST(GroupTracker, AGroupKeepsItsNumberWhereverItsRowStands) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 0, 1, 2, 2, 2}));
  const auto after = tracker.update(map({0, 1, 1, 3, 3, 3}));
  EXPECT_EQ(after[3], before[3]);
  EXPECT_EQ(after[1], before[1]) << "half of it is enough where nobody else wants it";
}

TEST(GroupTracker, OfTwoHalvesTheLargerKeepsTheNumber) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 0, 0, 0, 0, 1}));
  const auto after = tracker.update(map({0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(after[2], before[2]);
  EXPECT_NE(after[0], before[0]);
  EXPECT_NE(after[0], 0U);
}

TEST(GroupTracker, AGroupThatComesBackIsKnown) {
  GroupTracker tracker;
  const auto before = tracker.update(map({0, 1, 1, 2}));
  EXPECT_EQ(tracker.update(map({0, 1, 2, 3}))[1], 0U);
  EXPECT_EQ(tracker.update(map({0, 1, 1, 2}))[1], before[1]);
}

TEST(GroupTracker, TwoGroupsNeverShareANumber) {
  std::mt19937 random(5);
  GroupTracker tracker;
  for (int frame = 0; frame < 50; ++frame) {
    cv::Mat made(8, 8, CV_32S);
    for (int i = 0; i < 64; ++i) made.ptr<int>()[i] = static_cast<int>(random() % 40);
    const auto numbers = tracker.update(made);
    EXPECT_EQ(tracker.update(made), numbers) << "the same map again, frame " << frame;
    std::map<std::uint32_t, int> rowOf;
    std::map<int, int> sizes;
    for (int i = 0; i < 64; ++i) ++sizes[made.ptr<int>()[i]];
    for (std::size_t i = 0; i < 64; ++i) {
      const int row = made.ptr<int>()[i];
      EXPECT_EQ(numbers[i] != 0, sizes[row] > 1);
      if (numbers[i] != 0) {
        EXPECT_EQ(rowOf.try_emplace(numbers[i], row).first->second, row);
      }
    }
  }
}

}  // namespace
}  // namespace mpm::gui
