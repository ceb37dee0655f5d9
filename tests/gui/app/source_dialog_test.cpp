// SPDX-License-Identifier: Apache-2.0
#include "gui/app/source_dialog.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>
#include <algorithm>

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

TEST_F(SourceDialogTest, WhatIsChosenIsShownBeforeItIsOpened) {
  SourceDialog dialog("", {"scene:?size=160x120&seed=3", "/nowhere/video.mp4"});
  dialog.show();
  auto* list = dialog.findChild<QListWidget*>();
  const auto choose = [&](const QString& words) {
    for (int i = 0; i < list->count(); ++i)
      if (list->item(i)->text().contains(words))
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(list->item(i)).center());
  };
  const auto label = [&](const auto& holds) {
    const auto labels = dialog.findChildren<QLabel*>();
    return QTest::qWaitFor([&] { return std::any_of(labels.begin(), labels.end(), holds); }, 60000);
  };
  choose("seed=3");
  EXPECT_TRUE(label([](const QLabel* one) { return one->pixmap().width() == 160; }));
  choose("nowhere");
  EXPECT_TRUE(label([](const QLabel* one) {
    return one->text().contains("/nowhere/video.mp4") && one->text().size() > 30;
  })) << "the source's own sentence";
}

TEST_F(SourceDialogTest, WhatIsWatchedIsShownWithoutOpeningItOnceMore) {
  const cv::Mat picture(60, 80, CV_8UC3, cv::Scalar(200, 100, 50));
  dialog_.setWatched(picture, 12.5);
  EXPECT_TRUE(says("It is watched now. Pictures of 80 x 60"));
  type("scene:?seed=2");
  EXPECT_FALSE(dialog_.findChildren<QLabel*>().isEmpty());
  for (const QLabel* one : dialog_.findChildren<QLabel*>()) EXPECT_TRUE(one->pixmap().isNull());
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
