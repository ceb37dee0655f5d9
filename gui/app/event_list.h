// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QLocale>
#include <QStandardItemModel>

namespace mpm::gui {

/// What happened, the newest first; older ones than the last thousand are in the record.
class EventList : public QStandardItemModel {
  Q_OBJECT

 public:
  explicit EventList(QObject* parent = nullptr) : QStandardItemModel(parent) {
    setHorizontalHeaderLabels({tr("Time"), tr("About"), tr("What happened")});
  }

  void add(const QString& kind, const QString& text, qint64 utcMs) {
    constexpr int kMost = 1000;
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(utcMs);
    QList<QStandardItem*> row;
    for (const QString& words : {QLocale().toString(at, QLocale::ShortFormat), kind, text}) {
      row << new QStandardItem(words);
      row.back()->setEditable(false);
    }
    insertRow(0, row);
    if (rowCount() > kMost) removeRow(kMost);
  }
};

}  // namespace mpm::gui
