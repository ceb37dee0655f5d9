// SPDX-License-Identifier: Apache-2.0
// What of a window somebody sees, by the name that it has there.
#pragma once

#include <QtWidgets>

#include "gui/app/events_panel.h"
#include "gui/app/history.h"
#include "gui/app/main_window.h"
#include "gui/app/options.h"
#include "gui/app/panels.h"
#include "gui/app/view_deck.h"
#include "gui/app/wall.h"
#include "gui/app/windows_beside.h"
#include "gui/canvas/class_legend.h"
#include "gui/canvas/frame_view.h"
#include "gui/days/days_window.h"
#include "gui/exhibition/exhibition_view.h"
#include "gui/plot/figure_tile.h"
#include "gui/plot/time_plot.h"
#include "gui/teach/teach_window.h"

namespace mpm::gui {

/// Finds a part of `in` by its accessible name; null if none.
template <typename Widget = QWidget>
Widget* named(const QWidget& in, const QString& name) {
  for (Widget* widget : in.findChildren<Widget*>())
    if (widget->accessibleName() == name) return widget;
  return nullptr;
}

inline FigureTile* tile(const QWidget& in, const QString& name) {
  return named<FigureTile>(in, name);
}

inline Strip* glanceStrip(const QWidget& in) {
  return dynamic_cast<Strip*>(named(in, QStringLiteral("What merging and the scene memory save")));
}
inline QWidget* headline(const QWidget& in) { return named(in, QStringLiteral("At a glance")); }
/// Returns the words of one of its three tiles.
inline QString headline(const QWidget& in, int place) {
  return headline(in)
      ->findChildren<QFrame*>(Qt::FindDirectChildrenOnly)[place]
      ->findChildren<QLabel*>()[1]
      ->toolTip();
}

/// Returns a dock's content.
inline QWidget* panel(const QWidget& window, const QString& dock) {
  QWidget* content = window.findChild<QDockWidget*>(dock)->widget();
  auto* scrolled = qobject_cast<QScrollArea*>(content);
  return scrolled != nullptr ? scrolled->widget() : content;
}

/// Returns the banner across the view, which says what has to be done.
inline QWidget* banner(const QWidget& window) {
  for (QPushButton* button : window.findChildren<QPushButton*>())
    if (button->text() == QStringLiteral("Choose another model")) return button->parentWidget();
  return nullptr;
}

}  // namespace mpm::gui
