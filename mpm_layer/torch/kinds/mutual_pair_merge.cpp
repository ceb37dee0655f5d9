// SPDX-License-Identifier: Apache-2.0
// mpm.MutualPairMerge: rows that are left stand side by side again. How many there are is the one
// thing that a forward waits for: whatever follows is launched for exactly so many.
#include <ATen/ATen.h>

#include "torch/layer.h"

namespace mpm::torch_runner {
namespace {

using std::to_string;

class MutualPairMerge : public TorchLayer {
 public:
  MutualPairMerge(const Settings& settings, const Device& device)
      : TorchLayer(settings, device),
        special_(settings.has("special") ? settings.integer("special", 0, 0) : -1),
        window_(settings.integer("window", 0, 0)),
        grid_(settings.grid()),
        isEnabled_(settings.integer("enabled", 1, 0) != 0) {
    settings.integer("before_block", -1, -1);
    if (window_ > 0 && grid_.empty()) {
      settings.identity.refuse("window = " + to_string(window_) +
                               " needs grid = [height, width] of the image tokens");
    }
  }

  void setEnabled(bool on) override { isEnabled_ = on; }

 protected:
  void compute(const Inputs& inputs, Outputs& outputs) override {
    const std::int64_t special = inputs.special(special_);
    const std::vector<int>& shape = inputs.shape("tokens");
    const std::int64_t originals = shape[1] - special;
    checkGrid(originals);
    const Ragged tokens = inputs.tokens(special);
    const TokenMap map = inputs.map(special);
    if (!isEnabled_) return pass(tokens, map, shape[0], originals, outputs);

    MergeRequest request;
    request.tokens = tokens;
    request.map = map.values;
    request.regions = inputs.regions(originals);
    request.special = special;
    request.originals = originals;
    request.window = window_;
    if (window_ > 0) {
      request.gridHeight = grid_[0];
      request.gridWidth = grid_[1];
    }
    const Ragged merged = merge(request);
    giveTokens(outputs[0], merged);
    if (outputs.size() > 1) giveRows(outputs[1], merged.layout);
    if (outputs.size() > 2) giveMap(outputs[2], {request.outMap, false});
  }

 private:
  void checkGrid(std::int64_t originals) const {
    if (window_ == 0 || grid_[0] * grid_[1] == originals) return;
    identity_.refuseInput("tokens", "has " + to_string(originals) + " image tokens; expected " +
                                        to_string(grid_[0] * grid_[1]) + ", those of grid " +
                                        to_string(grid_[0]) + " x " + to_string(grid_[1]));
  }

  void pass(const Ragged& tokens, TokenMap map, std::int64_t batch, std::int64_t originals,
            Outputs& outputs) const {
    giveTokens(outputs[0], tokens);
    if (outputs.size() > 1) giveRows(outputs[1], tokens.layout);
    if (outputs.size() < 3) return;
    if (!map.values.defined()) {
      const auto integers = at::TensorOptions(device_.place).dtype(at::kInt);
      map.values = at::arange(originals, integers).repeat({batch, 1});
      map.isIdentity = true;
    }
    giveMap(outputs[2], map);
  }

  /// Makes what the request has to have filled, and of it a batch.
  Ragged merge(MergeRequest& request) const {
    const Layout& from = *request.tokens.layout;
    const at::Tensor& rows = request.tokens.rows;
    const at::TensorOptions integers = from.count.options();
    request.merged = at::empty({from.capacity, rows.size(1)}, rows.options());
    request.first = at::empty({from.batch + 1}, integers);
    request.count = at::empty({from.batch}, integers);
    request.outMap = at::empty({from.batch, request.originals}, integers);
    device_.merge(request);
    const auto total = request.first.select(0, from.batch).item<std::int32_t>();
    const LayoutPtr layout = packedLayout(request.count, total, from.most, request.first);
    return {request.merged.narrow(0, 0, layout->capacity), layout};
  }

  const std::int64_t special_, window_;
  const std::vector<std::int64_t> grid_;
  bool isEnabled_;
};

}  // namespace

LayerPtr makeMutualPairMerge(const Settings& settings, const Device& device) {
  return std::make_unique<MutualPairMerge>(settings, device);
}

}  // namespace mpm::torch_runner
