// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/frame_painter.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <random>
#include <set>

#include "gui/canvas/class_legend.h"
#include "gui/canvas/pictures.h"
#include "gui/canvas/small_result.h"
#include "segment/model_metadata.h"

namespace mpm::gui {
namespace {

constexpr QRgb kRed = 0xffc80000, kBlue = 0xff0000c8;  // of the picture's halves

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
  QImage paint(ViewKind kind, int stage = 0) {
    painting_.kind = kind;
    painting_.stage = stage;
    return painter_.paint(*result_, painting_, classes_, wholePicture(*result_)).copy();
  }
  // Returns the middle of a patch of the grid of 4 x 3.
  static QRgb at(const QImage& image, int place) {
    return image.pixel(place % 4 * 20 + 10, place / 4 * 20 + 10);
  }
  static bool isGrey(QRgb colour) { return QColor(colour).saturation() == 0; }

  std::shared_ptr<monitor::FrameResult> result_ = smallResult();
  ClassSettings classes_;
  Painting painting_;
  FramePainter painter_;
};

TEST_F(FramePainterTest, EachKindHasItsColours) {
  const struct {
    ViewKind kind;
    int stage, place;
    QRgb colour;
  } cases[]{{ViewKind::camera, 0, 0, kRed},
            {ViewKind::camera, 0, 11, kBlue},
            {ViewKind::segmentation, 0, 0, qRgb(0, 255, 0)},  // wall
            {ViewKind::computed, 0, 0, kRed},
            {ViewKind::computed, 0, 4, kRed},
            {ViewKind::computed, 0, 2, kRememberedColour},
            {ViewKind::computed, 0, 11, kRememberedColour},
            {ViewKind::groupSize, 0, 0, colourAt(countScale(), sizeOnScale(3, 2))},
            {ViewKind::groupSize, 0, 10, colourAt(countScale(), 0.5)},
            {ViewKind::groupSize, 0, 2, colourAt(countScale(), 0)},
            {ViewKind::groupSize, 1, 0, colourAt(countScale(), 1)},  // two of at most two
            {ViewKind::similarity, 0, 0, colourAt(valueScale(), similarityOnScale(0.5))},
            {ViewKind::similarity, 1, 0, colourAt(valueScale(), similarityOnScale(0.9))},
            {ViewKind::confidence, 0, 0, valueScale()[191]}};
  for (const auto& one : cases)
    EXPECT_EQ(at(paint(one.kind, one.stage), one.place), one.colour)
        << static_cast<int>(one.kind) << ", stage " << one.stage << ", place " << one.place;
  EXPECT_GT(QColor(paint(ViewKind::difference).pixel(5, 0)).saturation(), 150);
  EXPECT_TRUE(isGrey(paint(ViewKind::difference).pixel(5, 1)));
  result_->segmentation.patchAges.setTo(0);
  EXPECT_EQ(at(paint(ViewKind::computed), 5), kRed);
  painting_.opacity = 0.5;
  EXPECT_EQ(paint(ViewKind::segmentation).pixel(0, 0), qRgb(100, 127, 0));
  classes_.setVisible(1, false);
  EXPECT_EQ(paint(ViewKind::segmentation).pixel(0, 0), kRed);
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
    ASSERT_TRUE(legend.setAreas(areas));
    Painting painting;
    painting.kind = ViewKind::segmentation;
    painting.opacity = 1;
    painting.outlines = false;
    FramePainter painter;
    const QImage image = painter.paint(*result, painting, classes, wholePicture(*result));
    std::set<QRgb> colours;
    for (int i = 0; i < count; ++i) {
      const QModelIndex name = legend.index(i, ClassLegendModel::kName),
                        area = legend.index(i, ClassLegendModel::kArea);
      const auto colour = name.data(Qt::DecorationRole).value<QColor>();
      EXPECT_EQ(QColor(image.pixel(i, 0)), colour) << count << ": " << i;
      EXPECT_NEAR(area.data(ClassLegendModel::kSortRole).toDouble(),
                  areas[static_cast<std::size_t>(i)], 1e-9);
      colours.insert(colour.rgb());
    }
    EXPECT_EQ(colours.size(), static_cast<std::size_t>(count)) << "none is another one's";
  }
}

TEST_F(FramePainterTest, MergeMapGivesEachTokenItsMeanWithLinesBetweenThem) {
  const auto tokens = result_->segmentation.stages[1].map.clone();
  // Patches 1 and 2 are one token now.
  result_->segmentation.stages[1].map =
      (cv::Mat_<int>(3, 4) << 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  QImage image = paint(ViewKind::mergeMap);
  for (const auto& [place, colour] :
       {std::pair(0, kRed), {1, qRgb(100, 0, 100)}, {2, qRgb(100, 0, 100)}, {3, kBlue}})
    EXPECT_EQ(at(image, place), colour) << place;
  result_->segmentation.stages[1].map = tokens;
  painting_.outlines = true;
  image = paint(ViewKind::mergeMap);
  EXPECT_EQ(image.pixel(20, 10), image.pixel(10, 10)) << "places 0 and 1 share a token";
  EXPECT_NE(image.pixel(40, 10), image.pixel(50, 10));
  EXPECT_NE(image.pixel(10, 40), image.pixel(10, 50));
  EXPECT_EQ(paint(ViewKind::computed).pixel(40, 10), kFreshLine) << "between places 1 and 2";
  painting_.outlines = false;
  painting_.gridArea = {0, 0, 0.5, 1};
  EXPECT_EQ(paint(ViewKind::mergeMap).pixel(5, 5), kRed);
  EXPECT_TRUE(isGrey(paint(ViewKind::mergeMap).pixel(60, 5))) << "beside the grid";
}

TEST_F(FramePainterTest, SimilarityIsHatchedWhereThereIsNone) {
  const QImage image = paint(ViewKind::similarity);
  int unknown = 0, striped = 0;
  for (int x = 60; x < 80; ++x) {
    unknown += image.pixel(x, 30) == kUnknownColour;
    striped += image.pixel(x, 30) == 0xff202020;
  }
  EXPECT_EQ(unknown + striped, 20);
  EXPECT_GT(striped, 0);
  EXPECT_GT(unknown, striped);
  EXPECT_EQ(similarityOnScale(-1), 0);
  EXPECT_NEAR(similarityOnScale(0.9), 1.0 / 3, 1e-9) << "as far again with each nine";
  EXPECT_NEAR(similarityOnScale(0.99), 2.0 / 3, 1e-9);
  EXPECT_EQ(similarityOnScale(1), 1);
}

TEST_F(FramePainterTest, GroupsKeepTheirColours) {
  const QImage before = paint(ViewKind::groups);
  EXPECT_EQ(at(before, 0), at(before, 4));
  EXPECT_NE(at(before, 0), at(before, 10));
  EXPECT_TRUE(isGrey(at(before, 2))) << "a token of its own";
  // The next frame has the same groups, with other rows.
  result_->segmentation.stages[1].map = (cv::Mat_<int>(3, 4) << 8, 8, 1, 2, 8, 3, 4, 5, 6, 7, 0, 0);
  const QImage after = paint(ViewKind::groups);
  EXPECT_EQ(at(after, 0), at(before, 0));
  EXPECT_EQ(at(after, 10), at(before, 10));
}

TEST_F(FramePainterTest, WhatIsMissingOrOldIsAGreyPicture) {
  painting_.grey = true;
  for (int kind = 0; kind < kViewKinds; ++kind) {
    const QRgb colour = paint(static_cast<ViewKind>(kind)).pixel(5, 5);
    EXPECT_TRUE(isGrey(colour) && qAlpha(colour) == 255) << kind;
  }
  painting_.grey = false;
  result_->segmentation = {};
  result_->full.reset();
  for (int kind = 1; kind < kViewKinds; ++kind)
    EXPECT_TRUE(isGrey(paint(static_cast<ViewKind>(kind)).pixel(5, 5))) << kind;
}

TEST_F(FramePainterTest, PaintsPartsAtAnySize) {
  painting_.outlines = true;
  for (int kind = 0; kind < kViewKinds; ++kind) {
    painting_.kind = static_cast<ViewKind>(kind);
    for (const cv::Size size : {cv::Size(1, 1), cv::Size(7, 90), cv::Size(200, 30)}) {
      const Part part{{41, 3, 17, 40}, {80, 60}, size};
      EXPECT_EQ(painter_.paint(*result_, painting_, classes_, part).size(),
                QSize(size.width, size.height));
    }
  }
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

TEST_F(PaintedViewTest, LiesWhereItsGeometrySaysWithLinesAsWideAsALogicalPixel) {
  for (const int ratio : {1, 2}) {
    painting_.kind = ViewKind::camera;
    draw(1, ratio);
    EXPECT_EQ(image_.pixel(80, 18), qRgb(0, 0, 0)) << "above the picture";
    EXPECT_EQ(image_.pixel(10, 22), kRed);
    EXPECT_EQ(image_.pixel(150, 138), kBlue);
    EXPECT_EQ(image_.pixel(80, 141), qRgb(0, 0, 0));
    painting_.kind = ViewKind::segmentation;
    painting_.opacity = 0;
    draw(1, ratio);
    int white = 0;
    for (int x = 70; x < 90; ++x) white += qGreen(image_.pixel(x, 80)) > 150;
    EXPECT_EQ(white, ratio);
  }
}

cv::Mat map(std::initializer_list<int> rows) {
  cv::Mat made(1, static_cast<int>(rows.size()), CV_32S);
  std::copy(rows.begin(), rows.end(), made.ptr<int>());
  return made;
}

TEST(GroupTracker, NumbersGroupsThatKeepThemWhereverTheirRowsStand) {
  GroupTracker tracker;
  const auto first = tracker.update(map({0, 0, 1, 2, 2, 2}));
  EXPECT_TRUE(first[0] != 0 && first[0] == first[1] && first[3] == first[5]);
  EXPECT_TRUE(first[0] != first[3] && first[2] == 0) << "who is alone has none";
  const auto next = tracker.update(map({0, 1, 1, 3, 3, 3}));
  EXPECT_EQ(next[3], first[3]);
  EXPECT_EQ(next[1], first[0]) << "half of it is enough where nobody else wants it";
}

TEST(GroupTracker, OfTwoHalvesTheLargerKeepsTheNumberAndOneThatComesBackIsKnown) {
  GroupTracker halves, back;
  const auto whole = halves.update(map({0, 0, 0, 0, 0, 1}));
  const auto two = halves.update(map({0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(two[2], whole[2]);
  EXPECT_TRUE(two[0] != whole[0] && two[0] != 0);
  const auto before = back.update(map({0, 1, 1, 2}));
  EXPECT_EQ(back.update(map({0, 1, 2, 3}))[1], 0U);
  EXPECT_EQ(back.update(map({0, 1, 1, 2}))[1], before[1]);
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
