// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clip_writer.h"

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
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <system_error>
#include <utility>

namespace mpm::monitor {
namespace {

// OpenCV does not say that the disk was full. At the end it writes into the beginning of a file how
// long that is.
bool isWholeFile(const std::string& path) {
  std::array<unsigned char, 8> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
  std::uintmax_t told = head.size();
  for (std::size_t i = 4; i < head.size(); ++i) told += std::uintmax_t{head[i]} << 8 * (i - 4);
  std::error_code error;
  return std::filesystem::file_size(path, error) == told && !error;
}

std::string faultOf(const std::function<void()>& work) {
  try {
    if (work) work();
    return {};
  } catch (const std::exception& fault) {
    return fault.what();
  }
}

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
  // The video opens with the first picture; whether it can is known now.
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
  if (!hasPictures) std::filesystem::remove(path, ignored);
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

}  // namespace mpm::monitor
