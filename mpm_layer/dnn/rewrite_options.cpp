// SPDX-License-Identifier: Apache-2.0
#include "dnn/rewrite_options.h"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "onnx/graph/error.h"

namespace mpm::dnn {

onnx::RewriteOptions rewriteOptions(const ReadOptions& options) {
  if (options.inputSize.width < 0 || options.inputSize.height < 0 ||
      (options.inputSize.width == 0) != (options.inputSize.height == 0)) {
    throw std::invalid_argument("input size " + std::to_string(options.inputSize.width) + "x" +
                                std::to_string(options.inputSize.height) +
                                ": expected a width and a height in pixels");
  }
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;
  if (std::int64_t{options.inputSize.width} * options.inputSize.height > kMostPixels) {
    throw std::invalid_argument("input size " + std::to_string(options.inputSize.width) + "x" +
                                std::to_string(options.inputSize.height) + ": expected at most " +
                                std::to_string(kMostPixels) + " pixels");
  }
  onnx::RewriteOptions rewrite;
  rewrite.recognise.lateRestore = options.restore == Restore::late;
  rewrite.recognise.width = options.inputSize.width;
  rewrite.recognise.height = options.inputSize.height;
  rewrite.schedule = options.schedule;
  return rewrite;
}

onnx::Rewriting planRewriting(onnx::Model& model, const ReadOptions& options,
                              const std::string& name) {
  const onnx::RewriteOptions rewrite = rewriteOptions(options);
  try {
    return onnx::planRewriting(model, rewrite);
  } catch (const onnx::ModelError& error) {
    throw onnx::ModelError(name + ": " + error.what());
  }
}

}  // namespace mpm::dnn
