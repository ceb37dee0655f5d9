// SPDX-License-Identifier: Apache-2.0
#include "dnn/layer_inputs.h"

namespace mpm::dnn {

using cv::dnn::MatShape;
using std::to_string;

std::vector<cv::Mat>& matsOf(cv::InputArrayOfArrays arrays, std::vector<cv::Mat>& spare) {
  if (arrays.kind() == cv::_InputArray::STD_VECTOR_MAT) {
    return *static_cast<std::vector<cv::Mat>*>(arrays.getObj());
  }
  arrays.getMatVector(spare);
  return spare;
}

LayerInputs::LayerInputs(const LayerIdentity& layer, const NamedInputs& names,
                         const cv::dnn::Layer& owner, cv::InputArrayOfArrays inputs)
    : layer_(layer), names_(names), blobsOfNet_(&matsOf(inputs, spare_)), constants_(owner.blobs) {
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

void LayerInputs::replace(std::size_t index, const cv::Mat& blob) {
  if (blobsOfNet_ != &spare_) spare_ = *blobsOfNet_;
  blobsOfNet_ = &spare_;
  spare_[index] = blob;
}

std::vector<MatShape> LayerInputs::shapes() const {
  std::vector<MatShape> shapes;
  for (std::size_t i = 0; i < count(); ++i) shapes.push_back(cv::dnn::shape(at(i)));
  return shapes;
}

bool LayerInputs::changed(std::vector<int>& seen) const {
  std::size_t place = 0;
  bool changed = false;
  const auto see = [&](int value) {
    if (place == seen.size()) seen.push_back(-1);
    changed = changed || seen[place] != value;
    seen[place++] = value;
  };
  for (std::size_t i = 0; i < count(); ++i) {
    see(at(i).dims);
    for (int axis = 0; axis < at(i).dims; ++axis) see(at(i).size[axis]);
  }
  changed = changed || place != seen.size();
  seen.resize(place);
  return changed;
}

bool LayerInputs::areConstantsFrom(std::initializer_list<const char*> others) const {
  std::size_t found = 0;
  for (const char* other : others) found += names_.index(other, blobs()) >= 0 ? 1 : 0;
  return found == blobs();
}

ConstRows LayerInputs::matrix(const std::string& name, int rows, int columns) const {
  const cv::Mat& mat = get(name);
  const int count = mat.dims > 0 ? mat.size[0] : 0;
  int dim = mat.dims > 0 ? 1 : 0;
  for (int axis = 1; axis < mat.dims; ++axis) dim *= mat.size[axis];
  if ((rows >= 0 && count != rows) || (columns >= 0 && dim != columns)) {
    const auto size = [](int n) { return n < 0 ? "any" : to_string(n); };
    refuseInput(layer_, name,
                "is " + shapeText(cv::dnn::shape(mat)) + "; expected [" + size(rows) + " x " +
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

std::vector<MatShape> allShapes(const std::vector<MatShape>& inputs, const cv::dnn::Layer& layer) {
  std::vector<MatShape> shapes = inputs;
  for (const cv::Mat& blob : layer.blobs) shapes.push_back(cv::dnn::shape(blob));
  return shapes;
}

int liveRows(const LayerIdentity& layer, const cv::Mat* rows, int image, const TokenShape& shape) {
  if (rows == nullptr) return shape.capacity();
  if (rows->total() != static_cast<std::size_t>(shape.batch)) {
    refuseInput(layer, "rows",
                "is " + shapeText(cv::dnn::shape(*rows)) + "; expected [" + to_string(shape.batch) +
                    " x 1], the batch of tokens");
  }
  return readInteger(layer, "rows", rows->ptr<float>()[image], image,
                     {shape.special, shape.capacity(), "the special rows to all rows"});
}

}  // namespace mpm::dnn
