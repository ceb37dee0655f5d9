// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record/database.h"

namespace mpm::monitor {

/// What is wrong with the files of a record that is open.
struct Trouble {
  enum class Kind {
    none,
    gone,     ///< another file lies at the path, or none: what is open here is not the record
    journal,  ///< the journal, or its index, is not what was written; the database itself may be
    damaged   ///< the database is not what was written
  };
  Kind kind = Kind::none;
  std::string text;  ///< what was found, for people: "its journal was removed"
};

/// Looks whether a record's files are what was written into them; SQLite notices damage of pages
/// that it reads, and reads few.
///
/// The file at the path has to be the one that is open, and its journal and the journal's index
/// those that belong to it; the checksums of the journal have to be right up to the newest commit;
/// and each page of the database has to be as it was when it was first looked at, or as the journal
/// has had it since. A change of the file that was not this process's makes it look at all pages
/// soon. What another program writes through SQLite is believed.
///
/// Everything is read through SQLite's own descriptors: closing another one of the same file would
/// end SQLite's locks.
class Inspection {
 public:
  explicit Inspection(Database& database);  ///< which was just opened for writing, and outlives it
  ~Inspection();
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// In SQLite's hook behind each commit of this connection.
  void committed();
  /// Behind each checkpoint of this connection, which changed the file. `whole`: all of the journal
  /// stands in it.
  void checkpointed(bool whole);

  /// Takes a few milliseconds now and then. Throws as Database does.
  Trouble look();
  /// Of the file that is open: whether it still has a name somewhere.
  bool hasName() const { return stateOf().st_nlink > 0; }
  const FileId& file() const { return file_; }
  const FileId& journal() const { return journal_; }  ///< of the file at its path; 0: none yet
  bool isJournalSound() const;                        ///< as it was read from the file that is open
  void syncJournal() const;  ///< waits for the disk. Throws as Database does

 private:
  // The journal's index, as all who have the database open share it.
  struct Index {
    std::uint32_t frames = 0, pages = 0;  // of the journal, of the database
    std::uint64_t salts = 0;              // others whenever the journal begins anew
  };
  std::optional<Index> index() const;  // nothing: somebody writes into it
  bool isAsSummed(std::uint32_t frames) const;
  struct stat stateOf() const;
  std::uint32_t pagesKnown() const;  // of the file, when it was last known to be as it is
  void forgetAll();
  void collect(const Index& index);
  void forgetJournal();
  Trouble lookAtNames();
  Trouble lookAtPages();
  Trouble lookAtPage(std::uint32_t page, std::int64_t bytes);

  Database& database_;
  int handle_;  // of the path alone: it reads nothing and holds no lock
  FileId file_, journal_, shared_;
  struct stat known_;         // when the file was last known to be as it is
  std::int64_t foreign_ = 0;  // SQLite's count of what other connections wrote
  Index collected_;           // up to where pages of the journal are known
  std::map<std::uint32_t, std::vector<std::uint64_t>> inJournal_;  // by page, newest last
  std::vector<std::uint64_t> sums_;                                // by page; 0: not looked at yet
  std::uint32_t found_ = 0;    // pages of which the file may hold what nobody has looked at
  std::uint32_t reached_ = 0;  // pages that the file was known to have
  std::uint32_t next_ = 0, hurry_ = 0;  // pages; so many are to be looked at soon
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace mpm::monitor
