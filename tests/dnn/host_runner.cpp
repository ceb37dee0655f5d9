// SPDX-License-Identifier: Apache-2.0
#include "dnn/host_runner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <opencv2/dnn.hpp>
#include <opencv2/dnn/layer.hpp>
#include <opencv2/dnn/shape_utils.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "contract/runner.h"
#include "mpm/layers.h"

namespace mpm::test {
namespace {

constexpr const char* kOrder[] = {"image", "planes", "tokens", "rows", "map", "regions"};

std::mutex settings;  // guards the texts
std::string without, failing;
std::atomic<int> uploads{0}, downloads{0}, calls{0}, layers{0}, blobs{0}, mostBlobs{0};
std::atomic<long> uploadedFloats{0}, downloadedFloats{0};
std::atomic<int> inside{0};

// One call at a time is what callers promise.
class OnlyCall {
 public:
  OnlyCall() {
    if (++inside != 1) std::abort();
  }
  ~OnlyCall() { --inside; }
};

bool isListed(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

std::shared_ptr<void> deviceMemory(const cv::Mat& values) {
  mostBlobs = std::max<int>(mostBlobs, ++blobs);
  return std::shared_ptr<void>(new cv::Mat(values), [](void* mat) {
    --blobs;
    delete static_cast<cv::Mat*>(mat);
  });
}

class HostLayer final : public RunnerLayer {
 public:
  explicit HostLayer(const RunnerLayerParams& given) : name_(given.name) {
    for (const RunnerConstant& constant : given.constants) {
      params_.blobs.push_back(
          cv::Mat(constant.shape, CV_32F, const_cast<float*>(constant.values)).clone());
      constants_ += "," + constant.name;
    }
    for (const auto& [name, word] : given.words) params_.set(name, cv::String(word));
    for (const auto& [name, list] : given.numbers)
      params_.set(name, cv::dnn::DictValue::arrayReal(list.begin(), static_cast<int>(list.size())));
    params_.name = given.name;
    params_.type = given.kind;
    params_.set("precision", cv::String("fp32"));
  }

  void setEnabled(bool on) override { enabled_ = on; }

  void forward(const std::map<std::string, RunnerBlob>& inputs,
               std::vector<RunnerBlob>& outputs) override {
    const OnlyCall only;
    ++calls;
    {
      const std::lock_guard lock(settings);
      const char* whileThere = std::getenv("HOST_RUNNER_FAILS_WHILE");
      const bool fails = whileThere != nullptr && std::filesystem::exists(whileThere);
      if (fails || isListed(failing, name_))
        throw std::runtime_error("the device is out of memory");
    }
    std::vector<cv::Mat> given, made, none;
    std::string names;
    for (const char* name : kOrder) {
      const auto input = inputs.find(name);
      if (input == inputs.end()) continue;
      names += (names.empty() ? "" : ",") + std::string(name);
      given.push_back(onDevice(input->second));
    }
    // Full of NaN: what the layers' contract leaves undefined.
    for (const RunnerBlob& output : outputs)
      made.emplace_back(output.shape, CV_32F, cv::Scalar(std::nan("")));
    layerFor(names).forward(given, made, none);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].device = deviceMemory(made[i]);
  }

 private:
  static cv::Mat onDevice(const RunnerBlob& blob) {
    if (blob.device != nullptr) return *static_cast<cv::Mat*>(blob.device.get());
    cv::Mat copy = cv::Mat(blob.shape, CV_32F, blob.host).clone();
    ++uploads;
    uploadedFloats += static_cast<long>(copy.total());
    return copy;
  }

  cv::dnn::Layer& layerFor(const std::string& inputs) {
    if (layer_ == nullptr || inputs != inputs_ || enabled_ != wasEnabled_) {
      inputs_ = inputs;
      wasEnabled_ = enabled_;
      cv::dnn::LayerParams params = params_;
      params.set("inputs", cv::String(inputs + constants_));
      params.set("enabled", enabled_ ? 1 : 0);
      for (cv::Mat& blob : params.blobs) blob = blob.clone();
      layer_ = cv::dnn::LayerFactory::createLayerInstance(params.type, params);
    }
    return *layer_;
  }

  std::string name_, constants_, inputs_;
  cv::dnn::LayerParams params_;
  cv::Ptr<cv::dnn::Layer> layer_;
  bool enabled_ = true, wasEnabled_ = true;
};

class HostRunner final : public Runner {
 public:
  std::string deviceName() const override { return "Host Memory 1"; }
  bool hasPrecision(const std::string& precision) const override { return precision != "bf16"; }

  std::unique_ptr<RunnerLayer> layer(const RunnerLayerParams& params) override {
    const OnlyCall only;
    ++layers;
    registerLayers();
    const std::lock_guard lock(settings);
    if (isListed(without, params.kind)) return nullptr;
    return std::make_unique<HostLayer>(params);
  }

  void download(const RunnerBlob& blob) override {
    const OnlyCall only;
    const auto* values = static_cast<const cv::Mat*>(blob.device.get());
    if (values == nullptr) throw std::runtime_error("nothing there to download");
    cv::Mat host(blob.shape, CV_32F, blob.host);
    values->copyTo(host);
    ++downloads;
    downloadedFloats += static_cast<long>(host.total());
  }
};

}  // namespace
}  // namespace mpm::test

extern "C" {

MPM_API mpm::Runner* mpm_runner(int version, const char* device, std::string* why) {
  static mpm::test::HostRunner runner;
  if (version != mpm::kRunnerVersion || std::getenv("HOST_RUNNER_OLD") != nullptr) {
    *why = "the runner is of version 0, this library's is " + std::to_string(version) +
           "; expected the same";
    return nullptr;
  }
  if (std::string(device) == "cuda") return &runner;
  *why = "it is no device of this runner";
  return nullptr;
}

MPM_API HostRunnerCounts hostRunnerCounts() {
  using namespace mpm::test;
  return {uploads, downloads, calls, uploadedFloats, downloadedFloats, layers, blobs, mostBlobs};
}

MPM_API void hostRunnerReset(const char* withoutKinds, const char* failingLayers) {
  using namespace mpm::test;
  const std::lock_guard lock(settings);
  without = withoutKinds;
  failing = failingLayers;
  uploads = downloads = calls = layers = mostBlobs = 0;
  uploadedFloats = downloadedFloats = 0;
}

}  // extern "C"
