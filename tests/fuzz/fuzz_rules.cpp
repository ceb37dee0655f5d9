// SPDX-License-Identifier: Apache-2.0
// Files of rules and zones: what is taken can be written, and be read again.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "monitor/rules/rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace mpm::monitor;
  RuleBook book;
  try {
    book = parseRules({reinterpret_cast<const char*>(bytes), size}, "rules.toml");
  } catch (const std::runtime_error&) {
    return 0;
  }
  parseRules(rulesToml(book), "again.toml");  // which may not throw
  return 0;
}
