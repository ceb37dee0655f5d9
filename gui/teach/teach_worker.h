// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gui/teach/paint_project.h"
#include "mpm/teach.h"

namespace mpm::gui {

/// Number of patches that a backbone sees; other values ask for about so many.
inline constexpr int kSuitingPatches = -1,  ///< about 1,000, but no fewer than its file declares
    kDeclaredPatches = 0;                   ///< as many as its file declares

/// The size at which a backbone sees frames.
struct InputSize {
  cv::Size size;       ///< in pixels; empty: nothing is known
  int patches = 0;     ///< in it
  bool isOwn = false;  ///< it is the one that the backbone's file declares
  bool adapts = true;  ///< false: another one was wanted, and the backbone takes its own alone
};

/// Returns the largest size with the aspect of `frame`, not above it, of at most so many whole
/// patches. Empty if a frame is smaller than four patches.
cv::Size sizeInPatches(int patches, int patch, cv::Size frame);

/// Resolves `wanted` patches, or one of the numbers above, for this backbone and frame size. A size
/// other than the declared one is tried first, which reads the backbone. Throws as mpm::describe
/// does.
InputSize inputSizeOf(const std::string& backbone, const ReadOptions& read, int wanted,
                      cv::Size frame);

/// Model and settings that compute patch tokens.
struct Backbone {
  QString model, device, precision;  ///< as LiveOptions has them
  int patches = kSuitingPatches;     ///< as inputSizeOf takes it
  bool operator==(const Backbone&) const = default;
};

/// Trains and applies the head, one task after the other, in a separate thread of low priority,
/// while the live view goes on.
class TeachWorker : public QObject {
  Q_OBJECT

 public:
  /// Result of training; null if it failed or was cancelled.
  struct Taught {
    Lesson lesson;
    std::vector<std::pair<QString, double>> doubts;  ///< of all frames, the largest first
    double seconds = 0;
  };
  using TaughtPtr = std::shared_ptr<const Taught>;
  static constexpr double kRead = 0.25;  ///< the share of it that reading the backbone is

  explicit TeachWorker(QObject* parent = nullptr);
  ~TeachWorker() override;  ///< waits for the end of what it does

  bool isTeaching() const { return teaching_; }
  bool hasTaught() const { return teacher_ != nullptr; }

  /// Finds the size at which a backbone sees frames of this size; `sized` follows.
  void size(const Backbone& backbone, cv::Size frame);
  /// Trains on a project's frames; `taught` follows. `paintings` holds annotations that differ from
  /// their files.
  void teach(const Backbone& backbone, const PaintProject& project,
             std::map<QString, cv::Mat> paintings);
  void cancel() { *cancelled_ = true; }
  /// Drops the trained head and any training in progress.
  void forget() {
    cancel();
    teacher_.reset();
  }
  /// Applies the trained head to a frame; `found` follows. Pixels less sure than `least` stay
  /// unpainted.
  void look(const QString& name, const cv::Mat& picture, double least = 0);
  /// Computes the trained head's doubt of each image file: Teacher::doubt(), or NaN for a missing
  /// one. Then calls `next` here, unless *stop.
  using Doubted = std::function<void(const std::vector<double>& doubts, const QString& fault)>;
  void doubt(std::vector<std::string> paths, std::shared_ptr<std::atomic<bool>> stop, Doubted next);
  /// Saves the trained head as a new model of a project; `wrote` follows.
  void write(const PaintProject& project);

 signals:
  void sized(const mpm::gui::InputSize& size);  ///< empty: the file is no backbone
  void progressed(double share, double next);   ///< of the whole; and when more is told
  void taught(const mpm::gui::TeachWorker::TaughtPtr& taught, const QString& fault);
  void found(const QString& name, const cv::Mat& labels, const QString& fault, double least);
  void wrote(const QString& path, const QString& fault);

 private:
  struct Task;
  InputSize sizeOf(const Backbone& backbone, cv::Size frame);
  std::shared_ptr<Teacher> taughtBy(const Task& task, Taught& taught);
  /// Runs `work` in the thread, then `next` here with the error.
  template <typename Work, typename Next>
  void inThread(Work work, Next next);

  QThreadPool thread_;
  std::pair<Backbone, cv::Size> asked_;  // for which size_ is, both of the thread alone
  InputSize size_;
  std::shared_ptr<Teacher> teacher_;  // used in the thread alone, once it is there
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
  bool teaching_ = false;
};

}  // namespace mpm::gui
