// SPDX-License-Identifier: Apache-2.0
// mpm.Convolve
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dnn/net_layer.h"
#include "vit/convolve.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr int kMostPlaces = 1 << 24;  // of an attribute, and along an axis of the result

class Convolve final : public NetLayer {
 public:
  explicit Convolve(const LayerParams& params)
      : NetLayer(LayerKind::convolve, params, "planes,weight,bias", 2),
        stride_(numbersOf(params, "stride", {1, 1}, 1, "[down, across]")),
        dilation_(numbersOf(params, "dilation", {1, 1}, 1, "[down, across]")),
        padding_(numbersOf(params, "padding", {0, 0, 0, 0}, 0, "[top, left, bottom, right]")) {
    const std::string activation = params.get<cv::String>("activation", "");
    if (!activation.empty() && activation != "relu")
      refuseLayer(identity_, "activation = " + activation + "; expected relu, or none");
    activation_ = activation.empty() ? vit::Activation::none : vit::Activation::relu;
  }

 private:
  std::vector<int> numbersOf(const LayerParams& params, const char* attribute,
                             std::vector<int> usual, int least, const char* meaning) const;
  TokenShape checkShapes(const InputShapes& shapes) const override;
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes& shapes) const override;
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override { packed_ = vit::PackedConvolve(weights_); }
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  // Places of the result along height (0) or width (1); 0 or less where there are none.
  std::int64_t placesOf(int axis, const Shape& planes, const Shape& weight) const;

  std::vector<int> stride_, dilation_, padding_;
  vit::Activation activation_;
  vit::ConvolveWeights weights_;
  vit::PackedConvolve packed_;
};

std::vector<int> Convolve::numbersOf(const LayerParams& params, const char* attribute,
                                     std::vector<int> usual, int least, const char* meaning) const {
  if (!params.has(attribute)) return usual;
  std::vector<int> given = numbers(attribute);
  const bool fits =
      given.size() == usual.size() && std::all_of(given.begin(), given.end(), [&](int number) {
        return number >= least && number <= kMostPlaces;
      });
  if (fits) return given;
  refuseLayer(identity_, std::string(attribute) + ": expected " + meaning + ", each " +
                             to_string(least) + " or more");
}

std::int64_t Convolve::placesOf(int axis, const Shape& planes, const Shape& weight) const {
  const auto at = static_cast<std::size_t>(axis);
  const std::int64_t reach = std::int64_t{dilation_[at]} * (weight[at + 2] - 1) + 1;
  const std::int64_t room = std::int64_t{planes[at + 2]} + padding_[at] + padding_[at + 2] - reach;
  return room < 0 ? 0 : room / stride_[at] + 1;
}

TokenShape Convolve::checkShapes(const InputShapes& shapes) const {
  const Shape &planes = shapes.get("planes"), &weight = shapes.get("weight");
  const auto isFull = [](const Shape& shape) {
    return shape.size() == 4 &&
           std::all_of(shape.begin(), shape.end(), [](int size) { return size > 0; });
  };
  if (!isFull(planes)) {
    refuseInput(identity_, "planes",
                "is " + shapeText(planes) + "; expected [batch x channels x height x width]");
  }
  if (!isFull(weight) || weight[1] != planes[1]) {
    refuseInput(identity_, "weight",
                "is " + shapeText(weight) + "; expected [outputs x " + to_string(planes[1]) +
                    " x height x width], as planes are " + shapeText(planes));
  }
  for (const int axis : {0, 1}) {
    const std::int64_t places = placesOf(axis, planes, weight);
    if (places >= 1 && places <= kMostPlaces) continue;
    refuseInput(identity_, "planes",
                "is " + shapeText(planes) + ", too " + (places < 1 ? "small" : "large") +
                    " for a weight of " + shapeText(weight));
  }
  return {};
}

std::vector<Shape> Convolve::outputShapes(const TokenShape&, const InputShapes& shapes) const {
  const Shape &planes = shapes.get("planes"), &weight = shapes.get("weight");
  return {Shape{planes[0], weight[0], static_cast<int>(placesOf(0, planes, weight)),
                static_cast<int>(placesOf(1, planes, weight))}};
}

void Convolve::readWeights(const LayerInputs& inputs) {
  const cv::MatSize& weight = inputs.get("weight").size;
  weights_.filters.weight = inputs.matrix("weight", -1, weight[1] * weight[2] * weight[3]);
  weights_.filters.bias = inputs.vector("bias", weight[0]);
  const auto reach = [&](int axis) {
    const auto at = static_cast<std::size_t>(axis);
    const auto size = [](int number) { return static_cast<std::size_t>(number); };
    return vit::Reach{size(weight[axis + 2]), size(stride_[at]), size(dilation_[at]),
                      size(padding_[at])};
  };
  weights_.rows = reach(0);
  weights_.columns = reach(1);
}

void Convolve::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  const cv::Mat& planes = inputs.get("planes");
  const auto size = [](const cv::Mat& blob, int axis) {
    return static_cast<std::size_t>(blob.size[axis]);
  };
  for (int image = 0; image < planes.size[0]; ++image) {
    vit::convolveCpu({planes.ptr<float>(image), size(planes, 1), size(planes, 2), size(planes, 3)},
                     packed_, activation_, size(outputs[0], 2), size(outputs[0], 3),
                     outputs[0].ptr<float>(image));
  }
}

}  // namespace

LayerPtr makeConvolve(const LayerParams& params) { return cv::makePtr<Convolve>(params); }

}  // namespace mpm::dnn
