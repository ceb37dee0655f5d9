// SPDX-License-Identifier: Apache-2.0
// mpm-reader: reads one source for a monitor, which starts it with a socket as descriptor 3. It
// ends when the monitor closes the other end, or is no more.
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
#include "monitor/source/reader_process.h"
#include "monitor/source/separate_wire.h"

namespace {

using namespace mpm::monitor;

constexpr int kSocket = 3, kLookEveryMs = 200;
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
  // The monitor is told to end, and then ends this.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
  write("/proc/self/oom_score_adj", "500");  // where memory is short the record is worth more
  prctl(PR_SET_DUMPABLE, 0);                 // a core would hold the camera's password
  cv::setNumThreads(1);                      // a picture is copied, and at most converted
  // FFmpeg's words, where somebody asked for them, go out at once: the process may be ended.
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

// In a thread of its own, since a decoder may not return.
void watch() {
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  for (;;) {
    pollfd waiting{kSocket, POLLRDHUP, 0};
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
  // Until nobody calls any more.
  void run() {
    ReaderCall call;
    OwnDescriptor passed;
    while (receive(kSocket, call, text_, passed)) {
      if (call.layout != kWireLayout) _exit(kOfAnotherVersion);
      answer_ = {};
      std::string fault;
      try {
        fault = serve(call, passed);
      } catch (const std::exception& failure) {
        fault = failure.what();
      }
      if (reader_) {
        answer_.isLive = reader_->isLive();
        answer_.paceMs = reader_->paceMs();
      }
      if (!send(kSocket, answer_, fault)) return;
    }
  }

 private:
  static bool mayDecode(const PictureFile& picture) {
    ReaderAnswer asked;
    asked.said = ReaderAnswer::tries;
    asked.positionMs = picture.positionMs;
    asked.written = picture.written;
    ReaderCall told;
    std::string text;
    OwnDescriptor none;
    return send(kSocket, asked, picture.name) && receive(kSocket, told, text, none) &&
           told.what == ReaderCall::decode;
  }

  std::string serve(const ReaderCall& call, const OwnDescriptor& passed) {
    switch (call.what) {
      case ReaderCall::open:
        return open(call);
      case ReaderCall::seek:
        hasShot_ = false;
        if (reader_ && reader_->seek(call.positionMs)) answer_.said = ReaderAnswer::done;
        break;
      case ReaderCall::decode:
      case ReaderCall::leaveOut:
        break;  // nothing was asked
      case ReaderCall::read:
        if (passed.get() >= 0) room_ = SharedPicture::toWrite(call.room, passed);
        return read();
    }
    return reader_ ? reader_->fault() : "nothing is open";
  }

  std::string open(const ReaderCall& call) {
    mostMegabytes = call.options.mostMegabytes;
    const std::size_t border = text_.find('\0');
    if (border == std::string::npos) return "there is no address";
    reader_ =
        makeReader({call.kind, text_.substr(0, border), text_.substr(border + 1)}, call.options);
    reader_->askFirst(mayDecode);
    if (!reader_->open()) return reader_->fault();
    answer_.said = ReaderAnswer::done;
    return "";
  }

  std::string read() {
    if (!reader_) return "nothing is open";
    if (!hasShot_) {
      shot_ = {};
      shot_.room = room_.picture();
      const ReadStatus status = reader_->read(shot_);
      hasShot_ = status == ReadStatus::frame;
      if (!hasShot_) {
        if (status == ReadStatus::ended) answer_.said = ReaderAnswer::ended;
        return reader_->fault();
      }
    }
    answer_.picture = shot_.picture.size();
    if (shot_.picture.size() != room_.size()) {
      answer_.said = ReaderAnswer::noRoom;
      return "";
    }
    if (cv::Mat room = room_.picture(); shot_.picture.data != room.data) shot_.picture.copyTo(room);
    hasShot_ = false;
    answer_.said = ReaderAnswer::frame;
    answer_.hasPosition = shot_.positionMs.has_value();
    answer_.positionMs = shot_.positionMs.value_or(0);
    return "";
  }

  std::unique_ptr<Reader> reader_;
  SharedPicture room_;
  Shot shot_;
  bool hasShot_ = false;  // that waits for room
  ReaderAnswer answer_;
  std::string text_;
};

}  // namespace

int main() {
  mpm::files::keepStandardFiles();
  if (!isSocket(kSocket)) {
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
