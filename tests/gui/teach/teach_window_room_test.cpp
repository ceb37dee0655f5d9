// SPDX-License-Identifier: Apache-2.0
// What there is room for in the window.
#include <QCoreApplication>
#include <QEvent>
#include <QLocale>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <string>
#include <vector>

#include "gui/teach/teach_window_case.h"

namespace mpm::gui {
namespace {

TEST_F(TeachWindowTest, FitsOnItsScreen) {
  const QSize room = window_->screen()->availableSize();
  EXPECT_LE(window_->width(), room.width());
  EXPECT_LE(window_->height(), room.height());
}

// Seen: a list of ten of them with a scroll bar, above a panel that was empty.
TEST_F(TeachWindowTest, TwelveClassesAreSeenAtOnce) {
  std::vector<PaintClass> classes;
  for (int i = 0; i < 12; ++i) classes.push_back({QString("class %1").arg(i), Qt::red});
  emit window_->classes()->wanted(classes);
  for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
    window_->resize(size);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    const ClassList& list = *window_->classes();
    EXPECT_TRUE(waitFor([&] { return list.verticalScrollBar()->maximum() == 0; })) << size.width();
    EXPECT_EQ(list.count(), 12);
  }
}

TEST_F(TeachWindowTest, Of150ClassesAsManyAreSeenAsThereIsRoomFor) {
  std::vector<PaintClass> classes;
  for (int i = 0; i < 150; ++i) classes.push_back({QString("class %1").arg(i), Qt::red});
  const QSize size(900, 600);
  window_->resize(size);
  emit window_->classes()->wanted(classes);
  const ClassList& list = *window_->classes();
  ASSERT_EQ(list.count(), 150);
  EXPECT_TRUE(waitFor([&] { return list.verticalScrollBar()->maximum() > 0; }));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  EXPECT_EQ(window_->size(), size);
  for (const auto* button : window_->findChildren<QPushButton*>()) {
    const QRect place(button->mapTo(window_.get(), QPoint(0, 0)), button->size());
    EXPECT_TRUE(window_->rect().contains(place)) << qPrintable(button->text());
    EXPECT_GE(button->height(), button->minimumSizeHint().height()) << qPrintable(button->text());
  }
  window_->classes()->choose(149);
  EXPECT_TRUE(list.viewport()->rect().contains(list.visualItemRect(list.item(149))));
}

TEST_F(TeachWindowTest, AFramesTimeIsSeenToTheSecondWhereDatesAreLong) {
  QLocale::setDefault(QLocale(QLocale::French, QLocale::France));
  number_ = 0;
  window_->takeFrame();
  const auto* frames = window_->findChild<FrameList*>();
  const QListWidgetItem* frame = frames->item(0);
  EXPECT_TRUE(waitFor([&] { return frame->text().contains('%'); }));
  for (const QString& line : frame->text().split('\n')) {
    EXPECT_LE(frames->fontMetrics().horizontalAdvance(line), frames->iconSize().width())
        << line.toStdString();
  }
  QLocale::setDefault(QLocale::c());
}

}  // namespace
}  // namespace mpm::gui
