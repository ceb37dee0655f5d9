// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "monitor/statistics/statistics.h"

struct sqlite3;
struct sqlite3_stmt;

/// Defines SQLite's schema of a record, version 3. Times are milliseconds since 1970 in UTC:
///
///   run(id, source, address, model, model_hash, settings, version, metrics: JSON array of names,
///       begun_utc_ms, begun_steady_ms, begun_era, begun_synchronised)
///   bucket(run, resolution: as the enum counts, era, start_utc_ms, frames, tallies)
///   event(id, run, utc_ms, steady_ms, era, synchronised, kind, name, text, value or NULL)
///   snapshot(id, run, utc_ms, steady_ms, era, synchronised, reason, stem: of its files' names,
///            labels, overlay, picture, merge_map: whether there is such a file (no labels, overlay
///            and picture: it is a clip), bytes: of its files, facts: what is in its JSON file)
///   camera_view(source, utc_ms, view)   what a camera usually shows, once that was stored
///
/// Schema 1 had no `synchronised` (such times count as synchronised), schema 2 no `picture` and no
/// `merge_map`. Blobs are little-endian, reals IEEE 754 binary64:
///
///   frames    one u32 for each light state, in the enum's order; one that is lacking had none
///   tallies   one for each metric of the run, in the run's order: u8 0 (no values); u8 1, u32
///             count, f64 value (`count` times the same, to the bit); u8 2, u32 count, f64 sum,
///             squares, smallest, largest
namespace mpm::monitor {

constexpr int kApplicationId = 0x4d504d72;  ///< "MPMr", at byte 68 of the file
constexpr int kSchemaVersion = 3;
constexpr int kPageBytes = 4096;  ///< of every record, whatever SQLite's default becomes

/// Identifies a file, whatever its name.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;  ///< 0: there is no such file

  bool operator==(const FileId&) const = default;
};
FileId fileIdOf(const std::filesystem::path& path);
std::int64_t fileBytes(const std::filesystem::path& path);  ///< 0: there is no such file

/// Follows links, even one to no file yet: all names of a record share one lock, one folder of
/// snapshots and the same backups. Throws std::runtime_error if it has no folder or is no file.
std::filesystem::path recordPath(const std::filesystem::path& path);

/// Carries SQLite's message as one sentence that names the file.
class DatabaseError : public std::runtime_error {
 public:
  DatabaseError(int code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  int code() const { return code_; }  ///< primary, as in sqlite3.h
  bool isDamage() const;              ///< the file itself is wrong, whoever reads it
  bool isPassing() const;             ///< another program's lock: it goes by itself
  bool isFull() const;                ///< no room on the disk

 private:
  int code_;
};

/// A connection of one thread. Everything throws DatabaseError.
class Database {
 public:
  enum class Access { readWrite, readOnly, readOnlyUnchanging };  ///< the last one takes no locks

  Database(const std::filesystem::path& path, Access access, int busyTimeoutMs);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::filesystem::path& path() const { return path_; }
  sqlite3* get() const { return connection_; }
  void run(const std::string& sql);  ///< any number of statements without results
  /// Returns the first value of the first row; 0 if there is no row.
  template <typename... Values>
  std::int64_t number(const std::string& sql, const Values&... values);
  /// Returns how many rows an insert, update or delete touched.
  template <typename... Values>
  int change(const std::string& sql, const Values&... values);
  /// Checks the whole file with SQLite's `how`, "quick_check" or "integrity_check". Throws if it is
  /// damaged.
  void checkSound(const std::string& how);
  /// Keeps the files unchanged when it is closed: no checkpoint, no journal removed.
  void leaveFilesWhenClosed();
  [[noreturn]] void fail(int code) const;

 private:
  int changes() const;

  std::filesystem::path path_;
  sqlite3* connection_ = nullptr;
};

/// Rolls back what was not committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

struct Blob {
  std::string_view bytes;
};

/// A prepared statement. Columns count from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds integers, reals, texts, Blobs and optional reals, in the order of the parameters.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    int place = 0;
    (bindAt(++place, values), ...);
    return *this;
  }
  template <typename Value>
  void bindAt(int place, const Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      put(place, static_cast<std::int64_t>(value));
    } else {
      put(place, value);
    }
  }
  bool step();  ///< whether there is a row; once there is none, it can be bound and stepped anew
  void run();   ///< all steps

  std::int64_t number(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string_view blob(int column) const;  ///< until the next step
  bool isNull(int column) const;

 private:
  void put(int place, std::int64_t value);
  void put(int place, double value) { put(place, std::optional(value)); }
  void put(int place, std::optional<double> value);
  void put(int place, std::string_view value);
  void put(int place, Blob value);
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

template <typename... Values>
std::int64_t Database::number(const std::string& sql, const Values&... values) {
  Statement statement(*this, sql);
  return statement.bind(values...).step() ? statement.number(0) : 0;
}

template <typename... Values>
int Database::change(const std::string& sql, const Values&... values) {
  Statement(*this, sql).bind(values...).run();
  return changes();
}

/// Returns 0 for an empty database. Throws std::runtime_error if it belongs to another program or
/// to a newer version of this one.
int schemaVersion(Database& database);
/// Creates the present schema, or updates an older one, in one transaction.
void bringUpToDate(Database& database);
/// Uses WAL, synced at checkpoints. A kill loses nothing that was committed; a power cut loses
/// commits since the last checkpoint, never the file.
void prepareForWriting(Database& database);
bool hasCameraViews(Database& database);

using Frames = std::array<std::uint32_t, kLightStates>;
std::string encodeFrames(const Frames& frames);
std::string encodeTallies(const std::vector<Tally>& tallies);
/// Return std::nullopt if a blob is invalid or has more than `most` tallies: in memory they take up
/// to forty times the size of a blob.
std::optional<Frames> decodeFrames(std::string_view blob);
std::optional<std::vector<Tally>> decodeTallies(std::string_view blob, std::size_t most);

}  // namespace mpm::monitor
