// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtCore>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "files/new_file.h"
#include "gui/app/session.h"
#include "monitor/service/clips.h"
#include "segment/pictures.h"
#include "tune/median.h"

namespace mpm::gui {

/// Where pictures stand in a video of one rate, whenever they come, so that it plays as fast as it
/// happened. Where nothing comes for long, the last one stands for five seconds.
class ClipPace {
 public:
  explicit ClipPace(double fps) : fps_(fps) {}

  /// For how many frames of the video the picture before this one stands; 0: this one has no room.
  int framesUntil(std::int64_t takenMs) {
    if (lastMs_) atMs_ += std::clamp<std::int64_t>(takenMs - *lastMs_, 0, kLongestMs);
    lastMs_ = takenMs;
    const std::int64_t frame = std::llround(fps_ * static_cast<double>(atMs_) / 1000);
    return static_cast<int>(frame - std::exchange(frame_, frame));
  }

 private:
  static constexpr std::int64_t kLongestMs = 5000;
  double fps_;
  std::optional<std::int64_t> lastMs_;  // of the source's clock
  std::int64_t atMs_ = 0, frame_ = 0;   // of the video
};

/// Videos of what one source shows, with its labels, for as long as it is watched, wherever it
/// stands among the others.
class ClipRecorder : public QObject {
  Q_OBJECT

 public:
  explicit ClipRecorder(Session& session, QObject* parent = nullptr)
      : QObject(parent), session_(session) {
    connect(&session_.live(), &Live::opened, this, [this] {
      if (clip_ && place() < 0) end(tr("%1 is no longer watched.").arg(session_.nameOf(address_)));
    });
  }

  ~ClipRecorder() override {
    if (clip_) ending_.push_back(std::move(clip_));
    for (const auto& clip : ending_) clip->takeItsPlace();
  }

  /// Of the source that is shown. std::runtime_error where it cannot be written. What was at `path`
  /// stays until the clip is whole, and for good where no picture comes.
  void begin(const QString& path) {
    follow(session_.live().shownAddress());
    const double fps = intervalsMs_.empty()
                           ? kUsualFps
                           : 1000 / tune::median({intervalsMs_.begin(), intervalsMs_.end()});
    const double rate = std::clamp(fps, 1.0, kMostFps);
    clip_ = std::make_unique<Clip>(path, rate);
    pace_ = ClipPace(rate);
  }

  /// `ended` follows when the file is whole. `why` it ended, a sentence, or empty.
  void end(const QString& why = {}) {
    if (!clip_) return;
    if (!waiting_.empty()) clip_->writer->add(std::exchange(waiting_, {}), 1);
    Clip* clip = clip_.get();
    ending_.push_back(std::move(clip_));
    clip->writer->finish([this, clip, why](const monitor::ClipWriter::Status&) {
      QMetaObject::invokeMethod(
          this, [this, clip, why] { told(*clip, why); }, Qt::QueuedConnection);
    });
  }

  bool isRecording() const { return clip_ != nullptr; }

  /// Whenever something is shown.
  void look() {
    if (!clip_) follow(session_.live().shownAddress());
    const auto engine = session_.live().engine();
    const qsizetype place = this->place();
    if (!engine || place < 0 || static_cast<std::size_t>(place) >= engine->sources()) return;
    const monitor::FrameResultPtr newest = session_.live().newest(static_cast<std::size_t>(place));
    if (!newest || newest->readyMs == readyMs_) return;
    const std::int64_t beforeMs = std::exchange(takenMs_, newest->frame.taken.steadyMs);
    if (std::exchange(readyMs_, newest->readyMs) != 0 && takenMs_ > beforeMs) {
      intervalsMs_.push_back(static_cast<double>(takenMs_ - beforeMs));
      if (intervalsMs_.size() > kIntervals) intervalsMs_.pop_front();
    }
    if (clip_) add(*newest, engine->palette());
  }

 signals:
  void ended(const QString& sentence, bool bad);

 private:
  static constexpr double kUsualFps = 10, kMostFps = 60;
  static constexpr std::size_t kIntervals = 30;

  // A video on its way to its place, which is taken when it is whole.
  struct Clip {
    Clip(const QString& at, double fps)
        : path(at.toStdString()),
          file(beside(path)),
          writer(std::make_unique<monitor::ClipWriter>(file.path().string(), fps)) {}

    static files::NewFile beside(const std::filesystem::path& path) {
      try {
        return files::NewFile(path.parent_path() / ".clip-", ".avi");
      } catch (const std::system_error& error) {
        throw std::runtime_error("cannot write " + path.string() + ": " + error.code().message());
      }
    }

    // Waits for what it has still to write. False where there is nothing, or no place.
    bool takeItsPlace() {
      writer.reset();
      std::error_code fault;
      if (std::filesystem::file_size(file.path(), fault) == 0 || fault) return false;
      try {
        file.moveTo(path);
        return true;
      } catch (const std::system_error&) {
        return false;
      }
    }

    std::filesystem::path path;
    files::NewFile file;
    std::unique_ptr<monitor::ClipWriter> writer;
  };

  // The engine's; -1: it is not watched.
  qsizetype place() const {
    const LiveOptions& options = session_.live().options();
    return (QStringList{options.source} + options.beside).indexOf(address_);
  }

  // How fast it is, is known from now on.
  void follow(const QString& address) {
    if (std::exchange(address_, address) == address) return;
    intervalsMs_.clear();
    readyMs_ = 0;
  }

  // The one before stands until this one comes.
  void add(const monitor::FrameResult& result, const std::vector<cv::Vec3b>& palette) {
    const int frames = pace_.framesUntil(result.frame.taken.steadyMs);
    if (!waiting_.empty() && frames == 0) return;
    if (!waiting_.empty()) clip_->writer->add(waiting_, frames);
    waiting_ = drawOverlay(result.frame.picture, result.segmentation.labels, palette);
  }

  void told(Clip& clip, const QString& why) {
    const monitor::ClipWriter::Status status = clip.writer->status();
    const bool isThere = status.written > 0 && status.isWhole && clip.takeItsPlace();
    const QLocale locale;
    QStringList sentences;
    if (!why.isEmpty()) sentences << why;
    if (isThere) {
      sentences << tr("The clip is written; pictures: %1, left out: %2.")
                       .arg(locale.toString(static_cast<qulonglong>(status.written)),
                            locale.toString(static_cast<qulonglong>(status.leftOut)));
    } else {
      sentences << tr("There is no clip: no picture came, or none could be written to %1.")
                       .arg(QString::fromStdString(clip.path.string()));
    }
    ending_.erase(std::find_if(ending_.begin(), ending_.end(),
                               [&](const auto& one) { return one.get() == &clip; }));
    emit ended(sentences.join(' '), !isThere);
  }

  Session& session_;
  QString address_;
  std::deque<double> intervalsMs_;          // between pictures, lately
  std::int64_t readyMs_ = 0, takenMs_ = 0;  // of the newest; 0: none
  ClipPace pace_{kUsualFps};
  cv::Mat waiting_;  // the newest, until the next one tells for how long it stands
  std::unique_ptr<Clip> clip_;
  std::vector<std::unique_ptr<Clip>> ending_;  // these write what waits
};

}  // namespace mpm::gui
