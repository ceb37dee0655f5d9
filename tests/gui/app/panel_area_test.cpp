// SPDX-License-Identifier: Apache-2.0
#include "gui/app/panel_area.h"

#include <gtest/gtest.h>

#include <QtWidgets>

#include "gui/app/room_for_words.h"
#include "gui/wait_for.h"

namespace mpm::gui {
namespace {

// A window with a picture, and a panel with words that go over two lines in a narrow one.
class PanelAreaTest : public ::testing::Test {
 protected:
  PanelAreaTest() {
    auto* words = new QLabel(QStringLiteral("It is said at length. ").repeated(9));
    words->setWordWrap(true);
    plot_->setMinimumHeight(140);
    auto* content = new QWidget;
    auto* panel = new QVBoxLayout(content);
    panel->addWidget(words);
    panel->addWidget(plot_, 1);
    area_ = new PanelArea(content);
    picture_->setMinimumHeight(80);
    auto* dock = new QDockWidget(QStringLiteral("A panel"));
    dock->setWidget(area_);
    window_.setCentralWidget(picture_);
    window_.addDockWidget(Qt::BottomDockWidgetArea, dock);
    window_.resize(900, 600);
    window_.show();
  }
  bool isWhole() const { return testing::hidden(window_).isEmpty(); }
  template <class Condition>
  void resize(QSize size, Condition isLaidOut) {
    window_.resize(size);
    ASSERT_TRUE(waitFor(isLaidOut)) << size.width() << " x " << size.height();
    EXPECT_EQ(window_.size(), size);
  }

  QMainWindow window_;
  QWidget* plot_ = new QPlainTextEdit;  // which would like to have more than it needs
  QWidget* picture_ = new QWidget;
  PanelArea* area_;
};

TEST_F(PanelAreaTest, HasWhatItsContentNeedsAtLeast) {
  for (const QSize size : {QSize(900, 600), QSize(500, 600), QSize(1600, 900), QSize(900, 600)}) {
    resize(size, [&] { return isWhole(); });
    EXPECT_EQ(plot_->visibleRegion().boundingRect(), plot_->rect()) << size.width();
  }
}

TEST_F(PanelAreaTest, ScrollsInALowWindow) {
  resize({900, 300}, [&] { return isWhole(); });  // as a window gets smaller by hand
  resize({900, 220}, [&] { return area_->verticalScrollBar()->maximum() > 0; });
  EXPECT_GE(picture_->height(), 80);
}

}  // namespace
}  // namespace mpm::gui
