// SPDX-License-Identifier: Apache-2.0
#include "monitor/service/clip_writer.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <stdexcept>
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

}  // namespace

ClipWriter::ClipWriter(const std::string& path, double fps, std::size_t mostWaiting)
    : path_(path), fps_(fps), mostWaiting_(mostWaiting) {
  // The writer opens with the first picture; whether it can is said now.
  if (!std::ofstream(path_, std::ios::binary))
    throw std::runtime_error("cannot write " + path_ + ": " +
                             std::generic_category().message(errno));
  thread_ = std::thread([this] { run(); });
}

ClipWriter::~ClipWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  came_.notify_one();
  thread_.join();
}

void ClipWriter::finish(std::function<void(const Status&)> then) {
  {
    const std::lock_guard lock(mutex_);
    then_ = std::move(then);
    ending_ = true;
  }
  came_.notify_one();
}

void ClipWriter::add(const cv::Mat& picture, int frames) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= mostWaiting_) {
      ++status_.leftOut;
      return;
    }
    waiting_.push_back({picture, frames});
  }
  came_.notify_one();
}

ClipWriter::Status ClipWriter::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void ClipWriter::run() {
  cv::VideoWriter video;
  for (;;) {
    Waiting next;
    {
      std::unique_lock lock(mutex_);
      came_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const bool written = write(video, std::move(next));
    const std::lock_guard lock(mutex_);
    ++(written ? status_.written : status_.leftOut);
  }
  try {
    video.release();
  } catch (const cv::Exception&) {  // what could not be written is missing
  }
  const bool isWhole = status_.written == 0 || isWholeFile(path_);
  {
    const std::lock_guard lock(mutex_);
    status_.isWhole = isWhole;
  }
  if (then_) then_(status_);
  isDone_ = true;
}

bool ClipWriter::write(cv::VideoWriter& video, Waiting next) {
  cv::Mat& picture = next.picture;
  try {
    if (size_.empty()) {
      size_ = picture.size();
      video.open(path_, cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), fps_,
                 size_);
    }
    if (!video.isOpened()) return false;
    if (picture.size() != size_) cv::resize(picture, picture, size_, 0, 0, cv::INTER_AREA);
    for (int frame = 0; frame < next.frames; ++frame) video.write(picture);
    return true;
  } catch (const cv::Exception&) {
    return false;
  }
}

}  // namespace mpm::monitor
