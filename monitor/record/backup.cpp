// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/backup.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "files/new_file.h"
#include "monitor/record/damaged_files.h"
#include "monitor/record/database.h"
#include "monitor/record/record.h"
#include "monitor/record/record_path.h"
#include "monitor/record/schema.h"
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 5000, kInstructions = 10000;
constexpr int kNightHour = 3;
constexpr const char* kLookThrough = "integrity_check";
constexpr std::int64_t kHourMs = 3600000, kFirstLookMs = 300000;
constexpr std::int64_t kHalfADayMs = 12 * kHourMs, kTooOldMs = 36 * kHourMs;

void discard(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void moveTo(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw std::runtime_error("\"" + from.string() + "\" cannot be renamed to \"" + to.string() +
                             "\" (" + error.message() + ")");
  }
}

void toDisk(const fs::path& path) {
  try {
    files::toDisk(path);
  } catch (const std::system_error&) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be flushed to the disk");
  }
}

// What is not there yet is no file of SQLite's, which would make one.
void checkIsThere(const fs::path& path, const std::string& what, const std::string& but = {}) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return;
  throw std::runtime_error("There is no " + what + " \"" + path.string() + "\"" + but);
}

void copyInto(const fs::path& part, const fs::path& record, const std::atomic<bool>& stop) {
  Database copy(part, Database::Access::readWrite, kBusyMs);
  const auto isStopped = [](void* given) {
    return static_cast<const std::atomic<bool>*>(given)->load() ? 1 : 0;
  };
  sqlite3_progress_handler(copy.get(), kInstructions, isStopped,
                           const_cast<std::atomic<bool>*>(&stop));
  copy.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  bringUpToDate(copy);
  Statement attach(copy, "ATTACH ?1 AS live");
  const std::string path = record.string();
  attach.bindText(1, path).run();
  copy.run(  // at one moment of the record
      "BEGIN; INSERT INTO main.run SELECT * FROM live.run;"
      "INSERT INTO main.bucket SELECT * FROM live.bucket WHERE resolution > 0;"
      "INSERT INTO main.event SELECT * FROM live.event;"
      "INSERT INTO main.snapshot SELECT * FROM live.snapshot");
  if (copy.number("SELECT count(*) FROM live.sqlite_master WHERE name = 'camera_view'") > 0) {
    copy.run(kCameraViews);
    copy.run("INSERT INTO main.camera_view SELECT * FROM live.camera_view");
  }
  copy.run("COMMIT; DETACH live");
  copy.checkSound(kLookThrough);
}

// The stems; std::runtime_error where it is no sound record.
std::vector<std::string> snapshotsOf(const fs::path& backup) {
  Database database(backup, Database::Access::readOnly, kBusyMs);
  if (schemaVersion(database) == 0) {
    throw std::runtime_error("\"" + backup.string() + "\" is not a record: it is empty");
  }
  database.checkSound(kLookThrough);
  std::vector<std::string> stems;
  Statement rows(database, "SELECT stem FROM snapshot");
  while (rows.step()) stems.push_back(rows.text(0));
  return stems;
}

// Complete and on the disk, or not there.
void copyWhole(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  try {
    if (error) {
      throw std::runtime_error("\"" + from.string() + "\" cannot be copied to \"" + to.string() +
                               "\" (" + error.message() + ")");
    }
    toDisk(to);
  } catch (...) {
    discard(to);
    throw;
  }
}

// The monitor that goes on with a record may be another user than root, who restores it.
void giveToOwnerOf(const fs::path& other, const fs::path& path) {
  struct stat has {};
  if (geteuid() != 0 || stat(other.c_str(), &has) != 0) return;
  if (chown(path.c_str(), has.st_uid, has.st_gid) != 0) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be given to the user that \"" +
                             other.string() + "\" belongs to");
  }
}

// There is no moment at which the file has no name. A disk without hard links has to do with one.
void nameAlso(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) moveTo(from, to);
}

void removePart(const fs::path& part) {
  discard(part);
  discard(part.string() + "-journal");
}

std::int64_t ageMs(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (error) return kTooOldMs;
  const auto age = fs::file_time_type::clock::now() - written;
  // One of the future was made when the clock was wrong.
  return age.count() < 0 ? kTooOldMs
                         : std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

int localHour(std::int64_t utcMs) {
  const auto seconds = static_cast<time_t>(utcMs / 1000);
  tm parts{};
  return localtime_r(&seconds, &parts) != nullptr ? parts.tm_hour : kNightHour;
}

// Where clocks go from three to four once a year, that night's hour is the one after it.
bool isNight(std::int64_t utcMs) {
  const int hour = localHour(utcMs);
  return hour == kNightHour || (hour == kNightHour + 1 && localHour(utcMs - kHourMs) < kNightHour);
}

}  // namespace

fs::path backupOf(const fs::path& record, const std::string& name) {
  return record.string() + ".backup-" + name;
}

fs::path backupOf(const fs::path& record, int number) {
  return backupOf(record, std::to_string(number));
}

std::string keepNewestBackup(const fs::path& record, std::int64_t utcMs) {
  std::error_code error;
  const fs::path kept = freeAsideName(backupOf(record, "kept").string(), utcMs);
  fs::rename(backupOf(record, 1), kept, error);
  return error ? std::string() : kept.string().substr(backupOf(record, "").string().size());
}

std::vector<std::string> keptBackups(const fs::path& record) {
  constexpr std::string_view kKept = "kept-";
  const std::string before = backupOf(record, "").filename().string();
  std::vector<std::pair<AsideName, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator file(record.parent_path(), error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(before)) continue;
    const std::string rest = name.substr(before.size());
    if (!rest.starts_with(kKept)) continue;
    if (const auto moved = asideName(std::string_view(rest).substr(kKept.size()))) {
      found.emplace_back(*moved, rest);
    }
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> names;
  for (const auto& [moved, name] : found) names.push_back(name);
  return names;
}

void makeBackup(const fs::path& record, int keep, const std::atomic<bool>& stop) {
  const fs::path path = recordPath(record), part = path.string() + ".backup.part";
  checkIsThere(path, "record");
  removePart(part);
  try {
    copyInto(part, path, stop);
    if (stop) throw std::runtime_error("the backup was not finished: the record was closed");
    toDisk(part);
    for (int number = keep; number <= kMostBackups; ++number) discard(backupOf(path, number));
    for (int number = keep - 1; number >= 1; --number) {
      const fs::path from = backupOf(path, number);
      if (fs::exists(from)) moveTo(from, backupOf(path, number + 1));
    }
    moveTo(part, backupOf(path, 1));
  } catch (...) {
    removePart(part);
    throw;
  }
}

std::int64_t boundBackups(const fs::path& record, std::int64_t mostBytes) {
  std::vector<fs::path> nights, kept;
  for (int number = 1; number <= kMostBackups; ++number) {
    const fs::path path = backupOf(record, number);
    if (fileBytes(path) > 0) nights.push_back(path);
  }
  for (const std::string& name : keptBackups(record)) kept.push_back(backupOf(record, name));
  std::stable_sort(kept.begin(), kept.end(), [](const fs::path& a, const fs::path& b) {
    return fileBytes(a) > fileBytes(b);
  });
  std::int64_t bytes = 0;
  const auto bound = [&](const std::vector<fs::path>& paths, std::size_t most) {
    bool isTooMuch = false;
    for (std::size_t i = 1; i < paths.size(); ++i) {
      const std::int64_t each = fileBytes(paths[i]);
      isTooMuch = isTooMuch || i >= most || (mostBytes > 0 && bytes + each > mostBytes);
      if (isTooMuch) {
        discard(paths[i]);
      } else {
        bytes += each;
      }
    }
  };
  if (!nights.empty()) bytes += fileBytes(nights[0]);
  if (!kept.empty()) bytes += fileBytes(kept[0]);
  bound(nights, nights.size());
  bound(kept, kMostKept);
  return bytes;
}

Restored restoreBackup(const fs::path& record, const std::string& name, std::int64_t utcMs) {
  const fs::path path = recordPath(record), backup = backupOf(path, name);
  const fs::path part = path.string() + ".restored.part";
  const std::vector<std::string> kept = keptBackups(path);
  checkIsThere(backup, "backup",
               kept.empty() ? "" : ", but one of an earlier record (--backup " + kept[0] + ")");
  LockFile lock(path);
  const fs::path& owned = fs::exists(path) ? path : backup;
  giveToOwnerOf(owned, LockFile::pathOf(path));
  const std::vector<std::string> snapshots = snapshotsOf(backup);
  copyWhole(backup, part);
  giveToOwnerOf(owned, part);
  Restored restored;
  const fs::path replaced = freeAsideName(path.string() + ".replaced", utcMs),
                 journal = path.string() + "-wal";
  if (fs::exists(path)) {
    nameAlso(path, replaced);
    restored.replaced = replaced;
  }
  // Not to be taken for this one's. Also where an earlier try was killed before it.
  if (fs::exists(journal)) moveTo(journal, replaced.string() + "-wal");
  discard(path.string() + "-shm");
  moveTo(part, path);
  lock.claim();
  restored.snapshots = bringSnapshotsBack(path, snapshots);
  if (restored.snapshots > 0) giveToOwnerOf(path, SnapshotFolder::pathOf(path));
  return restored;
}

Backups::Backups(const fs::path& record, int keep) : record_(recordPath(record)), keep_(keep) {}

Backups::~Backups() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

std::optional<std::string> Backups::look(const Moment& now) {
  std::string untold;
  bool isRunning = false, hasFailed = false;
  {
    const std::lock_guard lock(mutex_);
    untold.swap(untold_);
    isRunning = running_;
    hasFailed = !fault_.empty();
  }
  if (!triedMs_) triedMs_ = now.steadyMs - kHourMs + kFirstLookMs;
  if (!isRunning && now.steadyMs - *triedMs_ >= kHourMs) {
    const std::int64_t age = madeMs_ ? now.steadyMs - *madeMs_ : ageMs(backupOf(record_, 1));
    if (hasFailed || age >= kTooOldMs || (isNight(now.utcMs) && age >= kHalfADayMs)) begin(now);
  }
  return untold.empty() ? std::nullopt : std::optional(untold);
}

std::string Backups::fault() {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void Backups::begin(const Moment& now) {
  if (thread_.joinable()) thread_.join();
  madeMs_ = triedMs_ = now.steadyMs;  // where it fails the next one does not go by its age
  {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  thread_ = std::thread([this] {
    std::string fault;
    try {
      makeBackup(record_, keep_, stop_);
    } catch (const std::exception& error) {
      fault = error.what();
    }
    const std::lock_guard lock(mutex_);
    if (fault != fault_) untold_ = fault;
    fault_ = std::move(fault);
    running_ = false;
  });
}

}  // namespace mpm::monitor
