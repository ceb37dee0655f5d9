// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gui/dialog.h"
#include "gui/teach/teach_worker.h"
#include "monitor/record/record_reader.h"

class QComboBox;
class QLayout;
class QListWidget;
class QSpinBox;

namespace mpm::gui {

/// What a picture looks like, as a row of numbers that tells noon, dusk, night, rain and snow of
/// one view apart: colours of a coarse grid, and how rough each of its places is. BGR, of any size.
std::vector<float> lookOf(const cv::Mat& picture);

/// Which of `looks` differ most from each other and from those that are `known`: at most `count`,
/// the one that tells most first. Without any known the first is the most ordinary one. Of equals
/// the earlier; none that looks like one that is known or chosen.
std::vector<int> proposeFrames(const std::vector<std::vector<float>>& looks, int count,
                               const std::vector<std::vector<float>>& known = {});

/// Frames of a record to be painted: by hour and light, with those proposed that differ most from
/// each other and from what is there. They are read in a thread of its own.
class RecordFrames : public Dialog {
  Q_OBJECT

 public:
  static constexpr int kMost = 240;  ///< that are looked at, evenly over the record
  static constexpr int kProposed = 6;
  static constexpr int kAsked = 24, kDoubted = 3;  ///< how many are doubted, and the most of these

  /// As TeachWorker::doubt.
  using Doubt = std::function<void(std::vector<std::string> paths,
                                   std::shared_ptr<std::atomic<bool>> stop, TeachWorker::Doubted)>;

  /// `known`: frames that are there already, BGR. `doubt` is null where nothing was taught yet.
  RecordFrames(const QString& record, const QString& source, std::vector<cv::Mat> known,
               Doubt doubt, QWidget* parent);
  ~RecordFrames() override;

  std::vector<monitor::DayPicture> chosen() const;
  QListWidget* list() const { return list_; }

 signals:
  void read();
  void doubted();  ///< those of which what was taught is least sure are chosen

 private:
  struct Reading;

  void makeList();
  void makeProposals();
  void makeFilters();
  QLayout* filterLine();
  void begin(const QString& record, const QString& source, std::vector<cv::Mat> known);
  void take(const std::shared_ptr<Reading>& reading);
  void filter();
  void propose();
  void askDoubts();
  void chooseDoubted(const std::vector<int>& rows, const std::vector<double>& doubts);
  std::vector<int> shownRows() const;
  bool fits(const monitor::DayPicture& picture) const;

  std::shared_ptr<Reading> reading_;
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
  QListWidget* list_;
  QComboBox* light_;
  QSpinBox *from_, *to_;
  QPushButton *propose_, *doubted_, *take_;
  Doubt doubt_;
  bool asking_ = false;
};

}  // namespace mpm::gui
