// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "onnx/graph/model.h"

namespace mpm::test {

/// Values of a net by name, for one image: the first dimension is 1. float64, or int64.
using NetValues = std::map<std::string, at::Tensor>;

/// A merge that took place. Live image rows are counted from 0.
struct MergeStage {
  int block = 0;    ///< how many blocks stood before it
  at::Tensor best;  ///< [n] int64: the most similar row of each of the n rows that came in
  at::Tensor gap;   ///< [n]: how much less similar the second is; infinite where there is none
  at::Tensor map;   ///< [N] int64: the row of each original image token behind the merge
};

struct NetRun {
  NetValues outputs;
  std::vector<MergeStage> merges;  ///< in the order of the net
  int blocks = 0;                  ///< how many have been computed
};

/// How nodes of ONNX's are to be read: a converted file is spelled for OpenCV, where a softmax is
/// along one axis in every opset; what a Subgraph holds is as the model had it.
enum class Dialect { openCv, onnx };

/// What a converted file gives for one image, in float64 and eager LibTorch. Token blobs are as
/// long as their live rows, so nothing undefined exists that a node could read. Knows the
/// contracts of mpm/layers.h and of ONNX, and merges as the paper prints it (torch/oracle.h);
/// nothing of the project's arithmetic. std::runtime_error, with the node, on any that it does
/// not know or that contradicts the contracts.
NetRun runNet(const onnx::Model& model, const NetValues& inputs, Dialect dialect = Dialect::openCv);

/// Two best similarities closer than this may be told apart either way by a net in float32.
constexpr double kNetGap = 1e-5;
/// Scores of a whole net in float32, relative to the largest.
constexpr double kNetScores = 1e-3;

/// Whether every row of every merge has one best partner, by more than kNetGap.
bool areClear(const std::vector<MergeStage>& merges);

/// Whether a map [N] is the oracle's, given its merges of that image. Where they are clear, equal.
/// Else, of the first merge that is not: tokens whose row and its partner are clear have to stay
/// together there, and where it is the last merge, with nobody else. All that comes behind it
/// follows from rows that may be others.
testing::AssertionResult mapAgrees(const std::vector<MergeStage>& merges, const at::Tensor& map);

/// The largest difference, relative to the largest of `expected`. Infinite where the shapes differ
/// or anything is not finite.
double relativeError(const at::Tensor& values, const at::Tensor& expected);

}  // namespace mpm::test
