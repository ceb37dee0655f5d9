// SPDX-License-Identifier: Apache-2.0
#include "monitor/rules/commands.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "monitor/process/program.h"
#include "monitor/rules/words.h"

namespace mpm::monitor {
namespace {

using Time = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFromTermToKill{1000};
// Waits less at the end: together less than a second.
constexpr milliseconds kLastTerm{500}, kLastKill{300};
// Time between two looks at a program: the longer it has run, the rarer.
constexpr milliseconds kMostOften{1}, kMostSeldom{50};

struct Asked {
  std::vector<std::string> words;
  PlaceholderValues values;
};

struct Running {
  pid_t pid;
  Asked asked;
  Time::time_point begun;
  int signal = 0;  // the last that it was sent
};

// Returns the word in braces that begins at `brace`; empty if there is none.
std::string_view wordAt(std::string_view text, std::size_t brace) {
  const std::size_t end = text.find_first_of("{}", brace + 1);
  if (end == std::string_view::npos || text[end] != '}') return {};
  return text.substr(brace + 1, end - brace - 1);
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Starts a thread without signals, so that the host's handlers run in the host's threads.
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

const std::vector<std::string>& placeholderNames() {
  static const std::vector<std::string> names{"rule", "source", "value", "time", "state"};
  return names;
}

std::string withValues(const std::string& text, const PlaceholderValues& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      const std::string_view word = wordAt(text, i);
      const auto found = std::find_if(values.begin(), values.end(),
                                      [&](const auto& value) { return value.first == word; });
      if (!word.empty() && found != values.end()) {
        result += found->second;
        i += word.size() + 1;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::optional<std::pair<std::string, std::string>> misspelled(const std::string& text) {
  const std::vector<std::string>& names = placeholderNames();
  for (std::size_t i = text.find('{'); i != std::string::npos; i = text.find('{', i + 1)) {
    const std::string_view word = wordAt(text, i);
    const bool isWord = std::all_of(word.begin(), word.end(), isLetter);
    if (word.empty() || !isWord || std::find(names.begin(), names.end(), word) != names.end()) {
      continue;
    }
    const std::vector<std::string> meant = likeThese(word, names, 1);
    if (!meant.empty()) return std::pair(std::string(word), meant[0]);
  }
  return std::nullopt;
}

class Commands::Impl {
 public:
  Impl(const CommandOptions& options, std::function<void(const CommandFailure&)> onFailure)
      : options_(options), onFailure_(std::move(onFailure)) {
    thread_ = quietThread([this] { work(); });
  }

  ~Impl() { end(); }

  void end() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  bool run(Asked asked) {
    const std::vector<std::string>& words = asked.words;
    const bool isEmpty = words.empty() || words[0].empty();
    const bool hasZero = std::any_of(words.begin(), words.end(), [](const std::string& word) {
      return word.find('\0') != std::string::npos;
    });
    std::unique_lock lock(mutex_);
    if (isEmpty || hasZero) {
      fail(status_.failed, asked,
           isEmpty ? "A command without a program cannot be started."
                   : "The command '" + words[0].substr(0, words[0].find('\0')) +
                         "' was not started: an argument cannot contain a zero byte.");
      tellFailures(lock);
      return true;
    }
    if (stopping_) {
      refuseAtTheEnd(asked);
      tellFailures(lock);
      return false;
    }
    if (taken_ >= options_.atOnce && taken_ - options_.atOnce >= options_.mostWaiting) {
      fail(status_.refused, asked,
           "The command '" + words[0] + "' was not started: too many run or wait already (" +
               std::to_string(taken_) + ").");
      tellFailures(lock);
      return false;
    }
    ++taken_;
    waiting_.push_back(std::move(asked));
    lock.unlock();
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
    while (!stopping_) goOn(lock);
    const auto until = Time::now() + milliseconds(options_.lastMs);
    while (taken_ > 0 && Time::now() < until) goOn(lock);
    lookAfter();
    for (const Asked& asked : std::exchange(waiting_, {})) refuseAtTheEnd(asked);
    for (const Running& program : running_) {
      fail(status_.failed, program.asked,
           "The command '" + program.asked.words[0] + "' was stopped after " +
               durationText(ageOf(program).count()) + ", because the monitor ended.");
    }
    tellFailures(lock);
    lock.unlock();
    endAll();
  }

  void goOn(std::unique_lock<std::mutex>& lock) {
    const bool wasStopping = stopping_;
    const auto canStart = [&] { return !waiting_.empty() && running_.size() < options_.atOnce; };
    const auto isDue = [&] { return stopping_ != wasStopping || canStart(); };
    if (canStart()) {
      startNext(lock);
    } else if (running_.empty()) {
      changed_.wait(lock, isDue);
    } else {
      changed_.wait_for(lock, untilNextLook(), isDue);
    }
    lookAfter();
    tellFailures(lock);
  }

  void refuseAtTheEnd(const Asked& asked) {
    fail(status_.refused, asked,
         "The command '" + asked.words[0] + "' was not started: the monitor ended.");
  }

  static milliseconds ageOf(const Running& program) {
    return std::chrono::duration_cast<milliseconds>(Time::now() - program.begun);
  }

  void startNext(std::unique_lock<std::mutex>& lock) {
    Asked asked = std::move(waiting_.front());
    const std::vector<std::string>& words = asked.words;
    waiting_.pop_front();
    // Unlocks, since finding a program may wait for a disk.
    lock.unlock();
    const Started started = startProgram(words);
    lock.lock();
    if (started.fault.empty()) {
      ++status_.begun;
      running_.push_back({started.pid, std::move(asked), Time::now()});
      return;
    }
    --taken_;
    const bool onPath = words[0].find('/') == std::string::npos;
    fail(status_.failed, asked,
         "The command '" + words[0] + "' " + (onPath ? "(looked for on PATH) " : "") +
             "was not started: " + started.fault + ".");
  }

  // Checks which programs ended or took too long.
  void lookAfter() {
    const auto now = Time::now();
    for (std::size_t i = 0; i < running_.size();) {
      Running& program = running_[i];
      if (const auto ending = endingOf(program.pid)) {
        const std::string end =
            program.signal == 0
                ? *ending
                : "ran longer than " + durationText(options_.timeoutMs) + " and was stopped";
        if (!end.empty()) {
          fail(status_.failed, program.asked,
               "The command '" + program.asked.words[0] + "' " + end + ".");
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
      youngest = std::min(youngest, ageOf(program));
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

  void fail(std::uint64_t& count, const Asked& asked, const std::string& sentence) {
    ++count;
    status_.fault = sentence;
    if (onFailure_) untold_.push_back({sentence, asked.values});
  }

  // Reports failures without the mutex, since the callee may ask this object.
  void tellFailures(std::unique_lock<std::mutex>& lock) {
    const std::vector<CommandFailure> failures = std::exchange(untold_, {});
    if (failures.empty()) return;
    lock.unlock();
    for (const CommandFailure& failure : failures) onFailure_(failure);
    lock.lock();
  }

  const CommandOptions options_;
  const std::function<void(const CommandFailure&)> onFailure_;
  std::vector<Running> running_;  // of the thread alone
  mutable std::mutex mutex_;      // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  std::deque<Asked> waiting_;
  std::size_t taken_ = 0;  // waiting, being started, running
  Status status_;
  std::vector<CommandFailure> untold_;
  std::thread thread_;
};

Commands::Commands(const CommandOptions& options,
                   std::function<void(const CommandFailure&)> onFailure)
    : impl_(std::make_unique<Impl>(options, std::move(onFailure))) {}
Commands::~Commands() = default;
void Commands::end() { impl_->end(); }

bool Commands::run(const std::vector<std::string>& command, const PlaceholderValues& values) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(withValues(word, values));
  return impl_->run({std::move(words), values});
}

Commands::Status Commands::status() const { return impl_->status(); }

}  // namespace mpm::monitor
