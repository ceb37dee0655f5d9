// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/publish/http_server.h"

namespace mpm::monitor {

/// What of a request decides on its answer.
struct HttpQuestion {
  std::string method, path;  ///< the path without its query, decoded
  std::string host, authorization;
  std::optional<std::string> token;  ///< of the query
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Who may see what. From any threads.
class HttpPages {
 public:
  HttpPages(std::string token, HttpServer::Content content);

  HttpAnswer answer(const HttpQuestion& question) const;

 private:
  bool mayAsk(const HttpQuestion& question) const;
  HttpAnswer page(const HttpQuestion& question) const;
  HttpAnswer picture(const std::string& source) const;

  std::string token_;
  HttpServer::Content content_;
};

}  // namespace mpm::monitor
