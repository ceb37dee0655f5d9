// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mpm/runner.h"
#include "torch/device.h"

namespace mpm::torch_runner {

/// A layer as its error messages name it.
struct Identity {
  std::string kind, name;

  /// Throws std::runtime_error: "mpm.MutualPairMerge 'merge2', input map: <problem>".
  [[noreturn]] void refuse(const std::string& problem) const;
  [[noreturn]] void refuseInput(const std::string& input, const std::string& problem) const;
};

/// "[1 x 1024 x 192]"
std::string shapeText(at::IntArrayRef shape);
std::string shapeText(const std::vector<int>& shape);

/// What a layer is made of, checked. Lives as long as the layer is being made.
class Settings {
 public:
  Settings(const RunnerLayerParams& params, const Device& device)
      : identity{params.kind, params.name}, device_(device), params_(params) {}

  double number(const std::string& attribute, double otherwise) const;
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise,
                       std::int64_t least) const;
  bool has(const std::string& attribute) const { return params_.numbers.count(attribute) > 0; }
  /// [height, width], both 1 or more, or empty.
  std::vector<std::int64_t> grid() const;
  std::string word(const std::string& attribute, const std::string& otherwise) const;
  /// What the attribute says; throws where the device has it not.
  Precision precision() const;

  /// A constant that has to be there: float32 on the host, [rows x columns], where further
  /// dimensions count as columns; -1: any number.
  at::Tensor matrix(const std::string& constant, std::int64_t rows, std::int64_t columns) const;
  /// `length` floats in any shape, or undefined where there is no such constant.
  at::Tensor vector(const std::string& constant, std::int64_t length) const;
  /// As many floats as there are, or undefined.
  at::Tensor all(const std::string& constant) const;
  bool hasConstant(const std::string& constant) const { return find(constant) != nullptr; }

  const Identity identity;

 private:
  const RunnerConstant* find(const std::string& constant) const;
  const Device& device_;
  const RunnerLayerParams& params_;
};

/// The precision of this name; throws std::invalid_argument on any other.
Precision precisionOf(const std::string& name);

}  // namespace mpm::torch_runner
