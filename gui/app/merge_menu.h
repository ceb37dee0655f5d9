// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QToolBar>

#include "gui/app/watch.h"

namespace mpm::gui {

/// Which tokens merge, which stage of it is looked at, and the comparison with full tokens.
class MergeMenu : public QMenu {
  Q_OBJECT

 public:
  MergeMenu(Watch& watch, ViewDeck* deck, QWidget* parent);

  void addTo(QToolBar* bar);  ///< the line to write a schedule into, and the choice of a stage
  QAction* compare() const { return compare_; }

 private:
  void showSchedule();

  Watch& watch_;
  ViewDeck* deck_;
  QAction* compare_;
  QLineEdit* schedule_;
};

}  // namespace mpm::gui
