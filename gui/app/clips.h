// SPDX-License-Identifier: Apache-2.0
// Videos of what is seen: recorded by hand, and played again.
#pragma once

#include <QCoreApplication>
#include <QImage>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "gui/app/session.h"

class QLabel;
class QPushButton;
class QSlider;

namespace mpm::gui {

/// Places frames that come at any time into a video of a fixed rate, so that it plays as fast as it
/// happened. In a long pause the last frame is shown for five seconds.
class ClipPace {
 public:
  explicit ClipPace(double fps) : fps_(fps) {}

  /// Returns for how many video frames to show the previous frame; 0 if this one has no room.
  int framesUntil(std::int64_t takenMs);

 private:
  double fps_;
  std::optional<std::int64_t> lastMs_;  // of the source's clock
  std::int64_t atMs_ = 0, frame_ = 0;   // of the video
};

/// Records a video of one source, with its labels, for as long as the source is watched, even if
/// its place among the others changes.
class ClipRecorder : public QObject {
  Q_OBJECT

 public:
  explicit ClipRecorder(Session& session);
  ~ClipRecorder() override;

  /// Records the source that is shown. Throws std::runtime_error if it cannot be written. A file at
  /// `path` stays until the clip is whole, and for good if no frame comes.
  void begin(const QString& path);
  /// Ends the clip; `ended` follows when the file is whole. `why`: a sentence, or empty.
  void end(const QString& why = {});
  bool isRecording() const { return clip_ != nullptr; }

 signals:
  void ended(const QString& sentence, bool bad);

 private:
  static constexpr double kUsualFps = 10, kMostFps = 60;
  static constexpr std::size_t kIntervals = 30;
  struct Clip;

  void see(const monitor::FrameResult& newest, std::size_t source);
  void follow(const QString& address);
  void add(const monitor::FrameResult& result, const std::vector<cv::Vec3b>& palette);
  void told(Clip& clip, const QString& why);

  Session& session_;
  QString address_;
  std::deque<double> intervalsMs_;          // between pictures, lately
  std::int64_t readyMs_ = 0, takenMs_ = 0;  // of the newest; 0: none
  ClipPace pace_{kUsualFps};
  cv::Mat waiting_;  // the newest, until the next one tells for how long it stands
  std::unique_ptr<Clip> clip_;
  std::vector<std::unique_ptr<Clip>> ending_;  // these write what waits
};

/// Shows what was kept of an event: plays a clip, or shows a frame. It is a separate window, which
/// Escape closes.
class ClipPlayer : public QWidget {
  Q_OBJECT

 public:
  explicit ClipPlayer(QWidget* parent);
  ~ClipPlayer() override;

  /// Plays a clip or shows a frame, in place of the one before.
  void play(const QString& file, const QString& title);
  void showPicture(const QString& file, const QString& title);

  const QString& file() const { return file_; }
  bool isPlaying() const { return ticking_.isActive(); }
  int frames() const;    ///< of the clip; 0: there is none, or it cannot be played
  int position() const;  ///< of the frame that is shown, from 0
  QImage picture() const;
  QString fault() const;  ///< why nothing is shown; empty: something is

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  class Screen;
  struct Clip;
  void open(const QString& file, const QString& title, bool isClip);
  void setPlaying(bool playing);
  void seek(int frame);
  bool showNext();
  void tellPlace();

  Screen* screen_;
  QPushButton *play_, *folder_;
  QSlider* place_;
  QLabel* time_;
  QString file_;
  std::unique_ptr<Clip> clip_;  // null: there is none
  double fps_ = 10;
  QTimer ticking_;
};

}  // namespace mpm::gui
