// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "monitor/publish/http_listener.h"
#include "monitor/publish/http_pages.h"
#include "monitor/publish/token.h"

namespace mpm::monitor {
namespace {

// Until the port is asked for again: after accepting failed, after listening failed.
constexpr std::chrono::milliseconds kListenAgain{20}, kListenLater{500};

HttpOptions checked(HttpOptions options) {
  if (options.address.empty()) {
    throw std::runtime_error(
        "the HTTP server needs an address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 "
        "with a token for others");
  }
  if (options.port < 0 || options.port > 65535)
    throw std::runtime_error("the HTTP port has to be from 1 to 65535, or 0 for any that is free");
  checkToken(options.token);
  if (options.token.empty() && !isOwnAddress(options.address)) {
    throw std::runtime_error(
        "listening on " + options.address +
        " needs a token, since others can reach it; without one only 127.0.0.1, "
        "::1 and localhost are listened on");
  }
  if (options.address == "[::1]") options.address = "::1";
  return options;
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, Content content)
      : options_(std::move(options)),
        pages_(options_.token, std::move(content)),
        listener_(std::make_unique<HttpListener>(pages_, load_)) {
    options_.port = listener_->bind(options_.address, options_.port);
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    {
      std::unique_lock lock(mutex_);
      load_.stopping = true;
      changed_.notify_all();
      // httplib's stop() does nothing before its loop has begun.
      while (!isOver_ && !(listener_ && listener_->is_running()))
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      if (!isOver_) listener_->stop();
    }
    thread_.join();
  }

  int port() const { return options_.port; }

 private:
  /// Accepting may fail for a while, as when the system is out of files or its network goes down:
  /// httplib's loop then ends, and another is begun.
  void run() {
    while (!load_.stopping) {
      const bool hasServed = serve();
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, hasServed ? kListenAgain : kListenLater,
                            [&] { return load_.stopping.load(); }))
        break;
      listener_.reset();
      try {
        auto next = std::make_unique<HttpListener>(pages_, load_);
        next->bind(options_.address, options_.port);
        listener_ = std::move(next);
      } catch (const std::exception&) {  // tried again in a moment
      }
    }
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }

  bool serve() {
    try {
      if (listener_) listener_->serve();
      return listener_ != nullptr;
    } catch (const std::exception&) {  // no memory, or no threads
      return false;
    }
  }

  HttpOptions options_;
  HttpPages pages_;
  HttpLoad load_;
  std::mutex mutex_;  // of what follows; the listener is replaced by its thread alone
  std::condition_variable changed_;
  std::unique_ptr<HttpListener> listener_;
  bool isOver_ = false;
  std::thread thread_;
};

HttpServer::HttpServer(const HttpOptions& options, Content content)
    : impl_(std::make_unique<Impl>(checked(options), std::move(content))) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

}  // namespace mpm::monitor
