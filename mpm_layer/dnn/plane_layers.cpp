// SPDX-License-Identifier: Apache-2.0
// mpm.PatchEmbed

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "dnn/net_layer.h"
#include "vit/convolve.h"
#include "vit/patch_embed.h"
#include "vit/upsample.h"

namespace mpm::dnn {

namespace {

using cv::dnn::LayerParams;
using std::to_string;

class PatchEmbed final : public NetLayer {
 public:
  explicit PatchEmbed(const LayerParams& params);

 private:
  TokenShape checkShapes(const InputShapes& shapes) const override;
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes& shapes) const override;
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override;
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  int patch() const { return static_cast<int>(weights_.patch); }

  std::vector<int> grid_;  // height and width in patches, or empty: any
  vit::PatchEmbedWeights weights_;

  vit::PackedPatchEmbed packed_;
  std::vector<float> position_, special_;  // what packed_ refers to
};

PatchEmbed::PatchEmbed(const LayerParams& params)
    : NetLayer(LayerKind::patchEmbed, params, "image,weight,bias,position,special", 2),
      grid_(numbers("grid")) {
  const int patch = params.get<int>("patch", 16);
  if (patch < 1) refuseLayer(identity_, "patch = " + to_string(patch) + "; expected 1 or more");
  weights_.patch = static_cast<std::size_t>(patch);
  if (params.has("grid") && (grid_.size() != 2 || grid_[0] < 1 || grid_[1] < 1))
    refuseLayer(identity_, "grid: expected [height, width] in patches, both 1 or more");
}

TokenShape PatchEmbed::checkShapes(const InputShapes& shapes) const {
  const Shape& image = shapes.get("image");
  const int side = patch();
  const bool fits = image.size() == 4 && image[0] > 0 && image[1] > 0 && image[2] >= side &&
                    image[3] >= side && image[2] % side == 0 && image[3] % side == 0;
  if (!fits) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) +
                    "; expected [batch x channels x height x width], height and " +
                    "width multiples of patch = " + to_string(side));
  }
  const Shape& weight = shapes.get("weight");
  const int features = std::accumulate(weight.begin() + 1, weight.end(), 1, std::multiplies<>());
  if (features % (side * side) == 0 && features != image[1] * side * side) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) + "; its weights are for " +
                    to_string(features / (side * side)) + " channels");
  }
  if (!grid_.empty() && (image[2] != grid_[0] * side || image[3] != grid_[1] * side)) {
    refuseInput(identity_, "image",
                "is " + shapeText(image) + "; expected a height of " + to_string(grid_[0] * side) +
                    " and a width of " + to_string(grid_[1] * side));
  }
  return {};
}

std::vector<Shape> PatchEmbed::outputShapes(const TokenShape&, const InputShapes& shapes) const {
  const Shape& image = shapes.get("image");
  const Shape* special = shapes.find("special");
  const int patches = (image[2] / patch()) * (image[3] / patch());
  return {
      Shape{image[0], (special == nullptr ? 0 : (*special)[0]) + patches, shapes.get("weight")[0]}};
}

void PatchEmbed::readWeights(const LayerInputs& inputs) {
  const cv::MatSize& image = inputs.get("image").size;
  const int patches = (image[2] / patch()) * (image[3] / patch());
  weights_.projection.weight = inputs.matrix("weight", -1, image[1] * patch() * patch());
  const int dim = static_cast<int>(weights_.projection.weight.count);
  weights_.projection.bias = inputs.vector("bias", dim);
  weights_.position = {};
  weights_.special = {};
  if (inputs.find("position") != nullptr)
    weights_.position = inputs.matrix("position", patches, dim);
  if (inputs.find("special") != nullptr) weights_.special = inputs.matrix("special", -1, dim);
}

void PatchEmbed::packWeights() {
  packed_.patch = weights_.patch;
  packed_.projection = {weights_.projection, vit::unquantised(precision())};
  const auto own = [](ConstRows rows, std::vector<float>& values) -> ConstRows {
    values.assign(rows.data, rows.data + rows.count * rows.dim);
    return {values.data(), rows.count, rows.dim};
  };
  packed_.position = own(weights_.position, position_);
  packed_.special = own(weights_.special, special_);
}

void PatchEmbed::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  const cv::Mat& images = inputs.get("image");
  const auto size = [&](int axis) { return static_cast<std::size_t>(images.size[axis]); };
  for (int b = 0; b < images.size[0]; ++b) {
    const vit::Image image{images.ptr<float>(b), size(1), size(2), size(3)};
    const std::vector<std::int32_t>* const fresh = freshRows();
    const std::size_t patches =
        fresh == nullptr ? vit::patchCount(image, weights_.patch) : fresh->size();
    const std::size_t rows = weights_.special.count + patches;
    vit::patchEmbedCpu(image, packed_,
                       {outputs[0].ptr<float>(b), rows, weights_.projection.weight.count}, fresh);
    if (memory() != nullptr) memory()->noteRows(rows);
  }
}

}  // namespace

LayerPtr makePatchEmbed(const LayerParams& params) { return cv::makePtr<PatchEmbed>(params); }

// mpm.Convolve

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

  // Returns the result's size along height (0) or width (1); 0 or less if it would be empty.
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

// mpm.Upsample

namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr double kMostCounted = 1 << 24;  // along an axis: float32 counts no further

template <class T>
std::vector<T> listOf(const cv::dnn::LayerParams& params, const char* name) {
  std::vector<T> list;
  if (!params.has(name)) return list;
  const cv::dnn::DictValue& values = params.get(name);
  for (int i = 0; i < values.size(); ++i) list.push_back(values.get<T>(i));
  return list;
}

// Returns [height, width], or nothing without the attribute.
template <class T>
std::vector<T> pairOf(const LayerIdentity& layer, const cv::dnn::LayerParams& params,
                      const char* name, T least, const char* kind) {
  const std::vector<T> pair = listOf<T>(params, name);
  const auto fits = [&](T value) {
    return value >= least && static_cast<double>(value) <= kMostCounted;
  };
  if (!params.has(name) || (pair.size() == 2 && fits(pair[0]) && fits(pair[1]))) return pair;
  refuseLayer(layer, name + std::string(": expected [height, width], both ") + kind);
}

vit::Places placesOf(const LayerIdentity& layer, const cv::String& mode) {
  if (mode == "half_pixel") return vit::Places::halfPixel;
  if (mode == "pytorch_half_pixel") return vit::Places::pytorchHalfPixel;
  if (mode == "align_corners") return vit::Places::alignCorners;
  if (mode == "asymmetric") return vit::Places::asymmetric;
  refuseLayer(layer, "mode = " + mode +
                         "; expected half_pixel, pytorch_half_pixel, align_corners or asymmetric");
}

class Upsample final : public NetLayer {
 public:
  explicit Upsample(const LayerParams& params)
      : NetLayer(LayerKind::upsample, params, "planes"),
        places_(placesOf(identity_, params.get<cv::String>("mode", "half_pixel"))),
        size_(pairOf(identity_, params, "size", 1, "1 or more")),
        grid_(pairOf(identity_, params, "grid", 1, "1 or more")),
        scale_(pairOf(identity_, params, "scale", 1e-6F, "more than 0")) {
    if (size_.empty() == scale_.empty()) {
      refuseLayer(identity_,
                  "needs size = [height, width] of the result, or scale = its size over that of "
                  "planes; expected one of the two");
    }
  }

 private:
  TokenShape checkShapes(const InputShapes& shapes) const override {
    checkedPlanes(shapes.get("planes"));
    return {};
  }
  std::vector<Shape> outputShapes(const TokenShape&, const InputShapes& shapes) const override {
    const Shape planes = checkedPlanes(shapes.get("planes"));
    return {Shape{planes[0], planes[1], sizeOf(0, planes[2]), sizeOf(1, planes[3])}};
  }
  void compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) override;

  // Returns [B, C, h, w] for either layout of the input.
  Shape checkedPlanes(const Shape& input) const;
  // Returns the result's height (0) or width (1).
  int sizeOf(int axis, int source) const;
  void assignTaps(vit::Taps& taps, int axis, int source) const;

  vit::Places places_;
  std::vector<int> size_, grid_;  // two each, or none
  std::vector<float> scale_;      // two where there is no size

  vit::Taps rows_, columns_;  // of the last forward
};

Shape Upsample::checkedPlanes(const Shape& input) const {
  const auto isPositive = [](int size) { return size > 0; };
  const bool isFull = std::all_of(input.begin(), input.end(), isPositive);
  if (grid_.empty()) {
    if (input.size() == 4 && isFull) return input;
    refuseInput(identity_, "planes",
                "is " + shapeText(input) +
                    "; expected [batch x channels x height x width], or, with grid = [height, "
                    "width], [batch x places of the grid x channels]");
  }
  const auto places = static_cast<std::int64_t>(grid_[0]) * grid_[1];
  if (input.size() == 3 && isFull && input[1] == places) {
    return Shape{input[0], input[2], grid_[0], grid_[1]};
  }
  refuseInput(identity_, "planes",
              "is " + shapeText(input) + "; expected [batch x " + to_string(places) +
                  " x channels], the places of grid " + to_string(grid_[0]) + " x " +
                  to_string(grid_[1]));
}

int Upsample::sizeOf(int axis, int source) const {
  const auto index = static_cast<std::size_t>(axis);
  if (!size_.empty()) return size_[index];
  const float size = std::floor(scale_[index] * static_cast<float>(source));
  if (size >= 1 && static_cast<double>(size) <= kMostCounted) return static_cast<int>(size);
  refuseInput(identity_, "planes",
              "has a " + std::string(axis == 0 ? "height" : "width") + " of " + to_string(source) +
                  ", which scale = " + to_string(scale_[index]) + " turns into " + to_string(size) +
                  "; expected 1 or more");
}

void Upsample::assignTaps(vit::Taps& taps, int axis, int source) const {
  const auto in = static_cast<std::size_t>(source);
  const auto out = static_cast<std::size_t>(sizeOf(axis, source));
  if (taps.in == in && taps.out() == out) return;
  taps.assign(places_, in, out, scale_.empty() ? 0 : scale_[static_cast<std::size_t>(axis)]);
}

void Upsample::compute(const LayerInputs& inputs, std::vector<cv::Mat>& outputs) {
  const cv::Mat& source = inputs.get("planes");
  const bool isGrid = !grid_.empty();
  assignTaps(rows_, 0, isGrid ? grid_[0] : source.size[2]);
  assignTaps(columns_, 1, isGrid ? grid_[1] : source.size[3]);
  const auto channels = static_cast<std::size_t>(source.size[isGrid ? 2 : 1]);
  for (int image = 0; image < source.size[0]; ++image) {
    vit::upsampleCpu({source.ptr<float>(image), channels, isGrid}, rows_, columns_,
                     outputs[0].ptr<float>(image));
  }
}

}  // namespace

LayerPtr makeUpsample(const LayerParams& params) { return cv::makePtr<Upsample>(params); }

}  // namespace mpm::dnn
