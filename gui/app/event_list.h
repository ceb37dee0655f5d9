// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <deque>

namespace mpm::gui {

/// What happened, the newest first; older ones than the last thousand are in the record.
class EventList : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void add(const QString& kind, const QString& text, qint64 utcMs);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Entry {
    QString kind, text;
    qint64 utcMs = 0;
  };
  std::deque<Entry> entries_;
};

}  // namespace mpm::gui
