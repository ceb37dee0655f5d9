// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "mpm/export.h"

namespace mpm {

/// What a Segmenter remembers of one camera's picture, so that a frame costs what has changed in
/// it: the keys and values of every block, and the scores of every patch. Patches that look as they
/// did when they were last computed keep their scores; the others are computed, and see all of the
/// picture. docs/memory.md says how, and what it costs.
///
///   mpm::SceneMemory memory;  // one for each camera
///   while (camera.read(frame)) show(segmenter.segment(frame, memory).labels);
///
/// What holds:
/// - The same frames in the same order give the same labels, to the bit, whatever the threads.
/// - A frame that is computed in full gives to the bit what it gives without a memory: the first
///   one, each of another size or schedule than the last, each of which what changed would take
///   longer to compute, and about 2 % of the time one that need not be, to compare.
/// - Every patch is computed at the latest kOldest frames after it was computed last, whether it
///   changed or not; MemoryReport::age tells how old the oldest is that a frame shows.
/// - A camera that is moved, the light that is switched on, or another camera's picture are
///   changes: what they touch is computed. What changes by less than the camera's noise, or by less
///   than a third of the picture's contrast, is not seen until a patch's turn comes.
/// - A memory serves the Segmenter that it first met; another one throws std::invalid_argument. A
///   frame that another thread hands to that Segmenter meanwhile, with this memory or another,
///   throws std::logic_error. Where the net throws, or there is no memory left, it is forgotten.
class MPM_API SceneMemory {
 public:
  /// The age, in frames, that no patch's scores exceed.
  static constexpr int kOldest = 96;

  SceneMemory();
  SceneMemory(SceneMemory&&) noexcept;
  SceneMemory& operator=(SceneMemory&&) noexcept;
  ~SceneMemory();

  /// The next frame is computed in full, and what is known of the camera's noise is dropped: for a
  /// source that was away.
  void forget();

  /// The next frame is computed in full and compared, as one is now and then anyway: for whoever
  /// counts merged tokens, which full frames alone have.
  void audit();

  /// What it holds in memory, 0 before the first frame.
  std::size_t bytes() const;

 private:
  friend class Segmenter;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What a SceneMemory did for a frame.
struct MemoryReport {
  int rows = 0;   ///< patches of the picture that the net sees; 0 where there was no memory
  int fresh = 0;  ///< of them, those that were computed for this frame
  int age = 0;    ///< frames since the oldest was computed that is shown: 0 of a full frame
  /// Of a full frame that would not have had to be: of the patches that would have been remembered
  /// and of whose label the full frame is sure (above 0.8), the share whose label is the same.
  std::optional<double> agreement;
};

}  // namespace mpm
