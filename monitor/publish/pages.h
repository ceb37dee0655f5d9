// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "monitor/publish/published.h"

namespace mpm::monitor {

/// Returns the text format of Prometheus, version 0.0.4. Metric names begin with mpm_; each source
/// is a label. docs/fleet.md and docs/metrics.md have tables of all names.
std::string prometheusText(const PublishedState& state);

struct Health {
  bool healthy = true;
  std::string text;  ///< a line for each source, the model and the record: what is wrong, or "ok"
};
/// Reports whether every source delivers frames (or is at its end) and the model labels them. The
/// record must also be written, and be readable.
Health healthOf(const PublishedState& state);

/// Content of pages. Functions can be called from any thread.
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

/// Returns the page at a path. `token` goes into links; empty if it came in a header or there is
/// none.
Page pageAt(const std::string& path, const std::string& token, const PageContent& content);

}  // namespace mpm::monitor
