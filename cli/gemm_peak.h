// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

namespace mpm::cli {

/// A product [rows x inner] [inner x columns].
struct GemmShape {
  int rows = 0, inner = 0, columns = 0;
};

/// Precision of a product. int8 multiplies unsigned by signed values, the fastest combination.
enum class GemmType { fp32, bf16, int8 };

/// Returns GFLOP/s of this shape on `threads` threads: the best of many products by oneDNN. Returns
/// std::nullopt if this build or processor has no such product.
std::optional<double> gemmPeak(const GemmShape& shape, GemmType type, int threads);

/// A product by oneDNN of values between 0 and 1, in a build that has it. The second factor is
/// packed as oneDNN prefers, for its fastest single product.
class OneDnnProduct {
 public:
  /// `type` belongs to the factors; `result` is fp32 or bf16.
  OneDnnProduct(const GemmShape& shape, GemmType type, GemmType result);
  ~OneDnnProduct();
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mpm::cli
