// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QCoreApplication>
#include <QDateTime>
#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <functional>
#include <map>
#include <mutex>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

namespace mpm::gui {

struct PaintClass {
  QString name;
  QColor colour;
  bool operator==(const PaintClass&) const = default;
};

/// A folder of frames and annotations, as `mpm teach` and `mpm eval` read it: images/NAME.png,
/// labels/NAME.png (grey, a pixel's value is its class, 255 is unpainted), classes.txt, and trained
/// heads in models/. Every file is written completely or not at all. Errors of reading and writing
/// are std::runtime_error, one sentence.
class PaintProject {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::PaintProject)

 public:
  /// Creates the folder if it is missing.
  explicit PaintProject(const QString& folder);

  const QString& folder() const { return folder_; }
  /// Returns the cache folder of training, which `mpm teach` shares.
  QString keptFolder() const { return folder_ + "/labels/.features"; }
  const QStringList& frames() const { return frames_; }  ///< their names, in order

  const std::vector<PaintClass>& classes() const { return classes_; }
  /// Sets the classes. A class keeps its number until one before it is removed. Refuses empty or
  /// repeated names, and more than 255 classes; the old ones stay then.
  void setClasses(const std::vector<PaintClass>& classes);
  /// Removes a class: its pixels become unpainted, and later classes move up by one, in every
  /// annotation. If that cannot be written, nothing changes. A removal that a crash interrupted is
  /// completed when the folder is opened next.
  void removeClass(int number);
  /// Returns on how many frames a class is painted.
  int framesWith(int number) const;
  /// Returns a vivid colour for a new class, as different from the others as possible.
  QColor freshColour() const;
  /// Returns a vivid colour of the hue of a mean, BGR. Returns the class's own colour if the mean
  /// is grey, or much like another class's colour.
  QColor fittingColour(int number, const cv::Scalar& mean) const;

  /// Adds a frame, BGR, of the size of the others. Returns its name.
  QString take(const cv::Mat& picture, const QDateTime& at);
  /// Returns a frame's name for people: the time in it, from take(), to the second.
  static QString spoken(const QString& name, QChar betweenDayAndTime = ' ');

  cv::Mat frame(const QString& name) const;
  /// Reads the size from the file's header; invalid if it has none.
  QSize sizeOf(const QString& name) const;
  /// Returns CV_8U of `size`, unpainted if there is no annotation yet.
  cv::Mat labels(const QString& name, cv::Size size) const;
  bool isPainted(const QString& name) const;  ///< whether there is a file
  void keep(const QString& name, const cv::Mat& labels) const;

  /// Returns an unused file name for a trained head.
  QString freshModel(const QDateTime& at) const;
  bool hasTaught(const QString& model) const;  ///< whether it is such a file

 private:
  QString photoPath(const QString& name) const;
  QString labelPath(const QString& name) const;
  void finishRemoval() const;

  QString folder_;
  QStringList frames_, photos_;
  std::vector<PaintClass> classes_;
};

/// Writes annotations in a separate thread, one after the other, only the newest of each frame. So
/// a slow disk delays no stroke.
class PaintWriter : public QObject {
  Q_OBJECT

 public:
  using Write = std::function<void()>;  ///< throws what went wrong

  explicit PaintWriter(QObject* parent = nullptr) : QObject(parent) {
    thread_.setMaxThreadCount(1);
  }
  ~PaintWriter() override { thread_.waitForDone(); }

  /// Queues a write, in place of one that waits for the same frame; `written` follows.
  void put(const QString& name, Write write) {
    {
      const std::lock_guard lock(mutex_);
      waiting_[name] = std::move(write);
    }
    thread_.start([this] { writeNext(); });
  }

  /// Waits until everything queued is written or has failed, and is reported.
  void finish() {
    thread_.waitForDone();
    tell();
  }

 signals:
  void written(const QString& name, const QString& fault);  ///< empty: it is

 private:
  void writeNext();
  void tell();

  QThreadPool thread_;
  std::mutex mutex_;
  std::map<QString, Write> waiting_;
  std::vector<std::pair<QString, QString>> ended_;  // of which nobody was told yet
};

/// Returns the share of pixels that are painted.
double paintedShare(const cv::Mat& labels);

}  // namespace mpm::gui
