// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <functional>
#include <utility>
#include <vector>

namespace mpm::gui {

/// What a plot shows, as a table. Rows have keys: those that stay while the plot moves on stay
/// where a reader is, and only what is new or gone is told.
class PlotTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  using Key = std::pair<qint64, qint64>;
  struct Cell {
    QString text;    ///< for people, in their language
    QVariant value;  ///< the same as a number, where it is one
  };
  struct Contents {
    QStringList headers;
    std::vector<Key> rows;
    std::function<Cell(int row, int column)> cell;  ///< owns, or shares, whatever it needs
  };
  struct Row {
    Key key;
    std::vector<Cell> cells;
  };
  static Contents contentsOf(QStringList headers, std::vector<Row> rows);
  static constexpr int kValueRole = Qt::UserRole;  ///< Cell::value

  using QAbstractTableModel::QAbstractTableModel;

  void show(Contents contents);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  void replace(Contents contents);

  Contents contents_;
  // While rows come and go: which of `contents_` are told of.
  int first_ = 0, count_ = 0;
};

/// A view of whole rows, which Tab leads out of. Its last column takes what room is left.
QTableView* viewOfRows(QAbstractItemModel* model, const QString& accessibleName);

}  // namespace mpm::gui
