// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cctype>
#include <cstring>
#include <system_error>

namespace mpm::monitor {
namespace {

constexpr int kLongestValue = 16 << 20;  // bytes

std::string sentence(int extendedCode, int systemError, const std::filesystem::path& path,
                     const std::string& detail) {
  const std::string file = "\"" + path.string() + "\"";
  const std::string system =
      systemError != 0 ? std::string(" (") + std::strerror(systemError) + ")" : std::string();
  switch (extendedCode & 0xff) {
    case SQLITE_FULL:
      return "The disk is full: " + file + " cannot grow";
    case SQLITE_IOERR:
      return "The disk fails on " + file + (system.empty() ? " (" + detail + ")" : system);
    case SQLITE_READONLY:
      return "The record " + file + " cannot be written: it or its folder is read-only";
    case SQLITE_CANTOPEN:
      return "The record " + file + " cannot be opened" + system;
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "The record " + file + " cannot be opened: its permissions forbid it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "Another program holds a lock on " + file;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "The record " + file + " is damaged (" + detail + ")";
    default:
      return "SQLite fails on " + file + ": " + detail;
  }
}

// A path as the URI that SQLite asks for where a connection needs options.
std::string uriOf(const std::filesystem::path& path, const char* options) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char letter : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '/' || letter == '.' || letter == '-' || letter == '_' ||
        (byte < 0x80 && std::isalnum(byte) != 0)) {
      uri += letter;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri + options;
}

// A record may come from somebody else: nothing that its file defines is run, and no value is
// longer than the longest of ours by far.
void trustNothingIn(sqlite3* connection) {
  for (const int setting : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                            SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(connection, setting, 0, nullptr);
  }
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kLongestValue);
}

}  // namespace

FileId fileIdOf(const std::filesystem::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

std::int64_t fileBytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

bool DatabaseError::isDamage() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }
bool DatabaseError::isPassing() const { return code_ == SQLITE_BUSY || code_ == SQLITE_LOCKED; }
bool DatabaseError::isFull() const { return code_ == SQLITE_FULL; }

Database::Database(const std::filesystem::path& path, Access access, int busyTimeoutMs)
    : path_(path) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  flags |= access == Access::readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                       : SQLITE_OPEN_READONLY;
  const std::string uri = uriOf(path, access == Access::readOnlyUnchanging ? "?immutable=1" : "");
  const int code = sqlite3_open_v2(uri.c_str(), &connection_, flags, nullptr);
  if (code != SQLITE_OK) {
    const int systemError = connection_ != nullptr ? sqlite3_system_errno(connection_) : 0;
    const std::string text = sentence(code, systemError, path_, sqlite3_errstr(code));
    sqlite3_close(connection_);
    throw DatabaseError(code & 0xff, text);
  }
  trustNothingIn(connection_);
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_busy_timeout(connection_, busyTimeoutMs);
}

Database::~Database() { sqlite3_close(connection_); }

void Database::fail(int code) const {
  throw DatabaseError(code & 0xff, sentence(code, sqlite3_system_errno(connection_), path_,
                                            sqlite3_errmsg(connection_)));
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::checkSound(const std::string& how) {
  Statement check(*this, "PRAGMA " + how + "(1)");
  const std::string found = check.step() ? check.text(0) : std::string();
  if (found != "ok") throw DatabaseError(SQLITE_CORRUPT, sentence(SQLITE_CORRUPT, 0, path_, found));
}

int Database::changes() const { return sqlite3_changes(connection_); }

void Database::leaveFilesWhenClosed() {
  int keep = 1;
  sqlite3_file_control(connection_, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // After some errors SQLite has rolled back by itself.
  if (open_ && sqlite3_get_autocommit(database_.get()) == 0) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_, parameter, value));
  return *this;
}

Statement& Statement::bindText(int parameter, std::string_view value) {
  const char* begin = value.data() != nullptr ? value.data() : "";
  check(
      sqlite3_bind_text64(statement_, parameter, begin, value.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bindBlob(int parameter, std::string_view value) {
  const char* begin = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_blob64(statement_, parameter, begin, value.size(), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bindNull(int parameter) {
  check(sqlite3_bind_null(statement_, parameter));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return false;
  }
  try {
    database_.fail(code);
  } catch (...) {
    sqlite3_reset(statement_);  // only now: it would put an error of its own in place of this one
    throw;
  }
}

void Statement::run() {
  while (step()) {
  }
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::isNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string Statement::text(int column) const {
  const unsigned char* begin = sqlite3_column_text(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return begin != nullptr ? std::string(reinterpret_cast<const char*>(begin), size) : std::string();
}

std::string_view Statement::blob(int column) const {
  const void* begin = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return begin != nullptr ? std::string_view(static_cast<const char*>(begin), size)
                          : std::string_view();
}

}  // namespace mpm::monitor
