// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/opening.h"

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "monitor/record/damaged_files.h"
#include "monitor/record/schema.h"
#include "monitor/record/snapshot_files.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kBusyMs = 250;
constexpr std::chrono::seconds kLookFor{2};

enum class Looks { empty, database, strange };

Looks looks(const fs::path& record) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> start{};
  std::ifstream file(record, std::ios::binary);
  if (!file) return Looks::empty;  // or not to be read, which opening it will say
  file.read(start.data(), start.size());
  if (file.gcount() == 0) return Looks::empty;
  return std::string_view(start.data(), start.size()) == kMagic ? Looks::database : Looks::strange;
}

// Interrupts a connection after a while, unless it is gone before.
class Alarm {
 public:
  Alarm(Database& database, std::chrono::milliseconds after)
      : thread_([this, &database, after] {
          std::unique_lock lock(mutex_);
          if (!over_.wait_for(lock, after, [this] { return isOver_; })) {
            sqlite3_interrupt(database.get());
          }
        }) {}
  ~Alarm() {
    {
      const std::lock_guard lock(mutex_);
      isOver_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool isOver_ = false;
  std::thread thread_;
};

void lookThrough(Database& database) {
  const Alarm alarm(database, kLookFor);
  try {
    database.checkSound("quick_check");
  } catch (const DatabaseError& error) {
    // A large one: nothing was found in the time.
    if (error.code() != SQLITE_INTERRUPT) throw;
  }
}

std::unique_ptr<Database> openOnce(const fs::path& record) {
  auto database = std::make_unique<Database>(record, Database::Access::readWrite, kBusyMs);
  try {
    const bool isNew = schemaVersion(*database) == 0;
    if (!isNew) lookThrough(*database);
    // Nine waits for the disk less, each of which may take a second: what befell the record before
    // is told when this one is there. The first checkpoint, in a moment, brings all of it to the
    // disk.
    if (isNew) database->run("PRAGMA synchronous = OFF");
    bringUpToDate(*database);
    prepareForWriting(*database);
  } catch (const DatabaseError& error) {
    if (error.isDamage()) database->leaveFilesWhenClosed();
    throw;
  }
  return database;
}

void moveIfThere(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::symlink_status(from, error).type() == fs::file_type::not_found) return;
  const bool isEmpty = fs::is_regular_file(from, error) && fs::file_size(from, error) == 0;
  if (isEmpty && !error) {
    fs::remove(from, error);
  } else {
    fs::rename(from, to, error);
  }
  if (error) {
    throw std::runtime_error("The damaged \"" + from.string() + "\" cannot be moved aside (" +
                             error.message() + "): move it by hand");
  }
}

}  // namespace

fs::path moveAside(const fs::path& record, std::int64_t utcMs) {
  const fs::path to = freeAsideName(record.string() + ".damaged", utcMs);
  for (const char* part : {"-journal", "-wal"}) {
    moveIfThere(record.string() + part, to.string() + part);
  }
  moveIfThere(SnapshotFolder::pathOf(record), SnapshotFolder::pathOf(to));
  SnapshotFolder(record).takeGrowing(SnapshotFolder::pathOf(to));
  moveIfThere(record, to);
  std::error_code ignored;
  fs::remove(record.string() + "-shm", ignored);  // an index of the journal, which is made anew
  return to;
}

OpenedRecord openForWriting(const fs::path& record, bool wasRecord, std::int64_t utcMs) {
  const Looks look = looks(record);
  if (look == Looks::strange && !wasRecord) {
    throw std::runtime_error("\"" + record.string() +
                             "\" is not a record, and stays as it is: record into another file");
  }
  if (look != Looks::strange) {
    try {
      return {openOnce(record), {}};
    } catch (const DatabaseError& error) {
      if (!error.isDamage()) throw;
      // A foreign program's database is no better for being broken.
      if (!wasRecord)
        throw std::runtime_error(std::string(error.what()) + ": record into another file");
    }
  }
  const fs::path damaged = moveAside(record, utcMs);
  return {openOnce(record), damaged};
}

}  // namespace mpm::monitor
