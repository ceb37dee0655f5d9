// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace mpm::monitor {

/// Which file it is, whatever its name. Of a file that is open it belongs to no other.
struct FileId {
  dev_t device = 0;
  ino_t number = 0;  ///< 0: there is no such file

  bool operator==(const FileId&) const = default;
};

FileId fileIdOf(const std::filesystem::path& path);
std::int64_t fileBytes(const std::filesystem::path& path);  ///< 0: there is no such file

/// What SQLite says, as one sentence that names the file.
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
  void run(const char* sql);             ///< any number of statements without results
  std::int64_t number(const char* sql);  ///< the first value of the first row; 0: no row
  /// Looks through all of it, by SQLite's `how`, "quick_check" or "integrity_check". Throws where
  /// it is damaged.
  void checkSound(const std::string& how);
  int changes() const;  ///< rows of the last insert, update or delete
  /// The files stay as they are when it is closed: no checkpoint, no journal removed. For a
  /// database that no longer is the one at its path, or is to be kept as evidence.
  void leaveFilesWhenClosed();
  [[noreturn]] void fail(int code) const;

 private:
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

/// A prepared statement. Parameters count from 1, columns from 0. What is bound as text or blob has
/// to stay until the statement is reset or done.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bindText(int parameter, std::string_view value);
  Statement& bindBlob(int parameter, std::string_view value);
  Statement& bindNull(int parameter);

  bool step();  ///< whether there is a row; once there is none, it can be bound and stepped anew
  void run();   ///< all steps

  std::int64_t number(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string_view blob(int column) const;  ///< until the next step
  bool isNull(int column) const;

 private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace mpm::monitor
