// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "mpm/export.h"

namespace mpm {

/// Holds what a Segmenter remembers of one camera: the keys and values of every block, and the
/// scores of every patch. A frame then costs only what has changed in it. A patch that looks as it
/// did when it was last computed keeps its scores. The others are recomputed, and see the whole
/// picture. docs/memory.md says how, and what it costs.
///
///   mpm::SceneMemory memory;  // one for each camera
///   while (camera.read(frame)) show(segmenter.segment(frame, memory).labels);
///
/// Guarantees and limits:
/// - The same frames in the same order give the same labels, to the bit, whatever the number of
///   threads.
/// - A full frame gives the same bits as without a memory. The first frame is one, and so is each
///   frame with a new size or schedule. So is one whose changes would take longer to compute than
///   all of it, and one after frames in which too many labels turned out to be old.
/// - About 2% of the time goes to full frames that only compare. Where such a frame agrees, patches
///   that did not change keep their labels, so that these do not flicker.
/// - Every patch is recomputed after at most kOldest frames, whether it changed or not.
///   MemoryReport::age is the age of the oldest patch that a frame shows.
/// - A moved camera, a light that is switched on and another camera's picture are changes: the
///   patches that they affect are recomputed. A change below the camera's noise, or below a third
///   of the picture's contrast, is not noticed until the patch gets too old.
/// - A memory serves only the Segmenter that it was first used with; any other one throws
///   std::invalid_argument. Calling that Segmenter from a second thread meanwhile, with any memory
///   or none, throws std::logic_error.
/// - If the net throws, or there is no memory left, everything remembered is forgotten.
class MPM_API SceneMemory {
 public:
  /// Greatest age of a patch's scores, in frames.
  static constexpr int kOldest = 96;

  SceneMemory();
  SceneMemory(SceneMemory&&) noexcept;
  SceneMemory& operator=(SceneMemory&&) noexcept;
  ~SceneMemory();

  /// Forgets the picture and the camera's noise, so that the next frame is a full frame. Call it
  /// after the source was away.
  void forget();

  /// Makes the next frame a full one that compares, as some are anyway. It is for programs that
  /// count merged tokens, which only full frames have.
  void audit();

  /// Returns the bytes of memory that it uses; 0 before the first frame.
  std::size_t bytes() const;

 private:
  friend class Segmenter;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Says what a SceneMemory did for a frame.
struct MemoryReport {
  int rows = 0;   ///< patches of the picture that the net sees; 0 without a memory
  int fresh = 0;  ///< how many of them were computed for this frame
  int age = 0;    ///< frames since the oldest patch shown was computed; 0 for a full frame but
                  ///< one that only compared
  /// Share of labels that a full frame confirms, if it need not have been a full frame. It counts
  /// patches that would have been remembered and whose label the full frame is sure of (above 0.8).
  std::optional<double> agreement;
};

}  // namespace mpm
