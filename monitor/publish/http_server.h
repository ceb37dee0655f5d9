// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "monitor/publish/published.h"

namespace mpm::monitor {

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 9120;  ///< 0: any that is free
  std::string
      token;  ///< asked for as "Authorization: Bearer ..." or "?token=..." ; may only be empty
              ///< where the address is one of this machine's own (127.0.0.1, ::1, localhost)
};

/// /metrics, /healthz (200 or 503), /picture/SOURCE.jpg (/picture.jpg: the first one's), and / with
/// links to them. Threads of its own.
class HttpServer {
 public:
  struct Content {
    std::function<PublishedState()> state;                                         ///< any thread
    std::function<std::vector<unsigned char>(const std::string& source)> picture;  ///< JPEG; empty:
                                                                                   ///< none yet
  };
  /// Listens when it returns. std::runtime_error, one sentence: no such address, port taken, a
  /// token missing.
  HttpServer(const HttpOptions& options, Content content);
  ~HttpServer();  ///< within a second
  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
