// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <string>
#include <thread>

#include "monitor/publish/http_exchange.h"
#include "monitor/publish/http_pages.h"

namespace mpm::monitor {

/// httplib's server, with connections that end in time: it accepts, reads requests and writes
/// answers; waiting for clients is HttpExchange's.
class HttpListener final : public httplib::Server {
 public:
  HttpListener(const HttpPages& pages, HttpLoad& load);

  /// std::runtime_error, one sentence; port 0: any that is free.
  int bind(const std::string& address, int port);
  void serve();  ///< until stop(), or until accepting fails

 private:
  bool process_and_close_socket(socket_t socket) override;
  template <typename Self>
  static void process(Self& self, httplib::Stream& exchange);

  const HttpPages& pages_;
  HttpLoad& load_;
  std::thread::id accepting_;
};

}  // namespace mpm::monitor
