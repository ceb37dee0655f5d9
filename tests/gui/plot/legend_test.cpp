// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/legend.h"

#include <gtest/gtest.h>

#include "gui/plot/palettes.h"
#include "gui/plot/text_recorder.h"

namespace mpm::gui {
namespace {

using Sample = LegendEntry::Sample;

std::vector<LegendEntry> entries(int count) {
  std::vector<LegendEntry> made;
  for (int i = 0; i < count; ++i)
    made.push_back({QString("A name %1").arg(i), Qt::blue,
                    i % 2 == 0 ? Sample::line : Sample::patch, Qt::NoBrush});
  return made;
}

testing::DrawnTexts drawn(const std::vector<LegendEntry>& list, int width, int lines) {
  testing::TextRecorder recorder({width, 100});
  QPainter painter(&recorder);
  Legend(list, width, lines, QFontMetrics(painter.font(), &recorder))
      .draw(painter, {0, 0}, testing::lightPalette());
  painter.end();
  return recorder.drawn;
}

TEST(Legend, TakesAsManyLinesAsItNeeds) {
  const QFontMetrics metrics{QFont()};
  const int one = Legend(entries(1), 400, 2, metrics).height();
  EXPECT_GT(one, 0);
  EXPECT_EQ(Legend(entries(20), 400, 2, metrics).height(), 2 * one);
  EXPECT_EQ(Legend(entries(20), 5000, 2, metrics).height(), one);
  EXPECT_EQ(Legend({}, 400, 2, metrics).height(), 0);
}

TEST(Legend, NothingTouchesAndNothingIsCut) {
  for (const int width : {120, 200, 400, 900})
    for (const int count : {1, 3, 8, 20})
      EXPECT_EQ(testing::collision(drawn(entries(count), width, 2), QRectF(0, 0, width, 100))
                    .toStdString(),
                "")
          << width << ' ' << count;
}

TEST(Legend, SaysWhenSomethingIsLeftOut) {
  EXPECT_TRUE(drawn(entries(20), 300, 2).words().contains("…"));
  EXPECT_FALSE(drawn(entries(3), 900, 2).words().contains("…"));
}

TEST(Legend, ALongNameIsShortened) {
  const auto recorder = drawn({{QString(300, 'n'), Qt::blue, Sample::line, Qt::NoBrush}}, 300, 2);
  ASSERT_EQ(recorder.texts.size(), 1U);
  EXPECT_TRUE(recorder.texts[0].text.endsWith("…"));
  EXPECT_LE(recorder.texts[0].place.right(), 300);
}

}  // namespace
}  // namespace mpm::gui
