// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QVector>
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
    kColourRole,               ///< QColor
    kSoloRole                  ///< bool
  };
  static constexpr int kMostPoints = 120;

  /// `classes` outlives the model, or the model is empty from then on.
  explicit ClassLegendModel(ClassSettings* classes, QObject* parent = nullptr);

  /// How long each point of the history is, 5 s to begin with; forgets what it has.
  void setStepMs(qint64 stepMs);
  /// Each class's share of the picture, 0 to 1, NaN where it is not known, in the order of the
  /// classes; others than there are classes are refused (false). `steadyMs`: when. What is shown
  /// changes twice a second at most.
  bool addAreas(const std::vector<double>& shares, qint64 steadyMs);
  void clearAreas();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Area {
    double now = 0;
    bool known = false;
    double sum = 0;  // of the point that is being made
    int count = 0;
    QVector<double> history;
  };
  void resetAreas();
  void finishPoint();
  QVariant nameData(int row, int role) const;
  QVariant areaData(const Area& area, int role) const;
  QVariant historyData(const Area& area, int role) const;

  QPointer<ClassSettings> classes_;
  std::vector<Area> areas_;
  qint64 stepMs_ = 5000, pointSinceMs_ = -1, toldMs_ = -1;
};

}  // namespace mpm::gui
