// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenuBar>

#include "gui/app/live.h"

namespace mpm::gui {

/// The keys of all menus in `bar`, the report for whoever helps, and what this is.
class HelpMenu : public QMenu {
  Q_OBJECT

 public:
  HelpMenu(const Live& live, const QMenuBar* bar, QWidget* parent);

 signals:
  void said(const QString& sentence, bool bad);

 private:
  void showKeys(const QMenuBar& bar);
  void showAbout();
};

}  // namespace mpm::gui
