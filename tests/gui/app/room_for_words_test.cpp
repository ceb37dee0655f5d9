// SPDX-License-Identifier: Apache-2.0
// What looks for words that are cut off, or not translated, finds them.
#include "gui/app/room_for_words.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QStatusBar>

#include "gui/app/translated_window.h"
#include "gui/plot/figure_tile.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

using testing::clash;
using testing::cut;
using testing::elided;
using testing::lines;
using testing::Unanswered;

TEST(RoomForWords, WaitForTheLayout) {
  QStatusBar bar;
  auto* label = new QLabel("a", &bar);
  bar.addPermanentWidget(label);
  bar.resize(400, 30);
  bar.show();
  ASSERT_TRUE(waitForExposed(&bar));
  label->setText("Words that came with this frame");
  EXPECT_EQ(lines(cut(bar)), "");
}

TEST(RoomForWords, SeeWhatIsWrong) {
  EXPECT_EQ(clash({"&Open", "&Other"}), "&Open and &Other");
  EXPECT_EQ(clash({"&Open", "O&ther", "Neither"}), QString());
  QWidget window;
  window.resize(300, 200);
  QPushButton button("A long word", &window);
  button.setFixedWidth(10);
  window.show();
  EXPECT_EQ(cut(window).size(), 1);
  FigureTile tile("A title that is longer than any tile of this size", &window);
  tile.resize(90, 90);
  tile.show();
  EXPECT_EQ(elided(window).size(), 1);
  Unanswered unanswered;
  QCoreApplication::installTranslator(&unanswered);
  QCoreApplication::translate("mpm::gui::Somewhere", "Words that nobody translated");
  QCoreApplication::removeTranslator(&unanswered);
  EXPECT_EQ(unanswered.list.size(), 1);
}

}  // namespace
}  // namespace mpm::gui
