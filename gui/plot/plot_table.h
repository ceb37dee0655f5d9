// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace mpm::gui {

/// What a plot shows, as a table. Rows have keys: those that stay while the plot moves on stay
/// where a reader is, and only what is new or gone is told.
class PlotTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  using Key = std::array<qint64, 3>;

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

  static Contents contentsOf(QStringList headers, std::vector<Row> rows) {
    Contents made{std::move(headers), {}, {}};
    for (const Row& row : rows) made.rows.push_back(row.key);
    made.cell = [rows = std::move(rows)](int row, int column) {
      return rows[static_cast<std::size_t>(row)].cells[static_cast<std::size_t>(column)];
    };
    return made;
  }

  static constexpr int kValueRole = Qt::UserRole;  ///< Cell::value

  using QAbstractTableModel::QAbstractTableModel;

  void show(Contents contents) {
    const std::vector<Key>& before = contents_.rows;
    const std::vector<Key>& after = contents.rows;
    if (contents.headers != contents_.headers || before.empty() || after.empty()) {
      replace(std::move(contents));
      return;
    }
    // Where the one begins in the other, and how far they go together.
    auto old = std::find(before.begin(), before.end(), after.front());
    auto fresh = after.begin();
    if (old == before.end()) {
      old = before.begin();
      fresh = std::find(after.begin(), after.end(), before.front());
    }
    const auto ends = std::mismatch(old, before.end(), fresh, after.end());
    const int stay = static_cast<int>(ends.first - old);
    if (stay == 0) {
      replace(std::move(contents));
      return;
    }
    const int gone = static_cast<int>(old - before.begin());
    const int ahead = static_cast<int>(fresh - after.begin());
    const int total = static_cast<int>(after.size());
    if (gone > 0) {
      beginRemoveRows({}, 0, gone - 1);
      first_ = gone;
      count_ -= gone;
      endRemoveRows();
    }
    if (count_ > stay) {
      beginRemoveRows({}, stay, count_ - 1);
      count_ = stay;
      endRemoveRows();
    }
    contents_ = std::move(contents);
    first_ = ahead;
    emit dataChanged(index(0, 0), index(stay - 1, columnCount() - 1));
    if (ahead + stay < total) {
      beginInsertRows({}, stay, total - ahead - 1);
      count_ = total - ahead;
      endInsertRows();
    }
    if (ahead > 0) {
      beginInsertRows({}, 0, ahead - 1);
      first_ = 0;
      count_ = total;
      endInsertRows();
    }
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : count_;
  }

  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(contents_.headers.size());
  }

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    if (role != Qt::DisplayRole && role != kValueRole && role != Qt::TextAlignmentRole) return {};
    const Cell cell = contents_.cell(first_ + index.row(), index.column());
    if (role == Qt::DisplayRole) return cell.text;
    if (role == kValueRole) return cell.value;
    const Qt::Alignment side = cell.value.isValid() ? Qt::AlignRight : Qt::AlignLeft;
    return QVariant::fromValue(side | Qt::AlignVCenter);
  }

  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 ||
        section >= columnCount())
      return QAbstractTableModel::headerData(section, orientation, role);
    return contents_.headers.at(section);
  }

 private:
  void replace(Contents contents) {
    beginResetModel();
    contents_ = std::move(contents);
    first_ = 0;
    count_ = static_cast<int>(contents_.rows.size());
    endResetModel();
  }

  Contents contents_;
  // While rows come and go: which of `contents_` are told of.
  int first_ = 0, count_ = 0;
};

/// A view of whole rows, which Tab leads out of. Its last column takes what room is left.
inline QTableView* viewOfRows(QAbstractItemModel* model, const QString& accessibleName) {
  auto* view = new QTableView;
  view->setModel(model);
  view->setAccessibleName(accessibleName);
  view->setTabKeyNavigation(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->verticalHeader()->hide();
  view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view->horizontalHeader()->setStretchLastSection(true);
  return view;
}

}  // namespace mpm::gui
