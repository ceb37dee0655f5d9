// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QImage>
#include <QLocale>
#include <QMap>
#include <QStandardItemModel>
#include <algorithm>

#include "gui/app/wording.h"
#include "gui/plot/axes.h"

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
    QString source{};  ///< the address of the one that it happened at; empty: the app itself
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

  /// Among those that are there, by their time: of one source, the newest first.
  void addOlder(const QList<Entry>& entries) {
    int row = 0;
    for (const Entry& entry : entries) {
      while (row < rowCount() && item(row)->data(kTimeRole).toLongLong() >= entry.utcMs) ++row;
      if (row >= kMost) break;
      insertRow(row, itemsOf(entry));
    }
    if (rowCount() > kMost) removeRows(kMost, rowCount() - kMost);
    for (row = kMostPictures; row < rowCount(); ++row) setPicture(row, {});
  }

  void forget(const QString& source) {
    for (int row = rowCount() - 1; row >= 0; --row)
      if (entry(row).source == source) removeRow(row);
  }

  /// What sources are called, by their addresses, in front of what happened at them; the others'
  /// are not named.
  void setNames(const QMap<QString, QString>& names) {
    if (names == names_) return;
    names_ = names;
    for (int row = 0; row < rowCount(); ++row) {
      const QString words = wordsOf(entry(row));
      item(row, 2)->setText(words);
      item(row, 2)->setToolTip(words);
    }
  }

  /// A picture that a source took then, for what lately happened at it and has none.
  bool wantsPicture(const QString& source, qint64 utcMs) const {
    return rowFor(source, utcMs) >= 0;
  }
  void addPicture(const QString& source, qint64 utcMs, const QImage& picture) {
    for (int row = rowFor(source, utcMs); row >= 0; row = rowFor(source, utcMs))
      setPicture(row, picture);
  }

  Entry entry(int row) const {
    const QStandardItem& first = *item(row);
    return {first.data(kKindRole).toString(),
            first.data(kNameRole).toString(),
            first.data(kTextRole).toString(),
            first.data(kTimeRole).toLongLong(),
            first.data(Qt::DecorationRole).value<QImage>(),
            first.data(kSourceRole).toString()};
  }

 private:
  static constexpr int kMost = 1000, kMostPictures = 200, kLately = 20;
  static constexpr qint64 kNearMs = 2000;  // a picture shows what happened until then
  enum Role { kTimeRole = Qt::UserRole + 1, kKindRole, kNameRole, kTextRole, kSourceRole };

  QString wordsOf(const Entry& entry) const {
    const QString sentence = eventSentence(entry.text);
    const QString name = names_.value(entry.source);
    return name.isEmpty() ? sentence : tr("%1: %2").arg(name, sentence);
  }

  QList<QStandardItem*> itemsOf(const Entry& entry) const {
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(entry.utcMs);
    const QString time = QLocale().toString(at.date(), QLocale::ShortFormat) + QLatin1Char('\n') +
                         clockText(at.time(), true, QLocale());
    QList<QStandardItem*> row;
    for (const QString& words : {time, kindWord(entry.kind), wordsOf(entry)}) {
      row << new QStandardItem(words);
      row.back()->setEditable(false);
      row.back()->setToolTip(words);
    }
    row[0]->setData(entry.utcMs, kTimeRole);
    row[0]->setData(entry.kind, kKindRole);
    row[0]->setData(entry.name, kNameRole);
    row[0]->setData(entry.text, kTextRole);
    row[0]->setData(entry.source, kSourceRole);
    if (!entry.picture.isNull()) row[0]->setData(entry.picture, Qt::DecorationRole);
    return row;
  }

  void setPicture(int row, const QImage& picture) {
    item(row)->setData(picture.isNull() ? QVariant() : QVariant(picture), Qt::DecorationRole);
  }

  int rowFor(const QString& source, qint64 utcMs) const {
    for (int row = 0; row < std::min(rowCount(), kLately); ++row) {
      const QStandardItem& first = *item(row);
      const qint64 apart = utcMs - first.data(kTimeRole).toLongLong();
      if (first.data(kSourceRole).toString() == source &&
          !first.data(Qt::DecorationRole).isValid() && apart >= 0 && apart <= kNearMs)
        return row;
    }
    return -1;
  }

  QMap<QString, QString> names_;
};

}  // namespace mpm::gui
