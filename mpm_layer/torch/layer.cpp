// SPDX-License-Identifier: Apache-2.0
#include "torch/layer.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mpm::torch_runner {

using std::to_string;

namespace {

template <class Sizes>
std::string textOf(const Sizes& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? " x " : "") + to_string(shape[i]);
  }
  return text + "]";
}

std::string sizeText(std::int64_t size) { return size < 0 ? "any" : to_string(size); }

at::Tensor copyOf(const RunnerConstant& constant) {
  std::vector<std::int64_t> sizes(constant.shape.begin(), constant.shape.end());
  return at::from_blob(const_cast<float*>(constant.values), sizes, at::kFloat).clone();
}

}  // namespace

void Identity::refuse(const std::string& problem) const {
  throw std::runtime_error(kind + " '" + name + "': " + problem);
}

void Identity::refuseInput(const std::string& input, const std::string& problem) const {
  throw std::runtime_error(kind + " '" + name + "', input " + input + ": " + problem);
}

std::string shapeText(at::IntArrayRef shape) { return textOf(shape); }
std::string shapeText(const std::vector<int>& shape) { return textOf(shape); }

Precision precisionOf(const std::string& name) {
  if (name == "fp32") return Precision::fp32;
  if (name == "tf32") return Precision::tf32;
  if (name == "bf16") return Precision::bf16;
  throw std::invalid_argument("precision = " + name + "; expected fp32, tf32 or bf16");
}

double Settings::number(const std::string& attribute, double otherwise) const {
  const auto found = params_.numbers.find(attribute);
  return found == params_.numbers.end() ? otherwise : found->second.at(0);
}

std::vector<std::int64_t> Settings::grid() const {
  const auto found = params_.numbers.find("grid");
  if (found == params_.numbers.end()) return {0, 0};
  return {found->second.begin(), found->second.end()};
}

std::string Settings::word(const std::string& attribute, const std::string& otherwise) const {
  const auto found = params_.words.find(attribute);
  return found == params_.words.end() ? otherwise : found->second;
}

Precision Settings::precision() const {
  const std::string name = word("precision", "fp32");
  try {
    const Precision precision = precisionOf(name);
    if (device_.has(precision)) return precision;
  } catch (const std::invalid_argument& error) {
    identity.refuse(error.what());
  }
  identity.refuse("precision = " + name + ", which " + device_.name() +
                  " does not compute in; expected fp32, which every device does");
}

const RunnerConstant* Settings::find(const std::string& constant) const {
  for (const RunnerConstant& candidate : params_.constants) {
    if (candidate.name == constant) return &candidate;
  }
  return nullptr;
}

at::Tensor Settings::matrix(const std::string& constant, std::int64_t rows,
                            std::int64_t columns) const {
  const RunnerConstant* const found = find(constant);
  if (found == nullptr) identity.refuse("has no constant " + constant + ", which it needs");
  const at::Tensor tensor = copyOf(*found);
  const bool isMatrix = tensor.dim() > 0 && tensor.numel() > 0;
  const std::int64_t count = isMatrix ? tensor.size(0) : 0;
  const std::int64_t dim = isMatrix ? tensor.numel() / count : 0;
  if (!isMatrix || (rows >= 0 && count != rows) || (columns >= 0 && dim != columns)) {
    identity.refuseInput(constant, "is " + shapeText(found->shape) + "; expected [" +
                                       sizeText(rows) + " x " + sizeText(columns) + "]");
  }
  return tensor.reshape({count, dim});
}

at::Tensor Settings::all(const std::string& constant) const {
  const RunnerConstant* const found = find(constant);
  return found == nullptr ? at::Tensor() : copyOf(*found).reshape({-1});
}

at::Tensor Settings::vector(const std::string& constant, std::int64_t length) const {
  const RunnerConstant* const found = find(constant);
  if (found == nullptr) return {};
  const at::Tensor tensor = copyOf(*found).reshape({-1});
  if (tensor.numel() != length) {
    identity.refuseInput(
        constant, "has " + to_string(tensor.numel()) + " values; expected " + to_string(length));
  }
  return tensor;
}

namespace {

void give(RunnerBlob& blob, DeviceBlob part) {
  blob.device = std::make_shared<DeviceBlob>(std::move(part));
}

at::Tensor onHost(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.to(at::kCPU, type).contiguous();
}

void refuse(const RunnerBlob& blob, const std::string& problem) {
  throw std::runtime_error("a blob " + shapeText(blob.shape) + " to be copied to the host " +
                           problem);
}

void expectShape(const RunnerBlob& blob, const std::vector<std::int64_t>& sizes) {
  if (std::equal(sizes.begin(), sizes.end(), blob.shape.begin(), blob.shape.end())) return;
  refuse(blob, "is " + shapeText(sizes) + " on the device; expected the same shape");
}

/// Copies contiguous `values` to floats.
void copyFloats(const at::Tensor& values, float* to) {
  at::from_blob(to, values.sizes(), at::kFloat).copy_(values);
}

void copyTokens(const RunnerBlob& blob, const DeviceBlob& part) {
  const Layout& layout = *part.layout;
  const std::int64_t dim = part.values.size(1);
  expectShape(blob, {layout.batch, layout.most, dim});
  const at::Tensor rows = onHost(part.values, at::kFloat);
  const at::Tensor first = onHost(layout.first, at::kInt), count = onHost(layout.count, at::kInt);
  for (std::int64_t image = 0; image < layout.batch; ++image) {
    const std::int64_t begin = first.data_ptr<std::int32_t>()[image];
    const std::int64_t live = count.data_ptr<std::int32_t>()[image];
    std::copy_n(rows.data_ptr<float>() + begin * dim, live * dim,
                blob.host + image * layout.most * dim);
  }
}

}  // namespace

void giveTokens(RunnerBlob& blob, const Ragged& tokens) {
  give(blob, {DeviceBlob::Kind::tokens, tokens.rows, tokens.layout});
}

void giveRows(RunnerBlob& blob, const LayoutPtr& layout) {
  give(blob, {DeviceBlob::Kind::rows, {}, layout});
}

void giveMap(RunnerBlob& blob, const TokenMap& map) {
  give(blob, {DeviceBlob::Kind::map, map.values, nullptr, map.isIdentity});
}

void giveDense(RunnerBlob& blob, const at::Tensor& values) {
  give(blob, {DeviceBlob::Kind::dense, values});
}

void downloadBlob(const RunnerBlob& blob) {
  const auto* const part = static_cast<const DeviceBlob*>(blob.device.get());
  if (part == nullptr) refuse(blob, "has no part on the device; expected one that a layer filled");
  if (blob.host == nullptr) refuse(blob, "has no host part; expected room for its floats");
  switch (part->kind) {
    case DeviceBlob::Kind::tokens:
      copyTokens(blob, *part);
      break;
    case DeviceBlob::Kind::rows:
      expectShape(blob, {part->layout->batch, 1});
      copyFloats(part->layout->count, blob.host);
      break;
    case DeviceBlob::Kind::map:
    case DeviceBlob::Kind::dense:
      expectShape(blob, part->values.sizes().vec());
      copyFloats(part->values, blob.host);
      break;
  }
}

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
  return has("map") ? shape("tokens")[1] - shape("map")[1] : std::max<std::int64_t>(setting, 0);
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

at::Tensor Inputs::regions() const {
  if (!has("regions")) return {};
  const std::vector<int>& sizes = shape("regions");
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

namespace {

/// Sets how cuBLAS multiplies float32 while a layer runs: by the layer's precision, whatever the
/// program has set. TF32 can be forbidden for a thread, but only allowed for a process.
class Float32Products {
 public:
  explicit Float32Products(Precision precision) : allows_(precision == Precision::tf32) {
    if (!allows_) {
      exact_.emplace();
      return;
    }
    before_ = at::globalContext().allowTF32CuBLAS();
    at::globalContext().setAllowTF32CuBLAS(true);
  }
  ~Float32Products() {
    if (allows_) at::globalContext().setAllowTF32CuBLAS(before_);
  }
  Float32Products(const Float32Products&) = delete;
  Float32Products& operator=(const Float32Products&) = delete;

 private:
  bool allows_, before_ = false;
  std::optional<at::NoTF32Guard> exact_;
};

}  // namespace

void TorchLayer::forward(const std::map<std::string, RunnerBlob>& inputs, Outputs& outputs) {
  const c10::InferenceMode inference;
  const c10::DeviceGuard device(device_.place);
  if (outputs.empty()) identity_.refuse("has no outputs; expected at least one");
  try {
    const Float32Products products(precision_);
    compute(Inputs(identity_, device_, inputs), outputs);
  } catch (const c10::Error& error) {
    identity_.refuse(std::string("LibTorch: ") + error.what_without_backtrace());
  }
}

}  // namespace mpm::torch_runner
