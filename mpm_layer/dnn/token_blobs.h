// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "dnn/host.h"

namespace mpm::dnn {

/// A layer of this library, as its error messages name it.
struct LayerIdentity {
  std::string type, name;
};

/// Throws a cv::Exception: "mpm.MutualPairMerge 'merge2', input map: <problem>".
[[noreturn]] void refuseInput(const LayerIdentity& layer, const std::string& input,
                              const std::string& problem);
[[noreturn]] void refuseLayer(const LayerIdentity& layer, const std::string& problem);

inline Shape shapeOf(const cv::Mat& blob) { return {blob.size.p, blob.size.p + blob.dims}; }

/// "[1 x 1024 x 192]"
std::string shapeText(const Shape& shape);

/// Gives inputs their names. OpenCV 4 hands constants over as `blobs`, in order and without
/// their positions, OpenCV 5 as inputs: constants are the last inputs of a node, so appending
/// the blobs to the inputs is right in both.
class NamedInputs {
 public:
  /// `names`: comma-separated; as many of them as there are inputs are used.
  NamedInputs(LayerIdentity layer, const std::string& names);

  /// Throws where there are more inputs than names, or fewer than `least`.
  void checkCount(std::size_t inputs, std::size_t constants, std::size_t least) const;

  /// Which of count inputs is `name`; -1 where there is none.
  int index(const std::string& name, std::size_t count) const;

  /// Throws unless each name is one of `known`, with commas between them ("": any), and comes once.
  void checkNames(const std::string& known) const;

  /// Of input `index`.
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  LayerIdentity layer_;
  std::vector<std::string> names_;
};

/// The sizes of a tokens blob [B, S+N, D]. In a net of OpenCV 5 it may be shorter: as long as the
/// most rows that live in an image, which the map tells from N.
struct TokenShape {
  int batch = 0, special = 0, image = 0, dim = 0;
  int rows = 0;  ///< of the blob

  int capacity() const { return rows; }
  int full() const { return special + image; }  ///< of the network without merging
  int imageRows() const { return rows - special; }
};

/// Reads a tokens shape. `special` < 0: what `mapShape` (may be null) leaves over, or 0; such
/// tokens are all there.
TokenShape tokenShape(const LayerIdentity& layer, const std::string& input, const Shape& tokens,
                      const Shape* mapShape, int special);

/// A float32 Mat of this shape, in the memory that `mat` has where that is enough.
void fitMat(cv::Mat& mat, const Shape& shape);

void checkContinuous(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob);
/// Throws unless the Mat is float32 and continuous.
void checkFloats(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob);

/// Which integers an input may hold; `meaning` says what the bounds are.
struct IntegerRange {
  int low = 0, high = 0;
  const char* meaning = "";
};

/// The exact integer that a float32 at index `at` of an input stands for; throws where it is
/// none, or lies outside the range.
std::int32_t readInteger(const LayerIdentity& layer, const std::string& input, float value, int at,
                         const IntegerRange& range);

/// The same for `count` values.
void readIntegers(const LayerIdentity& layer, const std::string& input, const float* values,
                  int count, const IntegerRange& range, std::vector<std::int32_t>& integers);

}  // namespace mpm::dnn
