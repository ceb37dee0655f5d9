// SPDX-License-Identifier: Apache-2.0
#include "gui/app/source_dialog.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

namespace mpm::gui {
namespace {

class SourceDialogTest : public testing::Test {
 protected:
  SourceDialogTest() : dialog_("scene:", {"rtsp://user:topsecret@camera/s"}) { dialog_.show(); }

  QPushButton* button(const QString& text) {
    for (auto* one : dialog_.findChildren<QPushButton*>()) {
      if (QString(one->text()).remove('&') == text) return one;
    }
    return nullptr;
  }
  void type(const QString& address) { dialog_.findChild<QLineEdit*>()->setText(address); }
  bool says(const QString& words) {
    return QTest::qWaitFor(
        [&] {
          for (const QLabel* label : dialog_.findChildren<QLabel*>()) {
            if (label->text().contains(words)) return true;
          }
          return false;
        },
        60000);
  }

  SourceDialog dialog_;
};

TEST_F(SourceDialogTest, AnAddressThatIsNoneCannotBeTestedOrOpened) {
  type("scene:?seed=banana");
  EXPECT_TRUE(says("banana"));
  EXPECT_FALSE(button("Test")->isEnabled());
  type("");
  EXPECT_FALSE(button("Test")->isEnabled());
  type("scene:");
  EXPECT_TRUE(button("Test")->isEnabled());
}

TEST_F(SourceDialogTest, ATestTellsWhatComes) {
  type("scene:?size=160x120");
  button("Test")->click();
  EXPECT_TRUE(says("160 x 120"));
  EXPECT_NE(button("Test"), nullptr);
}

TEST_F(SourceDialogTest, ATestThatFailsSaysWhy) {
  type("/nowhere/video.mp4");
  button("Test")->click();
  EXPECT_TRUE(says("/nowhere/video.mp4"));
}

TEST_F(SourceDialogTest, ATestCanBeStopped) {
  type("rtsp://127.0.0.1:9/stream");
  button("Test")->click();
  ASSERT_NE(button("Stop"), nullptr);
  button("Stop")->click();
  EXPECT_TRUE(says("Stopped."));
}

TEST_F(SourceDialogTest, WhatWasWatchedIsListedWithoutItsSecret) {
  const auto* list = dialog_.findChild<QListWidget*>();
  bool found = false;
  for (int i = 0; i < list->count(); ++i) {
    EXPECT_FALSE(list->item(i)->text().contains("topsecret"));
    found = found || list->item(i)->text().contains("camera/s");
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace mpm::gui
