// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/dnn.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dnn/host.h"
#include "mpm/rows.h"

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

/// The Mats of what a layer is handed: OpenCV's own where its nets hand them over, and nothing is
/// copied or allocated; else copies of the headers, in `spare`.
std::vector<cv::Mat>& matsOf(cv::InputArrayOfArrays arrays, std::vector<cv::Mat>& spare);

/// The shapes of what a layer is given, by name: blobs of the net first, constants after them.
/// Refers to the layer's names.
class InputShapes {
 public:
  InputShapes(const LayerIdentity& layer, const NamedInputs& names, std::vector<Shape> shapes)
      : layer_(layer), names_(names), shapes_(std::move(shapes)) {}

  /// Null where there is no such input; get() throws.
  const Shape* find(const std::string& name) const;
  const Shape& get(const std::string& name) const;
  /// In their order.
  const std::vector<Shape>& all() const { return shapes_; }

 private:
  const LayerIdentity& layer_;
  const NamedInputs& names_;
  std::vector<Shape> shapes_;
};

/// Weights are the inputs that do not pass between layers, whether or not they are constants.
bool isWeight(const std::string& input);

/// What a layer was given, by name: blobs of the net first, constants of the model after them.
/// A constant matrix is float32 [rows x columns]; further dimensions count as columns. Refers to
/// what it is made from.
class LayerInputs {
 public:
  /// `constants`: how many of `inputs`, the last ones, the owner has as blobs.
  LayerInputs(const LayerIdentity& layer, const NamedInputs& names, const cv::dnn::Layer& owner,
              cv::InputArrayOfArrays inputs, std::size_t constants = 0);
  LayerInputs(const LayerInputs&) = delete;
  LayerInputs& operator=(const LayerInputs&) = delete;

  /// Null where there is no such input. Throws unless it is float32 and continuous.
  const cv::Mat* find(const std::string& name) const;
  const cv::Mat& get(const std::string& name) const;
  /// Of whatever type it is.
  const cv::Mat& getAny(const std::string& name) const;

  /// Net blobs first; their number, that of all inputs, and each by its place.
  std::size_t blobs() const { return blobsOfNet_->size(); }
  std::size_t count() const { return blobs() + constants_.size(); }
  const cv::Mat& at(std::size_t index) const {
    return index < blobs() ? (*blobsOfNet_)[index] : constants_[index - blobs()];
  }
  const std::string& name(std::size_t index) const { return names_.name(index); }

  bool areWeightsConstant() const;

  InputShapes shapes() const;

  /// A matrix of `rows` x `columns`; -1: any number.
  ConstRows matrix(const std::string& name, int rows, int columns) const;
  /// `length` floats in any shape, or null where there is no such input.
  const float* vector(const std::string& name, int length) const;

 private:
  const LayerIdentity& layer_;
  const NamedInputs& names_;
  std::vector<cv::Mat> spare_;
  const std::vector<cv::Mat>* blobsOfNet_;
  const std::vector<cv::Mat>& constants_;
};

/// The sizes of inputs that a layer has found right. Looking allocates nothing.
class SeenSizes {
 public:
  bool isOf(const LayerInputs& inputs) const;
  void note(const LayerInputs& inputs);
  void forget() { sizes_.clear(); }

 private:
  std::vector<int> sizes_;  // for each input its number of dimensions, then these
};

/// Lets the values of weights among a layer's constants go; their shapes and types stay. `first`:
/// which of its inputs is the first constant.
void forgetWeights(const NamedInputs& names, std::size_t first, std::vector<cv::Mat>& constants);

/// Live rows of image `image`, special ones included. `rows` [B, 1] may be null: all live.
int liveRows(const LayerIdentity& layer, const cv::Mat* rows, int image, const TokenShape& shape);

}  // namespace mpm::dnn
