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

/// What a RememberingNet keeps of one camera's pictures: keys and values of every block, and the
/// rows that it gave last. It serves the net that it first met.
class MPM_API RowMemory {
 public:
  RowMemory();
  RowMemory(RowMemory&&) noexcept;
  RowMemory& operator=(RowMemory&&) noexcept;
  ~RowMemory();

  void forget();              ///< the next forward has to compute all rows
  bool isEmpty() const;       ///< nothing is remembered: a forward of fresh patches is refused
  std::size_t bytes() const;  ///< what it holds in memory

 private:
  friend class RememberingNet;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A scene memory for programs that have a net where Segmenter has labels: tokens or scores of
/// every patch, of which a forward computes those that the caller says have changed. Which these
/// are, how old a patch may get, and when all are computed again is the caller's; SceneMemory
/// decides it for Segmenter. docs/memory.md says what is remembered.
///
///   mpm::RememberingNet net("dinov2.onnx");
///   mpm::RowMemory memory;                       // one for each camera
///   cv::Mat rows = net.forward(blob, memory);    // all patches, merged by the schedule
///   rows = net.forward(next, changed, memory);   // these; of the others what was computed last
class MPM_API RememberingNet {
 public:
  /// As readNet reads it. `output`: the model's output whose rows are wanted, empty for its first:
  /// tokens or scores [1, S + N, K], or what is made of them by moving and resizing alone, which is
  /// not computed. std::runtime_error where a layer in front of it cannot compute a few rows alone.
  explicit RememberingNet(const std::string& model, const ReadOptions& options = {},
                          const std::string& output = "");
  RememberingNet(RememberingNet&&) noexcept;
  RememberingNet& operator=(RememberingNet&&) noexcept;
  ~RememberingNet();

  const Description& model() const;
  cv::dnn::Net& net();  ///< for schedule and setSchedule

  /// Of one picture, all rows: [S + N, K] in float32, the S special rows first, then the patches of
  /// the grid row by row. To the bit what the net gives.
  cv::Mat forward(const cv::Mat& blob, RowMemory& memory);
  /// The same where only the patches `fresh` are computed, ascending places on the grid, and the
  /// special rows; they see all of the picture. std::invalid_argument where they are no such
  /// places; std::logic_error where nothing is remembered, or of another net.
  cv::Mat forward(const cv::Mat& blob, const std::vector<int>& fresh, RowMemory& memory);

  /// The multiplications of the blocks for so many fresh patches, as a share of those that the last
  /// forward of all rows took, which may have merged: from about 0.95 on, all are the better
  /// choice.
  double costOf(std::size_t fresh, const RowMemory& memory) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm
