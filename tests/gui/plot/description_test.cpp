// SPDX-License-Identifier: Apache-2.0
#include "gui/plot/description.h"

#include <gtest/gtest.h>

#include <QTimer>
#include <QWidget>

#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

TEST(Description, TheFirstSentenceIsSaidAtOnce) {
  QWidget widget;
  Description description(&widget);
  description.tell("One.");
  EXPECT_EQ(widget.accessibleDescription(), "One.");
}

TEST(Description, LaterOnesWaitAndTheLastIsSaid) {
  QWidget widget;
  Description description(&widget);
  description.tell("One.");
  for (const char* sentence : {"Two.", "Three.", "Four."}) {
    description.tell(sentence);
    EXPECT_EQ(widget.accessibleDescription(), "One.");
  }
  EXPECT_TRUE(waitFor([&] { return widget.accessibleDescription() == "Four."; }));
}

}  // namespace
}  // namespace mpm::gui
