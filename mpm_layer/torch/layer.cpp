// SPDX-License-Identifier: Apache-2.0
#include "torch/layer.h"

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <optional>

namespace mpm::torch_runner {
namespace {

/// How cuBLAS multiplies float32, while a layer runs: as the layer's precision says, whatever the
/// program has set for itself. TF32 can be forbidden for a thread, but allowed only for a process.
class Float32Products {
 public:
  explicit Float32Products(Precision precision) : allows_(precision == Precision::tf32) {
    if (!allows_) {
      exact_.emplace();
      return;
    }
    before_ = at::globalContext().allowTF32CuBLAS();
    at::globalContext().setAllowTF32CuBLAS(true);
  }
  ~Float32Products() {
    if (allows_) at::globalContext().setAllowTF32CuBLAS(before_);
  }
  Float32Products(const Float32Products&) = delete;
  Float32Products& operator=(const Float32Products&) = delete;

 private:
  bool allows_, before_ = false;
  std::optional<at::NoTF32Guard> exact_;
};

}  // namespace

void TorchLayer::forward(const std::map<std::string, RunnerBlob>& inputs, Outputs& outputs) {
  const c10::InferenceMode inference;
  const c10::DeviceGuard device(device_.place);
  if (outputs.empty()) identity_.refuse("has no outputs; expected at least one");
  try {
    const Float32Products products(precision_);
    compute(Inputs(identity_, device_, inputs), outputs);
  } catch (const c10::Error& error) {
    identity_.refuse(std::string("LibTorch: ") + error.what_without_backtrace());
  }
}

}  // namespace mpm::torch_runner
