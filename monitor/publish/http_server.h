// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "monitor/publish/published.h"

namespace mpm::monitor {

struct HttpOptions {
  std::string address = "127.0.0.1";
  int port = 9120;    ///< 0: any that is free
  std::string token;  ///< asked for as "Authorization: Bearer ..." or "?token=..."; may only be
                      ///< empty where the address is one of this machine's own
};

/// Serves GET and HEAD of /metrics, /healthz (200 or 503), /picture/SOURCE.jpg (/picture.jpg is the
/// first one's), and / with links to them, in its own threads.
class HttpServer {
 public:
  /// Listens when it returns. Throws std::runtime_error, in one sentence: no such address, port
  /// taken, or no token.
  HttpServer(const HttpOptions& options, PageContent content);
  ~HttpServer();  ///< within a second
  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
