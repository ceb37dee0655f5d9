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

/// A folder of frames and their paintings, as `mpm teach` and `mpm eval` read it: images/NAME.png,
/// labels/NAME.png (grey, a pixel's value is its class, 255 is unpainted), classes.txt, and in
/// models/ what was taught. Every file appears whole or not at all. What cannot be read or written
/// is std::runtime_error, one sentence.
class PaintProject {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::PaintProject)

 public:
  /// Makes the folder where there is none.
  explicit PaintProject(const QString& folder);

  const QString& folder() const { return folder_; }
  /// Where teaching keeps what it computed, as `mpm teach` does on these paintings.
  QString keptFolder() const { return folder_ + "/labels/.features"; }
  const QStringList& frames() const { return frames_; }  ///< their names, in order

  const std::vector<PaintClass>& classes() const { return classes_; }
  /// A class keeps its number until one in front of it is removed. Refused where a name is empty or
  /// there twice, and beyond 255 of them; what was there stays then.
  void setClasses(const std::vector<PaintClass>& classes);
  /// Without this class: what is painted with it becomes unpainted, and those behind it move up by
  /// one, in every painting's file. All of it or, where it cannot be written, nothing; what a crash
  /// left half-way is finished when the folder is opened the next time.
  void removeClass(int number);
  /// On how many frames a class is painted.
  int framesWith(int number) const;
  /// For one more class: a vivid colour that differs from those that are there as much as can be.
  QColor freshColour() const;
  /// For a class on what has this mean, BGR: the same hue, vivid. Its own colour where that is
  /// grey, or much like another class's colour.
  QColor fittingColour(int number, const cv::Scalar& mean) const;

  /// One more frame, BGR, of the size of those that are there. Gives its name.
  QString take(const cv::Mat& picture, const QDateTime& at);
  /// A frame's name as a person reads it: the time that take() made it of, to the second.
  static QString spoken(const QString& name, QChar betweenDayAndTime = ' ');

  cv::Mat frame(const QString& name) const;
  /// As its file says, which is not read for it; invalid where it does not.
  QSize sizeOf(const QString& name) const;
  /// CV_8U of `size`, all of it unpainted where nothing was painted yet.
  cv::Mat labels(const QString& name, cv::Size size) const;
  bool isPainted(const QString& name) const;  ///< whether there is a file
  void keep(const QString& name, const cv::Mat& labels) const;

  /// A file for a taught model that is not there yet.
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

/// Writes paintings in a thread of its own, one after the other, the newest of each frame: a disk
/// that is slow holds no stroke up.
class PaintWriter : public QObject {
  Q_OBJECT

 public:
  using Write = std::function<void()>;  ///< throws what went wrong

  explicit PaintWriter(QObject* parent = nullptr) : QObject(parent) {
    thread_.setMaxThreadCount(1);
  }
  ~PaintWriter() override { thread_.waitForDone(); }

  /// `written` follows; what waits for the same frame is dropped.
  void put(const QString& name, Write write) {
    {
      const std::lock_guard lock(mutex_);
      waiting_[name] = std::move(write);
    }
    thread_.start([this] { writeNext(); });
  }

  /// Everything that was put is written or refused, and told.
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

/// The share of the pixels that are painted.
double paintedShare(const cv::Mat& labels);

}  // namespace mpm::gui
