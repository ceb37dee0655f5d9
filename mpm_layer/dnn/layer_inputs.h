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

/// Identifies a layer of this library in error messages.
struct LayerIdentity {
  std::string type, name;
};

/// Throws a cv::Exception: "mpm.MutualPairMerge 'merge2', input map: <problem>".
[[noreturn]] void refuseInput(const LayerIdentity& layer, const std::string& input,
                              const std::string& problem);
[[noreturn]] void refuseLayer(const LayerIdentity& layer, const std::string& problem);

inline Shape shapeOf(const cv::Mat& blob) { return {blob.size.p, blob.size.p + blob.dims}; }

/// Returns a text such as "[1 x 1024 x 192]".
std::string shapeText(const Shape& shape);

/// Gives inputs their names. OpenCV 4 passes constants as `blobs`, in order but without positions,
/// OpenCV 5 as inputs. Constants are the last inputs of a node, so appending the blobs to the
/// inputs is right in both.
class NamedInputs {
 public:
  /// `names`: comma-separated; used for as many inputs as there are.
  NamedInputs(LayerIdentity layer, const std::string& names);

  /// Throws if there are more inputs than names, or fewer than `least`.
  void checkCount(std::size_t inputs, std::size_t constants, std::size_t least) const;

  /// Returns which of `count` inputs is `name`; -1 if none is.
  int index(const std::string& name, std::size_t count) const;

  /// Throws unless each name is one of `known`, with commas between them ("": any), and comes once.
  void checkNames(const std::string& known) const;

  /// Returns the name of input `index`.
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  LayerIdentity layer_;
  std::vector<std::string> names_;
};

/// Sizes of a tokens blob [B, S+N, D]. In a net of OpenCV 5 it may be as short as the image with
/// most live rows. The map gives N.
struct TokenShape {
  int batch = 0, special = 0, image = 0, dim = 0;
  int rows = 0;  ///< of the blob

  int capacity() const { return rows; }
  int full() const { return special + image; }  ///< of the network without merging
  int imageRows() const { return rows - special; }
};

/// Reads a tokens shape. `special` < 0: the rows that `mapShape` (may be null) leaves over, or 0;
/// such tokens are not shortened.
TokenShape tokenShape(const LayerIdentity& layer, const std::string& input, const Shape& tokens,
                      const Shape* mapShape, int special);

/// Makes a float32 Mat of this shape, in the memory of `mat` if that suffices.
void fitMat(cv::Mat& mat, const Shape& shape);

void checkContinuous(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob);
/// Throws unless the Mat is float32 and continuous.
void checkFloats(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob);

/// Integers that an input may hold; `meaning` explains the bounds.
struct IntegerRange {
  int low = 0, high = 0;
  const char* meaning = "";
};

/// Returns the exact integer that a float32 at index `at` of an input stands for. Throws if it is
/// not an integer, or not in the range.
std::int32_t readInteger(const LayerIdentity& layer, const std::string& input, float value, int at,
                         const IntegerRange& range);

/// Reads `count` integers likewise.
void readIntegers(const LayerIdentity& layer, const std::string& input, const float* values,
                  int count, const IntegerRange& range, std::vector<std::int32_t>& integers);

/// Returns the Mats that a layer gets. They are OpenCV's own if its nets pass them, without a copy
/// or an allocation. Otherwise they are copies of the headers, in `spare`.
std::vector<cv::Mat>& matsOf(cv::InputArrayOfArrays arrays, std::vector<cv::Mat>& spare);

/// Shapes of what a layer gets, by name: blobs of the net first, constants after them. Refers to
/// the layer's names.
class InputShapes {
 public:
  InputShapes(const LayerIdentity& layer, const NamedInputs& names, std::vector<Shape> shapes)
      : layer_(layer), names_(names), shapes_(std::move(shapes)) {}

  /// Returns null if there is no such input; get() throws.
  const Shape* find(const std::string& name) const;
  const Shape& get(const std::string& name) const;
  /// Returns all shapes in the order of the inputs.
  const std::vector<Shape>& all() const { return shapes_; }

 private:
  const LayerIdentity& layer_;
  const NamedInputs& names_;
  std::vector<Shape> shapes_;
};

/// Tells whether an input is a weight, which does not pass between layers. It may be no constant.
bool isWeight(const std::string& input);

/// Inputs of a layer, by name: blobs of the net first, constants of the model after them. A
/// constant matrix is float32 [rows x columns]; further dimensions count as columns. Refers to what
/// it is made from.
class LayerInputs {
 public:
  /// `constants`: how many of `inputs`, the last ones, the owner holds as blobs.
  LayerInputs(const LayerIdentity& layer, const NamedInputs& names, const cv::dnn::Layer& owner,
              cv::InputArrayOfArrays inputs, std::size_t constants = 0);
  LayerInputs(const LayerInputs&) = delete;
  LayerInputs& operator=(const LayerInputs&) = delete;

  /// Returns null if there is no such input. Throws unless it is float32 and continuous.
  const cv::Mat* find(const std::string& name) const;
  const cv::Mat& get(const std::string& name) const;
  /// Returns an input of any type.
  const cv::Mat& getAny(const std::string& name) const;

  /// Count the net's blobs and all inputs, and access them by index, net blobs first.
  std::size_t blobs() const { return blobsOfNet_->size(); }
  std::size_t count() const { return blobs() + constants_.size(); }
  const cv::Mat& at(std::size_t index) const {
    return index < blobs() ? (*blobsOfNet_)[index] : constants_[index - blobs()];
  }
  const std::string& name(std::size_t index) const { return names_.name(index); }

  bool areWeightsConstant() const;

  InputShapes shapes() const;

  /// Returns a matrix of `rows` x `columns`; -1: any number.
  ConstRows matrix(const std::string& name, int rows, int columns) const;
  /// Returns `length` floats in any shape, or null if there is no such input.
  const float* vector(const std::string& name, int length) const;

 private:
  const LayerIdentity& layer_;
  const NamedInputs& names_;
  std::vector<cv::Mat> spare_;
  const std::vector<cv::Mat>* blobsOfNet_;
  const std::vector<cv::Mat>& constants_;
};

/// Sizes of inputs that a layer has already checked. Looking up allocates nothing.
class SeenSizes {
 public:
  bool isOf(const LayerInputs& inputs) const;
  void note(const LayerInputs& inputs);
  void forget() { sizes_.clear(); }

 private:
  std::vector<int> sizes_;  // for each input its number of dimensions, then these
};

/// Frees the values of weights among a layer's constants; their shapes and types stay. `first`:
/// index of the input that is the first constant.
void forgetWeights(const NamedInputs& names, std::size_t first, std::vector<cv::Mat>& constants);

/// Returns the live rows of an image, special ones included. `rows` [B, 1] may be null: all live.
int liveRows(const LayerIdentity& layer, const cv::Mat* rows, int image, const TokenShape& shape);

}  // namespace mpm::dnn
