// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/measure.h"
#include "mpm/segmenter.h"

namespace mpm::cli {

/// Frames of fixed cameras, in order, for `mpm bench --frames`.
struct SequencePlan {
  std::string model;
  ReadOptions read;                  ///< of each net, but for the schedule
  std::optional<Schedule> schedule;  ///< beside unmerged; nothing: the model's own
  /// Sources, one per camera: a folder of pictures, or of images/ and labels/; a video; or
  /// scene:..., where seed=A..B is a camera for each of these streets.
  std::vector<std::string> cameras;
  double everySeconds = 1;  ///< from one frame of scene: to the next
  int most = 100;           ///< frames of each camera
  int threads = 0;
};

/// Results of a memory at an age, counted from its last full frame.
struct AgeRow {
  int from = 0, to = 0;  ///< frames
  int frames = 0;
  double agreement = 1;                    ///< share of the pixels with the unmerged label
  std::optional<double> meanIou, fullIou;  ///< its own, and the unmerged one of the same frames
};

/// Results of a memory in a hundred frames.
struct HundredRow {
  double ratio = 0;      ///< of the unmerged times
  double fresh = 1;      ///< share of the patches that were computed
  double agreement = 1;  ///< share of the pixels with the unmerged label
};

/// Results of one way to compute the frames.
struct SequenceRow {
  std::string name;
  double meanMs = 0;     ///< frame to labels, as all of these but for a camera's first frame
  double ratio = 0;      ///< of the unmerged times
  double worst = 0;      ///< the slowest frame, as a ratio to the same frame with merging alone
  double fresh = 1;      ///< share of the patches that were computed
  int oldest = 0;        ///< frames, of a patch that was shown
  double agreement = 1;  ///< share of the pixels with the unmerged label
  double sure = 1;       ///< the same, of those that unmerged runs are sure of (above 0.8)
  /// Share of the pixels whose label changed between frames while the picture did not. `steadied`
  /// is the same after a vote, without a memory.
  std::optional<double> flicker, steadied;
  std::optional<double> told;             ///< the mean agreement that the memory itself reported
  std::optional<double> meanIou;          ///< where there are true labels
  std::size_t bytes = 0;                  ///< of the memory
  std::vector<AgeRow> ages;               ///< of the memory
  std::optional<HundredRow> first, last;  ///< of the memory, where there are two hundred frames
};

struct SequenceReport {
  std::string model, precision;
  std::vector<std::string> cameras;
  Machine machine;
  int count = 0;      ///< frames of all cameras
  std::string fault;  ///< why there is no memory; or empty
  std::vector<SequenceRow> rows;
};

/// Runs each frame unmerged, merged, with a memory whose full frames are merged, and with one whose
/// full frames are not. Each camera has its own memories. `onProgress` receives the share that is
/// done.
SequenceReport measureSequence(const SequencePlan& plan,
                               const std::function<void(double)>& onProgress);

/// Returns an address for each street of seed=A..B; other addresses stay unchanged. Throws
/// UsageError if A..B is no range of at most 1000 seeds.
std::vector<std::string> streetsOf(const std::string& address);

/// Formats the report for a person, with mIoU and agreement over the age of the memories.
std::string sequenceTable(const SequenceReport& report);
std::string sequenceJson(const SequenceReport& report);

}  // namespace mpm::cli
