// SPDX-License-Identifier: Apache-2.0
#include "dnn/layer_inputs.h"

#include <algorithm>

namespace mpm::dnn {

using std::to_string;

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
