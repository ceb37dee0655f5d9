// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_queue.h"

#include <type_traits>

namespace mpm::monitor {
namespace {

constexpr std::size_t kThreads = 6, kMostWaiting = 48;

}  // namespace

HttpQueue::HttpQueue(HttpLoad& load) : load_(load) {
  load_.waiting = 0;
  try {
    for (std::size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // the system has no threads left
    shutdown();
    throw;
  }
}

HttpQueue::Enqueued HttpQueue::enqueue(std::function<void()> connection) {
  bool isTaken = false;
  {
    const std::lock_guard lock(mutex_);
    if (connections_.size() < kMostWaiting) {
      connections_.push_back(std::move(connection));
      load_.waiting = static_cast<int>(connections_.size());
      isTaken = true;
    }
  }
  if (isTaken) {
    changed_.notify_one();
  } else {
    connection();
  }
  if constexpr (!std::is_void_v<Enqueued>) return Enqueued(true);
}

void HttpQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !connections_.empty(); });
    if (connections_.empty()) return;
    const std::function<void()> connection = std::move(connections_.front());
    connections_.pop_front();
    load_.waiting = static_cast<int>(connections_.size());
    lock.unlock();
    connection();
    lock.lock();
  }
}

void HttpQueue::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace mpm::monitor
