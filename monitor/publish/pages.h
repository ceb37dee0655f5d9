// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/publish/published.h"

namespace mpm::monitor {

/// The text format of Prometheus, version 0.0.4; metric names begin with mpm_, each source is a
/// label. docs/fleet.md and docs/metrics.md have tables of all names.
std::string prometheusText(const PublishedState& state);

struct Health {
  bool healthy = true;
  std::string text;  ///< a line for each source, the model and the record: what is wrong, or "ok"
};
/// Healthy: of every source frames come (or it is at its end), the model labels them, and the
/// record is written and can be read back.
Health healthOf(const PublishedState& state);

/// What pages are made of. From any thread.
struct PageContent {
  std::function<PublishedState()> state;
  std::function<std::vector<unsigned char>(const std::string& source)> picture;  ///< JPEG; empty:
                                                                                 ///< none yet
};

struct Page {
  int status = 200;
  std::string text;
  const char* type = "text/plain; charset=utf-8";
  std::pair<const char*, const char*> header = {nullptr, nullptr};  ///< one more
};

/// What stands at a path. `token`: what links have to carry; empty where it came in a header or
/// there is none.
Page pageAt(const std::string& path, const std::string& token, const PageContent& content);

}  // namespace mpm::monitor
