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

/// Returns numbers that describe a BGR frame of any size: the colours and the roughness of a coarse
/// grid. They distinguish noon, dusk, night, rain and snow of one view.
std::vector<float> lookOf(const cv::Mat& picture);

/// Returns at most `count` of `looks` that differ most from each other and from `known`, the most
/// informative first. With none known the most ordinary comes first. Of equals it takes the
/// earlier, and none that is like a known or chosen one.
std::vector<int> proposeFrames(const std::vector<std::vector<float>>& looks, int count,
                               const std::vector<std::vector<float>>& known = {});

/// Shows a record's frames for painting, by hour and light. It proposes those that differ most from
/// each other and from the project's. A separate thread reads them.
class RecordFrames : public Dialog {
  Q_OBJECT

 public:
  static constexpr int kMost = 240;  ///< that are looked at, evenly over the record
  static constexpr int kProposed = 6;
  static constexpr int kAsked = 24, kDoubted = 3;  ///< how many are doubted, and the most of these

  /// Signature of TeachWorker::doubt.
  using Doubt = std::function<void(std::vector<std::string> paths,
                                   std::shared_ptr<std::atomic<bool>> stop, TeachWorker::Doubted)>;

  /// `known` holds the project's frames, BGR. `doubt` is null if nothing was trained yet.
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
