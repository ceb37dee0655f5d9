// SPDX-License-Identifier: Apache-2.0
#include "onednn_matmul.h"

#include <cstdint>
#include <dnnl.hpp>
#include <vector>

namespace mpm::bench {

using dnnl::memory;

struct OneDnnMatmul::Impl {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::vector<float> product;
  dnnl::matmul matmul;
  memory left, right, result;
  std::vector<std::uint16_t> halves;
};

namespace {

memory::desc plain(std::size_t rows, std::size_t columns, memory::format_tag tag,
                   memory::data_type type = memory::data_type::f32) {
  return {{static_cast<memory::dim>(rows), static_cast<memory::dim>(columns)}, type, tag};
}

dnnl::matmul::primitive_desc describe(const dnnl::engine& engine, const memory::desc& left,
                                      const memory::desc& right, const memory::desc& result) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, left, right, result};
#else
  return {dnnl::matmul::desc(left, right, result), engine};
#endif
}

}  // namespace

OneDnnMatmul::OneDnnMatmul(float* rows, std::size_t count, std::size_t dim, bool bf16)
    : impl_(std::make_unique<Impl>()) {
  Impl& m = *impl_;
  m.product.resize(count * count);
  const auto type = bf16 ? memory::data_type::bf16 : memory::data_type::f32;
  const auto left = plain(count, dim, memory::format_tag::ab, type);
  const auto result = plain(count, count, memory::format_tag::ab);
  const auto described =
      describe(m.engine, left, plain(dim, count, memory::format_tag::any, type), result);
  m.matmul = dnnl::matmul(described);
  memory given(plain(count, dim, memory::format_tag::ab), m.engine, rows);
  m.left = given;
  if (bf16) {
    m.halves.resize(count * dim);
    m.left = memory(left, m.engine, m.halves.data());
    dnnl::reorder(given, m.left).execute(m.stream, given, m.left);
  }
  m.result = memory(result, m.engine, m.product.data());
  memory transposed(plain(dim, count, memory::format_tag::ba), m.engine, rows);
  m.right = memory(described.weights_desc(), m.engine);
  dnnl::reorder(transposed, m.right).execute(m.stream, transposed, m.right);
  m.stream.wait();
}

OneDnnMatmul::~OneDnnMatmul() = default;

void OneDnnMatmul::run() {
  Impl& m = *impl_;
  m.matmul.execute(m.stream,
                   {{DNNL_ARG_SRC, m.left}, {DNNL_ARG_WEIGHTS, m.right}, {DNNL_ARG_DST, m.result}});
  m.stream.wait();
}

}  // namespace mpm::bench
