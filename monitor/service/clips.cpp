// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clips.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "files/text.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLeastFree = 100 << 20;  // on the disk: the last of it is for figures

// Checks the length that OpenCV writes into the beginning of a file at the end, since it does not
// report a full disk.
bool isWholeFile(const std::string& path) {
  std::array<unsigned char, 8> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
  std::uintmax_t told = head.size();
  for (std::size_t i = 4; i < head.size(); ++i) told += std::uintmax_t{head[i]} << 8 * (i - 4);
  std::error_code error;
  return fs::file_size(path, error) == told && !error;
}

std::string faultOf(const std::function<void()>& work) {
  try {
    if (work) work();
    return {};
  } catch (const std::exception& fault) {
    return fault.what();
  }
}

// Reduces a picture to the width of the clip. Averaging areas would cost more than all else.
cv::Mat small(const cv::Mat& picture) {
  if (picture.cols <= EventClips::kWidest) return picture;
  const double scale = static_cast<double>(EventClips::kWidest) / picture.cols;
  cv::Mat reduced;
  cv::resize(picture, reduced, {}, scale, scale, cv::INTER_LINEAR);
  return reduced;
}

// Runs in the thread that writes, so that a disk that does not answer delays nobody else.
void prepare(const fs::path& folder) {
  fs::create_directories(folder);
  if (fs::space(folder).available < kLeastFree) {
    throw std::runtime_error("less than 100 MB is free on the disk");
  }
}

std::size_t bytesOf(const cv::Mat& picture) { return picture.total() * picture.elemSize(); }

}  // namespace

struct ClipWriter::Writing {
  struct Waiting {
    cv::Mat picture;
    int frames = 1;
  };
  using Clock = std::chrono::steady_clock;

  // Needs the mutex.
  void beginToEnd() {
    if (std::exchange(isEnding, true)) return;
    movedAt = Clock::now();
    came.notify_one();
  }

  void run(const std::function<void()>& prepare) {
    std::string fault = faultOf(prepare);
    // The video opens with the first picture, but whether it can be written is known now.
    if (fault.empty() && !std::ofstream(path, std::ios::binary))
      fault = "cannot write " + path + ": " + std::generic_category().message(errno);
    {
      const std::lock_guard lock(mutex);
      status.fault = fault;
    }
    writeAll();
    end();
  }

  void writeAll() {
    cv::VideoWriter video;
    for (;;) {
      Waiting next;
      {
        std::unique_lock lock(mutex);
        came.wait(lock, [this] { return isEnding || !waiting.empty(); });
        if (waiting.empty()) break;
        next = std::move(waiting.front());
        waiting.pop_front();
      }
      const bool isWritten = status.fault.empty() && write(video, std::move(next));
      const std::lock_guard lock(mutex);
      ++(isWritten ? status.written : status.leftOut);
      movedAt = Clock::now();
      changed.notify_all();
    }
    try {
      video.release();
    } catch (const cv::Exception&) {  // what could not be written is missing
    }
  }

  bool write(cv::VideoWriter& video, Waiting next) {
    cv::Mat& picture = next.picture;
    try {
      if (size.empty()) {
        size = picture.size();
        video.open(path, cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), fps,
                   size);
      }
      if (!video.isOpened()) return false;
      if (picture.size() != size) cv::resize(picture, picture, size, 0, 0, cv::INTER_AREA);
      for (int frame = 0; frame < next.frames; ++frame) video.write(picture);
      return true;
    } catch (const cv::Exception&) {
      return false;
    }
  }

  void end() {
    const bool hasPictures = status.written > 0;
    const bool isWhole = !hasPictures || isWholeFile(path);
    std::error_code ignored;
    if (!hasPictures) fs::remove(path, ignored);
    {
      const std::lock_guard lock(mutex);
      status.isWhole = isWhole;
    }
    const std::lock_guard told(telling);
    if (then) then(status);
    const std::lock_guard lock(mutex);
    isDone = true;
    changed.notify_all();
  }

  std::string path;
  double fps = 0;
  std::size_t mostWaiting = 0;
  cv::Size size{};
  mutable std::mutex mutex{};  // of all below
  std::condition_variable came{}, changed{};
  std::deque<Waiting> waiting{};
  Status status{};
  bool isEnding = false, isDone = false;
  Clock::time_point movedAt{};  // once it is ending: then, or when it last came further
  std::mutex telling{};         // held while it is told, and before the other
  std::function<void(const Status&)> then{};
};

ClipWriter::ClipWriter(const std::string& path, double fps, std::size_t mostWaiting,
                       std::function<void()> prepare)
    : writing_(new Writing{path, fps, mostWaiting}) {
  thread_ =
      std::thread([writing = writing_, prepare = std::move(prepare)] { writing->run(prepare); });
}

ClipWriter::~ClipWriter() {
  std::unique_lock lock(writing_->mutex);
  writing_->beginToEnd();
  const auto silentAt = [this] { return writing_->movedAt + std::chrono::milliseconds(kSilentMs); };
  while (!writing_->isDone && Writing::Clock::now() < silentAt()) {
    writing_->changed.wait_until(lock, silentAt());
  }
  const bool isDone = writing_->isDone;
  lock.unlock();
  if (isDone) {
    thread_.join();
    return;
  }
  thread_.detach();
  const std::lock_guard telling(writing_->telling);
  writing_->then = nullptr;
}

void ClipWriter::finish(std::function<void(const Status&)> then) {
  const std::scoped_lock lock(writing_->telling, writing_->mutex);
  writing_->then = std::move(then);
  writing_->beginToEnd();
}

void ClipWriter::add(const cv::Mat& picture, int frames) {
  {
    const std::lock_guard lock(writing_->mutex);
    if (writing_->waiting.size() >= writing_->mostWaiting) {
      ++writing_->status.leftOut;
      return;
    }
    writing_->waiting.push_back({picture, frames});
  }
  writing_->came.notify_one();
}

bool ClipWriter::isDone() const {
  const std::lock_guard lock(writing_->mutex);
  return writing_->isDone;
}

ClipWriter::Status ClipWriter::status() const {
  const std::lock_guard lock(writing_->mutex);
  return writing_->status;
}

EventClips::EventClips(Record& record, std::int64_t run) : record_(record), run_(run) {}

void EventClips::want(bool wanted) {
  isWanted_ = wanted;
  if (!wanted) forget();
}

void EventClips::forget() {
  kept_.clear();
  bytes_ = 0;
}

void EventClips::frame(const Frame& frame) {
  if (!isWanted_ && !clip_) return;
  const std::int64_t nowMs = frame.taken.steadyMs;
  if (clip_ && nowMs > clip_->untilMs) finish();
  if (!kept_.empty() && nowMs < kept_.back().steadyMs) {  // a file that begins again
    forget();
    if (clip_) finish();
  }
  constexpr double kEveryMs = 1000 / kMostFps;
  // Frames come a little early or late: keeps each of ten a second.
  if (!kept_.empty() && static_cast<double>(nowMs - kept_.back().steadyMs) < kEveryMs * 0.75) {
    return;
  }
  keep({nowMs, frame.taken.utcMs, small(frame.picture)});
  if (!clip_) return;
  clip_->writer->add(kept_.back().picture);
  clip_->toUtcMs = frame.taken.utcMs;
  if (nowMs >= clip_->untilMs) finish();
}

void EventClips::look(const Moment& now) {
  if (clip_ && now.steadyMs >= clip_->untilMs) finish();
}

void EventClips::keep(Kept kept) {
  bytes_ += bytesOf(kept.picture);
  kept_.push_back(std::move(kept));
  const std::int64_t oldestMs = kept_.back().steadyMs - kBeforeMs;
  while (kept_.size() > 1 && (kept_.front().steadyMs < oldestMs || bytes_ > kMostBytes)) {
    bytes_ -= bytesOf(kept_.front().picture);
    kept_.pop_front();
  }
}

void EventClips::begin(const std::string& reason, const Moment& at, bool isLast) {
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(),
                               [](const auto& writer) { return writer->isDone(); }),
                ending_.end());
  if (!clip_) {
    if (kept_.empty()) return;
    if (ending_.size() >= kMostEnding) {
      return tell(at, "No clip could be made: the disk has not yet taken those before it");
    }
    start(at);
  }
  Clip& clip = *clip_;
  clip.untilMs = std::min(at.steadyMs + kAfterMs, clip.longestMs);
  if (std::find(clip.reasons.begin(), clip.reasons.end(), reason) == clip.reasons.end()) {
    clip.reasons.push_back(reason);
  }
  if (isLast) finish();
}

void EventClips::start(const Moment& at) {
  const fs::path& folder = record_.snapshotFolder();
  const std::int64_t forMs = kept_.back().steadyMs - kept_.front().steadyMs;
  const double fps =
      forMs > 0 ? 1000.0 * static_cast<double>(kept_.size() - 1) / static_cast<double>(forMs)
                : kMostFps;
  const std::size_t mostWaiting = kMostBytes / bytesOf(kept_.back().picture);
  Clip clip;
  clip.at = at;
  clip.longestMs = at.steadyMs + kLongestMs - kBeforeMs;
  clip.fromUtcMs = kept_.front().utcMs;
  clip.toUtcMs = kept_.back().utcMs;
  // OpenCV needs this ending. A file that is left over is removed when the record is opened again.
  clip.path = folder / (std::string(kGrowingClip) + std::to_string(run_) + "-" +
                        std::to_string(++made_) + ".clip.avi");
  clip.writer =
      std::make_unique<ClipWriter>(clip.path.string(), std::clamp(fps, 1.0, 2 * kMostFps),
                                   kept_.size() + mostWaiting, [folder] { prepare(folder); });
  for (const Kept& kept : kept_) clip.writer->add(kept.picture);
  clip_ = std::move(clip);
}

void EventClips::finish() {
  Clip clip = std::move(*clip_);
  clip_.reset();
  if (!isWanted_) forget();
  Snapshot snapshot;
  snapshot.taken = clip.at;
  snapshot.reason = files::joined(clip.reasons);
  snapshot.facts =
      nlohmann::json{{"from_utc_ms", clip.fromUtcMs}, {"to_utc_ms", clip.toUtcMs}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace);
  snapshot.clip = clip.path;
  clip.writer->finish([this, snapshot](const ClipWriter::Status& is) {
    if (is.written == 0) {
      return tell(snapshot.taken,
                  "No clip could be made: " +
                      (is.fault.empty() ? "its pictures could not be written" : is.fault));
    }
    if (!is.isWhole) {
      tell(snapshot.taken, "A clip is not whole, and may not play: the disk was full, or failed");
    }
    record_.write(run_, snapshot);
  });
  ending_.push_back(std::move(clip.writer));
}

void EventClips::tell(const Moment& at, const std::string& text) {
  record_.tell(run_, Event{at, "record", "clip", text, {}});
}

void EventClips::end() {
  if (clip_) finish();
  ending_.clear();
}

}  // namespace mpm::monitor
