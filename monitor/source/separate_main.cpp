// SPDX-License-Identifier: Apache-2.0
// mpm-reader: reads one source for a monitor, which starts it with a socket and memory for
// pictures. It ends when the monitor closes its end or is gone.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <opencv2/core/utility.hpp>
#include <thread>

#include "files/standard_files.h"
#include "monitor/source/separate_wire.h"

namespace {

using namespace mpm::monitor;

constexpr int kLookEveryMs = 200;
constexpr std::chrono::seconds kFarewell{2};

std::atomic<double> mostMegabytes{0};

bool isSocket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

void write(const char* path, const char* text) {
  if (std::FILE* file = std::fopen(path, "we"); file != nullptr) {
    std::fputs(text, file);
    std::fclose(file);
  }
}

void settle() {
  // The monitor receives these signals, and then ends this process.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  write("/proc/self/oom_score_adj", "500");  // where memory is short the record is worth more
  prctl(PR_SET_DUMPABLE, 0);                 // a core would hold the camera's password
  cv::setNumThreads(1);                      // a picture is copied, and at most converted
  // Flushes FFmpeg's messages at once, if any were requested: the process may be killed.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

double residentMegabytes(int statm) {
  std::array<char, 128> text{};
  if (pread(statm, text.data(), text.size() - 1, 0) <= 0) return 0;
  char* resident = nullptr;
  std::strtoull(text.data(), &resident, 10);
  return static_cast<double>(std::strtoull(resident, nullptr, 10)) *
         static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Runs in a separate thread, since a decoder may not return.
void watch() {
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  for (;;) {
    pollfd waiting{kReaderSocket, POLLRDHUP, 0};
    if (poll(&waiting, 1, kLookEveryMs) > 0) {
      std::this_thread::sleep_for(kFarewell);  // for a server that is told goodbye
      _exit(0);
    }
    const double most = mostMegabytes;
    if (most > 0 && residentMegabytes(statm) > most) _exit(kTookTooMuchMemory);
  }
}

class Serving {
 public:
  // Answers calls until there is no caller.
  void run() {
    ReaderCall call;
    while (receive(kReaderSocket, call)) {
      answer_ = {};
      std::string fault;
      try {
        fault = serve(call);
      } catch (const std::exception& failure) {
        fault = failure.what();
      }
      if (reader_) {
        answer_.isLive = reader_->isLive();
        answer_.paceMs = reader_->paceMs();
      }
      answer_.text = wireText(fault);
      if (!send(kReaderSocket, answer_)) return;
    }
  }

 private:
  std::string serve(const ReaderCall& call) {
    if (call.what == ReaderCall::open) return open(call);
    if (!reader_) return "nothing is open";
    if (call.what == ReaderCall::read) return read();
    if (reader_->seek(call.positionMs)) answer_.said = ReaderAnswer::done;
    return reader_->fault();
  }

  std::string open(const ReaderCall& call) {
    mostMegabytes = call.options.mostMegabytes;
    memory_ = PictureMemory(kReaderMemory, true);
    reader_ = makeReader({call.kind, textOf(call.address), textOf(call.shown)}, call.options);
    if (!reader_->open()) return reader_->fault();
    answer_.said = ReaderAnswer::done;
    return "";
  }

  std::string read() {
    Shot shot;
    shot.room = memory_.picture(size_);  // most pictures are as large as the one before
    const ReadStatus status = reader_->read(shot);
    if (status != ReadStatus::frame) {
      if (status == ReadStatus::ended) answer_.said = ReaderAnswer::ended;
      return reader_->fault();
    }
    size_ = shot.picture.size();
    cv::Mat there = memory_.picture(size_);
    if (there.empty()) return "there is no memory for a picture of that size";
    if (shot.picture.data != there.data) shot.picture.copyTo(there);
    answer_.said = ReaderAnswer::frame;
    answer_.picture = size_;
    answer_.hasPosition = shot.positionMs.has_value();
    answer_.positionMs = shot.positionMs.value_or(0);
    return "";
  }

  std::unique_ptr<Reader> reader_;
  PictureMemory memory_;
  cv::Size size_;  // of the picture in it
  ReaderAnswer answer_;
};

}  // namespace

int main() {
  mpm::files::keepStandardFiles();
  if (!isSocket(kReaderSocket)) {
    std::fputs("mpm-reader reads a camera or a stream for mpm and mpm-monitor, which start it\n",
               stderr);
    return 2;
  }
  settle();
  std::thread(watch).detach();
  {
    Serving serving;
    serving.run();
  }
  _exit(0);  // libraries' threads may still run
}
