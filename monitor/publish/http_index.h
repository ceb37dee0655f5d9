// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/publish/http_pages.h"

namespace mpm::monitor {

/// The page at /: each source with its picture, which shows itself anew every second, and links.
/// `token`: what links have to carry; empty where it came in a header or there is none.
HttpAnswer indexPage(const PublishedState& state, const std::string& token);

}  // namespace mpm::monitor
