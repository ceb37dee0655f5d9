// SPDX-License-Identifier: Apache-2.0
#include "dnn/device.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "dnn/device_layer.h"
#include "dnn/packing.h"
#include "mpm/layers.h"
#include "mpm/net.h"

namespace mpm {
namespace dnn {
namespace {

// Calls visit(name, layer) for every layer of a net that a device can compute.
template <class Visit>
void forEachDeviceLayer(cv::dnn::Net& net, const Visit& visit) {
  for (const cv::String& name : net.getLayerNames()) {
    const cv::Ptr<cv::dnn::Layer> layer = net.getLayer(name);
    if (auto* ours = dynamic_cast<DeviceLayer*>(layer.get())) visit(name, *ours);
  }
}

// "cuda" or "cuda:1"
bool isWithNumber(const std::string& device, const std::string& name) {
  if (device.rfind(name, 0) != 0) return false;
  const std::string number = device.substr(name.size());
  return number.empty() || (number.size() > 1 && number[0] == ':' &&
                            number.find_first_not_of("0123456789", 1) == std::string::npos);
}

std::string checkedPrecision(Runner& runner, const std::string& device, const std::string& name) {
  const std::string precision = wantedPrecision(name);
  if (precision != "fp32" && precision != "tf32" && precision != "bf16")
    throw std::invalid_argument("precision " + precision + ": expected fp32, tf32 or bf16");
  if (runner.hasPrecision(precision)) return precision;
  throw std::invalid_argument("precision " + precision + ": device " + device + " (" +
                              runner.deviceName() + ") does not compute in it");
}

}  // namespace

std::string deviceOf(const std::string& name) {
  const char* forced = std::getenv("MPM_DEVICE");
  const std::string device = !name.empty() ? name : forced != nullptr ? forced : "";
  if (device.empty() || device == "cpu") return "cpu";
  if (!isWithNumber(device, "cuda") && device.rfind("cpu-torch", 0) != 0)
    throw std::invalid_argument("device " + device + ": expected cpu or cuda");
  return device;
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
  setPrecision(net, place.precision);
  forEachDeviceLayer(
      net, [&](const std::string&, DeviceLayer& layer) { layer.setDevice(place.device); });
}

}  // namespace dnn

void setDevice(cv::dnn::Net& net, const std::string& device, const std::string& precision) {
  dnn::setPlace(net, dnn::placeOf(device, precision));
}

void keepOnHost(cv::dnn::Net& net, const std::vector<std::string>& layers) {
  for (const std::string& name : layers) {
    if (net.getLayerId(name) < 0)
      CV_Error(cv::Error::StsObjectNotFound, "the net has no layer named '" + name + "'");
  }
  dnn::forEachDeviceLayer(net, [&](const std::string& name, dnn::DeviceLayer& layer) {
    layer.keepOnHost(std::find(layers.begin(), layers.end(), name) != layers.end());
  });
}

std::string deviceName(cv::dnn::Net& net) {
  std::string found = "cpu";
  dnn::forEachDeviceLayer(net, [&](const std::string&, const dnn::DeviceLayer& layer) {
    if (layer.device() == nullptr || found != "cpu") return;
    dnn::LoadedRunner& loaded = *layer.device()->runner;
    const std::lock_guard lock(loaded.calls);
    found = loaded.runner->deviceName();
  });
  return found;
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

bool hasPrecision(const std::string& precision, const std::string& device) {
  if (!deviceFault(device).empty()) return false;
  const std::string name = dnn::deviceOf(device);
  if (name == "cpu") return precision == "fp32" || (precision == "bf16" && vit::hasBf16());
  dnn::LoadedRunner& loaded = dnn::runnerOf(name);
  const std::lock_guard lock(loaded.calls);
  return loaded.runner->hasPrecision(precision);
}

}  // namespace mpm
