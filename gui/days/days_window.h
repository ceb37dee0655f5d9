// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QTimer>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gui/days/day_band.h"
#include "gui/days/kept_frame.h"
#include "monitor/clock/clock.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;

namespace mpm::gui {

/// Compares two frames of the record side by side, each with its merge map, and shows where they
/// differ. A click enlarges a tile, another one or Escape restores all. Sliders go through all kept
/// frames; below, a band for each day shows a metric. The record is read in threads, and again
/// every minute.
class DaysWindow : public QDialog {
  Q_OBJECT

 public:
  explicit DaysWindow(QWidget* parent = nullptr);

  /// `record`: a file; empty: none is written. `perHour`: images that are currently kept.
  void setRecord(const QString& record, const QString& source, int perHour);
  /// Sets the clock in milliseconds since 1970, at which the days end; initially the system's.
  void setClock(std::function<std::int64_t()> nowUtcMs) { clock_ = std::move(nowUtcMs); }
  void refresh();
  /// Chooses a metric, or with an empty name the first; span 0: a week, 1: a month, 2: a year.
  void choose(const QString& metric, int span);

  enum Side { kLeft, kRight };
  const std::vector<monitor::DayPicture>& pictures() const { return pictures_; }
  int chosen(Side side) const { return sides_[side].chosen; }  ///< -1: none
  const KeptFrame* shown(Side side) const { return sides_[side].frame.get(); }
  const FrameDifference& difference() const { return difference_; }
  DayBand* band() const { return band_; }

 signals:
  void picturesWanted(int perHour);
  void chose(const QString& metric, int span);  ///< somebody did
  void read();                                  ///< the record, once more
  void drawn();                                 ///< another picture

 protected:
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Reading;
  struct Column {
    PictureTile *picture = nullptr, *mergeMap = nullptr;
    QSlider* slider = nullptr;
    QLabel* words = nullptr;
    int chosen = -1;
    std::shared_ptr<std::atomic<int>> loading = std::make_shared<std::atomic<int>>(0);
    std::shared_ptr<const KeptFrame> frame;
  };

  QLayout* makeTop();
  QLayout* makeTiles();
  void makeSide(Side side, const QString& name);
  void take(const std::shared_ptr<Reading>& reading);
  void choose(Side side, int picture);
  void put(Side side, std::shared_ptr<const KeptFrame> frame, const QString& fault);
  void showDifference();
  void showMarks();
  void noonAndMidnight();
  void dayAndNight();
  using Fits = std::function<bool(const monitor::DayPicture&)>;
  /// Returns -1 if none fits. `fits` may be empty.
  int nearest(std::int64_t utcMs, const Fits& fits = {}) const;
  QDate dayShown() const;
  void activate(Side side);
  std::array<PictureTile*, 6> tiles() const;
  void enlarge(PictureTile* tile);  // null: all as large as each other
  QString wordsOf(const monitor::DayPicture& picture) const;
  void fillMetrics(const QStringList& metrics);

  std::function<std::int64_t()> clock_ = [] { return monitor::systemClock().now().utcMs; };
  QString record_, source_;
  QString wanted_;  // metric
  std::vector<monitor::DayPicture> pictures_;
  std::array<Column, 2> sides_;
  Side active_ = kLeft;
  int readings_ = 0;  // counted, so that the last one asked for counts
  FrameDifference difference_;
  QPushButton *noon_, *lights_;
  QComboBox *metric_, *span_;
  QSpinBox* perHour_;
  PictureTile *classes_, *merging_;
  QGridLayout* tiles_;
  PictureTile* large_ = nullptr;  // alone in the room of all; null: all are there
  QLabel *classesWords_, *told_;
  DayBand* band_;
  QTimer again_;
};

}  // namespace mpm::gui
