// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_peak.h"

#if MPM_HAS_ONEDNN
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>
#include <unordered_map>
#include <vector>
#endif

namespace mpm::cli {
#if MPM_HAS_ONEDNN
namespace {

using dnnl::memory;
using Clock = std::chrono::steady_clock;

constexpr auto kMeasureFor = std::chrono::milliseconds(200);
constexpr int kFewest = 10;

memory::data_type factorType(GemmType type, memory::data_type ofInt8) {
  if (type == GemmType::int8) return ofInt8;
  return type == GemmType::bf16 ? memory::data_type::bf16 : memory::data_type::f32;
}

memory::desc plain(int rows, int columns, memory::data_type type, memory::format_tag tag) {
  return {{rows, columns}, type, tag};
}

dnnl::matmul::primitive_desc describe(const dnnl::engine& engine, const memory::desc& left,
                                      const memory::desc& right, const memory::desc& result) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, left, right, result};
#else
  return {dnnl::matmul::desc(left, right, result), engine};
#endif
}

// Fills `to` in its type and order.
void fill(memory& to, int rows, int columns, dnnl::engine& engine, dnnl::stream& stream) {
  std::vector<float> values(static_cast<std::size_t>(rows) * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) / 97;
  memory from(plain(rows, columns, memory::data_type::f32, memory::format_tag::ab), engine,
              values.data());
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
}

double bestSeconds(OneDnnProduct& product) {
  double best = 0;
  const Clock::time_point end = Clock::now() + kMeasureFor;
  for (int run = 0; run < kFewest || Clock::now() < end; ++run) {
    const Clock::time_point start = Clock::now();
    product.run();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

}  // namespace

struct OneDnnProduct::Impl {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul product;
  std::unordered_map<int, memory> arguments;
};

OneDnnProduct::OneDnnProduct(const GemmShape& shape, GemmType type, GemmType result)
    : impl_(std::make_unique<Impl>()) {
  const auto any = memory::format_tag::any, rowMajor = memory::format_tag::ab;
  const auto leftType = factorType(type, memory::data_type::u8);
  const auto rightType = factorType(type, memory::data_type::s8);
  const auto resultType = factorType(result, memory::data_type::f32);
  const auto described = describe(impl_->engine, plain(shape.rows, shape.inner, leftType, rowMajor),
                                  plain(shape.inner, shape.columns, rightType, any),
                                  plain(shape.rows, shape.columns, resultType, rowMajor));
  memory left(described.src_desc(), impl_->engine), right(described.weights_desc(), impl_->engine);
  fill(left, shape.rows, shape.inner, impl_->engine, impl_->stream);
  fill(right, shape.inner, shape.columns, impl_->engine, impl_->stream);
  impl_->product = dnnl::matmul(described);
  impl_->arguments = {{DNNL_ARG_SRC, left},
                      {DNNL_ARG_WEIGHTS, right},
                      {DNNL_ARG_DST, memory(described.dst_desc(), impl_->engine)}};
}

OneDnnProduct::~OneDnnProduct() = default;

void OneDnnProduct::run() {
  impl_->product.execute(impl_->stream, impl_->arguments);
  impl_->stream.wait();
}

std::optional<double> gemmPeak(const GemmShape& shape, GemmType type, int threads) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  std::optional<double> peak;
  try {
    OneDnnProduct product(shape, type, type);
    const double flops = 2.0 * shape.rows * shape.inner * shape.columns;
    peak = flops / bestSeconds(product) / 1e9;
  } catch (const dnnl::error&) {  // this processor has no such product
  }
  omp_set_num_threads(before);
  return peak;
}
#else
std::optional<double> gemmPeak(const GemmShape&, GemmType, int) { return std::nullopt; }
#endif

}  // namespace mpm::cli
