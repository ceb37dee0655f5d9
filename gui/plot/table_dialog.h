// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QTableView>

#include "gui/plot/plot.h"

namespace mpm::gui {

/// What a plot shows, as a table that follows it. Ends with the plot.
class TableDialog : public QDialog {
  Q_OBJECT

 public:
  explicit TableDialog(Plot* plot);

  QTableView* table() const { return table_; }

 private:
  void copy() const;  ///< as CSV to the clipboard

  Plot* plot_;
  QTableView* table_;
};

}  // namespace mpm::gui
