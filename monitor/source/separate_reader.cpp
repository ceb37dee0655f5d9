// SPDX-License-Identifier: Apache-2.0

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "monitor/process/program.h"
#include "monitor/source/readers.h"
#include "monitor/source/separate_wire.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kFarewellMs = 1000;
constexpr std::chrono::milliseconds kEnd{1000}, kLook{1};  // of a process that was killed

/// Waits for earlier processes that had not ended when they were closed, without blocking. `more`
/// joins them.
void waitForOld(pid_t more = 0) {
  static std::mutex mutex;
  static auto& old = *new std::vector<pid_t>;  // for threads that outlast main() as well
  const std::lock_guard lock(mutex);
  if (more != 0) old.push_back(more);
  std::erase_if(old, [](pid_t id) { return waitpid(id, nullptr, WNOHANG) != 0; });
}

/// The process of one reader. It ends with this object, or by itself with this process.
class ReaderProcess {
 public:
  ReaderProcess() = default;
  ~ReaderProcess() { close(); }
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  int socket() const { return socket_.get(); }

  /// Throws std::runtime_error if it cannot be started, or end() came first.
  void start(const std::string& program, int memory, const std::string& variable) {
    close();
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error(std::string("cannot create a socket: ") + std::strerror(errno));
    OwnDescriptor ours(ends[0]), theirs(ends[1]);
    waitForOld();
    const std::lock_guard lock(mutex_);
    if (isOver_) throw std::runtime_error("it was stopped before it started");
    const Started started = startProgram({program}, {theirs.get(), memory}, {variable});
    if (!started.fault.empty())
      throw std::runtime_error(program + " cannot be started: " + started.fault);
    id_ = started.pid;
    socket_ = std::move(ours);
  }

  /// Gives it at most a second to release its camera, and waits for it. Returns its status from
  /// waitpid. Returns 0 if there is none, if it is unknown, or if it has not ended: no signal ends
  /// what a driver holds.
  int close() {
    waitForOld();
    const pid_t id = id_;  // changed in this thread alone
    if (id == 0) return 0;
    shutdown(socket_.get(), SHUT_WR);
    pollfd closing{socket_.get(), POLLRDHUP, 0};
    if (poll(&closing, 1, kFarewellMs) <= 0) kill(id, SIGKILL);
    socket_.reset();
    const auto until = std::chrono::steady_clock::now() + kEnd;
    while (isRunning(id) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(kLook);
    // Keeps the process unwaited, and so its number: end() can kill no other.
    const std::lock_guard lock(mutex_);
    id_ = 0;
    int status = 0;
    const pid_t ended =
        waitpid(id, &status, WNOHANG);  // a process that ignores SIGCHLD is not told
    if (ended == 0) {
      kill(id, SIGKILL);
      waitForOld(id);
    }
    return ended == id ? status : 0;
  }

  /// Kills it now and starts no other, from any thread and during any call.
  void end() {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
    if (id_ != 0) kill(id_, SIGKILL);
  }

 private:
  static bool isRunning(pid_t id) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == 0;
  }

  OwnDescriptor socket_;
  std::mutex mutex_;  // of what follows
  pid_t id_ = 0;
  bool isOver_ = false;
};

class SeparateReader : public GuardedReader {
 public:
  SeparateReader(std::string program, const SourceAddress& address, const ReaderOptions& options)
      : GuardedReader(address, options),
        program_(std::move(program)),
        process_(std::make_shared<ReaderProcess>()) {}
  ~SeparateReader() override { process_->close(); }

  bool isLive() const override { return answer_.isLive != 0; }
  double paceMs() const override { return answer_.paceMs; }
  std::function<void()> interruption() const override {
    return [process = process_] { process->end(); };
  }
  bool wasGivenUp() const override { return wasGivenUp_; }

 protected:
  bool openSource() override {
    wasGivenUp_ = false;
    const OwnDescriptor memory = makePictureMemory(options().mostMegapixels);
    memory_ = PictureMemory(memory.get(), false);
    // OpenCV rejects a larger picture before it takes memory. It reads this when it is loaded.
    process_->start(program_, memory.get(),
                    "OPENCV_IO_MAX_IMAGE_PIXELS=" +
                        std::to_string(std::llround(1e6 * options().mostMegapixels)));
    ReaderCall call;
    call.kind = address().kind;
    call.options = options();
    call.address = wireText(address().text);
    call.shown = wireText(address().shown);
    return ask(call, "opening");
  }

  ReadStatus readSource(Shot& shot) override {
    ReaderCall call;
    call.what = ReaderCall::read;
    if (!ask(call, "reading")) return ReadStatus::failed;
    if (answer_.said == ReaderAnswer::ended) {
      tell(textOf(answer_.text));
      return ReadStatus::ended;
    }
    if (!fits(answer_.picture)) return ReadStatus::failed;
    const cv::Mat there = memory_.picture(answer_.picture);
    if (answer_.said != ReaderAnswer::frame || there.empty())
      return fail(address().shown + ": the reader sent an invalid answer");
    shot.picture = there.clone();  // the next one is written over it
    if (answer_.hasPosition != 0) shot.positionMs = answer_.positionMs;
    return ReadStatus::frame;
  }

  bool seekSource(std::int64_t positionMs) override {
    ReaderCall call;
    call.what = ReaderCall::seek;
    call.positionMs = positionMs;
    return ask(call, "seeking");
  }

 private:
  // Returns false after reporting a failure.
  bool ask(const ReaderCall& call, const char* doing) {
    const int socket = process_->socket();
    if (!send(socket, call)) return refuse(ending());
    const std::int64_t patienceMs = options().abandonAfterMs;
    pollfd answer{socket, POLLIN, 0};
    const int most = std::numeric_limits<int>::max();
    if (TEMP_FAILURE_RETRY(
            poll(&answer, 1, static_cast<int>(std::min<std::int64_t>(patienceMs, most)))) == 0) {
      process_->end();
      process_->close();
      wasGivenUp_ = true;
      return refuse(cv::format("%s did not return from %s within %.1f s", address().shown.c_str(),
                               doing, static_cast<double>(patienceMs) / 1000));
    }
    if (!receive(socket, answer_)) return refuse(ending());
    return answer_.said != ReaderAnswer::failed || refuse(textOf(answer_.text));
  }

  std::string ending() {
    const int status = process_->close();
    std::string how = status == 0 ? "ended" : endingText(status);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kTookTooMuchMemory)
      how = cv::format("took more than %g MB of memory (--max-reader-mb allows more)",
                       options().mostMegabytes);
    return "the process that reads " + address().shown + " " + how;
  }

  const std::string program_;
  const std::shared_ptr<ReaderProcess> process_;
  PictureMemory memory_;
  ReaderAnswer answer_;  // the newest
  bool wasGivenUp_ = false;
};

}  // namespace

bool isReadSeparately(SourceKind kind) { return kind != SourceKind::scene; }

std::string readerProgram() {
  std::error_code ignored;
  if (const char* named = std::getenv("MPM_READER"); named != nullptr && *named != '\0') {
    if (fs::is_regular_file(named, ignored)) return named;
    throw std::runtime_error(std::string("MPM_READER names ") + named + ", which is not a program");
  }
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path installed = (folder / MPM_READER_FROM_PROGRAM).lexically_normal();
  if (fs::is_regular_file(installed, ignored)) return installed.string();
  fs::path build = folder;
  for (int up = 0; up < 3; ++up) {
    build = build.parent_path();
    if (const fs::path built = build / "monitor/source/mpm-reader";
        fs::is_regular_file(built, ignored)) {
      return built.string();
    }
  }
  throw std::runtime_error("the program that reads cameras and streams is not at " +
                           installed.string() +
                           "; reinstall this program, or set MPM_READER to the path of mpm-reader");
}

std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options) {
  return std::make_unique<SeparateReader>(program, address, options);
}

}  // namespace mpm::monitor
