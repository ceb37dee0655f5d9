// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/export.h"
#include "mpm/net.h"

namespace mpm {

/// Memory of a RememberingNet for one camera: the keys and values of every block, and the rows of
/// the last result. It serves only the net that it was first used with.
class MPM_API RowMemory {
 public:
  RowMemory();
  RowMemory(RowMemory&&) noexcept;
  RowMemory& operator=(RowMemory&&) noexcept;
  ~RowMemory();

  void forget();              ///< the next forward has to compute all rows
  bool isEmpty() const;       ///< nothing is remembered: a forward of fresh patches is refused
  std::size_t bytes() const;  ///< the memory that it uses

 private:
  friend class RememberingNet;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A scene memory for programs that need tokens or scores of every patch rather than labels. A
/// forward computes the patches that the caller says have changed. The caller decides how old a
/// patch may get, and when all are recomputed. For a Segmenter, SceneMemory decides this.
/// docs/memory.md says what is remembered. Experimental.
///
///   mpm::RememberingNet net("dinov2.onnx");
///   mpm::RowMemory memory;                       // one for each camera
///   cv::Mat rows = net.forward(blob, memory);    // all patches, merged by the schedule
///   rows = net.forward(next, changed, memory);   // these; the others as computed last
class MPM_API RememberingNet {
 public:
  /// Reads the model as readNet does. `output`: the model's output to take rows from; empty: its
  /// first. It has to be tokens or scores [1, S + N, K], or made from such by moving and resizing
  /// alone, which is then not computed. Throws std::runtime_error if a layer before it cannot
  /// compute a few rows alone.
  explicit RememberingNet(const std::string& model, const ReadOptions& options = {},
                          const std::string& output = "");
  RememberingNet(RememberingNet&&) noexcept;
  RememberingNet& operator=(RememberingNet&&) noexcept;
  ~RememberingNet();

  const Description& model() const;
  cv::dnn::Net& net();  ///< for schedule and setSchedule

  /// Computes all rows of one picture: [S + N, K] in float32. The S special rows come first, then
  /// the patches of the grid row by row. The result is bit-identical to the net's.
  cv::Mat forward(const cv::Mat& blob, RowMemory& memory);
  /// Computes only the special rows and the patches `fresh`, ascending indices on the grid; these
  /// see the whole picture. Throws std::invalid_argument if `fresh` is anything else. Throws
  /// std::logic_error if nothing is remembered, or the memory is another net's.
  cv::Mat forward(const cv::Mat& blob, const std::vector<int>& fresh, RowMemory& memory);

  /// Returns the multiplications that the blocks need for `fresh` patches, as a share. The whole is
  /// the last forward of all rows, which may have merged. From about 0.95 on, computing all rows is
  /// the better choice.
  double costOf(std::size_t fresh, const RowMemory& memory) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
