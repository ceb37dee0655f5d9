// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace mpm::monitor {

/// `text` with a U+FFFD for each byte that belongs to no UTF-8 character: one such byte in a label
/// makes Prometheus refuse a whole answer, and brokers close connections over one.
std::string validUtf8(std::string_view text);

}  // namespace mpm::monitor
