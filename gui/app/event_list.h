// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QImage>
#include <QLocale>
#include <QStandardItemModel>
#include <algorithm>

#include "gui/app/event_words.h"
#include "gui/plot/time_axis.h"

namespace mpm::gui {

/// What happened, the newest first, to the second, with a small picture of it where there is one;
/// older ones than the last thousand are in the record.
class EventList : public QStandardItemModel {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{84, 56};

  struct Entry {
    QString kind, name, text;  ///< as monitor::Event has them
    qint64 utcMs = 0;
    QImage picture{};
    bool isOfSource = true;  ///< not of the app itself, nor of one beside
    QString beside{};        ///< the address of the source beside that it happened at; else empty
  };

  explicit EventList(QObject* parent = nullptr) : QStandardItemModel(parent) {
    setHorizontalHeaderLabels({tr("Time"), tr("About"), tr("What happened")});
  }

  /// In front of all others.
  void add(const Entry& entry) {
    insertRow(0, itemsOf(entry));
    if (rowCount() > kMost) removeRow(kMost);
    if (rowCount() > kMostPictures) setPicture(kMostPictures, {});
  }

  /// Behind those that are there: what was before them, the newest first.
  void addOlder(const QList<Entry>& entries) {
    for (const Entry& entry : entries) {
      if (rowCount() >= kMost) return;
      appendRow(itemsOf(entry));
      if (rowCount() > kMostPictures) setPicture(rowCount() - 1, {});
    }
  }

  /// Of the source; what the app said stays.
  void forgetSource() {
    for (int row = rowCount() - 1; row >= 0; --row)
      if (entry(row).isOfSource) removeRow(row);
  }

  /// A picture that was taken then, for what lately happened and has none.
  bool wantsPicture(qint64 utcMs) const { return rowFor(utcMs) >= 0; }
  void addPicture(qint64 utcMs, const QImage& picture) {
    for (int row = rowFor(utcMs); row >= 0; row = rowFor(utcMs)) setPicture(row, picture);
  }

  Entry entry(int row) const {
    const QStandardItem& first = *item(row);
    return {first.data(kKindRole).toString(),
            first.data(kNameRole).toString(),
            first.data(kTextRole).toString(),
            first.data(kTimeRole).toLongLong(),
            first.data(Qt::DecorationRole).value<QImage>(),
            first.data(kOfSourceRole).toBool(),
            first.data(kBesideRole).toString()};
  }

 private:
  static constexpr int kMost = 1000, kMostPictures = 200, kLately = 20;
  static constexpr qint64 kNearMs = 2000;  // a picture shows what happened until then
  enum Role {
    kTimeRole = Qt::UserRole + 1,
    kKindRole,
    kNameRole,
    kTextRole,
    kOfSourceRole,
    kBesideRole
  };

  static QList<QStandardItem*> itemsOf(const Entry& entry) {
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(entry.utcMs);
    const QString time = QLocale().toString(at.date(), QLocale::ShortFormat) + QLatin1Char('\n') +
                         clockText(at.time(), true, QLocale());
    QList<QStandardItem*> row;
    for (const QString& words : {time, kindWord(entry.kind), eventSentence(entry.text)}) {
      row << new QStandardItem(words);
      row.back()->setEditable(false);
      row.back()->setToolTip(words);
    }
    row[0]->setData(entry.utcMs, kTimeRole);
    row[0]->setData(entry.kind, kKindRole);
    row[0]->setData(entry.name, kNameRole);
    row[0]->setData(entry.text, kTextRole);
    row[0]->setData(entry.isOfSource, kOfSourceRole);
    row[0]->setData(entry.beside, kBesideRole);
    if (!entry.picture.isNull()) row[0]->setData(entry.picture, Qt::DecorationRole);
    return row;
  }

  void setPicture(int row, const QImage& picture) {
    item(row)->setData(picture.isNull() ? QVariant() : QVariant(picture), Qt::DecorationRole);
  }

  int rowFor(qint64 utcMs) const {
    for (int row = 0; row < std::min(rowCount(), kLately); ++row) {
      const QStandardItem& first = *item(row);
      const qint64 apart = utcMs - first.data(kTimeRole).toLongLong();
      if (first.data(kOfSourceRole).toBool() && !first.data(Qt::DecorationRole).isValid() &&
          apart >= 0 && apart <= kNearMs)
        return row;
    }
    return -1;
  }
};

}  // namespace mpm::gui
