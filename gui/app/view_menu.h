// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QToolBar>

#include "gui/app/watch.h"

namespace mpm::gui {

/// What is shown and how: layouts and kinds of views, panels, outlines, opacity, zones and rules,
/// the language. Begins with what the settings remember, and keeps them up to date.
class ViewMenu : public QMenu {
  Q_OBJECT

 public:
  ViewMenu(Settings& settings, Watch& watch, ViewDeck* deck, QMainWindow* window);

  /// A panel of the window. Its action shows it and goes there; where it has the focus, closes it.
  QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area);
  void addTo(QToolBar* bar);  ///< the opacity

 signals:
  void said(const QString& sentence, bool bad);

 private:
  QAction* addSwitch(const QString& title, const QKeySequence& key, bool on = false);
  void addLayouts();
  void addKinds();
  void addZones();
  void addLanguages();
  void editRules();

  Settings& settings_;
  Watch& watch_;
  ViewDeck* deck_;
  QMainWindow* window_;
  QMenu* panels_;
};

}  // namespace mpm::gui
