// SPDX-License-Identifier: Apache-2.0
#include "gui/app/event_list.h"

#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>

#include "gui/app/wording.h"
#include "gui/plot/axes.h"

namespace mpm::gui {

namespace {

// As monitor::beganText begins.
QString beginningOf(const EventList::Entry& event) {
  return QStringLiteral("Rule '%1' began: ").arg(event.name);
}

// A triangle on a dark disk, on the picture or, without one, on black.
QImage withPlaySign(QImage picture) {
  if (picture.isNull()) {
    picture = QImage(EventList::kPictureSize, QImage::Format_RGB32);
    picture.fill(Qt::black);
  }
  picture = picture.convertToFormat(QImage::Format_RGB32);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const QPointF middle = QRectF(picture.rect()).center();
  const double radius = picture.height() / 4.0;
  painter.setBrush(QColor(0, 0, 0, 150));
  painter.drawEllipse(middle, radius, radius);
  painter.setBrush(Qt::white);
  painter.drawPolygon(QPolygonF({middle + QPointF(-radius * 0.35, -radius * 0.55),
                                 middle + QPointF(-radius * 0.35, radius * 0.55),
                                 middle + QPointF(radius * 0.6, 0)}));
  return picture;
}

}  // namespace

bool EventList::Entry::isAlert() const {
  return kind == QLatin1String("rule") && text.startsWith(beginningOf(*this));
}

QString EventList::Entry::reason() const {
  return isAlert() ? text.mid(beginningOf(*this).size()) : text;
}

EventList::EventList(QObject* parent) : QStandardItemModel(parent) {
  setHorizontalHeaderLabels({tr("Time"), tr("About"), tr("What happened")});
}

void EventList::add(const Entry& entry) {
  insertRow(0, itemsOf(entry));
  if (rowCount() > kMost) removeRow(kMost);
  if (rowCount() > kMostPictures) setPicture(kMostPictures, {});
}

void EventList::addOlder(const QList<Entry>& entries) {
  int row = 0;
  for (const Entry& entry : entries) {
    while (row < rowCount() && item(row)->data(kTimeRole).toLongLong() >= entry.utcMs) ++row;
    if (row >= kMost) break;
    insertRow(row, itemsOf(entry));
  }
  if (rowCount() > kMost) removeRows(kMost, rowCount() - kMost);
  for (row = kMostPictures; row < rowCount(); ++row) setPicture(row, {});
}

void EventList::forget(const QString& source) {
  for (int row = rowCount() - 1; row >= 0; --row)
    if (entry(row).source == source) removeRow(row);
}

void EventList::setNames(const QMap<QString, QString>& names) {
  if (names == names_) return;
  names_ = names;
  for (int row = 0; row < rowCount(); ++row) {
    const QString words = wordsOf(entry(row));
    item(row, 2)->setText(words);
    item(row, 2)->setToolTip(words);
  }
}

void EventList::addPicture(const QString& source, qint64 utcMs, const QImage& picture) {
  for (int row = rowFor(source, utcMs); row >= 0; row = rowFor(source, utcMs))
    setPicture(row, picture);
}

void EventList::keep(const Entry& of, const Kept& kept) {
  const int row = rowOf(of);
  if (row < 0) return;
  item(row)->setData(kept.clip, kClipRole);
  item(row)->setData(kept.picture, kKeptPictureRole);
}

int EventList::rowOf(const Entry& entry) const {
  for (int row = 0; row < rowCount(); ++row) {
    const QStandardItem& first = *item(row);
    if (first.data(kTimeRole).toLongLong() == entry.utcMs &&
        first.data(kNameRole).toString() == entry.name &&
        first.data(kTextRole).toString() == entry.text &&
        first.data(kSourceRole).toString() == entry.source)
      return row;
  }
  return -1;
}

EventList::Entry EventList::entry(int row) const {
  const QStandardItem& first = *item(row);
  return {first.data(kKindRole).toString(),
          first.data(kNameRole).toString(),
          first.data(kTextRole).toString(),
          first.data(kTimeRole).toLongLong(),
          first.data(Qt::DecorationRole).value<QImage>(),
          first.data(kSourceRole).toString(),
          {first.data(kClipRole).toString(), first.data(kKeptPictureRole).toString()}};
}

QVariant EventList::data(const QModelIndex& index, int role) const {
  const QVariant known = QStandardItemModel::data(index, role);
  const bool isSeen =
      index.column() == 0 && (role == Qt::DecorationRole || role == Qt::AccessibleDescriptionRole);
  if (!isSeen || QStandardItemModel::data(index, kClipRole).toString().isEmpty()) return known;
  if (role == Qt::AccessibleDescriptionRole) return tr("A clip was kept.");
  return withPlaySign(known.value<QImage>());
}

QString EventList::wordsOf(const Entry& entry) const {
  const QString sentence = eventSentence(entry.text);
  const QString name = names_.value(entry.source);
  return name.isEmpty() ? sentence : tr("%1: %2").arg(name, sentence);
}

QList<QStandardItem*> EventList::itemsOf(const Entry& entry) const {
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
  row[0]->setData(entry.kept.clip, kClipRole);
  row[0]->setData(entry.kept.picture, kKeptPictureRole);
  if (!entry.picture.isNull()) row[0]->setData(entry.picture, Qt::DecorationRole);
  return row;
}

void EventList::setPicture(int row, const QImage& picture) {
  item(row)->setData(picture.isNull() ? QVariant() : QVariant(picture), Qt::DecorationRole);
}

int EventList::rowFor(const QString& source, qint64 utcMs) const {
  for (int row = 0; row < std::min(rowCount(), kLately); ++row) {
    const QStandardItem& first = *item(row);
    const qint64 apart = utcMs - first.data(kTimeRole).toLongLong();
    if (first.data(kSourceRole).toString() == source && !first.data(Qt::DecorationRole).isValid() &&
        apart >= 0 && apart <= kNearMs)
      return row;
  }
  return -1;
}

}  // namespace mpm::gui
