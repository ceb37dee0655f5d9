// SPDX-License-Identifier: Apache-2.0
#include "dnn/layer_inputs.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mpm::dnn {

using std::to_string;

namespace {

constexpr bool kMayBeShort = CV_VERSION_MAJOR >= 5;

// Throws an OpenCV exception whose message does not end with a function's name.
[[noreturn]] void refuse(const std::string& words) {
  cv::error(cv::Error::StsBadArg, words, "", __FILE__, __LINE__);
}

// Tells whether files from before release 0.2 use this input, for heads that were mixed.
bool isOfMixedHeads(const std::string& input) {
  return input == "shares" || input.rfind("mix_", 0) == 0;
}

}  // namespace

void refuseLayer(const LayerIdentity& layer, const std::string& problem) {
  refuse(layer.type + " '" + layer.name + "': " + problem);
}

void refuseInput(const LayerIdentity& layer, const std::string& input, const std::string& problem) {
  refuse(layer.type + " '" + layer.name + "', input " + input + ": " + problem);
}

std::string shapeText(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? " x " : "") + to_string(shape[i]);
  }
  return text + "]";
}

NamedInputs::NamedInputs(LayerIdentity layer, const std::string& names) : layer_(std::move(layer)) {
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) names_.push_back(name);
}

void NamedInputs::checkCount(std::size_t inputs, std::size_t constants, std::size_t least) const {
  const std::size_t count = inputs + constants;
  if (count >= least && count <= names_.size()) return;
  std::string names;
  for (const std::string& name : names_) names += (names.empty() ? "" : ", ") + name;
  refuseLayer(layer_, "has " + to_string(count) + " inputs; expected " + to_string(least) + " to " +
                          to_string(names_.size()) + ": " + names);
}

void NamedInputs::checkNames(const std::string& known) const {
  const std::string among = "," + known + ",";
  for (auto name = names_.begin(); name != names_.end(); ++name) {
    if (!known.empty() && isOfMixedHeads(*name))
      refuseLayer(layer_, "has an input '" + *name +
                              "', which is not computed any more; please convert the model again");
    if (!known.empty() && among.find("," + *name + ",") == std::string::npos)
      refuseLayer(layer_, "has no input '" + *name + "'; expected some of " + known);
    if (std::find(names_.begin(), name, *name) != name)
      refuseLayer(layer_, "has two inputs " + *name + "; expected each name once");
  }
}

int NamedInputs::index(const std::string& name, std::size_t count) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto position = static_cast<std::size_t>(found - names_.begin());
  return position < count ? static_cast<int>(position) : -1;
}

TokenShape tokenShape(const LayerIdentity& layer, const std::string& input, const Shape& tokens,
                      const Shape* mapShape, int special) {
  if (tokens.size() != 3) {
    refuseInput(layer, input,
                "is " + shapeText(tokens) + "; expected 3 dimensions, [batch x tokens x features]");
  }
  TokenShape shape;
  shape.batch = tokens[0];
  shape.dim = tokens[2];
  const int rows = tokens[1];
  if (shape.batch < 1 || shape.dim < 1) {
    refuseInput(layer, input,
                "is " + shapeText(tokens) + "; expected at least one image and one feature");
  }
  if (mapShape != nullptr) {
    if (mapShape->size() != 2 || (*mapShape)[0] != shape.batch) {
      refuseInput(layer, "map",
                  "is " + shapeText(*mapShape) + "; expected [" + to_string(shape.batch) +
                      " x image tokens], the batch of " + input);
    }
    const int left = rows - (*mapShape)[1];
    const bool isShort = kMayBeShort && special >= 0 && left < special && rows > special;
    if (special < 0) special = left;
    if (!isShort && (left < 0 || special != left)) {
      refuseInput(layer, "map",
                  "has " + to_string((*mapShape)[1]) + " image tokens; expected " +
                      to_string(std::max(rows - std::max(special, 0), 0)) + ", the " +
                      to_string(rows) + " rows of " + input + " less " +
                      to_string(std::max(special, 0)) + " special ones");
    }
  }
  shape.special = std::max(special, 0);
  shape.rows = rows;
  shape.image = mapShape != nullptr ? (*mapShape)[1] : shape.imageRows();
  if (shape.imageRows() < 1) {
    refuseInput(layer, input,
                "has " + to_string(rows) + " rows, of which special = " + to_string(shape.special) +
                    "; expected at least one image token");
  }
  return shape;
}

void fitMat(cv::Mat& mat, const Shape& shape) {
#if CV_VERSION_MAJOR >= 5
  mat.fit(shape, CV_32F);
#else
  mat.create(static_cast<int>(shape.size()), shape.data(), CV_32F);
#endif
}

void checkFloats(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob) {
  if (blob.type() != CV_32FC1) {
    refuseInput(layer, input, "has type " + cv::typeToString(blob.type()) + "; expected CV_32FC1");
  }
  checkContinuous(layer, input, blob);
}

void checkContinuous(const LayerIdentity& layer, const std::string& input, const cv::Mat& blob) {
  if (!blob.isContinuous()) {
    refuseInput(layer, input, "is not continuous; expected a continuous Mat (clone() makes one)");
  }
}

std::int32_t readInteger(const LayerIdentity& layer, const std::string& input, float value, int at,
                         const IntegerRange& range) {
  const bool fits =
      value >= static_cast<float>(range.low) && value <= static_cast<float>(range.high);
  if (!fits || value != std::floor(value)) {
    std::ostringstream text;
    text << "value " << value << " at " << at << "; expected a whole number from " << range.low
         << " to " << range.high << ", " << range.meaning;
    refuseInput(layer, input, text.str());
  }
  return static_cast<std::int32_t>(value);
}

void readIntegers(const LayerIdentity& layer, const std::string& input, const float* values,
                  int count, const IntegerRange& range, std::vector<std::int32_t>& integers) {
  integers.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    integers[static_cast<std::size_t>(i)] = readInteger(layer, input, values[i], i, range);
  }
}

std::vector<cv::Mat>& matsOf(cv::InputArrayOfArrays arrays, std::vector<cv::Mat>& spare) {
  if (arrays.kind() == cv::_InputArray::STD_VECTOR_MAT) {
    return *static_cast<std::vector<cv::Mat>*>(arrays.getObj());
  }
  arrays.getMatVector(spare);
  return spare;
}

const Shape* InputShapes::find(const std::string& name) const {
  const int index = names_.index(name, shapes_.size());
  return index < 0 ? nullptr : &shapes_[static_cast<std::size_t>(index)];
}

const Shape& InputShapes::get(const std::string& name) const {
  const Shape* shape = find(name);
  if (shape == nullptr) refuseLayer(layer_, "has no input " + name + ", which it needs");
  return *shape;
}

LayerInputs::LayerInputs(const LayerIdentity& layer, const NamedInputs& names,
                         const cv::dnn::Layer& owner, cv::InputArrayOfArrays inputs,
                         std::size_t constants)
    : layer_(layer), names_(names), blobsOfNet_(&matsOf(inputs, spare_)), constants_(owner.blobs) {
  if (constants > 0) {
    spare_.assign(blobsOfNet_->begin(),
                  blobsOfNet_->end() - static_cast<std::ptrdiff_t>(constants));
    blobsOfNet_ = &spare_;
  }
  names_.checkCount(count(), 0, 1);
}

const cv::Mat* LayerInputs::find(const std::string& name) const {
  const int index = names_.index(name, count());
  if (index < 0) return nullptr;
  const cv::Mat& mat = at(static_cast<std::size_t>(index));
  checkFloats(layer_, name, mat);
  return &mat;
}

const cv::Mat& LayerInputs::get(const std::string& name) const {
  const cv::Mat* mat = find(name);
  if (mat == nullptr) refuseLayer(layer_, "has no input " + name + ", which it needs");
  return *mat;
}

const cv::Mat& LayerInputs::getAny(const std::string& name) const {
  const int index = names_.index(name, count());
  if (index < 0) refuseLayer(layer_, "has no input " + name + ", which it needs");
  return at(static_cast<std::size_t>(index));
}

bool isWeight(const std::string& input) {
  constexpr const char* kBlobs[] = {"tokens", "rows", "map", "regions", "image", "planes"};
  return std::none_of(std::begin(kBlobs), std::end(kBlobs),
                      [&](const char* blob) { return input == blob; });
}

bool LayerInputs::areWeightsConstant() const {
  for (std::size_t i = 0; i < blobs(); ++i) {
    if (isWeight(name(i))) return false;
  }
  return true;
}

InputShapes LayerInputs::shapes() const {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < count(); ++i) shapes.push_back(shapeOf(at(i)));
  return {layer_, names_, std::move(shapes)};
}

ConstRows LayerInputs::matrix(const std::string& name, int rows, int columns) const {
  const cv::Mat& mat = get(name);
  const int count = mat.dims > 0 ? mat.size[0] : 0;
  int dim = mat.dims > 0 ? 1 : 0;
  for (int axis = 1; axis < mat.dims; ++axis) dim *= mat.size[axis];
  if ((rows >= 0 && count != rows) || (columns >= 0 && dim != columns)) {
    const auto size = [](int n) { return n < 0 ? "any" : to_string(n); };
    refuseInput(layer_, name,
                "is " + shapeText(shapeOf(mat)) + "; expected [" + size(rows) + " x " +
                    size(columns) + "]");
  }
  return {mat.ptr<float>(), static_cast<std::size_t>(count), static_cast<std::size_t>(dim)};
}

const float* LayerInputs::vector(const std::string& name, int length) const {
  const cv::Mat* mat = find(name);
  if (mat == nullptr) return nullptr;
  if (mat->total() != static_cast<std::size_t>(length)) {
    refuseInput(layer_, name,
                "has " + to_string(mat->total()) + " values; expected " + to_string(length));
  }
  return mat->ptr<float>();
}

bool SeenSizes::isOf(const LayerInputs& inputs) const {
  auto seen = sizes_.begin();
  const auto isNext = [&](int size) { return seen != sizes_.end() && *seen++ == size; };
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    const cv::Mat& input = inputs.at(i);
    if (!isNext(input.dims) || !std::all_of(input.size.p, input.size.p + input.dims, isNext))
      return false;
  }
  return seen == sizes_.end();
}

void SeenSizes::note(const LayerInputs& inputs) {
  sizes_.clear();
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    const cv::Mat& input = inputs.at(i);
    sizes_.push_back(input.dims);
    sizes_.insert(sizes_.end(), input.size.p, input.size.p + input.dims);
  }
}

void forgetWeights(const NamedInputs& names, std::size_t first, std::vector<cv::Mat>& constants) {
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (!isWeight(names.name(first + i))) continue;
    const cv::Mat& values = constants[i];
    const std::vector<int> sizes(values.size.p, values.size.p + values.dims);
    constants[i] = cv::Mat(sizes, values.type(), static_cast<void*>(nullptr));
  }
}

int liveRows(const LayerIdentity& layer, const cv::Mat* rows, int image, const TokenShape& shape) {
  if (rows == nullptr) return shape.capacity();
  if (rows->total() != static_cast<std::size_t>(shape.batch)) {
    refuseInput(layer, "rows",
                "is " + shapeText(shapeOf(*rows)) + "; expected [" + to_string(shape.batch) +
                    " x 1], the batch of tokens");
  }
  return readInteger(layer, "rows", rows->ptr<float>()[image], image,
                     {shape.special, shape.capacity(), "the special rows to all rows"});
}

}  // namespace mpm::dnn
