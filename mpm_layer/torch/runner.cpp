// SPDX-License-Identifier: Apache-2.0
// The runner of contract/runner.h on LibTorch, for "cuda" (or "cuda:1"). For tests it runs on the
// processor: "cpu-torch", and "cpu-torch-folded" with weights folded into attention as on a GPU.
#include "contract/runner.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "mpm/export.h"
#include "torch/device.h"
#include "torch/layer.h"

namespace mpm::torch_runner {
namespace {

class TorchRunner : public Runner {
 public:
  explicit TorchRunner(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  std::string deviceName() const override { return device_->name(); }

  bool hasPrecision(const std::string& precision) const override {
    try {
      return device_->has(precisionOf(precision));
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  std::unique_ptr<RunnerLayer> layer(const RunnerLayerParams& params) override {
    const Settings settings(params, *device_);
    const c10::InferenceMode inference;
    const c10::DeviceGuard guard(device_->place);
    try {
      return makeLayer(settings, *device_);
    } catch (const c10::Error& error) {
      settings.identity.refuse(std::string("LibTorch: ") + error.what_without_backtrace());
    }
  }

  void download(const RunnerBlob& blob) override {
    const c10::InferenceMode inference;
    const c10::DeviceGuard guard(device_->place);
    try {
      downloadBlob(blob);
    } catch (const c10::Error& error) {
      throw std::runtime_error(std::string("copying a blob to the host: LibTorch: ") +
                               error.what_without_backtrace());
    }
  }

 private:
  const std::unique_ptr<Device> device_;
};

std::unique_ptr<Device> deviceOf(const std::string& device) {
  if (device == "cpu-torch") return processorDevice(/*folds=*/false);
  if (device == "cpu-torch-folded") return processorDevice(/*folds=*/true);
  if (device.rfind("cuda", 0) == 0) {
#if MPM_TORCH_CUDA
    return cudaDevice(device);
#else
    throw std::runtime_error("libmpm_torch was built without CUDA, so it cannot run on " + device +
                             "; expected one built with LibTorch for CUDA and a CUDA compiler");
#endif
  }
  throw std::runtime_error("libmpm_torch does not know the device " + device +
                           "; expected cuda or cuda:N");
}

/// Returns the one runner of a device, never deleted, as layers of it may outlive static objects.
Runner* runnerOf(const std::string& device) {
  static std::mutex mutex;
  static auto* const runners = new std::map<std::string, std::unique_ptr<Runner>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Runner>& runner = (*runners)[device];
  if (runner == nullptr) runner = std::make_unique<TorchRunner>(deviceOf(device));
  return runner.get();
}

}  // namespace
}  // namespace mpm::torch_runner

extern "C" MPM_API mpm::Runner* mpm_runner(int version, const char* device, std::string* why) {
  try {
    if (version == mpm::kRunnerVersion) return mpm::torch_runner::runnerOf(device);
    *why = "libmpm_torch has runners of version " + std::to_string(mpm::kRunnerVersion) +
           ", and was asked for version " + std::to_string(version) +
           "; expected the library that was built with this program";
  } catch (const c10::Error& error) {
    *why = error.what_without_backtrace();
  } catch (const std::exception& error) {
    *why = error.what();
  }
  return nullptr;
}
