// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gui/plot/plot.h"

namespace mpm::gui {

/// Steps that follow each other, such as the layers of a network: a column for each, in their
/// order, with its milliseconds where there is room. Some stand apart, in a colour of their own,
/// and the headline tells what these take together.
class StepColumns : public Plot {
  Q_OBJECT

 public:
  struct Column {
    QString title;       ///< "Block 3": for the table and the tool tip
    QString mark;        ///< "3": below the column
    double ms = 0;       ///< not finite or negative: not known
    bool apart = false;  ///< in the other colour
  };

  explicit StepColumns(QWidget* parent = nullptr);

  void setColumns(std::vector<Column> columns);
  void setWords(const QString& all, const QString& apart);  ///< "Network", "Merges"

  double totalMs() const;  ///< of all that are known
  double apartMs() const;

  bool exportCsv(QIODevice& device) const override;
  QString summary() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void draw(QPainter& painter, QSize size) const override;
  PlotTable::Contents contents() const override;
  bool event(QEvent* event) override;

 private:
  QRect plotArea(QSize size, const QFontMetrics& metrics) const;
  QRect slotOf(std::size_t column, const QRect& area) const;
  void drawHead(QPainter& painter, QSize size) const;
  void drawColumn(QPainter& painter, const Column& column, const QRect& slot, double longest) const;
  void drawMark(QPainter& painter, const Column& column, const QRect& slot) const;
  QString msText(double ms) const;
  QString shareText(double ms) const;

  std::vector<Column> columns_;
  QString all_, apart_;
};

}  // namespace mpm::gui
