// SPDX-License-Identifier: Apache-2.0
#include "processor/pool.h"

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __unix__
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace mpm::processor {
namespace {

using Clock = std::chrono::steady_clock;

// Time that an idle thread looks for work before it sleeps: longer than from one layer of a net to
// the next, shorter than a person would notice a busy core.
constexpr auto kStayAwake = std::chrono::microseconds(200);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

thread_local bool insideTask = false;
thread_local int asides = 0;

void runAlone(const Work& work) {
  for (std::size_t task = 0; task < work.count; ++task) work.body(work.argument, task);
}

/// Runs one job at a time. A ticket holds the job's number and the index of its next task; whoever
/// advances it by one owns that task. A thread that was suspended since it looked finds another
/// job's number there and owns nothing, so nobody ever has to wait for it.
class Pool {
 public:
  /// Returns false if another thread's job is running.
  bool run(const Work& work, const Work& then, int threads) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    start(threads - 1);
    publish(work, then, threads - 1);
    takeTasks();
    for (int looks = 0; done_.load(std::memory_order_acquire) < work.count + then.count; ++looks)
      looks < 1000 ? pause() : std::this_thread::yield();
    const std::exception_ptr fault = std::exchange(fault_, nullptr);
    busy_.store(false, std::memory_order_release);
    if (fault) std::rethrow_exception(fault);
    return true;
  }

 private:
  struct Job {
    Work work, then;
    int helpers = 0;
  };

  static constexpr std::uint64_t kIndex = 0xffffffff;
  static constexpr std::uint64_t kOneJob = kIndex + 1;

  // Late threads may read the next job's values here; the ticket tells them.
  struct SharedWork {
    std::atomic<void (*)(const void*, std::size_t)> body{nullptr};
    std::atomic<const void*> argument{nullptr};
    std::atomic<std::size_t> count{0};

    void write(const Work& work) {
      body.store(work.body, std::memory_order_relaxed);
      argument.store(work.argument, std::memory_order_relaxed);
      count.store(work.count, std::memory_order_relaxed);
    }
    Work read() const {
      return {body.load(std::memory_order_relaxed), argument.load(std::memory_order_relaxed),
              count.load(std::memory_order_relaxed)};
    }
  };

  void start(int helpers) {
    for (; helpers_ < helpers; ++helpers_) {
      try {
        std::thread([this, number = helpers_] { help(number); }).detach();
      } catch (const std::system_error&) {
        return;  // fewer threads, then
      }
    }
  }

  void publish(const Work& work, const Work& then, int helpers) {
    const std::uint64_t job = (ticket_.load(std::memory_order_relaxed) & ~kIndex) + kOneJob;
    ticket_.store(job | kIndex, std::memory_order_release);  // nobody owns a task of it
    std::atomic_thread_fence(std::memory_order_release);
    work_.write(work);
    then_.write(then);
    limit_.store(helpers, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ticket_.store(job + kOneJob, std::memory_order_release);
    }
    if (asleep_.load(std::memory_order_relaxed) > 0) wake_.notify_all();
  }

  // Runs every remaining task of the current job. Returns the ticket that has no more.
  std::uint64_t takeTasks(int helper = -1) {
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    for (;;) {
      const Work work = work_.read(), then = then_.read();
      const bool welcome = helper < limit_.load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      const std::size_t index = ticket & kIndex;
      if (!welcome || index >= work.count + then.count) return ticket;
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
      const bool second = index >= work.count;
      while (second && done_.load(std::memory_order_acquire) < work.count)
        std::this_thread::yield();
      insideTask = true;
      try {
        second ? then.body(then.argument, index - work.count) : work.body(work.argument, index);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!fault_) fault_ = std::current_exception();
      }
      insideTask = false;
      done_.fetch_add(1, std::memory_order_acq_rel);
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  [[noreturn]] void help(int number) {
    for (;;) {
      const std::uint64_t job = takeTasks(number) & ~kIndex;
      const auto changed = [&] {
        return (ticket_.load(std::memory_order_acquire) & ~kIndex) != job;
      };
      const Clock::time_point sleepAt = Clock::now() + kStayAwake;
      while (!changed() && Clock::now() < sleepAt) {
        for (int i = 0; i < 32; ++i) pause();
      }
      if (changed()) continue;
      std::unique_lock<std::mutex> lock(mutex_);
      asleep_.fetch_add(1, std::memory_order_relaxed);
      wake_.wait(lock, changed);
      asleep_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  std::atomic<bool> busy_{false};
  int helpers_ = 0;  // whoever is busy changes it

  std::atomic<std::uint64_t> ticket_{kIndex};
  SharedWork work_, then_;
  std::atomic<int> limit_{0};
  std::atomic<std::size_t> done_{0};
  std::exception_ptr fault_;  // the job's first; whoever ends a task tells of it by done_

  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int> asleep_{0};
};

struct Pools {
  Pool usual, aside;
};

// Never destroyed, since their threads run until the process ends. A forked process has none of
// these threads and finds their locks held, so it gets new pools.
std::atomic<Pools*> pools{nullptr};

Pool& pool() {
  static const bool isFirst [[maybe_unused]] = [] {
    pools = new Pools;
#ifdef __unix__
    pthread_atfork(nullptr, nullptr, [] { pools = new Pools; });
#endif
    return true;
  }();
  Pools& own = *pools;
  return asides > 0 ? own.aside : own.usual;
}

std::atomic<int> chosenCount{0};
std::atomic<int (*)()> defaultCount{nullptr};
std::atomic<Runner> otherRunner{nullptr};

// Counts the cores of the machine that the system lets this process use.
int allowedCores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

int usableCores() {
  static const int cores = [] {
    const int found = std::max(1, allowedCores());
    const char* limit = std::getenv("OMP_NUM_THREADS");
    const int number = limit == nullptr ? 0 : std::atoi(limit);
    return number > 0 ? std::min(found, number) : found;
  }();
  return cores;
}

int threadCount() {
  const int chosen = chosenCount;
  if (chosen > 0) return chosen;
  int (*const count)() = defaultCount;
  return std::max(1, count != nullptr ? count() : usableCores());
}

void setThreadCount(int count) { chosenCount = std::max(0, count); }
void setDefaultThreadCount(int (*count)()) { defaultCount = count; }
void setRunner(Runner runner) { otherRunner = runner; }

Aside::Aside() { ++asides; }
Aside::~Aside() { --asides; }

void runTasks(const Work& work, const Work& then) {
  if (const Runner runner = otherRunner; runner != nullptr) return runner(work, then);
  const int threads = threadCount();
  const bool worthIt = threads > 1 && work.count + then.count > 1;
  if (worthIt && !insideTask && pool().run(work, then, threads)) return;
  runAlone(work);
  runAlone(then);
}

}  // namespace mpm::processor
