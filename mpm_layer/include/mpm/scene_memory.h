// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "mpm/export.h"

namespace mpm {

/// What a Segmenter remembers of one camera's picture, so that a frame costs only what has changed
/// in it: the keys and values of every block, and the scores of every patch. Patches that look as
/// they did when they were last computed keep their scores; the others are computed, and see the
/// whole picture. docs/memory.md says how, and what it costs.
///
///   mpm::SceneMemory memory;  // one for each camera
///   while (camera.read(frame)) show(segmenter.segment(frame, memory).labels);
///
/// What holds:
/// - The same frames in the same order give the same labels, to the bit, whatever the number of
///   threads.
/// - A frame that has to be computed in full gives to the bit what it gives without a memory. That
///   is the first frame, each whose size or schedule differs from the last one's, each whose
///   changes would take longer to compute than all of it, and each behind frames in which too many
///   labels turned out to be old.
/// - About 2% of the time goes to frames that are computed in full to compare. Where such a frame
///   agrees, patches that did not change keep their labels, so that these do not flicker.
/// - Every patch is computed at the latest kOldest frames after it was last computed, whether it
///   changed or not; MemoryReport::age is the age of the oldest patch that a frame shows.
/// - A moved camera, a light that is switched on and another camera's picture are changes: the
///   patches that they affect are computed. What changes by less than the camera's noise, or by
///   less than a third of the picture's contrast, is not noticed until a patch's turn comes.
/// - A memory serves only the Segmenter that it was first used with; any other one throws
///   std::invalid_argument. A frame that another thread gives that Segmenter meanwhile, with this
///   memory or another, throws std::logic_error. If the net throws, or there is no memory left,
///   everything remembered is forgotten.
class MPM_API SceneMemory {
 public:
  /// The greatest age of a patch's scores, in frames.
  static constexpr int kOldest = 96;

  SceneMemory();
  SceneMemory(SceneMemory&&) noexcept;
  SceneMemory& operator=(SceneMemory&&) noexcept;
  ~SceneMemory();

  /// Has the next frame computed in full, and drops what is known of the camera's noise: for a
  /// source that was away.
  void forget();

  /// Has the next frame computed in full and compared, as one is now and then anyway: for programs
  /// that count merged tokens, which only full frames have.
  void audit();

  /// The memory that it uses; 0 before the first frame.
  std::size_t bytes() const;

 private:
  friend class Segmenter;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a SceneMemory did for a frame.
struct MemoryReport {
  int rows = 0;   ///< patches of the picture that the net sees; 0 without a memory
  int fresh = 0;  ///< how many of them were computed for this frame
  int age = 0;    ///< frames since the oldest patch shown was computed; 0 for a full frame but
                  ///< one that only compared
  /// For a full frame that need not have been one: among the patches that would have been
  /// remembered and whose label the full frame is sure of (above 0.8), the share whose label is the
  /// same.
  std::optional<double> agreement;
};

}  // namespace mpm
