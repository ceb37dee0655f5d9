// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QEvent>
#include <QFrame>
#include <QLayout>
#include <QMainWindow>
#include <QResizeEvent>
#include <QScrollArea>
#include <QWidget>
#include <algorithm>

namespace mpm::gui {

/// Holds a panel below the views, at least as high as its content needs. In a window without room
/// for that next to the minimum of everything else, it scrolls.
class PanelArea : public QScrollArea {
 public:
  explicit PanelArea(QWidget* content) {
    setWidget(content);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
  }

  QSize minimumSizeHint() const override {
    const int least = leastHeight(width());
    int room = window()->height();
    if (const auto* main = qobject_cast<const QMainWindow*>(window()))  // or it floats
      room -= main->centralWidget()->minimumSizeHint().height() +
              kLinesOfOthers * fontMetrics().height();
    // Otherwise the window could never be made lower.
    if (least > room) room -= kLinesToLower * fontMetrics().height();
    return {QScrollArea::minimumSizeHint().width(), std::min(least, std::max(room, kLeast))};
  }

 protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::Show) {
      window()->installEventFilter(this);  // or as what it floats
      if (const auto* main = qobject_cast<const QMainWindow*>(window()))
        main->centralWidget()->installEventFilter(this);
    }
    return QScrollArea::event(event);
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == window() && event->type() == QEvent::Resize) updateGeometry();
    const bool isLaidOut = event->type() == QEvent::LayoutRequest;
    const bool isOther = isLaidOut && watched == widget();
    if (isLaidOut && !isOther && watched != window()) giveRoom();
    const bool taken = QScrollArea::eventFilter(watched, event);
    if (isOther) fit();
    return taken;
  }
  void resizeEvent(QResizeEvent* event) override {
    fit();
    QScrollArea::resizeEvent(event);
  }

 private:
  static constexpr int kLeast = 60;
  // Measured in lines of text.
  static constexpr int kLinesOfOthers = 9;  // menu, bars, titles and tabs of panels
  static constexpr int kLinesToLower = 5;   // a window, at once

  // Returns the minimum height; wrapped text makes it higher in a narrow window.
  int leastHeight(int width) const {
    const QLayout* layout = widget()->layout();
    return layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                                       : widget()->minimumSizeHint().height();
  }
  // Makes room for views that need more before the window is laid out, which would grow.
  void giveRoom() {
    updateGeometry();
    if (QLayout* dock = parentWidget()->layout()) dock->activate();
  }
  // QScrollArea scrolls as soon as wrapped text has less than its preferred height.
  void fit() {
    const QSize room = viewport()->size();
    const int width = std::max(room.width(), widget()->minimumSizeHint().width());
    widget()->resize(width, std::max(room.height(), leastHeight(width)));
    updateGeometry();
  }
};

}  // namespace mpm::gui
