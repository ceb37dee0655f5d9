// SPDX-License-Identifier: Apache-2.0
#include "torch/settings.h"

#include <ATen/ATen.h>

#include <cmath>
#include <stdexcept>

namespace mpm::torch_runner {
namespace {

using std::to_string;

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
  if (found == params_.numbers.end()) return otherwise;
  if (found->second.size() != 1) {
    identity.refuse(attribute + " has " + to_string(found->second.size()) +
                    " values; expected one");
  }
  return found->second[0];
}

std::int64_t Settings::integer(const std::string& attribute, std::int64_t otherwise,
                               std::int64_t least) const {
  const double value = number(attribute, static_cast<double>(otherwise));
  const bool fits = value >= static_cast<double>(least) && value <= 1 << 30;
  if (!has(attribute) || (fits && value == std::floor(value))) {
    return static_cast<std::int64_t>(value);
  }
  identity.refuse(attribute + " = " + to_string(value) + "; expected a whole number, " +
                  to_string(least) + " or more");
}

std::vector<std::int64_t> Settings::grid() const {
  const auto found = params_.numbers.find("grid");
  if (found == params_.numbers.end()) return {};
  const std::vector<double>& sides = found->second;
  if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1) {
    identity.refuse("grid: expected [height, width] in patches, both 1 or more");
  }
  return {static_cast<std::int64_t>(sides[0]), static_cast<std::int64_t>(sides[1])};
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

}  // namespace mpm::torch_runner
