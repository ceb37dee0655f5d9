// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/area_names.h"

#include <gtest/gtest.h>

#include <QImage>
#include <opencv2/imgproc.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mpm::gui {
namespace {

constexpr int kGround = 0, kLawn = 1, kPerson = 2;

int labelAt(const cv::Mat1b& labels, QPointF place) {
  return labels(static_cast<int>(place.y() * labels.rows),
                static_cast<int>(place.x() * labels.cols));
}

std::vector<int> labelsOf(const std::vector<NamedArea>& areas) {
  std::vector<int> labels;
  for (const NamedArea& area : areas) labels.push_back(area.label);
  return labels;
}

cv::Mat1b filled(std::initializer_list<std::pair<int, cv::Rect>> areas) {
  cv::Mat1b labels(480, 640, uchar{kGround});
  for (const auto& [label, area] : areas) labels(area) = static_cast<uchar>(label);
  return labels;
}

struct Case {
  const char* name;
  std::vector<std::pair<int, cv::Rect>> areas;
  std::vector<int> named;  // the largest first
};

class Areas : public testing::TestWithParam<Case> {};

TEST_P(Areas, ThatAreLargeAreNamedInsideThemselves) {
  cv::Mat1b labels(480, 640, uchar{kGround});
  for (const auto& [label, area] : GetParam().areas) labels(area) = static_cast<uchar>(label);
  AreaNames names;
  for (const bool wide : {false, true}) {
    cv::Mat given = labels;
    if (wide) labels.convertTo(given, CV_16U);
    names.clear();
    const std::vector<NamedArea>& found = names.find(given);
    EXPECT_EQ(labelsOf(found), GetParam().named);
    for (const NamedArea& area : found) EXPECT_EQ(labelAt(labels, area.place), area.label);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Each, Areas,
    testing::Values(Case{"Nothing", {}, {kGround}},
                    Case{"OneSmallThing", {{kPerson, {300, 200, 40, 60}}}, {kGround, kPerson}},
                    Case{"ASpeck", {{kPerson, {300, 200, 12, 12}}}, {kGround}},
                    Case{"TwoSmallThingsOfOneClass",
                         {{kPerson, {100, 200, 40, 60}}, {kPerson, {400, 200, 50, 60}}},
                         {kGround, kPerson}},
                    Case{"TwoLargeOnes",
                         {{kLawn, {0, 0, 200, 480}}, {kLawn, {500, 0, 140, 480}}},
                         {kGround, kLawn, kLawn}}),
    [](const auto& one) { return std::string(one.param.name); });

// The middle of a frame's bounding box lies outside of the frame.
TEST(AreaNames, OfARingStandOnTheRing) {
  cv::Mat1b labels(480, 640, uchar{kLawn});
  labels(cv::Rect(100, 80, 440, 320)) = uchar{kGround};
  AreaNames names;
  for (const NamedArea& area : names.find(labels))
    EXPECT_EQ(labelAt(labels, area.place), area.label);
}

TEST(AreaNames, StandStillWhileTheirAreaMovesALittle) {
  AreaNames names;
  const QPointF place = names.find(filled({{kPerson, {300, 200, 80, 120}}}))[1].place;
  const auto moved = names.find(filled({{kPerson, {310, 205, 80, 120}}}));
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[1].place, place);
  const auto away = names.find(filled({{kPerson, {360, 200, 80, 120}}}));
  ASSERT_EQ(away.size(), 2u);
  EXPECT_NE(away[1].place, place);
  EXPECT_EQ(labelAt(filled({{kPerson, {360, 200, 80, 120}}}), away[1].place), kPerson);
}

TEST(AreaNames, StayForAWhileWhereTheirAreaShrinks) {
  const cv::Mat1b small = filled({{kPerson, {300, 200, 26, 28}}});  // 0.24 % of the picture
  AreaNames names;
  EXPECT_EQ(names.find(small).size(), 1u) << "too small to be named first";
  names.find(filled({{kPerson, {295, 195, 40, 40}}}));
  EXPECT_EQ(names.find(small).size(), 2u);
  names.find(filled({}));
  EXPECT_EQ(names.find(small).size(), 1u);
  EXPECT_TRUE(names.find(cv::Mat()).empty());
}

class DrawnNames : public testing::Test {
 protected:
  DrawnNames() {
    classes_.setClasses({"ground", "lawn", "person"},
                        {cv::Vec3b(9, 9, 9), cv::Vec3b(0, 99, 0), cv::Vec3b(0, 0, 99)});
  }
  // How many pixels letters took in each half of a black picture.
  std::pair<int, int> drawn(const std::vector<NamedArea>& areas) {
    QImage image(400, 200, QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    drawAreaNames(painter, {QSizeF(400, 200), {400, 200}, 1, {0.5, 0.5}}, image.rect(), areas,
                  classes_);
    painter.end();
    std::pair<int, int> white(0, 0);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (qGreen(image.pixel(x, y)) > 128) ++(x < 200 ? white.first : white.second);
    return white;
  }
  ClassSettings classes_;
};

TEST_F(DrawnNames, AreThoseOfClassesThatAreShown) {
  const std::vector<NamedArea> areas{{kGround, {0.25, 0.5}, 0.6}, {kLawn, {0.75, 0.5}, 0.3}};
  auto [left, right] = drawn(areas);
  EXPECT_GT(left, 50);
  EXPECT_GT(right, 50);
  classes_.setVisible(kGround, false);
  std::tie(left, right) = drawn(areas);
  EXPECT_EQ(left, 0);
  EXPECT_GT(right, 50);
}

TEST_F(DrawnNames, LeaveOutWhatWouldCoverAnother) {
  const NamedArea large{kGround, {0.25, 0.5}, 0.6};
  const auto alone = drawn({large});
  EXPECT_EQ(drawn({large, {kLawn, {0.26, 0.52}, 0.3}}), alone);
}

TEST_F(DrawnNames, StandInsideThePicture) {
  const int inside = drawn({{kPerson, {0.75, 0.5}, 0.1}}).second;
  const int atRim = drawn({{kPerson, {0.999, 0.001}, 0.1}}).second;
  EXPECT_GT(atRim, 0.9 * inside) << "whole; letters stand elsewhere between pixels";
}

}  // namespace
}  // namespace mpm::gui
