// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_legend_model.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mpm::gui {
namespace {

constexpr qint64 kTellEveryMs = 500;

QString percent(double share) {
  return ClassLegendModel::tr("%1 %").arg(QLocale().toString(share * 100, 'f', 1));
}

}  // namespace

ClassLegendModel::ClassLegendModel(ClassSettings* classes, QObject* parent)
    : QAbstractTableModel(parent), classes_(classes) {
  resetAreas();
  const auto reset = [this] {
    beginResetModel();
    resetAreas();
    endResetModel();
  };
  connect(classes, &ClassSettings::classesReset, this, reset);
  connect(classes, &QObject::destroyed, this, reset);
  connect(classes, &ClassSettings::changed, this, [this](int first, int last) {
    emit dataChanged(index(first, kName), index(last, kHistory));
  });
}

void ClassLegendModel::resetAreas() {
  areas_.assign(classes_ ? static_cast<std::size_t>(classes_->count()) : 0, {});
  pointSinceMs_ = toldMs_ = -1;
}

void ClassLegendModel::clearAreas() {
  resetAreas();
  if (!areas_.empty()) emit dataChanged(index(0, kArea), index(rowCount() - 1, kHistory));
}

void ClassLegendModel::setStepMs(qint64 stepMs) {
  stepMs_ = std::max<qint64>(1, stepMs);
  clearAreas();
}

void ClassLegendModel::finishPoint() {
  for (Area& area : areas_) {
    if (area.history.size() >= kMostPoints) area.history.removeFirst();
    area.history.push_back(area.count > 0 ? area.sum / area.count
                                          : std::numeric_limits<double>::quiet_NaN());
    area.sum = 0;
    area.count = 0;
  }
}

bool ClassLegendModel::addAreas(const std::vector<double>& shares, qint64 steadyMs) {
  if (shares.size() != areas_.size() || areas_.empty()) return false;
  if (pointSinceMs_ < 0 || steadyMs < pointSinceMs_) pointSinceMs_ = steadyMs;
  // A gap is as many unknown points, and no more than there is room for.
  for (int i = 0; i <= kMostPoints && steadyMs - pointSinceMs_ >= stepMs_; ++i) {
    finishPoint();
    pointSinceMs_ += stepMs_;
  }
  if (steadyMs - pointSinceMs_ >= stepMs_) pointSinceMs_ = steadyMs;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    areas_[i].known = std::isfinite(shares[i]);
    areas_[i].now = areas_[i].known ? shares[i] : 0;
    if (!areas_[i].known) continue;
    areas_[i].sum += shares[i];
    ++areas_[i].count;
  }
  if (toldMs_ < 0 || steadyMs < toldMs_ || steadyMs - toldMs_ >= kTellEveryMs) {
    toldMs_ = steadyMs;
    emit dataChanged(index(0, kArea), index(rowCount() - 1, kHistory));
  }
  return true;
}

int ClassLegendModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(areas_.size());
}

int ClassLegendModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant ClassLegendModel::nameData(int row, int role) const {
  switch (role) {
    case Qt::DisplayRole:
    case kSortRole:
      return classes_->name(row);
    case Qt::DecorationRole:
      return classes_->colour(row);
    case Qt::CheckStateRole:
      return classes_->isVisible(row) ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return classes_->solo() == row ? tr("%1: shown alone").arg(classes_->name(row))
                                     : classes_->name(row);
    default:
      return {};
  }
}

QVariant ClassLegendModel::areaData(const Area& area, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return area.known ? percent(area.now) : tr("–");
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case kSortRole:
      return area.known ? area.now : -1.0;
    default:
      return {};
  }
}

QVariant ClassLegendModel::historyData(const Area& area, int role) const {
  if (role == kHistoryRole) return QVariant::fromValue(area.history);
  if (role != Qt::AccessibleTextRole && role != Qt::ToolTipRole && role != kSortRole) return {};
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const double value : area.history) {
    if (std::isnan(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (role == kSortRole) return most >= least ? most - least : -1.0;
  return most >= least ? tr("from %1 to %2").arg(percent(least), percent(most))
                       : tr("not known yet");
}

QVariant ClassLegendModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_) return {};
  if (role == kColourRole) return classes_->colour(index.row());
  if (role == kSoloRole) return classes_->solo() == index.row();
  const Area& area = areas_[static_cast<std::size_t>(index.row())];
  switch (index.column()) {
    case kName:
      return nameData(index.row(), role);
    case kArea:
      return areaData(area, role);
    case kHistory:
      return historyData(area, role);
    default:
      return {};
  }
}

bool ClassLegendModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_ || index.column() != kName ||
      role != Qt::CheckStateRole) {
    return false;
  }
  classes_->setVisible(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant ClassLegendModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Class");
    case kArea:
      return tr("Area");
    case kHistory:
      return tr("Lately");
    default:
      return {};
  }
}

Qt::ItemFlags ClassLegendModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == kName ? flags | Qt::ItemIsUserCheckable : flags;
}

}  // namespace mpm::gui
