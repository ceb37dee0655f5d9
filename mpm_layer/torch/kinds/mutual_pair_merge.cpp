// SPDX-License-Identifier: Apache-2.0
// mpm.MutualPairMerge: rows that are left stand side by side again, in room for as many as were
// guessed (capacity.h).
#include <ATen/ATen.h>

#include "torch/layer.h"

namespace mpm::torch_runner {
namespace {

using std::to_string;

/// What a merge says of its rows: one tensor, so that one operator can replace all of it.
struct Integers {
  at::Tensor all, map, first, count;

  Integers(std::int64_t batch, std::int64_t originals, const at::TensorOptions& options)
      : all(at::empty({batch * originals + 2 * batch + 1}, options)),
        map(all.narrow(0, 0, batch * originals).view({batch, originals})),
        first(all.narrow(0, batch * originals, batch + 1)),
        count(all.narrow(0, batch * originals + batch + 1, batch)) {}
};

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
    constantRegions_ = place(settings.all("regions"));
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
    request.regions = regions(inputs, shape[0], originals);
    request.special = special;
    request.originals = originals;
    request.window = window_;
    if (window_ > 0) {
      request.gridHeight = grid_[0];
      request.gridWidth = grid_[1];
    }
    const Merged merged = merge(request, both(tokens.layout->trust, map.trust));
    giveTokens(outputs[0], merged.tokens);
    if (outputs.size() > 1) giveRows(outputs[1], merged.tokens.layout);
    if (outputs.size() > 2) giveMap(outputs[2], merged.map);
  }

 private:
  struct Merged {
    Ragged tokens;
    TokenMap map;
  };

  void checkGrid(std::int64_t originals) const {
    if (window_ == 0 || grid_[0] * grid_[1] == originals) return;
    identity_.refuseInput("tokens", "has " + to_string(originals) + " image tokens; expected " +
                                        to_string(grid_[0] * grid_[1]) + ", those of grid " +
                                        to_string(grid_[0]) + " x " + to_string(grid_[1]));
  }

  at::Tensor regions(const Inputs& inputs, std::int64_t batch, std::int64_t originals) {
    if (inputs.has("regions")) return inputs.regions(originals);
    if (!constantRegions_.defined()) return {};
    const std::int64_t count = constantRegions_.numel();
    if (count != originals && count != batch * originals) {
      identity_.refuseInput("regions", "has " + to_string(count) + " labels; expected " +
                                           to_string(originals) + " for each image, or for all");
    }
    return constantRegions_.to(at::kInt).view({-1, originals});
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

  Merged merge(MergeRequest& request, const Trust& before) {
    const Layout& from = *request.tokens.layout;
    const at::Tensor& rows = request.tokens.rows;
    const std::int64_t least = from.batch * (request.special + 1);
    const std::int64_t capacity =
        capacity_->guess(static_cast<int>(from.batch * from.most), static_cast<int>(least),
                         static_cast<int>(from.capacity));
    Integers made(from.batch, request.originals, from.count.options());
    request.merged = at::empty({capacity, rows.size(1)}, rows.options());
    request.first = made.first;
    request.count = made.count;
    request.outMap = made.map;
    device_.merge(request);

    const Trust trust = judge(made, before, capacity < from.capacity, capacity, request.special);
    auto layout = std::make_shared<Layout>();
    layout->batch = from.batch;
    layout->most = from.most;
    layout->capacity = capacity;
    layout->first = made.first;
    layout->count = made.count;
    layout->trust = trust;
    return {{request.merged, layout}, {made.map, false, trust}};
  }

  /// Sends the number of rows to where the next guess is made. Where this guess was too low, `made`
  /// becomes a batch of one image row for each image, so that whoever computes with it stays within
  /// the memory there is.
  Trust judge(Integers& made, const Trust& before, bool isGuess, std::int64_t capacity,
              std::int64_t special) {
    const std::int64_t batch = made.count.size(0);
    at::Tensor total = made.first.select(0, batch);
    if (before.tooLow.defined()) total = at::where(before.tooLow, at::full_like(total, -1), total);
    capacity_->expect(device_.send(total));
    if (!isGuess) return before;

    Trust trust{total.gt(capacity), std::make_shared<Guess>(Guess{capacity_, before.guess})};
    if (before.tooLow.defined()) trust.tooLow = trust.tooLow.logical_or(before.tooLow);
    if (smallest_.size(0) != made.all.size(0) || smallestBatch_ != batch) {
      Integers smallest(batch, made.map.size(1), made.all.options());
      smallest.map.zero_();
      smallest.first.copy_(at::arange(batch + 1, made.all.options()).mul_(special + 1));
      smallest.count.fill_(special + 1);
      smallest_ = smallest.all;
      smallestBatch_ = batch;
    }
    made.all.copy_(at::where(trust.tooLow, smallest_, made.all));
    return trust;
  }

  const std::int64_t special_, window_;
  const std::vector<std::int64_t> grid_;
  bool isEnabled_;
  at::Tensor constantRegions_;
  const std::shared_ptr<Capacity> capacity_ = std::make_shared<Capacity>();
  at::Tensor smallest_ = at::empty({0});
  std::int64_t smallestBatch_ = 0;
};

}  // namespace

LayerPtr makeMutualPairMerge(const Settings& settings, const Device& device) {
  return std::make_unique<MutualPairMerge>(settings, device);
}

}  // namespace mpm::torch_runner
