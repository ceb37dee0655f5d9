// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <bit>
#include <cctype>
#include <cstring>
#include <system_error>

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

constexpr int kLongestValue = 16 << 20;  // bytes
constexpr unsigned char kNone = 0, kSame = 1, kFull = 2;

// Buckets need two orders: by run to read a series, by time to find the oldest of all.
constexpr const char* kSchema1 = R"(
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL, address TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL,
  settings TEXT NOT NULL, version TEXT NOT NULL, metrics TEXT NOT NULL,
  begun_utc_ms INTEGER NOT NULL, begun_steady_ms INTEGER NOT NULL, begun_era INTEGER NOT NULL);
CREATE TABLE bucket(
  run INTEGER NOT NULL, resolution INTEGER NOT NULL, era INTEGER NOT NULL,
  start_utc_ms INTEGER NOT NULL, frames BLOB NOT NULL, tallies BLOB NOT NULL);
CREATE UNIQUE INDEX bucket_series ON bucket(run, resolution, era, start_utc_ms);
CREATE INDEX bucket_age ON bucket(resolution, start_utc_ms, run);
CREATE TABLE event(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, value REAL);
CREATE INDEX event_run ON event(run, utc_ms);
CREATE INDEX event_age ON event(utc_ms);
CREATE TABLE snapshot(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
  utc_ms INTEGER NOT NULL, steady_ms INTEGER NOT NULL, era INTEGER NOT NULL,
  reason TEXT NOT NULL, stem TEXT NOT NULL UNIQUE, labels INTEGER NOT NULL,
  overlay INTEGER NOT NULL, bytes INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE INDEX snapshot_run ON snapshot(run, utc_ms);
CREATE INDEX snapshot_age ON snapshot(utc_ms);
)";
constexpr const char* kTo2 = R"(
ALTER TABLE run ADD COLUMN begun_synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
ALTER TABLE snapshot ADD COLUMN synchronised INTEGER NOT NULL DEFAULT 1;
)";
constexpr const char* kTo3 = R"(
ALTER TABLE snapshot ADD COLUMN picture INTEGER NOT NULL DEFAULT 0;
ALTER TABLE snapshot ADD COLUMN merge_map INTEGER NOT NULL DEFAULT 0;
)";

std::string sentence(int extendedCode, int systemError, const fs::path& path,
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

// Converts a path to the URI that SQLite requires for options of a connection.
std::string uriOf(const fs::path& path, const char* options) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char letter : fs::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '/' || (byte < 0x80 && std::isalnum(byte) != 0)) {
      uri += letter;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri + options;
}

static_assert(std::endian::native == std::endian::little, "blobs are little-endian");

template <typename Number>
void append(std::string& blob, Number value) {
  blob.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Takes a number from the front; false if there are too few bytes.
template <typename Number>
bool take(std::string_view& blob, Number& value) {
  if (blob.size() < sizeof value) return false;
  std::memcpy(&value, blob.data(), sizeof value);
  blob.remove_prefix(sizeof value);
  return true;
}

bool sameBits(const Tally& a, const Tally& b) {
  const auto bits = [](const Tally& tally) {
    return std::bit_cast<std::array<std::uint64_t, 4>>(
        std::array{tally.sum, tally.squares, tally.smallest, tally.largest});
  };
  return a.count == b.count && bits(a) == bits(b);
}

Tally ofSame(std::uint32_t count, double value) {
  return {count, count * value, count * (value * value), value, value};
}

}  // namespace

FileId fileIdOf(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

std::int64_t fileBytes(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

fs::path recordPath(const fs::path& path) {
  std::error_code error;
  if (path.filename().empty() || path.filename() == "." || path.filename() == "..") {
    throw std::runtime_error("\"" + path.string() + "\" cannot be the file name of a record");
  }
  fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  for (int links = 0; !error && links < 40 && fs::is_symlink(whole); ++links) {  // to no file yet
    whole = fs::weakly_canonical(whole.parent_path() / fs::read_symlink(whole, error), error);
  }
  if (error) {
    throw std::runtime_error("The record \"" + path.string() + "\" cannot be reached (" +
                             error.message() + ")");
  }
  if (!fs::is_directory(whole.parent_path(), error)) {
    throw std::runtime_error("There is no folder \"" + whole.parent_path().string() +
                             "\" for the record: create it, or record elsewhere");
  }
  if (fs::exists(whole, error) && !fs::is_regular_file(whole, error)) {
    throw std::runtime_error("\"" + whole.string() +
                             "\" is not a file: a record needs one of its own");
  }
  return whole;
}

bool DatabaseError::isDamage() const { return code_ == SQLITE_CORRUPT || code_ == SQLITE_NOTADB; }
bool DatabaseError::isPassing() const { return code_ == SQLITE_BUSY || code_ == SQLITE_LOCKED; }
bool DatabaseError::isFull() const { return code_ == SQLITE_FULL; }

Database::Database(const fs::path& path, Access access, int busyTimeoutMs) : path_(path) {
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
  // Distrusts the file, which may come from somebody else: runs nothing that it defines, and limits
  // values to far above our longest.
  for (const int setting : {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                            SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(connection_, setting, 0, nullptr);
  }
  sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_busy_timeout(connection_, busyTimeoutMs);
}

Database::~Database() { sqlite3_close(connection_); }

void Database::fail(int code) const {
  throw DatabaseError(code & 0xff, sentence(code, sqlite3_system_errno(connection_), path_,
                                            sqlite3_errmsg(connection_)));
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
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
  // After some errors SQLite has already rolled back.
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

void Statement::put(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, place, value));
}

void Statement::put(int place, std::optional<double> value) {
  check(value ? sqlite3_bind_double(statement_, place, *value)
              : sqlite3_bind_null(statement_, place));
}

void Statement::put(int place, std::string_view value) {
  const char* begin = value.data() != nullptr ? value.data() : "";
  check(sqlite3_bind_text64(statement_, place, begin, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::put(int place, Blob value) {
  const char* begin = value.bytes.data() != nullptr ? value.bytes.data() : "";
  check(sqlite3_bind_blob64(statement_, place, begin, value.bytes.size(), SQLITE_TRANSIENT));
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

int schemaVersion(Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  const std::string file = "\"" + database.path().string() + "\"";
  if (application != kApplicationId) {
    const bool empty = application == 0 && version == 0 &&
                       database.number("SELECT count(*) FROM sqlite_master") == 0;
    if (empty) return 0;
    throw std::runtime_error(file +
                             " is a database of another program: a record needs a file of its own");
  }
  if (version > kSchemaVersion) {
    throw std::runtime_error(file + " was written by a newer version of this program (schema " +
                             std::to_string(version) + ", this one knows " +
                             std::to_string(kSchemaVersion) +
                             "): update the program, or record into another file");
  }
  return static_cast<int>(version);
}

void bringUpToDate(Database& database) {
  int version = schemaVersion(database);
  if (version == kSchemaVersion) return;
  // Has an effect only before the first table; deleted space can then be returned to the disk.
  if (version == 0) database.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL");
  Transaction transaction(database);
  version = schemaVersion(database);
  if (version < 1) database.run(kSchema1);
  if (version < 2) database.run(kTo2);
  if (version < 3) database.run(kTo3);
  database.run("PRAGMA application_id = " + std::to_string(kApplicationId) +
               "; PRAGMA user_version = " + std::to_string(kSchemaVersion));
  transaction.commit();
}

void prepareForWriting(Database& database) {
  {
    Statement mode(database, "PRAGMA journal_mode = WAL");
    if (!mode.step() || mode.text(0) != "wal") {
      throw std::runtime_error("The file system of \"" + database.path().string() +
                               "\" cannot share memory between programs, which a record needs: "
                               "use a folder on a local disk");
    }
  }
  // Keeps the journal's space between checkpoints: there is room to write and delete even when the
  // disk is full.
  database.run(
      "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304;"
      "PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY");
}

bool hasCameraViews(Database& database) {
  return database.number("SELECT count(*) FROM sqlite_master WHERE name = 'camera_view'") > 0;
}

std::string encodeFrames(const Frames& frames) {
  std::string blob;
  for (const std::uint32_t count : frames) append(blob, count);
  return blob;
}

std::string encodeTallies(const std::vector<Tally>& tallies) {
  std::string blob;
  for (const Tally& tally : tallies) {
    const bool isNone = sameBits(tally, Tally{});
    const bool isSame = !isNone && sameBits(tally, ofSame(tally.count, tally.smallest));
    blob += static_cast<char>(isNone ? kNone : isSame ? kSame : kFull);
    if (isNone) continue;
    append(blob, tally.count);
    if (!isSame) append(blob, std::array{tally.sum, tally.squares});
    append(blob, tally.smallest);
    if (!isSame) append(blob, tally.largest);
  }
  return blob;
}

std::optional<Frames> decodeFrames(std::string_view blob) {
  if (blob.size() % sizeof(std::uint32_t) != 0) return {};
  Frames frames{};
  for (std::uint32_t& count : frames) take(blob, count);
  return frames;
}

std::optional<std::vector<Tally>> decodeTallies(std::string_view blob, std::size_t most) {
  std::vector<Tally> tallies;
  unsigned char form = kNone;
  while (take(blob, form)) {
    Tally tally;
    if (form > kFull || tallies.size() == most) return {};
    bool isWhole = form == kNone || take(blob, tally.count);
    double value = 0;
    if (form == kSame) {
      isWhole = isWhole && take(blob, value);
      tally = ofSame(tally.count, value);
    } else if (form == kFull) {
      for (double* each : {&tally.sum, &tally.squares, &tally.smallest, &tally.largest})
        isWhole = isWhole && take(blob, *each);
    }
    if (!isWhole) return {};
    tallies.push_back(tally);
  }
  return tallies;
}

}  // namespace mpm::monitor
