// SPDX-License-Identifier: Apache-2.0
#include "teach/kept_features.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "digest/sha256.h"
#include "dnn/model_files.h"
#include "processor/simd.h"
#include "segment/edge.h"

namespace mpm::teach {
namespace {

std::string packed(const cv::Mat& features) {
  const std::int32_t sizes[] = {features.rows, features.cols};
  std::string bytes;
  pack(bytes, sizes, 2);
  pack(bytes, features.ptr<float>(), features.total());
  return bytes;
}

// Returns an empty matrix if the bytes do not hold as many places.
cv::Mat unpacked(std::string_view bytes, int places) {
  std::int32_t sizes[2] = {};
  if (!unpack(bytes, sizes, 2) || sizes[0] != places || sizes[1] <= 0) return {};
  const auto values = static_cast<std::size_t>(places) * static_cast<std::size_t>(sizes[1]);
  if (bytes.size() != values * sizeof(float)) return {};
  cv::Mat features(sizes[0], sizes[1], CV_32F);
  unpack(bytes, features.ptr<float>(), values);
  return features;
}

}  // namespace

KeptFeatures::KeptFeatures(Backbone& backbone, const Kept& kept, const std::string& path,
                           const ReadOptions& options)
    : backbone_(backbone), kept_(kept) {
  std::string files;
  for (const auto& [name, sha256] : digest::modelSha256(path, dnn::filesOfModel(path)))
    files += name + ' ' + sha256 + '\n';
  // Includes the instruction set, since they round differently.
  const processor::SimdChoice& simd = processor::simdChoice();
  model_ =
      teach::keyOf({"backbone", files, deviceName(options.device), precisionName(options.precision),
                    CV_VERSION, backbone.merges().text(), std::to_string(backbone.depths()),
                    std::to_string(backbone.input().width), std::to_string(backbone.input().height),
                    simd.reference ? "reference" : simd.level});
}

std::string KeptFeatures::keyOf(const cv::Mat& frame) const {
  segment::checkFrame(frame);
  const cv::Mat whole = frame.isContinuous() ? frame : frame.clone();
  const std::int32_t facts[] = {whole.rows, whole.cols, whole.type()};
  std::string head;
  pack(head, facts, 3);
  return teach::keyOf(
      {model_,
       head,
       {reinterpret_cast<const char*>(whole.data), whole.total() * whole.elemSize()}});
}

cv::Mat KeptFeatures::features(const cv::Mat& frame, const std::string& key) {
  return kept(key, [&] { return backbone_.features(frame); });
}

cv::Mat KeptFeatures::mergedFeatures(const cv::Mat& frame, const std::string& key) {
  if (backbone_.merges().empty()) return {};
  return kept(teach::keyOf({key, "merged"}), [&] { return backbone_.mergedFeatures(frame); });
}

cv::Mat KeptFeatures::kept(const std::string& key, const std::function<cv::Mat()>& compute) {
  if (const auto bytes = kept_.find(key)) {
    cv::Mat features = unpacked(*bytes, backbone_.grid().area());
    if (!features.empty()) return features;
  }
  ++computed_;
  cv::Mat features = compute();
  kept_.put(key, packed(features));
  return features;
}

}  // namespace mpm::teach
