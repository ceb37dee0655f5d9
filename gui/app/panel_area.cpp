// SPDX-License-Identifier: Apache-2.0
#include "gui/app/panel_area.h"

#include <QtWidgets>
#include <algorithm>

namespace mpm::gui {
namespace {

constexpr int kLeast = 60;
// Menu, bars and titles of panels, in lines of text.
constexpr int kLinesOfOthers = 14;

}  // namespace

PanelArea::PanelArea(QWidget* content) {
  setWidget(content);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);
}

QSize PanelArea::minimumSizeHint() const {
  int room = window()->height();
  if (const auto* main = qobject_cast<const QMainWindow*>(window()))  // or it floats
    room -=
        main->centralWidget()->minimumSizeHint().height() + kLinesOfOthers * fontMetrics().height();
  return {QScrollArea::minimumSizeHint().width(),
          std::min(leastHeight(width()), std::max(room, kLeast))};
}

bool PanelArea::event(QEvent* event) {
  if (event->type() == QEvent::Show) window()->installEventFilter(this);  // or as what it floats
  return QScrollArea::event(event);
}

bool PanelArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == window() && event->type() == QEvent::Resize) updateGeometry();
  const bool isOther = watched == widget() && event->type() == QEvent::LayoutRequest;
  const bool taken = QScrollArea::eventFilter(watched, event);
  if (isOther) fit();
  return taken;
}

void PanelArea::resizeEvent(QResizeEvent* event) {
  fit();
  QScrollArea::resizeEvent(event);
}

// Words that go over two lines make it higher in a narrow window.
int PanelArea::leastHeight(int width) const {
  const QLayout* layout = widget()->layout();
  return layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                                     : widget()->minimumSizeHint().height();
}

// QScrollArea itself scrolls where content with such words has less than it would like to have.
void PanelArea::fit() {
  const QSize room = viewport()->size();
  const int width = std::max(room.width(), widget()->minimumSizeHint().width());
  widget()->resize(width, std::max(room.height(), leastHeight(width)));
  updateGeometry();
}

}  // namespace mpm::gui
