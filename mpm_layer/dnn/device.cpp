// SPDX-License-Identifier: Apache-2.0
#include "dnn/device.h"

#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "dnn/net_layer.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm {
namespace dnn {

namespace {

constexpr const char* kLibrary = "libmpm_torch.so";

// Result of an attempt to load a runner: the runner, or the reason why there is none.
struct Attempt {
  LoadedRunner loaded;
  std::string why;
};

// Returns the folder of the file that this code was loaded from; empty if the system does not say.
std::filesystem::path ownFolder() {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string libraryOf(const char* forced) {
  if (*forced != '\0') return forced;
  const std::filesystem::path beside = ownFolder() / kLibrary;
  std::error_code ignored;
  return beside.has_parent_path() && std::filesystem::exists(beside, ignored) ? beside.string()
                                                                              : kLibrary;
}

// Returns null, and sets `why`, on failure. Libraries stay loaded, since their runners do.
RunnerEntry* entryOf(const std::string& library, std::string& why) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* error = dlerror();
    const std::string reason = error != nullptr ? error : "no reason given";
    const bool isAbsent =
        library == kLibrary && reason.rfind(std::string(kLibrary) + ": cannot open", 0) == 0;
    why = isAbsent ? library + " was not found; it is built where LibTorch with CUDA is found"
                   : library + " cannot be loaded: " + reason;
    return nullptr;
  }
  auto* entry = reinterpret_cast<RunnerEntry*>(dlsym(handle, kRunnerEntry));
  if (entry == nullptr)
    why = library + " is not a runner: it does not export " + std::string(kRunnerEntry);
  return entry;
}

void load(const std::string& device, const char* forced, Attempt& attempt) {
  const std::string library = libraryOf(forced);
  RunnerEntry* entry = entryOf(library, attempt.why);
  if (entry == nullptr) return;
  try {
    attempt.loaded.runner = entry(kRunnerVersion, device.c_str(), &attempt.why);
  } catch (const std::exception& error) {
    attempt.why = error.what();
  }
  if (attempt.loaded.runner == nullptr && attempt.why.empty())
    attempt.why = library + " returned neither a runner for it nor a reason";
}

}  // namespace

LoadedRunner& runnerOf(const std::string& device) {
  static std::mutex once;
  static auto* const attempts = new std::map<std::string, std::unique_ptr<Attempt>>;
  const char* variable = std::getenv("MPM_RUNNER");
  const char* forced = variable != nullptr ? variable : "";
  const std::lock_guard lock(once);
  std::unique_ptr<Attempt>& attempt = (*attempts)[device + '\n' + forced];
  if (!attempt) {
    attempt = std::make_unique<Attempt>();
    load(device, forced, *attempt);
  }
  if (attempt->loaded.runner == nullptr)
    throw std::invalid_argument("device " + device + ": " + attempt->why);
  return attempt->loaded;
}

namespace {

// Returns the name, or MPM_PRECISION's if it is empty, else fp32.
std::string wantedPrecision(const std::string& name) {
  const char* forced = std::getenv("MPM_PRECISION");
  const std::string precision = !name.empty() ? name : forced != nullptr ? forced : "";
  return precision.empty() ? "fp32" : precision;
}

// `name`: as requested; the error says it.
[[noreturn]] void refusePrecision(const std::string& name, const std::string& why) {
  throw std::invalid_argument((name.empty() ? "MPM_PRECISION=" : "precision ") +
                              wantedPrecision(name) + ": " + why);
}

// Matches "cuda" or "cuda:1".
bool isWithNumber(const std::string& device, const std::string& name) {
  if (device.rfind(name, 0) != 0) return false;
  const std::string number = device.substr(name.size());
  return number.empty() || (number.size() > 1 && number[0] == ':' &&
                            number.find_first_not_of("0123456789", 1) == std::string::npos);
}

std::string checkedPrecision(Runner& runner, const std::string& device, const std::string& name) {
  const std::string precision = wantedPrecision(name);
  if (precision == "int8" || precision == "fp16")
    refusePrecision(name, "it is for device cpu; expected fp32, tf32 or bf16");
  if (precision != "fp32" && precision != "tf32" && precision != "bf16")
    refusePrecision(name, "expected fp32, tf32 or bf16");
  if (runner.hasPrecision(precision)) return precision;
  refusePrecision(name,
                  "device " + device + " (" + runner.deviceName() + ") does not compute in it");
}

}  // namespace

std::string deviceOf(const std::string& name) {
  const char* forced = std::getenv("MPM_DEVICE");
  const std::string device = !name.empty() ? name : forced != nullptr ? forced : "";
  if (device.empty() || device == "cpu") return "cpu";
  if (!isWithNumber(device, "cuda") && device.rfind("cpu-torch", 0) != 0)
    throw std::invalid_argument((name.empty() ? "MPM_DEVICE=" : "device ") + device +
                                ": expected cpu or cuda");
  return device;
}

vit::Precision precisionOf(const std::string& name) {
  const std::string precision = wantedPrecision(name);
  if (precision == "fp32") return vit::Precision::fp32;
  if (precision == "tf32")
    refusePrecision(name, "it is for device cuda; expected fp32, bf16 or int8");
  if (precision == "int8") return vit::Precision::int8;
  if (precision == "fp16") {
    if (vit::hasFp16()) return vit::Precision::fp16;
    refusePrecision(name,
                    "this processor cannot multiply in float16, as Arm's can from Armv8.2 on; use "
                    "int8 or fp32");
  }
  if (precision != "bf16") refusePrecision(name, "expected fp32, bf16, fp16 or int8");
  if (!vit::hasBf16()) refusePrecision(name, "this processor cannot multiply in bfloat16");
  return vit::Precision::bf16;
}

Place placeOf(const std::string& device, const std::string& precision) {
  const std::string name = deviceOf(device);
  if (name == "cpu") return {nullptr, precisionOf(precision)};
  LoadedRunner& loaded = runnerOf(name);
  const auto chosen = std::make_shared<Device>();
  chosen->runner = &loaded;
  const std::lock_guard lock(loaded.calls);
  chosen->precision = checkedPrecision(*loaded.runner, name, precision);
  const bool isShort = chosen->precision == "bf16" && vit::hasBf16();
  return {chosen, isShort ? vit::Precision::bf16 : vit::Precision::fp32};
}

void setPlace(cv::dnn::Net& net, const Place& place) {
  for (const cv::String& name : net.getLayerNames()) {
    if (const auto layer = net.getLayer(name).dynamicCast<NetLayer>())
      layer->setDevice(place.device);
  }
  forEachLayer(net,
               [&](const std::string&, NetLayer& layer) { layer.setPrecision(place.precision); });
}

}  // namespace dnn

void setPrecision(cv::dnn::Net& net, const std::string& precision) {
  const vit::Precision chosen = dnn::precisionOf(precision);
  dnn::forEachLayer(net,
                    [&](const std::string&, dnn::NetLayer& layer) { layer.setPrecision(chosen); });
}

std::string deviceName(cv::dnn::Net& net) {
  for (const cv::String& name : net.getLayerNames()) {
    const auto layer = net.getLayer(name).dynamicCast<dnn::NetLayer>();
    if (!layer || layer->device() == nullptr) continue;
    dnn::LoadedRunner& loaded = *layer->device()->runner;
    const std::lock_guard lock(loaded.calls);
    return loaded.runner->deviceName();
  }
  return "cpu";
}

std::string deviceName(const std::string& device) {
  const std::string name = dnn::deviceOf(device);
  if (name == "cpu") return name;
  dnn::LoadedRunner& loaded = dnn::runnerOf(name);
  const std::lock_guard lock(loaded.calls);
  return loaded.runner->deviceName();
}

std::string deviceFault(const std::string& device) {
  try {
    const std::string name = dnn::deviceOf(device);
    if (name != "cpu") dnn::runnerOf(name);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string precisionName(const std::string& precision) { return dnn::wantedPrecision(precision); }

bool hasPrecision(const std::string& precision, const std::string& device) {
  if (!deviceFault(device).empty()) return false;
  const std::string name = dnn::deviceOf(device);
  if (name == "cpu")
    return precision == "fp32" || precision == "int8" || (precision == "bf16" && vit::hasBf16()) ||
           (precision == "fp16" && vit::hasFp16());
  if (precision == "int8" || precision == "fp16") return false;
  dnn::LoadedRunner& loaded = dnn::runnerOf(name);
  const std::lock_guard lock(loaded.calls);
  return loaded.runner->hasPrecision(precision);
}

}  // namespace mpm
