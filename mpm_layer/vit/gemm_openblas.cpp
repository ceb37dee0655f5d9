// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <cassert>

#include "vit/gemm.h"

namespace mpm::vit {
namespace {

int size(std::size_t n) { return static_cast<int>(n); }

void gemm(ConstRows a, ConstRows b, CBLAS_TRANSPOSE transposeB, Rows out) {
  if (out.count == 0 || out.dim == 0) return;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, transposeB, size(out.count), size(out.dim), size(a.dim),
              1.0F, a.data, size(a.stride), b.data, size(b.stride), 0.0F, out.data,
              size(out.stride));
}

}  // namespace

void multiply(ConstRows a, ConstRows b, Rows out) {
  assert(a.count == out.count && a.dim == b.count && b.dim == out.dim);
  gemm(a, b, CblasNoTrans, out);
}

void multiplyTransposed(ConstRows a, ConstRows b, Rows out) {
  assert(a.count == out.count && a.dim == b.dim && b.count == out.dim);
  gemm(a, b, CblasTrans, out);
}

}  // namespace mpm::vit
