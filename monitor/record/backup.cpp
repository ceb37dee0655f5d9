// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/backup.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "files/new_file.h"
#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 5000, kInstructions = 10000, kNightHour = 3, kMostAsides = 2;
constexpr const char* kLookThrough = "integrity_check";
constexpr std::int64_t kHourMs = 3600000, kFirstLookMs = 300000;
constexpr std::int64_t kHalfADayMs = 12 * kHourMs, kTooOldMs = 25 * kHourMs;
const std::string kSnapshots = "-snapshots";

void discard(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// Leaves a folder of that name alone: it belongs to somebody else.
void discardFile(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void moveTo(const fs::path& from, const fs::path& to, const std::string& hint = {}) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error || error == std::errc::no_such_file_or_directory) return;
  throw std::runtime_error("\"" + from.string() + "\" cannot be moved aside to \"" + to.string() +
                           "\" (" + error.message() + ")" + hint);
}

// Returns the first unused name of a moment: BEFORE-MOMENT, then BEFORE-MOMENT-2.
fs::path freeName(const std::string& before, std::int64_t utcMs) {
  const std::string name = before + "-" + isoUtcCompact(utcMs);
  const auto isTaken = [](const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) || fs::exists(path + kSnapshots, ignored);
  };
  std::string to = name;
  for (int more = 2; isTaken(to); ++more) to = name + "-" + std::to_string(more);
  return to;
}

// Files that were set aside at one moment.
struct Aside {
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

// Returns the moment in a name, without the endings of a record's files; empty if freeName does not
// make such a name.
std::string momentOf(std::string_view name, const std::string& record) {
  for (const char* aside : {".damaged-", ".removed-", ".replaced-"}) {
    const std::string before = record + aside;
    if (!name.starts_with(before)) continue;
    name.remove_prefix(before.size());
    for (const std::string_view ending : {"-journal", "-wal", "-shm", "-snapshots"}) {
      if (name.ends_with(ending)) name.remove_suffix(ending.size());
    }
    return name.find_first_not_of("0123456789TZ.-") == name.npos ? std::string(name) : "";
  }
  return {};
}

// Sorts by time. A moment in the future comes from a wrong clock and counts as the oldest.
std::map<std::pair<bool, std::string>, Aside> asidesOf(const fs::path& record,
                                                       std::int64_t nowUtcMs) {
  std::map<std::pair<bool, std::string>, Aside> found;
  const std::string now = isoUtcCompact(nowUtcMs) + "~";  // behind all of that moment
  std::error_code error;
  for (fs::directory_iterator file(record.parent_path(), error), end; !error && file != end;
       file.increment(error)) {
    const std::string moment =
        momentOf(file->path().filename().string(), record.filename().string());
    if (moment.empty()) continue;
    Aside& one = found[{moment < now, moment}];
    one.parts.push_back(file->path());
    one.bytes += bytesOf(file->path());
  }
  return found;
}

void checkIsThere(const fs::path& path, const std::string& what, const std::string& but = {}) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return;
  throw std::runtime_error("There is no " + what + " \"" + path.string() + "\"" + but);
}

void toDisk(const fs::path& path) {
  try {
    files::toDisk(path);
  } catch (const std::system_error&) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be flushed to the disk");
  }
}

void stopWhere(Database& database, const std::atomic<bool>& stop) {
  const auto isStopped = [](void* given) {
    return static_cast<const std::atomic<bool>*>(given)->load() ? 1 : 0;
  };
  sqlite3_progress_handler(database.get(), kInstructions, isStopped,
                           const_cast<std::atomic<bool>*>(&stop));
}

// Throws if a copy would fill the disk, since the record could not be written meanwhile.
void checkRoom(const fs::path& record) {
  struct statvfs disk {};
  const std::int64_t needed = fileBytes(record) + fileBytes(record.string() + "-wal");
  if (statvfs(record.parent_path().c_str(), &disk) != 0) return;
  const auto room = static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
  if (room >= needed) return;
  throw std::runtime_error("the disk has room for " + std::to_string(room >> 20) +
                           " MB, and a copy takes " + std::to_string(needed >> 20) +
                           " MB for a while: free some, or set a smaller --keep-gb");
}

void copyInto(const fs::path& part, const fs::path& record, const std::atomic<bool>& stop) {
  checkRoom(record);
  if (fs::exists(part))
    throw std::runtime_error("\"" + part.string() + "\" is in its way: remove it");
  {
    Database live(record, Database::Access::readOnly, kBusyMs);
    stopWhere(live, stop);
    schemaVersion(live);  // refuses what is no record
    Statement(live, "VACUUM INTO ?1").bind(part.string()).run();
  }
  Database copy(part, Database::Access::readWrite, kBusyMs);
  stopWhere(copy, stop);
  copy.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  bringUpToDate(copy);
  copy.run("DELETE FROM bucket WHERE resolution = 0; PRAGMA incremental_vacuum");
  copy.checkSound(kLookThrough);
}

// Returns the stems. Throws std::runtime_error if it is no sound record.
std::vector<std::string> snapshotsOf(const fs::path& backup) {
  Database database(backup, Database::Access::readOnly, kBusyMs);
  if (schemaVersion(database) == 0) {
    throw std::runtime_error("\"" + backup.string() + "\" is not a record: it is empty");
  }
  database.checkSound(kLookThrough);
  std::vector<std::string> stems;
  Statement rows(database, "SELECT stem FROM snapshot ORDER BY stem");
  while (rows.step()) stems.push_back(rows.text(0));
  return stems;
}

// Copies completely to the disk, or not at all.
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

// Gives a file to the user who will continue the record, if root restores it.
void giveToOwnerOf(const fs::path& other, const fs::path& path) {
  struct stat has {};
  if (geteuid() != 0 || stat(other.c_str(), &has) != 0) return;
  if (chown(path.c_str(), has.st_uid, has.st_gid) != 0) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be given to the user that \"" +
                             other.string() + "\" belongs to");
  }
}

// Moves snapshots that a backup lacks to what it replaces, so that no other run gets them. Brings
// those that it has back from where they were set aside.
int exchangeSnapshots(const fs::path& record, const std::vector<std::string>& stems,
                      const fs::path& replaced, std::int64_t utcMs) {
  const SnapshotFolder folder(record), leaving(replaced);
  for (const std::string& stem : folder.stems()) {
    if (!std::binary_search(stems.begin(), stems.end(), stem)) leaving.takeFrom(folder, stem);
  }
  int brought = 0;
  for (const auto& [moment, aside] : asidesOf(record, utcMs)) {
    for (const fs::path& part : aside.parts) {
      if (!part.string().ends_with(kSnapshots)) continue;
      const SnapshotFolder from(part.string().substr(0, part.string().size() - kSnapshots.size()));
      for (const std::string& stem : stems) brought += folder.takeFrom(from, stem) ? 1 : 0;
    }
  }
  return brought;
}

std::int64_t ageMs(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (error) return kTooOldMs;
  const auto age = fs::file_time_type::clock::now() - written;
  // A file from the future was made with a wrong clock.
  return age.count() < 0 ? kTooOldMs
                         : std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

bool isNight(std::int64_t utcMs) {
  const auto seconds = static_cast<time_t>(utcMs / 1000);
  tm parts{};
  return localtime_r(&seconds, &parts) == nullptr || parts.tm_hour == kNightHour;
}

}  // namespace

fs::path backupOf(const fs::path& record, const std::string& name) {
  return record.string() + ".backup-" + name;
}

void makeBackup(const fs::path& record, int keep, const std::atomic<bool>& stop) {
  const fs::path path = recordPath(record), part = path.string() + ".backup.part";
  checkIsThere(path, "record");
  discardFile(part);
  try {
    copyInto(part, path, stop);
    if (stop) throw std::runtime_error("the backup was not finished: the record was closed");
    toDisk(part);
    for (int number = keep; number <= kMostBackups; ++number) discard(backupOf(path, number));
    for (int number = keep - 1; number >= 1; --number) {
      moveTo(backupOf(path, number), backupOf(path, number + 1));
    }
    moveTo(part, backupOf(path, 1));
  } catch (...) {
    discardFile(part);
    throw;
  }
}

fs::path setAside(const fs::path& record, std::int64_t utcMs) {
  const fs::path to = freeName(record.string() + ".damaged", utcMs);
  const std::string hint = ": move it by hand";
  for (const char* part : {"-journal", "-wal"}) {
    const std::string from = record.string() + part;
    fileBytes(from) > 0 ? moveTo(from, to.string() + part, hint) : discard(from);
  }
  moveTo(snapshotFolderOf(record), snapshotFolderOf(to), hint);
  moveTo(record, to, hint);
  discard(record.string() + "-shm");  // an index of the journal, which is made anew
  boundBeside(record, 0, utcMs);
  return to;
}

std::string setPastAside(const fs::path& record, std::int64_t utcMs) {
  std::string past;
  std::error_code error;
  if (!SnapshotFolder(record).stems().empty()) {
    const fs::path to = snapshotFolderOf(freeName(record.string() + ".removed", utcMs));
    fs::rename(snapshotFolderOf(record), to, error);
    if (!error) past += " The snapshots of the one before are in \"" + to.string() + "\" now.";
    boundBeside(record, 0, utcMs);
  }
  const fs::path newest = backupOf(record, 1), kept = backupOf(record, "kept");
  if (fileBytes(newest) == 0) return past;
  if (fileBytes(newest) >= fileBytes(kept)) fs::rename(newest, kept, error);
  return past + " The largest backup from before stays, as \"" + kept.string() +
         "\" (mpm record restore --backup kept).";
}

std::int64_t boundBeside(const fs::path& record, std::int64_t mostBytes, std::int64_t nowUtcMs) {
  const auto asides = asidesOf(record, nowUtcMs);
  std::int64_t bytes = fileBytes(backupOf(record, 1)) + fileBytes(backupOf(record, "kept"));
  const auto fits = [&](std::int64_t more) { return mostBytes == 0 || bytes + more <= mostBytes; };
  int kept = 0;
  for (auto one = asides.rbegin(); one != asides.rend(); ++one) {
    const Aside& aside = one->second;
    if (kept == 0 || (kept < kMostAsides && fits(aside.bytes))) {
      bytes += aside.bytes;
      ++kept;
    } else {
      for (const fs::path& part : aside.parts) discard(part);
    }
  }
  bool isTooMuch = false;
  for (int number = 2; number <= kMostBackups; ++number) {
    const fs::path backup = backupOf(record, number);
    const std::int64_t more = fileBytes(backup);
    isTooMuch = isTooMuch || !fits(more);  // no older one outlives a newer one
    isTooMuch ? discard(backup) : void(bytes += more);
  }
  return bytes;
}

Restored restoreBackup(const fs::path& record, const std::string& name, std::int64_t utcMs) {
  const fs::path path = recordPath(record), backup = backupOf(path, name);
  const fs::path part = path.string() + ".restored.part";
  const bool isKept = fs::exists(backupOf(path, "kept"));
  checkIsThere(backup, "backup", isKept ? ", but one of an earlier record (--backup kept)" : "");
  LockFile lock(path);
  const fs::path owned = fs::exists(path) ? path : backup;
  giveToOwnerOf(owned, LockFile::pathOf(path));
  const std::vector<std::string> stems = snapshotsOf(backup);
  copyWhole(backup, part);
  giveToOwnerOf(owned, part);
  const fs::path replaced = freeName(path.string() + ".replaced", utcMs);
  Restored restored;
  if (fs::exists(path)) restored.replaced = replaced;
  // Moves the journal first, so that it is not taken for the new file's.
  moveTo(path.string() + "-wal", replaced.string() + "-wal");
  discard(path.string() + "-shm");
  moveTo(path, replaced);
  moveTo(part, path);
  lock.claim();
  restored.snapshots = exchangeSnapshots(path, stems, replaced, utcMs);
  if (restored.snapshots > 0) giveToOwnerOf(path, snapshotFolderOf(path));
  boundBeside(path, 0, utcMs);
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
