// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/area_names.h"

#include <gtest/gtest.h>

#include <QtWidgets>
#include <utility>

#include "gui/canvas/class_settings.h"

namespace mpm::gui {
namespace {

constexpr int kGround = 0, kLawn = 1, kPerson = 2;
using Boxes = std::vector<std::pair<int, cv::Rect>>;

int labelAt(const cv::Mat1b& labels, QPointF place) {
  return labels(static_cast<int>(place.y() * labels.rows),
                static_cast<int>(place.x() * labels.cols));
}

cv::Mat1b filled(const Boxes& areas) {
  cv::Mat1b labels(480, 640, uchar{kGround});
  for (const auto& [label, area] : areas) labels(area) = static_cast<uchar>(label);
  return labels;
}

TEST(AreaNames, AreOfLargeAreasInsideThemTheLargestFirst) {
  const std::pair<Boxes, std::vector<int>> cases[]{
      {{}, {kGround}},
      {{{kPerson, {300, 200, 40, 60}}}, {kGround, kPerson}},
      {{{kPerson, {300, 200, 12, 12}}}, {kGround}},  // a speck
      {{{kPerson, {100, 200, 40, 60}}, {kPerson, {400, 200, 50, 60}}}, {kGround, kPerson}},
      {{{kLawn, {0, 0, 200, 480}}, {kLawn, {500, 0, 140, 480}}}, {kGround, kLawn, kLawn}},
      // The middle of the frame's bounding box lies outside of the frame.
      {{{kLawn, {0, 0, 640, 480}}, {kGround, {100, 80, 440, 320}}}, {kLawn, kGround}}};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const cv::Mat1b labels = filled(cases[i].first);
    for (const int type : {CV_8U, CV_16U}) {
      cv::Mat given;
      labels.convertTo(given, type);
      AreaNames names;
      std::vector<int> named;
      for (const NamedArea& area : names.find(given)) {
        named.push_back(area.label);
        EXPECT_EQ(labelAt(labels, area.place), area.label) << i;
      }
      EXPECT_EQ(named, cases[i].second) << i;
    }
  }
}

TEST(AreaNames, StandStillWhileTheirAreaMovesALittleAndStayForAWhileWhereItShrinks) {
  AreaNames moving;
  const auto person = [&](const cv::Rect& box) {
    const auto& found = moving.find(filled({{kPerson, box}}));
    EXPECT_EQ(found.size(), 2u);
    return found.back().place;
  };
  const QPointF place = person({300, 200, 80, 120});
  EXPECT_EQ(person({310, 205, 80, 120}), place);
  const QPointF away = person({360, 200, 80, 120});
  EXPECT_NE(away, place);
  EXPECT_EQ(labelAt(filled({{kPerson, {360, 200, 80, 120}}}), away), kPerson);

  const cv::Mat1b small = filled({{kPerson, {300, 200, 26, 28}}});  // 0.24 % of the picture
  AreaNames names;
  EXPECT_EQ(names.find(small).size(), 1u) << "too small to be named first";
  names.find(filled({{kPerson, {295, 195, 40, 40}}}));
  EXPECT_EQ(names.find(small).size(), 2u);
  names.find(filled({}));
  EXPECT_EQ(names.find(small).size(), 1u);
  EXPECT_TRUE(names.find(cv::Mat()).empty());
}

TEST(AreaNames, AreDrawnOfClassesThatAreShownWholeAndOverNoOther) {
  ClassSettings classes;
  classes.setClasses({"ground", "lawn", "person"},
                     {cv::Vec3b(9, 9, 9), cv::Vec3b(0, 99, 0), cv::Vec3b(0, 0, 99)});
  // Returns how many pixels letters took in each half of a black image.
  const auto drawn = [&](const std::vector<NamedArea>& areas) {
    QImage image(400, 200, QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    drawAreaNames(painter, {QSizeF(400, 200), {400, 200}, 1, {0.5, 0.5}}, image.rect(), areas,
                  classes);
    painter.end();
    std::pair<int, int> white(0, 0);
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (qGreen(image.pixel(x, y)) > 128) ++(x < 200 ? white.first : white.second);
    return white;
  };
  const NamedArea ground{kGround, {0.25, 0.5}, 0.6}, lawn{kLawn, {0.75, 0.5}, 0.3};
  EXPECT_GT(drawn({ground, lawn}).first, 50);
  EXPECT_GT(drawn({ground, lawn}).second, 50);
  EXPECT_EQ(drawn({ground, {kLawn, {0.26, 0.52}, 0.3}}), drawn({ground})) << "it would cover it";
  const int inside = drawn({{kPerson, {0.75, 0.5}, 0.1}}).second;
  EXPECT_GT(drawn({{kPerson, {0.999, 0.001}, 0.1}}).second, 0.9 * inside)
      << "whole; letters stand elsewhere between pixels";
  classes.setVisible(kGround, false);
  EXPECT_EQ(drawn({ground, lawn}).first, 0);
  EXPECT_GT(drawn({ground, lawn}).second, 50);
}

}  // namespace
}  // namespace mpm::gui
