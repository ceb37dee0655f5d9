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
  void beginToEnd();  // with the mutex held
  void run(const std::function<void()>& prepare);
  void writeAll();
  bool write(cv::VideoWriter& video, Waiting next);
  void end();

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

void ClipWriter::Writing::beginToEnd() {
  if (std::exchange(isEnding, true)) return;
  movedAt = Clock::now();
  came.notify_one();
}

void ClipWriter::Writing::run(const std::function<void()>& prepare) {
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

void ClipWriter::Writing::writeAll() {
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

void ClipWriter::Writing::end() {
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

bool ClipWriter::Writing::write(cv::VideoWriter& video, Waiting next) {
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

EventClips::EventClips(Record& record) : record_(record) {}

EventClips::Source& EventClips::of(std::size_t source) {
  if (sources_.size() <= source) sources_.resize(source + 1);
  return sources_[source];
}

void EventClips::want(std::size_t source, bool wanted) {
  Source& found = of(source);
  found.isWanted = wanted;
  if (!wanted) forget(found);
}

void EventClips::forget(Source& source) {
  source.kept.clear();
  source.bytes = 0;
}

void EventClips::frame(std::size_t source, const Frame& frame) {
  Source& found = of(source);
  if (!found.isWanted && !found.clip) return;
  const std::int64_t nowMs = frame.taken.steadyMs;
  if (found.clip && nowMs > found.clip->untilMs) finish(found);
  if (!found.kept.empty() && nowMs < found.kept.back().steadyMs) {  // a file that begins again
    forget(found);
    if (found.clip) finish(found);
  }
  constexpr double kEveryMs = 1000 / kMostFps;
  // Frames come a little early or late: keeps each of ten a second.
  if (!found.kept.empty() &&
      static_cast<double>(nowMs - found.kept.back().steadyMs) < kEveryMs * 0.75) {
    return;
  }
  keep(found, {nowMs, frame.taken.utcMs, small(frame.picture)});
  if (!found.clip) return;
  found.clip->writer->add(found.kept.back().picture);
  found.clip->toUtcMs = frame.taken.utcMs;
  if (nowMs >= found.clip->untilMs) finish(found);
}

void EventClips::look(std::size_t source, const Moment& now) {
  Source& found = of(source);
  if (found.clip && now.steadyMs >= found.clip->untilMs) finish(found);
}

void EventClips::keep(Source& source, Kept kept) {
  source.bytes += bytesOf(kept.picture);
  source.kept.push_back(std::move(kept));
  const std::int64_t oldestMs = source.kept.back().steadyMs - kBeforeMs;
  while (source.kept.size() > 1 &&
         (source.kept.front().steadyMs < oldestMs || source.bytes > kMostBytes)) {
    source.bytes -= bytesOf(source.kept.front().picture);
    source.kept.pop_front();
  }
}

void EventClips::begin(std::size_t source, std::int64_t run, const std::string& reason,
                       const Moment& at, bool isLast) {
  ending_.erase(std::remove_if(ending_.begin(), ending_.end(),
                               [](const auto& writer) { return writer->isDone(); }),
                ending_.end());
  Source& found = of(source);
  if (!found.clip) {
    if (found.kept.empty()) return;
    if (ending_.size() >= kMostEnding * sources_.size()) {
      return tell(run, at, "No clip could be made: the disk has not yet taken those before it");
    }
    start(found, run, at);
  }
  Clip& clip = *found.clip;
  clip.untilMs = std::min(at.steadyMs + kAfterMs, clip.longestMs);
  if (std::find(clip.reasons.begin(), clip.reasons.end(), reason) == clip.reasons.end()) {
    clip.reasons.push_back(reason);
  }
  if (isLast) finish(found);
}

void EventClips::start(Source& source, std::int64_t run, const Moment& at) {
  const fs::path& folder = record_.snapshotFolder();
  const std::int64_t forMs = source.kept.back().steadyMs - source.kept.front().steadyMs;
  const double fps =
      forMs > 0 ? 1000.0 * static_cast<double>(source.kept.size() - 1) / static_cast<double>(forMs)
                : kMostFps;
  const std::size_t mostWaiting = kMostBytes / bytesOf(source.kept.back().picture);
  Clip clip;
  clip.run = run;
  clip.at = at;
  clip.longestMs = at.steadyMs + kLongestMs - kBeforeMs;
  clip.fromUtcMs = source.kept.front().utcMs;
  clip.toUtcMs = source.kept.back().utcMs;
  // OpenCV needs this ending. A file that is left over is removed when the record is opened again.
  clip.path = folder / (std::string(kGrowingClip) + std::to_string(++made_) + ".clip.avi");
  clip.writer =
      std::make_unique<ClipWriter>(clip.path.string(), std::clamp(fps, 1.0, 2 * kMostFps),
                                   source.kept.size() + mostWaiting, [folder] { prepare(folder); });
  for (const Kept& kept : source.kept) clip.writer->add(kept.picture);
  source.clip = std::move(clip);
}

void EventClips::finish(Source& source) {
  Clip clip = std::move(*source.clip);
  source.clip.reset();
  if (!source.isWanted) forget(source);
  Snapshot snapshot;
  snapshot.taken = clip.at;
  for (const std::string& reason : clip.reasons) {
    snapshot.reason += (snapshot.reason.empty() ? "" : ", ") + reason;
  }
  snapshot.facts =
      nlohmann::json{{"from_utc_ms", clip.fromUtcMs}, {"to_utc_ms", clip.toUtcMs}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace);
  snapshot.clip = clip.path;
  clip.writer->finish([this, run = clip.run, snapshot](const ClipWriter::Status& is) {
    if (is.written == 0) {
      return tell(run, snapshot.taken,
                  "No clip could be made: " +
                      (is.fault.empty() ? "its pictures could not be written" : is.fault));
    }
    if (!is.isWhole) {
      tell(run, snapshot.taken,
           "A clip is not whole, and may not play: the disk was full, or failed");
    }
    record_.write(run, snapshot);
  });
  ending_.push_back(std::move(clip.writer));
}

void EventClips::tell(std::int64_t run, const Moment& at, const std::string& text) {
  record_.tell(run, Event{at, "record", "clip", text, {}});
}

void EventClips::end() {
  for (Source& source : sources_) {
    if (source.clip) finish(source);
  }
  ending_.clear();
}

}  // namespace mpm::monitor
