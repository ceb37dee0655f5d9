// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/record/record.h"

namespace mpm::monitor {

/// std::invalid_argument, one sentence: pictures that PNG does not know, facts that are no JSON
/// object.
void checkSnapshot(const Snapshot& snapshot);

/// A snapshot, ready to be written. Empty where there is no such picture.
struct EncodedSnapshot {
  std::int64_t run = 0;
  Moment taken;
  std::string reason, facts;
  std::string labels, overlay;  ///< PNG
  std::filesystem::path clip;   ///< as Snapshot::clip
  std::string picture;          ///< JPEG
  std::string mergeMap;         ///< PNG

  std::size_t bytes() const {
    return labels.size() + overlay.size() + facts.size() + picture.size() + mergeMap.size();
  }
};
EncodedSnapshot encode(std::int64_t run, const Snapshot& snapshot);  ///< std::runtime_error

/// "20261121T014625.123Z-SOURCE-ID"
std::string snapshotStem(const Moment& taken, const std::string& source, std::int64_t id);

/// What goes into its JSON file: the snapshot's facts, and objects "snapshot" and "run" beside
/// them.
std::string describe(const EncodedSnapshot& snapshot, const std::string& stem, std::int64_t run,
                     const RunFacts& facts);

/// How the name of a clip begins that is still written, or waits to become a snapshot.
constexpr std::string_view kGrowingClip = "growing-";

/// The files of snapshots: STEM.labels.png, STEM.overlay.png, STEM.picture.jpg, STEM.merge-map.png,
/// STEM.clip.avi, STEM.json. The JSON comes last: where it is, the others are whole.
class SnapshotFolder {
 public:
  /// `<record without .sqlite>-snapshots`; made when the first snapshot comes.
  explicit SnapshotFolder(const std::filesystem::path& record);
  static std::filesystem::path pathOf(const std::filesystem::path& record);

  std::filesystem::path labels(const std::string& stem) const;
  std::filesystem::path overlay(const std::string& stem) const;
  std::filesystem::path clip(const std::string& stem) const;
  std::filesystem::path picture(const std::string& stem) const;
  std::filesystem::path mergeMap(const std::string& stem) const;
  std::filesystem::path json(const std::string& stem) const;

  /// Bytes of the files. std::runtime_error, one sentence; then nothing is left of them, and a clip
  /// is where it was.
  std::int64_t write(const std::string& stem, const EncodedSnapshot& snapshot,
                     const std::string& description) const;
  void undo(const std::string& stem, const EncodedSnapshot& snapshot) const;  ///< what write() did
  /// What is gone already is no error. Of a stem that leads out of the folder, as a record of
  /// somebody else's may have, nothing goes.
  void remove(const std::string& stem) const;
  std::vector<std::string> stems() const;  ///< of the JSON files that are there, sorted
  std::int64_t bytes(const std::string& stem) const;
  /// What a killed process left: half-written files, and pictures without a JSON whose stem is not
  /// in `known`, which is sorted. How many of them were clips that grew.
  int removeUnfinished(const std::vector<std::string>& known) const;
  /// The files of one come from another folder, unless they are here already: whether they did.
  bool takeFrom(const SnapshotFolder& other, const std::string& stem) const;
  /// Clips that grow come from the folder `other`, into which this one was moved with what it had.
  void takeGrowing(const std::filesystem::path& other) const;

 private:
  std::filesystem::path path_;
};

}  // namespace mpm::monitor
