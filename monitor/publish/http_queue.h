// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "monitor/publish/http_exchange.h"

namespace mpm::monitor {

/// Threads for connections: so many and no more. A connection that finds too many others waiting
/// is handed back to the thread that accepted it, which turns it away.
class HttpQueue final : public httplib::TaskQueue {
 public:
  explicit HttpQueue(HttpLoad& load);
  ~HttpQueue() override { shutdown(); }

  // What it returns depends on httplib's version.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));
  Enqueued enqueue(std::function<void()> connection) override;
  void shutdown() override;

 private:
  void work();

  HttpLoad& load_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> connections_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace mpm::monitor
