// SPDX-License-Identifier: Apache-2.0
#include "dnn/layer_inputs.h"

namespace mpm::dnn {

using cv::dnn::MatShape;
using std::to_string;

LayerInputs::LayerInputs(const LayerIdentity& layer, const NamedInputs& names,
                         const cv::dnn::Layer& owner, cv::InputArrayOfArrays inputs)
    : layer_(layer), names_(names) {
  inputs.getMatVector(mats_);
  mats_.insert(mats_.end(), owner.blobs.begin(), owner.blobs.end());
  names_.checkCount(mats_.size(), 0, 1);
}

const cv::Mat* LayerInputs::find(const std::string& name) const {
  const int index = names_.index(name, mats_.size());
  if (index < 0) return nullptr;
  const cv::Mat& mat = mats_[static_cast<std::size_t>(index)];
  checkFloats(layer_, name, mat);
  return &mat;
}

const cv::Mat& LayerInputs::get(const std::string& name) const {
  const cv::Mat* mat = find(name);
  if (mat == nullptr) refuseLayer(layer_, "has no input " + name + ", which it needs");
  return *mat;
}

std::vector<MatShape> LayerInputs::shapes() const {
  std::vector<MatShape> shapes;
  for (const cv::Mat& mat : mats_) shapes.push_back(cv::dnn::shape(mat));
  return shapes;
}

ConstRows LayerInputs::matrix(const std::string& name, int rows, int columns) const {
  const cv::Mat& mat = get(name);
  const int count = mat.size[0];
  const int dim = count > 0 ? static_cast<int>(mat.total() / static_cast<std::size_t>(count)) : 0;
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
