// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/inspection.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <tuple>

#include "monitor/record/schema.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// docs of SQLite, "WAL-mode File Format": its journal's header and frames, and their index.
constexpr std::int64_t kHeader = 32, kFrameHeader = 24, kFrame = kFrameHeader + kPageBytes;
constexpr milliseconds kEvery{1000}, kSlice{100};
constexpr std::uint32_t kPagesEach = 256;  // a megabyte

sqlite3_file* fileOf(sqlite3* connection, int which) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(connection, "main", which, &file);
  return file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

bool readAt(sqlite3_file* file, std::int64_t offset, std::size_t count, unsigned char* bytes) {
  return file != nullptr &&
         file->pMethods->xRead(file, bytes, static_cast<int>(count), offset) == SQLITE_OK;
}

std::uint32_t bigEndian(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

// SQLite's sum of a journal, over words of 4 bytes, two by two.
struct JournalSum {
  std::uint32_t a = 0, b = 0;
  bool isBigEndian = false;

  void add(const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
      a += word(bytes + i) + b;
      b += word(bytes + i + 4) + a;
    }
  }
  bool is(const unsigned char* told) const {
    return bigEndian(told) == a && bigEndian(told + 4) == b;
  }

 private:
  std::uint32_t word(const unsigned char* bytes) const {
    const std::uint32_t big = bigEndian(bytes);
    return isBigEndian ? big : __builtin_bswap32(big);
  }
};

std::uint64_t sumOf(const std::array<unsigned char, kPageBytes>& page) {
  std::uint64_t sum = 0x9E3779B97F4A7C15;
  for (std::size_t i = 0; i < page.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &page[i], 8);
    sum = (sum ^ word) * 0x2545F4914F6CDD1D;
    sum ^= sum >> 29;
  }
  return sum == 0 ? 1 : sum;
}

bool isZero(const std::array<unsigned char, kPageBytes>& page) {
  return std::all_of(page.begin(), page.end(), [](unsigned char byte) { return byte == 0; });
}

// Whoever opens the file reads it first: what it is, its size of pages, and that it has a journal.
bool isFirstPage(const std::array<unsigned char, kPageBytes>& page) {
  constexpr std::string_view kHead("SQLite format 3\0\x10\0\2\2", 20);
  static_assert(kPageBytes == 0x1000);
  return std::memcmp(page.data(), kHead.data(), kHead.size()) == 0;
}

std::string indexPathOf(const std::filesystem::path& record) { return record.string() + "-shm"; }
std::string journalPathOf(const std::filesystem::path& record) { return record.string() + "-wal"; }

}  // namespace

Inspection::Inspection(Database& database)
    : database_(database),
      handle_(open(database.path().c_str(), O_PATH | O_CLOEXEC)),
      known_(stateOf()) {
  file_ = handle_ >= 0 ? FileId{known_.st_dev, known_.st_ino} : fileIdOf(database.path());
  forgetAll();
  lookAtPages();  // before the journal has them anew, which would hide what they were
}

Inspection::~Inspection() {
  if (handle_ >= 0) close(handle_);
}

struct stat Inspection::stateOf() const {
  struct stat state {};
  if (handle_ >= 0) fstat(handle_, &state);
  return state;
}

std::optional<Inspection::Index> Inspection::index() const {
  sqlite3_file* file = fileOf(database_.get(), SQLITE_FCNTL_FILE_POINTER);
  if (file == nullptr || file->pMethods->iVersion < 2) return {};
  constexpr int kRegion = 32768, kCopy = 48;
  void volatile* region = nullptr;
  if (file->pMethods->xShmMap(file, 0, kRegion, 0, &region) != SQLITE_OK || region == nullptr) {
    return {};
  }
  std::array<unsigned char, 2 * kCopy> bytes{};  // two copies, of which one is written at a time
  std::memcpy(bytes.data(), const_cast<const void*>(region), bytes.size());
  if (std::memcmp(bytes.data(), bytes.data() + kCopy, kCopy) != 0 || bytes[12] == 0) return {};
  Index index;
  std::memcpy(&index.frames, &bytes[16], 4);
  std::memcpy(&index.pages, &bytes[20], 4);
  std::memcpy(&index.salts, &bytes[32], 8);
  return index;
}

std::uint32_t Inspection::pagesKnown() const {
  return static_cast<std::uint32_t>(known_.st_size / kPageBytes);
}

void Inspection::forgetAll() {
  sums_.clear();
  inJournal_.clear();
  found_ = reached_ = hurry_ = pagesKnown();
  collected_ = {};
  foreign_ = database_.number("PRAGMA data_version");
  if (const std::optional<Index> now = index()) collect(*now);
}

void Inspection::checkpointed(bool whole) {
  known_ = stateOf();
  const std::optional<Index> now = index();
  // Behind the database's end others may cut the file at any time.
  reached_ = now && now->pages != 0 ? std::min(pagesKnown(), now->pages) : 0;
  if (whole) forgetJournal();
}

// Its pages stand in the database now: that is how they are from here on.
void Inspection::forgetJournal() {
  for (const auto& [page, sums] : inJournal_) {
    if (page > collected_.pages) continue;  // of a database that shrank
    if (page > sums_.size()) sums_.resize(page, 0);
    sums_[page - 1] = sums.back();
  }
  inJournal_.clear();
}

void Inspection::committed() {
  if (journal_.number == 0) journal_ = fileIdOf(journalPathOf(database_.path()));
  if (shared_.number == 0) shared_ = fileIdOf(indexPathOf(database_.path()));
  if (const std::optional<Index> now = index()) collect(*now);
}

// Which pages the journal holds: those of the database may become these at any time.
void Inspection::collect(const Index& index) {
  if (index.salts != collected_.salts) {
    forgetJournal();  // it began anew, as it does when all of it stands in the database
    collected_.frames = 0;
  }
  sqlite3_file* journal = fileOf(database_.get(), SQLITE_FCNTL_JOURNAL_POINTER);
  for (std::uint32_t frame = collected_.frames; frame < index.frames; ++frame) {
    std::array<unsigned char, kPageBytes> content;
    std::array<unsigned char, 4> number{};
    const std::int64_t place = kHeader + frame * kFrame;
    if (!readAt(journal, place, number.size(), number.data()) ||
        !readAt(journal, place + kFrameHeader, content.size(), content.data())) {
      break;
    }
    const std::uint32_t page = bigEndian(number.data());
    if (page > 0) inJournal_[page].push_back(sumOf(content));  // 0 is none: a damaged journal's
  }
  if (sums_.size() > index.pages) {  // the file keeps the others for a while
    found_ = std::max(found_, static_cast<std::uint32_t>(sums_.size()));
    sums_.resize(index.pages);
  }
  reached_ = std::min(reached_, index.pages);
  collected_ = index;
}

bool Inspection::isJournalSound() const {
  const std::optional<Index> now = index();
  if (!now || now->frames == 0 || isAsSummed(now->frames)) return true;
  // Another program may begin the journal anew while it is read, which its index tells first.
  const std::optional<Index> then = index();
  return !then || then->salts != now->salts;
}

// Its first frames, each sum of which is of all frames before it as well.
bool Inspection::isAsSummed(std::uint32_t frames) const {
  sqlite3_file* journal = fileOf(database_.get(), SQLITE_FCNTL_JOURNAL_POINTER);
  std::array<unsigned char, kFrame> bytes{};
  if (!readAt(journal, 0, kHeader, bytes.data())) return false;
  JournalSum sum;
  sum.isBigEndian = (bigEndian(bytes.data()) & 1) != 0;
  sum.add(bytes.data(), 24);
  if (!sum.is(&bytes[24])) return false;
  const std::array<unsigned char, 8> salts = [&] {
    std::array<unsigned char, 8> found{};
    std::copy_n(bytes.begin() + 16, found.size(), found.begin());
    return found;
  }();
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    if (!readAt(journal, kHeader + frame * kFrame, kFrame, bytes.data())) return false;
    sum.add(bytes.data(), 8);
    sum.add(&bytes[kFrameHeader], kPageBytes);
    if (!std::equal(salts.begin(), salts.end(), bytes.begin() + 8) || !sum.is(&bytes[16])) {
      return false;
    }
  }
  return true;
}

void Inspection::syncJournal() const {
  sqlite3_file* journal = fileOf(database_.get(), SQLITE_FCNTL_JOURNAL_POINTER);
  if (journal == nullptr) return;
  const int code = journal->pMethods->xSync(journal, SQLITE_SYNC_NORMAL);
  if (code == SQLITE_OK) return;
  throw DatabaseError(code & 0xff, "The disk fails on \"" + journalPathOf(database_.path()) +
                                       "\": it cannot be synced");
}

Trouble Inspection::lookAtNames() {
  const std::filesystem::path& path = database_.path();
  const FileId now = fileIdOf(path);
  if (now != file_) {
    return {Trouble::Kind::gone, now.number != 0 ? "another file is in its place"
                                 : hasName()     ? "it was moved away"
                                                 : "it was removed"};
  }
  for (const auto& [known, found, name] :
       {std::tuple{journal_, journalPathOf(path), "its journal (-wal)"},
        std::tuple{shared_, indexPathOf(path), "the index of its journal (-shm)"}}) {
    if (known.number != 0 && fileIdOf(found) != known) {
      return {Trouble::Kind::journal, std::string(name) + " was removed or replaced"};
    }
  }
  return {};
}

Trouble Inspection::look() {
  if (Trouble trouble = lookAtNames(); trouble.kind != Trouble::Kind::none) return trouble;
  const struct stat now = stateOf();
  const bool isChanged = now.st_size != known_.st_size ||
                         now.st_mtim.tv_sec != known_.st_mtim.tv_sec ||
                         now.st_mtim.tv_nsec != known_.st_mtim.tv_nsec;
  const auto time = steady_clock::now();
  if (!isChanged && hurry_ == 0 && time - looked_ < kEvery) return {};
  if (isChanged) hurry_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(sums_.size()));
  known_ = now;
  looked_ = time;
  if (database_.number("PRAGMA data_version") != foreign_) forgetAll();
  if (!isJournalSound()) {
    return {Trouble::Kind::journal, "its journal (-wal) has changed since it was written"};
  }
  Trouble trouble = lookAtPages();
  // What another program wrote meanwhile is no damage.
  if (trouble.kind == Trouble::Kind::none || database_.number("PRAGMA data_version") == foreign_) {
    return trouble;
  }
  forgetAll();
  return {};
}

// A few pages at a time, from the first to the last and again; more where there is a reason.
Trouble Inspection::lookAtPages() {
  const std::optional<Index> now = index();
  if (!now) return {};
  collect(*now);
  const auto end = steady_clock::now() + kSlice;
  // In the index of an empty journal no number of pages needs to stand.
  const auto pages =
      now->pages != 0 ? now->pages
                      : std::max(static_cast<std::uint32_t>(sums_.size()),
                                 static_cast<std::uint32_t>(database_.number("PRAGMA page_count")));
  const std::int64_t bytes = stateOf().st_size;
  const std::uint32_t count = std::min(pages, std::max(kPagesEach, hurry_));
  for (std::uint32_t looked = 0; looked < count; ++looked) {
    if (looked >= kPagesEach && steady_clock::now() > end) {
      hurry_ -= std::min(hurry_, looked);
      return {};
    }
    if (next_ >= pages) next_ = 0;
    if (Trouble trouble = lookAtPage(++next_, bytes); trouble.kind != Trouble::Kind::none) {
      return trouble;
    }
  }
  hurry_ = 0;
  return {};
}

Trouble Inspection::lookAtPage(std::uint32_t page, std::int64_t bytes) {
  const auto journal = inJournal_.find(page);
  const auto place = std::int64_t{page - 1} * kPageBytes;
  if (page > sums_.size()) sums_.resize(page, 0);
  if (place + kPageBytes > bytes) {
    const bool isToCome = journal != inJournal_.end() && page > reached_ && sums_[page - 1] == 0;
    if (isToCome) return {};
    return {Trouble::Kind::damaged, "it was cut off"};
  }
  std::array<unsigned char, kPageBytes> content;
  if (!readAt(fileOf(database_.get(), SQLITE_FCNTL_FILE_POINTER), place, kPageBytes,
              content.data())) {
    return {};  // the disk's fault, which the next write will tell
  }
  const std::uint64_t sum = sumOf(content);
  std::uint64_t& known = sums_[page - 1];
  if (known == sum) return {};
  bool isSound = false;
  if (journal == inJournal_.end()) {
    isSound = known == 0;
  } else {
    // Parts of a journal may come into the file at any time, and leave gaps of zeros before pages
    // whose turn is later.
    const std::vector<std::uint64_t>& sums = journal->second;
    isSound = std::find(sums.begin(), sums.end(), sum) != sums.end() ||
              (known == 0 && (page <= found_ || isZero(content)));
  }
  if (!isSound || (page == 1 && !isFirstPage(content))) {
    return {Trouble::Kind::damaged,
            "page " + std::to_string(page) + " has changed since it was written"};
  }
  known = sum;
  return {};
}

}  // namespace mpm::monitor
