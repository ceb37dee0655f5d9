// SPDX-License-Identifier: Apache-2.0
// What the window says of one camera and not of another.
#include <gtest/gtest.h>

#include <QLabel>

#include "gui/app/main_window_actions.h"

namespace mpm::gui {
namespace {

/// Beside the drawn street a camera that never sends a picture.
class CameraWithoutPictures : public Actions {
 protected:
  CameraWithoutPictures() : Actions(QStringList{"/dev/video99"}) {}
  bool isBeside() {
    return waitFor([&] {
      return window_.live().engine() && window_.wall()->view(0)->result() &&
             window_.wall()->view(1)->isVisible();
    });
  }
  void look(int source) {
    ASSERT_TRUE(hands::click(window_.wall()->view(source)));
    ASSERT_EQ(window_.live().shown(), static_cast<std::size_t>(source));
  }
};

// Seen: the status line kept the comparison of the camera before.
TEST_F(CameraWithoutPictures, IsNotComparedWithFullTokens) {
  ASSERT_TRUE(isBeside());
  ASSERT_TRUE(hands::press(window_, QKeySequence("Ctrl+T")));
  const auto compares = [&] {
    for (const QLabel* label : window_.statusBar()->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith("This frame: ")) return true;
    return false;
  };
  ASSERT_TRUE(waitFor(compares));
  look(1);
  EXPECT_FALSE(compares());
}

// Seen: its age, tokens and share were those of the camera before, with a warning.
TEST_F(CameraWithoutPictures, HasNoFiguresOfPerformance) {
  ASSERT_TRUE(isBeside());
  const PerformancePanel& panel = *window_.performance();
  const QString unknown = QString::fromUtf8("–");
  ASSERT_TRUE(waitFor([&] {
    return panel.age()->figure() != unknown && panel.tokens()->figure() != unknown &&
           panel.share()->figure() != unknown && panel.rate()->figure() != unknown;
  }));
  look(1);
  for (const FigureTile* tile : {panel.age(), panel.tokens(), panel.share(), panel.rate()}) {
    EXPECT_EQ(tile->figure(), unknown) << qPrintable(tile->accessibleName());
    EXPECT_EQ(tile->note(), QString()) << qPrintable(tile->accessibleName());
  }
  EXPECT_TRUE(waitFor([&] { return panel.rate()->figure() != unknown; })) << "none a second";
  EXPECT_EQ(panel.age()->figure(), unknown);
  EXPECT_EQ(panel.tokens()->figure(), unknown);
}

}  // namespace
}  // namespace mpm::gui
