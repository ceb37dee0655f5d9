// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <atomic>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/record/day_pictures.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace mpm::gui {

/// Frames of a record to be painted: by hour and light, with those proposed that differ most from
/// each other and from what is there. They are read in a thread of its own.
class RecordFrames : public QDialog {
  Q_OBJECT

 public:
  static constexpr int kMost = 240;  ///< that are looked at, evenly over the record
  static constexpr int kProposed = 6;

  /// `known`: frames that are there already, BGR.
  RecordFrames(const QString& record, const QString& source, std::vector<cv::Mat> known,
               QWidget* parent);
  ~RecordFrames() override;

  std::vector<monitor::DayPicture> chosen() const;
  QListWidget* list() const { return list_; }
  QString told() const;

 signals:
  void read();

 private:
  struct Reading;

  void makeFilters();
  void begin(const QString& record, const QString& source, std::vector<cv::Mat> known);
  void take(const std::shared_ptr<Reading>& reading);
  void filter();
  void propose();
  bool fits(const monitor::DayPicture& picture) const;

  std::shared_ptr<Reading> reading_;
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  QListWidget* list_;
  QComboBox* light_;
  QSpinBox *from_, *to_;
  QLabel* told_;
  QPushButton *propose_, *take_;
};

}  // namespace mpm::gui
