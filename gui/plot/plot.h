// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <optional>

#include "gui/plot/description.h"
#include "gui/plot/plot_table.h"

namespace mpm::gui {

/// What all plots offer besides the drawing: the same data as a table, as CSV and as a picture,
/// and a sentence about it as the accessible description. Give a plot an accessible name.
/// Its context menu, and the key T, show the table in a window of its own, which ends with the
/// plot.
class Plot : public QWidget {
  Q_OBJECT

 public:
  /// `hint`, `least`: the size that it would have, and the least.
  Plot(QSize hint, QSize least, QWidget* parent = nullptr);

  /// What is shown, kept up to date (at most twice a second). It lives as long as the plot.
  QAbstractTableModel* table();
  QAction* tableAction() const { return tableAction_; }  ///< shows it in a window of its own

  /// What is shown, RFC 4180 in UTF-8: English headers, numbers with a point, times in UTC.
  /// `device` is open for writing; whether all of it was written.
  virtual bool exportCsv(QIODevice& device) const = 0;

  /// The plot alone, in this widget's palette and font, in `size` pixels; null of an empty size.
  QImage image(QSize size) const;

  /// One sentence: what there is to see.
  virtual QString summary() const = 0;

  QSize sizeHint() const override { return hint_; }
  QSize minimumSizeHint() const override { return least_; }

 protected:
  /// What the tool tip says, and within which rectangle it stays; empty: while the pointer rests.
  struct Hint {
    QString words;
    QRect place;
  };

  /// Everything but what follows the pointer, onto the palette's base.
  virtual void draw(QPainter& painter, QSize size) const = 0;
  /// What follows the pointer and the keyboard.
  virtual void drawOver(QPainter& painter) const;
  virtual std::optional<Hint> hintAt(QPoint place) const;
  virtual PlotTable::Contents contents() const = 0;

  /// The drawing is made again; with `dataToo` also table and description.
  void changed(bool dataToo = true);

  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void tellTable();
  void showTable();
  void copyTable() const;  // as CSV to the clipboard

  QSize hint_, least_;
  Description description_;
  PlotTable table_;
  QAction* tableAction_;
  bool tableWanted_ = false, tableOld_ = false;
  QTimer tableLater_;
  mutable QImage still_;
};

/// One sentence in the middle of an empty plot, in as many lines as it needs.
void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                  const QPalette& palette);

}  // namespace mpm::gui
