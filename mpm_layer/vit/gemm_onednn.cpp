// SPDX-License-Identifier: Apache-2.0
#include <dnnl.h>

#include <cassert>

#include "vit/gemm.h"

namespace mpm::vit {
namespace {

dnnl_dim_t size(std::size_t n) { return static_cast<dnnl_dim_t>(n); }

void gemm(ConstRows a, ConstRows b, char transposeB, Rows out) {
  if (out.count == 0 || out.dim == 0) return;
  [[maybe_unused]] const dnnl_status_t status =
      dnnl_sgemm('N', transposeB, size(out.count), size(out.dim), size(a.dim), 1.0F, a.data,
                 size(a.stride), b.data, size(b.stride), 0.0F, out.data, size(out.stride));
  assert(status == dnnl_success);
}

}  // namespace

void multiply(ConstRows a, ConstRows b, Rows out) {
  assert(a.count == out.count && a.dim == b.count && b.dim == out.dim);
  gemm(a, b, 'N', out);
}

void multiplyTransposed(ConstRows a, ConstRows b, Rows out) {
  assert(a.count == out.count && a.dim == b.dim && b.count == out.dim);
  gemm(a, b, 'T', out);
}

}  // namespace mpm::vit
