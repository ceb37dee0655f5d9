// SPDX-License-Identifier: Apache-2.0
#include "torch/inputs.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mpm::torch_runner {

using std::to_string;

namespace {

constexpr int kMostLabel = 1 << 24;  // float32 counts exactly to here

std::vector<std::int64_t> sizesOf(const std::vector<int>& shape) {
  return {shape.begin(), shape.end()};
}

const char* kindName(DeviceBlob::Kind kind) {
  switch (kind) {
    case DeviceBlob::Kind::tokens:
      return "tokens";
    case DeviceBlob::Kind::rows:
      return "rows";
    case DeviceBlob::Kind::map:
      return "a map";
    case DeviceBlob::Kind::dense:
      break;
  }
  return "plain floats";
}

}  // namespace

const RunnerBlob& Inputs::get(const std::string& name) const {
  const auto found = blobs_.find(name);
  if (found == blobs_.end()) identity_.refuse("has no input " + name + ", which it needs");
  const RunnerBlob& blob = found->second;
  if (blob.device == nullptr && blob.host == nullptr) {
    identity_.refuseInput(name, "lies neither on the host nor on the device; expected one");
  }
  return blob;
}

const DeviceBlob* Inputs::onDevice(const std::string& name, DeviceBlob::Kind kind) const {
  const auto* const part = static_cast<const DeviceBlob*>(get(name).device.get());
  if (part != nullptr && part->kind != kind) {
    identity_.refuseInput(name, std::string("is ") + kindName(part->kind) +
                                    " on the device; expected " + kindName(kind));
  }
  return part;
}

at::Tensor Inputs::upload(const std::string& name) const {
  const RunnerBlob& blob = get(name);
  return device_.upload(at::from_blob(blob.host, sizesOf(blob.shape), at::kFloat));
}

int Inputs::readInteger(const std::string& name, int at, int low, int high,
                        const char* meaning) const {
  const float value = get(name).host[at];
  const bool fits = value >= static_cast<float>(low) && value <= static_cast<float>(high);
  if (fits && value == std::floor(value)) return static_cast<int>(value);
  std::ostringstream text;
  text << "value " << value << " at " << at << "; expected a whole number from " << low << " to "
       << high << ", " << meaning;
  identity_.refuseInput(name, text.str());
}

std::int64_t Inputs::special(std::int64_t setting) const {
  const std::vector<int>& tokens = shape("tokens");
  if (tokens.size() != 3 || tokens[0] < 1 || tokens[2] < 1) {
    identity_.refuseInput("tokens", "is " + shapeText(tokens) +
                                        "; expected 3 dimensions, [batch x tokens x features], "
                                        "with at least one image and one feature");
  }
  std::int64_t special = std::max<std::int64_t>(setting, 0);
  if (has("map")) {
    const std::vector<int>& map = shape("map");
    const bool isOfBatch = map.size() == 2 && map[0] == tokens[0];
    const std::int64_t left = isOfBatch ? tokens[1] - map[1] : -1;
    if (setting < 0) special = left;
    if (left < 0 || special != left) {
      const std::int64_t image = tokens[1] - std::max<std::int64_t>(setting, 0);
      identity_.refuseInput("map", "is " + shapeText(map) + "; expected [" + to_string(tokens[0]) +
                                       " x " + to_string(image) +
                                       "], the batch and the image rows of tokens");
    }
  }
  if (special >= tokens[1]) {
    identity_.refuseInput("tokens", "has " + to_string(tokens[1]) + " rows, of which special = " +
                                        to_string(special) + "; expected at least one image token");
  }
  return special;
}

LayoutPtr Inputs::rowsLayout(std::int64_t special) const {
  const std::vector<int>& tokens = shape("tokens");
  if (!has("rows")) return fullLayout(tokens[0], tokens[1], device_.place);
  const RunnerBlob& rows = get("rows");
  if (rows.shape != std::vector<int>{tokens[0], 1}) {
    identity_.refuseInput("rows", "is " + shapeText(rows.shape) + "; expected [" +
                                      to_string(tokens[0]) + " x 1], the batch of tokens");
  }
  if (const DeviceBlob* part = onDevice("rows", DeviceBlob::Kind::rows)) return part->layout;
  at::Tensor counts = at::empty({tokens[0]}, at::kInt);
  std::int64_t total = 0;
  for (int image = 0; image < tokens[0]; ++image) {
    const int live = readInteger("rows", image, static_cast<int>(special), tokens[1],
                                 "the special rows to all rows");
    counts.data_ptr<std::int32_t>()[image] = live;
    total += live;
  }
  return packedLayout(device_.upload(counts), total, tokens[1]);
}

Ragged Inputs::tokens(std::int64_t special) const {
  if (const DeviceBlob* part = onDevice("tokens", DeviceBlob::Kind::tokens))
    return {part->values, part->layout};
  const LayoutPtr layout = rowsLayout(special);
  const at::Tensor padded = upload("tokens");
  if (!has("rows")) return {padded.reshape({-1, padded.size(2)}), layout};
  return {packRows(padded, *layout), layout};
}

TokenMap Inputs::map(std::int64_t special) const {
  if (!has("map")) return {};
  if (const DeviceBlob* part = onDevice("map", DeviceBlob::Kind::map)) {
    return {part->values, part->isIdentity};
  }
  const std::vector<int>& sizes = shape("map");
  const bool knowsRows = has("rows") && get("rows").device == nullptr;
  at::Tensor values = at::empty(sizesOf(sizes), at::kInt);
  for (int image = 0; image < sizes[0]; ++image) {
    const int live = knowsRows ? static_cast<int>(get("rows").host[image]) : shape("tokens")[1];
    for (int i = image * sizes[1]; i < (image + 1) * sizes[1]; ++i) {
      values.data_ptr<std::int32_t>()[i] =
          readInteger("map", i, 0, live - static_cast<int>(special) - 1, "the live image rows");
    }
  }
  return {device_.upload(values), false};
}

at::Tensor Inputs::regions(std::int64_t count) const {
  if (!has("regions")) return {};
  const std::vector<int>& sizes = shape("regions");
  const int batch = shape("tokens")[0];
  if (sizes.size() != 2 || sizes[1] != count || (sizes[0] != batch && sizes[0] != 1)) {
    identity_.refuseInput("regions", "is " + shapeText(sizes) + "; expected [" + to_string(batch) +
                                         " or 1 x " + to_string(count) + "]");
  }
  if (const DeviceBlob* part = onDevice("regions", DeviceBlob::Kind::dense)) {
    return part->values.to(at::kInt).contiguous();
  }
  for (int i = 0; i < sizes[0] * sizes[1]; ++i) {
    readInteger("regions", i, -kMostLabel, kMostLabel, "a label");
  }
  return upload("regions").to(at::kInt);
}

at::Tensor Inputs::dense(const std::string& name) const {
  const DeviceBlob* const part = onDevice(name, DeviceBlob::Kind::dense);
  return part != nullptr ? part->values : upload(name);
}

}  // namespace mpm::torch_runner
