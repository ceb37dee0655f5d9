// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "onnx/interpreter.h"
#include "onnx/known.h"
#include "onnx/lower_case.h"

namespace mpm::test {

// What a model gives first for inputs of these sizes, which hold numbers that differ.
inline std::vector<float> resultOf(const onnx::Model& model, const std::vector<Integers>& sizes) {
  onnx::Interpreter interpreter(onnx::Model(::onnx::ModelProto(model.proto())));
  interpreter.fit(sizes);
  std::vector<onnx::Known> inputs;
  float phase = 0;
  for (const Integers& dims : sizes) {
    onnx::Known input;
    input.type = ::onnx::TensorProto::FLOAT;
    input.dims = dims;
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    for (std::int64_t i = 0; i < count; ++i)
      input.floats.push_back(std::sin(1.7F * static_cast<float>(i) + phase));
    input.sure.assign(input.floats.size(), 1);
    inputs.push_back(std::move(input));
    phase += 1;
  }
  return interpreter.run(std::move(inputs))[0].floats;
}

}  // namespace mpm::test
