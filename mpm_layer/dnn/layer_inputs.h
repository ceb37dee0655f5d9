// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "dnn/token_blobs.h"
#include "mpm/rows.h"

namespace mpm::dnn {

/// What a layer was given, by name: blobs of the net first, constants of the model after them.
/// A constant matrix is float32 [rows x columns]; further dimensions count as columns.
class LayerInputs {
 public:
  LayerInputs(const LayerIdentity& layer, const NamedInputs& names, const cv::dnn::Layer& owner,
              cv::InputArrayOfArrays inputs);

  /// Null where there is no such input. Throws unless it is float32 and continuous.
  const cv::Mat* find(const std::string& name) const;
  const cv::Mat& get(const std::string& name) const;

  std::vector<cv::dnn::MatShape> shapes() const;

  /// A matrix of `rows` x `columns`; -1: any number.
  ConstRows matrix(const std::string& name, int rows, int columns) const;
  /// `length` floats in any shape, or null where there is no such input.
  const float* vector(const std::string& name, int length) const;

 private:
  LayerIdentity layer_;
  NamedInputs names_;
  std::vector<cv::Mat> mats_;
};

/// The shapes of a layer's blobs and constants, for getMemoryShapes.
std::vector<cv::dnn::MatShape> allShapes(const std::vector<cv::dnn::MatShape>& inputs,
                                         const cv::dnn::Layer& layer);

/// Live rows of image `image`, special ones included. `rows` [B, 1] may be null: all live.
int liveRows(const LayerIdentity& layer, const cv::Mat* rows, int image, const TokenShape& shape);

}  // namespace mpm::dnn
