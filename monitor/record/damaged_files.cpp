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
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

const std::string kEnding = "-snapshots";

// Of a folder of snapshots: what record it is the one of.
fs::path ownerOf(const fs::path& snapshots) {
  const std::string path = snapshots.string();
  return path.substr(0, path.size() - kEnding.size());
}

// What was moved aside at one moment.
struct Damaged {
  std::vector<fs::path> parts;
  std::int64_t bytes = 0;
};

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

// With what belongs to a record: -journal, -wal, -shm, -snapshots.
std::optional<AsideName> movedOf(std::string_view rest) {
  for (const std::string_view ending : {"-journal", "-wal", "-shm", "-snapshots"}) {
    if (!rest.ends_with(ending)) continue;
    rest.remove_suffix(ending.size());
    break;
  }
  return asideName(rest);
}

// What of `name` stands behind RECORD.damaged-, RECORD.removed- or RECORD.replaced-; empty: it is
// none of these.
std::string_view restOf(std::string_view name, const std::string& record) {
  for (const char* aside : {".damaged-", ".removed-", ".replaced-"}) {
    const std::string before = record + aside;
    if (name.starts_with(before)) return name.substr(before.size());
  }
  return {};
}

std::map<AsideName, Damaged> damagedOf(const fs::path& record) {
  std::map<AsideName, Damaged> found;
  std::error_code error;
  for (fs::directory_iterator file(record.parent_path(), error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    const auto moved = movedOf(restOf(name, record.filename().string()));
    if (!moved) continue;
    Damaged& one = found[*moved];
    one.parts.push_back(file->path());
    one.bytes += bytesOf(file->path());
  }
  return found;
}

}  // namespace

std::int64_t boundDamaged(const fs::path& record, std::int64_t mostBytes, std::int64_t nowUtcMs) {
  const std::map<AsideName, Damaged> found = damagedOf(record);
  std::vector<const std::pair<const AsideName, Damaged>*> newestFirst;
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

fs::path moveSnapshotsAside(const fs::path& record, std::int64_t utcMs) {
  if (SnapshotFolder(record).stems().empty()) return {};
  std::error_code error;
  const fs::path to = freeAsideName(record.string() + ".removed", utcMs, kEnding);
  fs::rename(SnapshotFolder::pathOf(record), to, error);
  if (error) return {};
  SnapshotFolder(record).takeGrowing(to);
  return to;
}

fs::path moveSnapshotsAside(const fs::path& record, const std::vector<std::string>& stems,
                            std::int64_t utcMs) {
  const fs::path to = freeAsideName(record.string() + ".removed", utcMs, kEnding);
  const SnapshotFolder folder(record), aside(ownerOf(to));
  bool isAny = false;
  for (const std::string& stem : stems) isAny = aside.takeFrom(folder, stem) || isAny;
  return isAny ? to : fs::path();
}

int bringSnapshotsBack(const fs::path& record, const std::vector<std::string>& stems) {
  std::vector<SnapshotFolder> asides;
  for (const auto& [moved, one] : damagedOf(record)) {
    for (const fs::path& part : one.parts) {
      if (part.string().ends_with(kEnding)) asides.emplace_back(ownerOf(part));
    }
  }
  const SnapshotFolder folder(record);
  int brought = 0;
  for (const std::string& stem : stems) {
    brought += std::any_of(asides.begin(), asides.end(), [&](const SnapshotFolder& aside) {
      return folder.takeFrom(aside, stem);
    });
  }
  return brought;
}

}  // namespace mpm::monitor
