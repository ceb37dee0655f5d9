// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <QtWidgets>
#include <string>

#include "gui/plot/text_recorder.h"

namespace mpm::gui::testing {

/// A plot that shows a test all that it shows people: texts at some size, table, CSV.
template <class Kind>
class Opened : public Kind {
 public:
  using Kind::draw;
  using Kind::drawOver;
  using Kind::Kind;

  DrawnTexts drawn(QSize size) {
    this->resize(size);
    return recorded(size, [this](QPainter& painter) { draw(painter); });
  }
  QStringList words(QSize size) { return drawn(size).words(); }
  bool says(QSize size, const QString& sentence) {
    return words(size).join(' ').simplified().contains(sentence);
  }
  /// Returns cells with bars between them.
  std::string tableWords() {
    const QAbstractTableModel& table = *this->table();
    QStringList rows;
    for (int row = 0; row < table.rowCount(); ++row) {
      QStringList cells;
      for (int column = 0; column < table.columnCount(); ++column)
        cells << table.index(row, column).data().toString();
      rows << cells.join('|');
    }
    return rows.join('\n').toStdString();
  }
  /// Returns the lines of the CSV.
  QStringList csv() const {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    EXPECT_TRUE(this->exportCsv(buffer));
    return QString::fromUtf8(buffer.data()).split("\r\n");
  }
  void expectNoWordsTouch(const std::vector<QSize>& sizes) {
    for (const QSize size : sizes)
      EXPECT_EQ(collision(drawn(size), QRectF({0, 0}, size)).toStdString(), "")
          << size.width() << ' ' << size.height();
  }
};

}  // namespace mpm::gui::testing
