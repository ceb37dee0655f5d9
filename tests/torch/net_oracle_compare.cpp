// SPDX-License-Identifier: Apache-2.0
#include "torch/net_oracle.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace mpm::test {
namespace {

bool isClear(const MergeStage& merge) { return merge.gap.gt(kNetGap).all().item<bool>(); }

/// [N, N]: whether two tokens share a row.
at::Tensor together(const at::Tensor& map) { return map.unsqueeze(0) == map.unsqueeze(1); }

}  // namespace

bool areClear(const std::vector<MergeStage>& merges) {
  return std::all_of(merges.begin(), merges.end(), isClear);
}

testing::AssertionResult mapAgrees(const std::vector<MergeStage>& merges, const at::Tensor& map) {
  const at::Tensor expected = merges.empty() ? at::arange(map.size(0)) : merges.back().map;
  if (map.sizes() != expected.sizes())
    return testing::AssertionFailure() << "the map has " << map.size(0) << " entries";
  if (map.equal(expected)) return testing::AssertionSuccess();

  const auto unclear = std::find_if_not(merges.begin(), merges.end(), isClear);
  if (unclear == merges.end()) {
    return testing::AssertionFailure() << map.ne(expected).sum().item<int>() << " of "
                                       << map.size(0) << " entries of the map differ";
  }
  const at::Tensor rows =
      unclear == merges.begin() ? at::arange(map.size(0), at::kLong) : (unclear - 1)->map;
  const at::Tensor clear = unclear->gap > kNetGap;
  const at::Tensor sure = clear.logical_and(clear.index_select(0, unclear->best));
  const at::Tensor sureTokens = sure.index_select(0, rows).unsqueeze(1);
  const at::Tensor wanted = together(unclear->map), given = together(map);
  const bool isLast = unclear + 1 == merges.end();
  const at::Tensor wrong = isLast ? wanted.ne(given) : wanted.logical_and(given.logical_not());
  if (!wrong.logical_and(sureTokens).any().item<bool>()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "tokens that are clear at the merge before block "
                                     << unclear->block << " are not merged as they should be";
}

double relativeError(const at::Tensor& values, const at::Tensor& expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (values.sizes() != expected.sizes() || !values.isfinite().all().item<bool>() ||
      !expected.isfinite().all().item<bool>())
    return kInfinity;
  const double largest = expected.abs().max().item<double>();
  const double error = (values.to(at::kDouble) - expected).abs().max().item<double>();
  return error == 0 ? 0 : error / largest;
}

}  // namespace mpm::test
