// SPDX-License-Identifier: Apache-2.0
// mpm.Upsample
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "dnn/net_layer.h"
#include "vit/upsample.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr double kMostPlaces = 1 << 24;  // along an axis: float32 counts no further

template <class T>
std::vector<T> listOf(const cv::dnn::LayerParams& params, const char* name) {
  std::vector<T> list;
  if (!params.has(name)) return list;
  const cv::dnn::DictValue& values = params.get(name);
  for (int i = 0; i < values.size(); ++i) list.push_back(values.get<T>(i));
  return list;
}

// [height, width], or nothing.
template <class T>
std::vector<T> pairOf(const LayerIdentity& layer, const cv::dnn::LayerParams& params,
                      const char* name, T least, const char* kind) {
  const std::vector<T> pair = listOf<T>(params, name);
  const auto fits = [&](T value) {
    return value >= least && static_cast<double>(value) <= kMostPlaces;
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

  // As [B, C, h, w], whichever way the input is laid out.
  Shape checkedPlanes(const Shape& input) const;
  // Height (0) or width (1) of the result.
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
  if (size >= 1 && static_cast<double>(size) <= kMostPlaces) return static_cast<int>(size);
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
