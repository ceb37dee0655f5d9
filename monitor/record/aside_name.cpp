// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/damaged_files.h"

#include <system_error>

#include "monitor/clock/clock.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

bool isNumber(std::string_view text, std::size_t mostDigits) {
  return !text.empty() && text.size() <= mostDigits &&
         text.find_first_not_of("0123456789") == text.npos;
}

// As isoUtcCompact has it: 20260504T130000.000Z, or for years that have no four digits T and a
// number of milliseconds.
bool isMoment(std::string_view text) {
  if (text.starts_with('T')) {
    text.remove_prefix(text.starts_with("T-") ? 2 : 1);
    return isNumber(text, 19);
  }
  return text.size() == 20 && isNumber(text.substr(0, 8), 8) && text[8] == 'T' &&
         isNumber(text.substr(9, 6), 6) && text[15] == '.' && isNumber(text.substr(16, 3), 3) &&
         text[19] == 'Z';
}

}  // namespace

std::optional<AsideName> asideName(std::string_view rest) {
  if (isMoment(rest)) return AsideName(rest, 1);
  const std::size_t dash = rest.rfind('-');
  if (dash == rest.npos || !isMoment(rest.substr(0, dash)) || !isNumber(rest.substr(dash + 1), 8))
    return std::nullopt;
  return AsideName(rest.substr(0, dash), std::stoi(std::string(rest.substr(dash + 1))));
}

fs::path freeAsideName(const std::string& before, std::int64_t utcMs, const std::string& ending) {
  const std::string name = before + "-" + isoUtcCompact(utcMs);
  std::error_code ignored;
  fs::path to = name + ending;
  for (int more = 2; fs::exists(to, ignored); ++more) {
    to = name + "-" + std::to_string(more) + ending;
  }
  return to;
}

}  // namespace mpm::monitor
