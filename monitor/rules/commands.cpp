// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/commands.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "monitor/rules/duration.h"
#include "monitor/rules/placeholders.h"
#include "monitor/rules/program.h"

namespace mpm::monitor {
namespace {

using Time = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::int64_t kLongestTimeoutMs = 366 * std::int64_t{86400000};
constexpr milliseconds kFromTermToKill{1000};
// At the end there is less patience: together less than a second.
constexpr milliseconds kLastTerm{500}, kLastKill{300};
// How often a program is looked after: the longer it has run, the more seldom.
constexpr milliseconds kMostOften{1}, kMostSeldom{50};

struct Running {
  pid_t pid;
  std::string program;
  Time::time_point begun;
  int signal = 0;  // the last that it was sent
};

const CommandOptions& checked(const CommandOptions& options) {
  if (options.timeoutMs < 1 || options.timeoutMs > kLongestTimeoutMs || options.atOnce < 1) {
    throw std::invalid_argument(
        "commands need a timeout from 1 ms to 366 days, and one or more at once");
  }
  return options;
}

// The host's handlers of signals are to run in the host's threads.
std::thread quietThread(auto body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(body);
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

class Commands::Impl {
 public:
  explicit Impl(const CommandOptions& options) : options_(checked(options)) {
    thread_ = quietThread([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool run(std::vector<std::string> words) {
    const bool isEmpty = words.empty() || words[0].empty();
    const bool hasZero = std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word.find('\0') != std::string::npos;
    });
    {
      const std::lock_guard lock(mutex_);
      if (isEmpty || hasZero) {
        fail(isEmpty ? "A command without a program cannot be started."
                     : "The command '" + words[0].substr(0, words[0].find('\0')) +
                           "' was not started: an argument cannot hold a zero byte.");
        return true;
      }
      if (taken_ >= options_.atOnce && taken_ - options_.atOnce >= options_.mostWaiting) {
        ++status_.refused;
        return false;
      }
      ++taken_;
      waiting_.push_back(std::move(words));
    }
    changed_.notify_all();
    return true;
  }

  Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      const auto canStart = [&] { return !waiting_.empty() && running_.size() < options_.atOnce; };
      const auto isDue = [&] { return stopping_ || canStart(); };
      if (canStart()) {
        startNext(lock);
      } else if (running_.empty()) {
        changed_.wait(lock, isDue);
      } else {
        changed_.wait_for(lock, untilNextLook(), isDue);
      }
      lookAfter();
    }
    lock.unlock();
    endAll();
  }

  void startNext(std::unique_lock<std::mutex>& lock) {
    const std::vector<std::string> words = std::move(waiting_.front());
    waiting_.pop_front();
    // Finding a program may wait for a disk: nobody else has to.
    lock.unlock();
    const Started started = startProgram(words);
    lock.lock();
    if (started.fault.empty()) {
      ++status_.begun;
      running_.push_back({started.pid, words[0], Time::now()});
      return;
    }
    --taken_;
    const bool onPath = words[0].find('/') == std::string::npos;
    fail("The command '" + words[0] + "' " + (onPath ? "(looked for on PATH) " : "") +
         "was not started: " + started.fault + ".");
  }

  // Of programs that ended or took too long.
  void lookAfter() {
    const auto now = Time::now();
    for (std::size_t i = 0; i < running_.size();) {
      Running& program = running_[i];
      if (const auto ending = endingOf(program.pid)) {
        if (program.signal != 0) {
          fail("The command '" + program.program + "' ran longer than " +
               durationText(options_.timeoutMs) + " and was ended.");
        } else if (!ending->empty()) {
          fail("The command '" + program.program + "' " + *ending + ".");
        }
        --taken_;
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      const auto late = now - program.begun - milliseconds(options_.timeoutMs);
      if (late >= kFromTermToKill) {
        tell(program, SIGKILL);
      } else if (late >= milliseconds(0)) {
        tell(program, SIGTERM);
      }
      ++i;
    }
  }

  static void tell(Running& program, int signal) {
    if (program.signal == signal) return;
    program.signal = signal;
    signalGroup(program.pid, signal);
  }

  milliseconds untilNextLook() const {
    auto youngest = kMostSeldom * 8;
    for (const Running& program : running_) {
      const auto age = std::chrono::duration_cast<milliseconds>(Time::now() - program.begun);
      youngest = std::min(youngest, age);
    }
    return std::clamp(youngest / 8, kMostOften, kMostSeldom);
  }

  void endAll() {
    for (const auto& [signal, patience] :
         {std::pair(SIGTERM, kLastTerm), std::pair(SIGKILL, kLastKill)}) {
      for (const Running& program : running_) signalGroup(program.pid, signal);
      const auto until = Time::now() + patience;
      while (true) {
        std::erase_if(running_, [](const Running& one) { return endingOf(one.pid).has_value(); });
        if (running_.empty() || Time::now() >= until) break;
        std::this_thread::sleep_for(kMostOften);
      }
    }
  }

  void fail(std::string sentence) {
    ++status_.failed;
    status_.fault = std::move(sentence);
  }

  const CommandOptions options_;
  std::vector<Running> running_;  // of the thread alone
  mutable std::mutex mutex_;      // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<std::vector<std::string>> waiting_;
  std::size_t taken_ = 0;  // waiting, being started, running
  Status status_;
  std::thread thread_;
};

Commands::Commands(const CommandOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Commands::~Commands() = default;

bool Commands::run(const std::vector<std::string>& command,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(withValues(word, values));
  return impl_->run(std::move(words));
}

Commands::Status Commands::status() const { return impl_->status(); }

}  // namespace mpm::monitor
