// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QLocale>
#include <QPointer>
#include <QTimer>
#include <QVector>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "gui/canvas/class_settings.h"

namespace mpm::gui {

/// The classes as a table: a row for each, with its colour, whether it is shown, how much of the
/// picture it covers now and did lately.
class ClassLegendModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kArea, kHistory, kColumns };  ///< kName has the colour and the check box

  enum Role {
    kSortRole = Qt::UserRole,  ///< what to sort by
    kHistoryRole,              ///< QVector<double>: mean areas, the oldest first; NaN: not known
    kSoloRole                  ///< bool
  };
  static constexpr int kMostPoints = 120;

  /// `classes` outlives the model, or the model is empty from then on.
  explicit ClassLegendModel(ClassSettings* classes, QObject* parent = nullptr)
      : QAbstractTableModel(parent), classes_(classes) {
    resetAreas();
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &ClassLegendModel::tell);
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

  /// How long each point of the history is, 5 s to begin with; forgets what it has.
  void setStepMs(qint64 stepMs) {
    stepMs_ = std::max<qint64>(1, stepMs);
    clearAreas();
  }

  /// Each class's share of the picture, 0 to 1, NaN where it is not known, in the order of the
  /// classes; others than there are classes are refused (false). `steadyMs`: when. What is shown
  /// changes sixteen times a second at most, and always ends with what came last.
  bool addAreas(const std::vector<double>& shares, qint64 steadyMs) {
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
      tell();
    } else if (!later_.isActive()) {
      later_.start(static_cast<int>(kTellEveryMs));  // the picture may be the last one
    }
    return true;
  }

  void clearAreas() {
    resetAreas();
    tell();
  }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(areas_.size());
  }

  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : kColumns;
  }

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_) return {};
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

  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !classes_ ||
        index.column() != kName || role != Qt::CheckStateRole) {
      return false;
    }
    classes_->setVisible(index.row(), value.toInt() == Qt::Checked);
    return true;
  }

  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
      case kName:
        return tr("Class");
      case kArea:
        return tr("Area");
      case kHistory:
        return tr("Recent");
      default:
        return {};
    }
  }

  Qt::ItemFlags flags(const QModelIndex& index) const override {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == kName ? flags | Qt::ItemIsUserCheckable : flags;
  }

 private:
  static constexpr qint64 kTellEveryMs = 60;  // so that it is of the picture that is shown

  static QString percent(double share) {
    return tr("%1%").arg(QLocale().toString(share * 100, 'f', 1));
  }

  struct Area {
    double now = 0;
    bool known = false;
    double sum = 0;  // of the point that is being made
    int count = 0;
    QVector<double> history;
  };

  void tell() {
    later_.stop();
    if (!areas_.empty()) emit dataChanged(index(0, kArea), index(rowCount() - 1, kHistory));
  }

  void resetAreas() {
    areas_.assign(classes_ ? static_cast<std::size_t>(classes_->count()) : 0, {});
    pointSinceMs_ = toldMs_ = -1;
  }

  void finishPoint() {
    for (Area& area : areas_) {
      if (area.history.size() >= kMostPoints) area.history.removeFirst();
      area.history.push_back(area.count > 0 ? area.sum / area.count
                                            : std::numeric_limits<double>::quiet_NaN());
      area.sum = 0;
      area.count = 0;
    }
  }

  QVariant nameData(int row, int role) const {
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

  QVariant areaData(const Area& area, int role) const {
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

  QVariant historyData(const Area& area, int role) const {
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

  QPointer<ClassSettings> classes_;
  std::vector<Area> areas_;
  qint64 stepMs_ = 5000, pointSinceMs_ = -1, toldMs_ = -1;
  QTimer later_;
};

}  // namespace mpm::gui
