// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

namespace mpm::cli {

/// A product [rows x inner] [inner x columns].
struct GemmShape {
  int rows = 0, inner = 0, columns = 0;
};

/// What a product can be computed in: int8 is of unsigned by signed ones, which is what is fastest.
enum class GemmType { fp32, bf16, int8 };

/// GFLOP/s of this shape on `threads` threads: the best of many products by oneDNN. Nothing where
/// this build or this processor has no such product.
std::optional<double> gemmPeak(const GemmShape& shape, GemmType type, int threads);

/// A product by oneDNN of values between 0 and 1, in a build that has it. The second factor is
/// packed beforehand as oneDNN likes it best: the fastest single product it has.
class OneDnnProduct {
 public:
  /// `type` is that of the factors; `result` fp32 or bf16.
  OneDnnProduct(const GemmShape& shape, GemmType type, GemmType result);
  ~OneDnnProduct();
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::cli
