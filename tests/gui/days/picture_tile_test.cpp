// SPDX-License-Identifier: Apache-2.0
#include "gui/days/picture_tile.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpm::gui {
namespace {

QImage plain(QSize size, const QColor& colour) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(colour);
  return image;
}

QSize sizeOfRed(PictureTile& tile) {
  const QImage image = tile.grab().toImage();
  QRect red;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (image.pixel(x, y) == qRgb(255, 0, 0)) red |= QRect(x, y, 1, 1);
  return red.size();
}

// Seen: one was 232 pixels wide and the one below it, which has a longer title, 205.
TEST(PictureTile, PicturesOfPeersAreOfOneSizeWhateverTheirTitles) {
  const QStringList titles{"L", "Where merging differs"};
  QSize sizes[2];
  for (const bool peers : {false, true}) {
    for (int i = 0; i < 2; ++i) {
      PictureTile tile(titles[i]);
      if (peers) tile.setPeers(titles);
      tile.resize(300, 180);
      tile.show(plain({64, 64}, Qt::red), "red");
      sizes[i] = sizeOfRed(tile);
    }
    EXPECT_EQ(sizes[0] == sizes[1], peers) << sizes[0].width() << ' ' << sizes[1].width();
  }
}

// Seen: of the lines of a merge map some were there and some were not.
TEST(PictureTile, NoFineLineIsLostWhereAPictureIsShrunk) {
  constexpr int kSide = 512, kCell = 16, kShown = 129;
  QImage image = plain({kSide, kSide}, Qt::white);
  for (int x = 0; x < kSide; x += kCell)
    for (int y = 0; y < kSide; ++y) image.setPixel(x, y, qRgb(0, 0, 0));
  PictureTile tile("L");
  tile.resize(400, kShown);
  tile.show(image, "lines");
  const QImage shown = tile.grab().toImage();
  const int left = (400 - kShown) / 2;
  for (int line = 1; line < kSide / kCell; ++line) {
    const int x = left + line * kCell * kShown / kSide;
    int darkest = 255;
    for (int near = x - 2; near <= x + 2; ++near)
      darkest = std::min(darkest, qGray(shown.pixel(near, kShown / 2)));
    EXPECT_LT(darkest, 235) << line;
  }
}

}  // namespace
}  // namespace mpm::gui
