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

/// What a RememberingNet keeps of one camera's pictures: the keys and values of every block, and
/// the rows of its last result. It serves only the net that it was first used with.
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

/// A scene memory for programs that need a net's output rather than labels: tokens or scores of
/// every patch. A forward computes those that the caller says have changed. The caller decides
/// which these are, how old a patch may get, and when all are computed again; for a Segmenter,
/// SceneMemory decides this. docs/memory.md says what is remembered.
///
///   mpm::RememberingNet net("dinov2.onnx");
///   mpm::RowMemory memory;                       // one for each camera
///   cv::Mat rows = net.forward(blob, memory);    // all patches, merged by the schedule
///   rows = net.forward(next, changed, memory);   // these; the others as computed last
class MPM_API RememberingNet {
 public:
  /// Reads the model as readNet does. `output`: the model's output whose rows are wanted, empty for
  /// its first. It is tokens or scores [1, S + N, K], or made from them only by moving and
  /// resizing, which is then not computed. std::runtime_error if a layer before it cannot compute
  /// a few rows alone.
  explicit RememberingNet(const std::string& model, const ReadOptions& options = {},
                          const std::string& output = "");
  RememberingNet(RememberingNet&&) noexcept;
  RememberingNet& operator=(RememberingNet&&) noexcept;
  ~RememberingNet();

  const Description& model() const;
  cv::dnn::Net& net();  ///< for schedule and setSchedule

  /// All rows of one picture: [S + N, K] in float32, the S special rows first, then the patches of
  /// the grid row by row. To the bit what the net gives.
  cv::Mat forward(const cv::Mat& blob, RowMemory& memory);
  /// The same, but computes only the special rows and the patches `fresh`, which are ascending
  /// places on the grid; these see the whole picture. std::invalid_argument if `fresh` is anything
  /// else; std::logic_error if nothing is remembered, or the memory is another net's.
  cv::Mat forward(const cv::Mat& blob, const std::vector<int>& fresh, RowMemory& memory);

  /// How many multiplications the blocks take for `fresh` fresh patches, as a share of those of the
  /// last forward of all rows, which may have merged. From about 0.95 on, computing all rows is the
  /// better choice.
  double costOf(std::size_t fresh, const RowMemory& memory) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
