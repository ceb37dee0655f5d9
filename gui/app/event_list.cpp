// SPDX-License-Identifier: Apache-2.0
#include "gui/app/event_list.h"

#include <QDateTime>
#include <QLocale>

namespace mpm::gui {
namespace {

constexpr std::size_t kMost = 1000;
enum Column { kTime, kKind, kText, kColumns };

}  // namespace

void EventList::add(const QString& kind, const QString& text, qint64 utcMs) {
  if (entries_.size() == kMost) {
    beginRemoveRows({}, static_cast<int>(kMost) - 1, static_cast<int>(kMost) - 1);
    entries_.pop_back();
    endRemoveRows();
  }
  beginInsertRows({}, 0, 0);
  entries_.push_front({kind, text, utcMs});
  endInsertRows();
}

int EventList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int EventList::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant EventList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount() || role != Qt::DisplayRole) return {};
  const Entry& entry = entries_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case kTime:
      return QLocale().toString(QDateTime::fromMSecsSinceEpoch(entry.utcMs), QLocale::ShortFormat);
    case kKind:
      return entry.kind;
    case kText:
      return entry.text;
    default:
      return {};
  }
}

QVariant EventList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kTime:
      return tr("Time");
    case kKind:
      return tr("About");
    case kText:
      return tr("What happened");
    default:
      return {};
  }
}

}  // namespace mpm::gui
