// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/damaged_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/record/database.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

// What was moved aside at one moment.
struct Damaged {
  std::vector<fs::path> parts;
  std::int64_t bytes = 0;
};

// When, and the how manieth of that moment.
using Moved = std::pair<std::string, int>;

std::int64_t bytesOf(const fs::path& part) {
  std::error_code error;
  if (!fs::is_directory(part, error)) return fileBytes(part);
  std::int64_t bytes = 0;
  for (fs::recursive_directory_iterator file(part, error), end; !error && file != end;
       file.increment(error)) {
    bytes += fileBytes(file->path());
  }
  return bytes;
}

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

// MOMENT[-NUMBER][-journal|-wal|-shm|-snapshots]; nothing of another name.
std::optional<Moved> movedOf(std::string_view rest) {
  for (const std::string_view ending : {"-journal", "-wal", "-shm", "-snapshots"}) {
    if (!rest.ends_with(ending)) continue;
    rest.remove_suffix(ending.size());
    break;
  }
  if (isMoment(rest)) return Moved(rest, 1);
  const std::size_t dash = rest.rfind('-');
  if (dash == rest.npos || !isMoment(rest.substr(0, dash)) || !isNumber(rest.substr(dash + 1), 8))
    return std::nullopt;
  return Moved(rest.substr(0, dash), std::stoi(std::string(rest.substr(dash + 1))));
}

std::map<Moved, Damaged> damagedOf(const fs::path& record) {
  const std::string before = record.filename().string() + ".damaged-";
  std::map<Moved, Damaged> found;
  std::error_code error;
  for (fs::directory_iterator file(record.parent_path(), error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(before)) continue;
    const auto moved = movedOf(std::string_view(name).substr(before.size()));
    if (!moved) continue;
    Damaged& one = found[*moved];
    one.parts.push_back(file->path());
    one.bytes += bytesOf(file->path());
  }
  return found;
}

}  // namespace

std::int64_t boundDamaged(const fs::path& record, std::int64_t mostBytes, std::int64_t nowUtcMs) {
  const std::map<Moved, Damaged> found = damagedOf(record);
  std::vector<const std::pair<const Moved, Damaged>*> newestFirst;
  for (const auto& one : found) newestFirst.push_back(&one);
  const std::string now = isoUtcCompact(nowUtcMs);
  std::sort(newestFirst.begin(), newestFirst.end(), [&](const auto* a, const auto* b) {
    return std::tuple(a->first.first <= now, a->first) >
           std::tuple(b->first.first <= now, b->first);
  });
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < newestFirst.size(); ++i) {
    const Damaged& one = newestFirst[i]->second;
    const bool isTooMuch = mostBytes > 0 && bytes + one.bytes > mostBytes;
    if (i == 0 || (i < kMostDamaged && !isTooMuch)) {
      bytes += one.bytes;
      continue;
    }
    std::error_code ignored;
    for (const fs::path& part : one.parts) fs::remove_all(part, ignored);
  }
  return bytes;
}

}  // namespace mpm::monitor
