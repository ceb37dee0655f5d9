// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/clock/clock.h"
#include "monitor/statistics/statistics.h"

/// Keeps what was seen in a file: SQLite, one writer thread, WAL. database.h describes the format.
namespace mpm::monitor {

/// One source watched with one model and one set of settings. Stored data belong to it.
struct RunFacts {
  std::string source;     ///< its name, which stays the same over runs
  std::string address;    ///< as shown, without secrets
  std::string model;      ///< file name
  std::string modelHash;  ///< of the file's bytes
  std::string settings;   ///< JSON
  std::string version;    ///< of the program
  std::vector<std::string> metrics;
  Moment begun;
};

/// Labels and an overlay of one frame as PNG, or a clip, with a JSON on how they were made. A timed
/// snapshot has the frame and its merge map instead of an overlay. One that a rule or a person
/// requested may have the frame too, for teaching. Pictures are not copied, so nobody may write
/// into them any more.
struct Snapshot {
  Moment taken;
  std::string reason;  ///< a rule's name, "by hand", ...
  cv::Mat labels, overlay;
  std::string facts;             ///< JSON object: figures, light; "run" and "snapshot" are added
  std::filesystem::path clip{};  ///< without pictures: a finished video in the folder of snapshots,
                                 ///< which the record renames or, where it gives it up, removes
  cv::Mat picture{};             ///< the frame, CV_8UC3, of its own size: becomes a JPEG
  cv::Mat mergeMap{};            ///< as Segmentation::mergeMap, CV_16U: becomes a PNG
};

constexpr const char* kDayPicture = "day";  ///< the reason of a snapshot that the clock wanted

/// Prefix of a clip that is still being written, or waits to become a snapshot.
constexpr std::string_view kGrowingClip = "growing-";

/// Returns `<record without .sqlite>-snapshots`; it is created with the first snapshot.
std::filesystem::path snapshotFolderOf(const std::filesystem::path& record);

constexpr int kMostBackups = 99;

struct RecordOptions {
  std::array<double, 4> keepDays{2, 92, 3660, 36600};  ///< of seconds, minutes, hours, days
  double keepEventsDays = 3660, keepSnapshotsDays = 92;
  std::int64_t mostBytes = 0;  ///< of the database, its snapshots and all that lies beside it
                               ///< (store.h says what goes). 0: no limit; else a megabyte or more
  std::int64_t mostClipBytes = 1000000000;     ///< of these the clips; the oldest go first
  std::int64_t mostPictureBytes = 1000000000;  ///< of those with a picture and no overlay
  int backups = 0;  ///< that are kept beside it, one made each night (backup.h)
  std::int64_t commitEveryMs = 1000;
  std::int64_t lookEveryMs = 10000;  ///< whether the files are still there, and can be read
  std::int64_t silentMs = 10000;     ///< a disk that takes longer does not answer: a fault
  std::size_t mostWaiting = 100000;  ///< what is not written yet (a full disk): then the oldest
                                     ///< buckets of the finest resolution are given up, and counted
};

/// Status of writing a record.
struct RecordStatus {
  std::string fault;  ///< why nothing can be written now, or what befell the record a moment ago;
                      ///< empty while all is well
  std::uint64_t written = 0;  ///< rows since the start, replaced ones once, without those lost
  std::uint64_t lost = 0;     ///< given up before they were written, or not read back since
  std::size_t waiting = 0;
  std::size_t waitingSeconds = 0;    ///< of these, at its end: seconds of figures
  std::string backupFault;           ///< why the last backup could not be made; empty: it could
  std::int64_t bytes = 0;            ///< database, snapshots, backups, what was set aside
  std::int64_t freeBytes = 0;        ///< on the disk
  std::optional<double> daysToFull;  ///< at the pace of the last day (or since the start); nothing:
                                     ///< it does not grow, or it is too early to say
};

/// Writing never waits for the disk: data are queued and written every `commitEveryMs` in one
/// transaction. After a kill the file opens, and lacks at most what was queued. A power cut can
/// lose the last half minute, never the file. Functions can be called from any thread.
///
/// It records unattended. While the disk is full, fails or does not answer, or the folder is gone,
/// data wait and status() says why; they are written later. An event ("record", "recovered")
/// reports an error that was long or lost something.
///
/// Every ten seconds it checks that the file at its path is the one it writes and is not truncated.
/// Another connection must also read the latest data. If not, the file is set aside to
/// FILE.damaged-TIME and FILE.damaged-TIME-snapshots, and a new one begins. The same happens if the
/// file was removed or moved; its snapshots go to FILE.removed-TIME-snapshots. Rows since the last
/// check are then lost, and counted, unless the file was moved. An event ("damaged", "removed" or
/// "moved") reports it, and status().fault for a minute and a half. Of what was set aside the
/// newest two stay. Events about the record itself ("record", also "backup", "clip",
/// "lost") are events of every source, and also go to setTell's function.
///
/// FILE-wal and FILE-shm are SQLite's. FILE-lock keeps a second writing process out.
class Record {
 public:
  using Tell = std::function<void(const std::string& source, const Event& event)>;

  /// Creates the file, or opens one and updates an older schema. Throws std::runtime_error, in one
  /// sentence: no folder, no database, no record, a newer schema, or another process writes it.
  /// Throws std::invalid_argument for impossible options.
  explicit Record(const std::string& path, const RecordOptions& options = {},
                  Clock& clock = systemClock());
  ~Record();  ///< as end, for at most five seconds

  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  /// Waits for the disk for at most five seconds; after that the run is written later, like
  /// everything. Throws std::invalid_argument, in one sentence: no source, a metric twice.
  std::int64_t beginRun(const RunFacts& facts);
  /// Throw std::invalid_argument, in one sentence: no such run, a bucket with a wrong number of
  /// tallies, a snapshot that cannot be a PNG with a JSON.
  void write(std::int64_t run, std::vector<Series::Changed> buckets);
  void write(std::int64_t run, Event event);
  void write(std::int64_t run, Snapshot snapshot);
  /// Writes an event about the record itself.
  void tell(std::int64_t run, Event event);
  /// Reports events about the record itself from now on, even if they cannot be written. They come
  /// from its thread, which the call must not delay, until end().
  void setTell(Tell tell);
  /// Stores what a source's camera usually shows, for RecordReader::view; the newest stays.
  void writeView(const std::string& source, std::string view);
  const std::filesystem::path& snapshotFolder() const;  ///< may not be there yet
  RecordStatus status() const;
  bool flush(std::int64_t patienceMs);  ///< whether all that was queued is on the disk
  /// Ends the record: writes what is queued, for at most this long, and closes the file. What still
  /// waits is lost.
  RecordStatus end(std::int64_t patienceMs);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::monitor
