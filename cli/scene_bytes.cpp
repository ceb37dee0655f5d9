// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>

#include "cli/scene_output.h"
#include "cli/usage_error.h"

namespace mpm::cli {
namespace {

// An open file, or stdout.
class Sink {
 public:
  explicit Sink(const std::string& file)
      : name_(file == "-" ? "the standard output" : file),
        file_(file == "-" ? 1
                          : ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail();
    if (isatty(file_) == 1) {
      throw UsageError("--raw " + file + " would write bytes to a terminal; a pipe can take them");
    }
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~Sink() {
    if (file_ > 1) ::close(file_);
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // False where nobody reads any more.
  bool write(const cv::Mat& picture) const {
    const unsigned char* bytes = picture.data;
    for (std::size_t left = picture.total() * picture.elemSize(); left > 0;) {
      const ssize_t written = ::write(file_, bytes, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EPIPE) return false;
      if (written < 0) fail();
      bytes += written;
      left -= static_cast<std::size_t>(written);
    }
    return true;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot write to " + name_ + ": " +
                             std::generic_category().message(errno));
  }

  std::string name_;
  int file_;
};

}  // namespace

void writeSceneBytes(ScenePlan& plan, SceneShots& shots, const std::string& file) {
  const Sink sink(file);
  cv::Mat picture, labels;
  for (SceneFrame frame; plan.next(frame);) {
    shots.shoot(frame.seed, frame.second, picture, labels);
    CV_Assert(picture.isContinuous() && labels.isContinuous());
    if (!sink.write(picture) || !sink.write(labels)) return;
  }
}

}  // namespace mpm::cli
