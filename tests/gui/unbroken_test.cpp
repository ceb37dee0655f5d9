// SPDX-License-Identifier: Apache-2.0
#include "gui/unbroken.h"

#include <gtest/gtest.h>

#include <QtWidgets>

namespace mpm::gui {
namespace {

// Returns the text with its possible line breaks.
QString lines(const QString& words) {
  return unbroken(words).replace(QChar(QChar::Nbsp), QLatin1Char('_'));
}

TEST(Unbroken, ANumberStaysWithItsUnit) {
  EXPECT_EQ(lines("compared 7 s ago"), "compared 7_s ago");
  EXPECT_EQ(lines("2 min 10 s"), "2_min 10_s");
  EXPECT_EQ(lines("0.5 ms, 12 m²"), "0.5_ms, 12_m²");
  EXPECT_EQ(lines("99,5 % der Pixel"), "99,5_% der Pixel");
  EXPECT_EQ(lines(QStringLiteral("il y a 3 j et 4 h")), "il y a 3_j et 4_h");
}

TEST(Unbroken, WordsMayStandInDifferentLines) {
  const QString words = "631 tokens for 1024 patches, above 0.25 for 5 hours, of 512 x 512";
  EXPECT_EQ(lines(words), words);
  EXPECT_EQ(unbroken({}), QString());
}

TEST(Breakable, OnlyWhatIsLongerThanAnyWordMayEndInTheMiddle) {
  const QString letters(100, 'x');
  EXPECT_EQ(breakable("/videos/" + letters + ".mp4: no such file").count(QChar(0x200b)), 2);
  EXPECT_EQ(breakable("/videos/" + letters + ".mp4").remove(QChar(0x200b)),
            "/videos/" + letters + ".mp4");
  const QString words =
      "Zusammenführungsgeschwindigkeitsmessung /a/path/of/many/folders/that/is/long";
  EXPECT_EQ(breakable(words), words);
}

}  // namespace
}  // namespace mpm::gui
