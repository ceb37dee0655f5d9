// SPDX-License-Identifier: Apache-2.0
// The layers of mpm/layers.h, from their contracts.
#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "torch/net_oracle_call.h"
#include "torch/oracle.h"

namespace mpm::test {
namespace {

/// The rows of one image [L, D].
at::Tensor tokensOf(const NodeCall& call) {
  const at::Tensor tokens = call.named("tokens");
  call.require(tokens.defined() && tokens.size(0) == 1, "its tokens are not those of one image");
  const at::Tensor& rows = call.named("rows");
  call.require(!rows.defined() || rows.item<double>() == static_cast<double>(tokens.size(1)),
               "its rows are not the live rows of its tokens");
  return tokens.dim() == 2 ? tokens : tokens.squeeze(0);
}

/// The map as indices [N]; undefined where there is none.
at::Tensor mapOf(const NodeCall& call) {
  const at::Tensor& map = call.named("map");
  return map.defined() ? map.squeeze(0).to(at::kLong) : map;
}

/// How many of the rows are special; `otherwise` if neither an attribute nor a map says it.
std::int64_t specialOf(const NodeCall& call, const at::Tensor& rows, const at::Tensor& map) {
  // Every live image row stands for some token, so the largest entry tells how many there are.
  const std::int64_t left =
      map.defined() ? rows.size(0) - map.max().item<std::int64_t>() - 1 : std::int64_t{0};
  const std::int64_t special = call.integer("special", left);
  call.require(!map.defined() || special == left, "special, rows and map contradict each other");
  return special;
}

/// [S + n]: how many original tokens stand behind each row; 1 for special ones.
at::Tensor countsOf(const at::Tensor& map, std::int64_t special) {
  return at::cat({at::ones({special}, at::kLong), at::bincount(map)}).to(at::kDouble);
}

at::Tensor liveRows(const at::Tensor& rows) {
  return at::full({1, 1}, static_cast<double>(rows.size(0)), at::kDouble);
}

at::Tensor normalized(const at::Tensor& rows, const at::Tensor& scale, const at::Tensor& shift,
                      double eps, bool isCentred = true) {
  const at::Tensor centred = isCentred ? rows - rows.mean(-1, /*keepdim=*/true) : rows;
  at::Tensor result = centred / (centred.square().mean(-1, /*keepdim=*/true) + eps).sqrt();
  if (scale.defined()) result = result * scale;
  return shift.defined() ? result + shift : result;
}

at::Tensor linear(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor product = at::matmul(rows, weight.t());
  return bias.defined() ? product + bias : product;
}

at::Tensor gelu(const NodeCall& call, const at::Tensor& x) {
  const std::string kind = call.text("gelu", "erf");
  if (kind == "quick") return x * at::sigmoid(1.702 * x);
  call.require(kind == "erf" || kind == "tanh", "gelu is " + kind);
  return at::gelu(x, kind == "tanh" ? "tanh" : "none");
}

/// `weights`, [L] or [L x L], are added to the logits of each key; undefined for none.
at::Tensor attention(const NodeCall& call, const at::Tensor& qkv, const at::Tensor& weights) {
  const std::int64_t count = qkv.size(0), heads = call.integer("heads", 1);
  const std::int64_t features = qkv.size(1) / 3 / heads;
  double scale = call.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(features));
  const at::Tensor byHead = qkv.reshape({count, 3, heads, features}).permute({1, 2, 0, 3});
  at::Tensor logits = at::matmul(byHead[0], byHead[1].transpose(1, 2)) * scale;
  if (weights.defined()) logits = logits + weights;
  return at::matmul(at::softmax(logits, -1), byHead[2]).transpose(0, 1).reshape({count, -1});
}

Tensors patchEmbed(const NodeCall& call) {
  const at::Tensor& image = call.named("image");
  const at::Tensor& weight = call.named("weight");
  const std::int64_t patch = call.integer("patch", 16);
  const at::Tensor kernels = weight.reshape({weight.size(0), image.size(1), patch, patch});
  const at::Tensor grid = at::conv2d(image, kernels, call.named("bias"), {patch, patch});
  at::Tensor rows = grid.flatten(2).transpose(1, 2);
  if (call.named("position").defined()) rows = rows + call.named("position");
  if (!call.named("special").defined()) return {rows};
  return {at::cat({call.named("special").unsqueeze(0), rows}, 1)};
}

Tensors normalize(const NodeCall& call) {
  tokensOf(call);  // checks the rows
  return {normalized(call.named("tokens"), call.named("scale"), call.named("shift"),
                     call.number("eps", 1e-5), call.integer("centred", 1) != 0)};
}

// Without live rows it takes rows of anything: those of a query stand in front of the images.
Tensors linearLayer(const NodeCall& call) {
  if (call.named("rows").defined()) tokensOf(call);
  const at::Tensor made = linear(call.named("tokens"), call.named("weight"), call.named("bias"));
  return {call.text("gelu", "").empty() ? made : gelu(call, made)};
}

/// [L x (S + n)]: each live row's share of the rows of the full network that it stands for; one
/// each where there is no map.
at::Tensor membersOf(const at::Tensor& map, std::int64_t special, std::int64_t live) {
  if (!map.defined()) return at::eye(live, at::kDouble);
  at::Tensor members = at::zeros({live, special + map.size(0)}, at::kDouble);
  for (std::int64_t row = 0; row < special; ++row) members[row][row] = 1;
  for (std::int64_t i = 0; i < map.size(0); ++i)
    members[special + map[i].item<std::int64_t>()][special + i] = 1;
  return members / members.sum(1, /*keepdim=*/true);
}

Tensors addRows(const NodeCall& call) {
  const at::Tensor x = tokensOf(call), map = mapOf(call);
  const at::Tensor members = membersOf(map, specialOf(call, x, map), x.size(0));
  return {(x + at::matmul(members, call.named("added"))).unsqueeze(0)};
}

/// [heads x L x d]: each head's rows normalised, then turned by their positions.
at::Tensor positioned(const NodeCall& call, at::Tensor x, const std::string& norm,
                      const at::Tensor& members) {
  const std::string kind = call.text("norm", "");
  const auto byHead = [&](const at::Tensor& constant) {
    const bool isShared = !constant.defined() || constant.numel() == x.size(2);
    return isShared ? constant : constant.reshape({x.size(0), 1, x.size(2)});
  };
  if (!kind.empty()) {
    const bool isJoint = call.integer("joint", 0) != 0;
    const std::int64_t heads = x.size(0), count = x.size(1);
    if (isJoint) x = x.transpose(0, 1).reshape({count, -1});
    const auto constant = [&](const char* name) {
      return isJoint ? call.named(norm + name) : byHead(call.named(norm + name));
    };
    x = normalized(x, constant("_scale"), constant("_shift"), call.number("eps", 1e-5),
                   kind == "layer");
    if (isJoint) x = x.reshape({count, heads, -1}).transpose(0, 1);
  }
  if (!call.named("rotary_own").defined()) return x;
  const auto factors = [&](const char* name) {
    const at::Tensor table = at::matmul(members, call.named(name));
    const bool isShared = table.size(1) == x.size(2);
    return isShared ? table : table.reshape({x.size(1), x.size(0), x.size(2)}).transpose(0, 1);
  };
  const at::Tensor own = factors("rotary_own"), other = factors("rotary_other");
  return own * x + other * x.roll({x.size(2) / 2}, {2});
}

Tensors attentionLayer(const NodeCall& call) {
  if (call.integer("beside", 0) == 0) ++call.run.blocks;
  const at::Tensor qkv = tokensOf(call), map = mapOf(call);
  const std::int64_t count = qkv.size(0), heads = call.integer("heads", 1);
  const std::int64_t features = qkv.size(1) / 3 / heads, special = specialOf(call, qkv, map);
  const at::Tensor members = membersOf(map, special, count);
  const at::Tensor byHead = qkv.reshape({count, 3, heads, features}).permute({1, 2, 0, 3});
  const at::Tensor q = positioned(call, byHead[0], "q_norm", members);
  const at::Tensor k = positioned(call, byHead[1], "k_norm", members);
  double scale = call.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(features));
  if (!call.integers("grid").empty()) {
    const GridLogits all = gridLogits(call, q, k, byHead[2], members, scale);
    const at::Tensor mixed = at::matmul(at::softmax(all.logits, -1), all.values);
    return {mixed.transpose(0, 1).reshape({count, -1}).unsqueeze(0)};
  }
  at::Tensor logits = at::matmul(q, k.transpose(1, 2)) * scale;
  const auto mixed = [&](const char* name, const at::Tensor& ofHeads) {
    const at::Tensor& matrix = call.named(name);
    return matrix.defined() ? at::tensordot(matrix, ofHeads, {1}, {0}) : ofHeads;
  };
  logits = mixed("mix_scores", logits);
  if (map.defined() && call.integer("counts", 0) != 0)
    logits = logits + countsOf(map, special).log();
  at::Tensor bias = call.named("bias");
  if (bias.defined()) {
    const std::int64_t rows = members.size(1);
    bias = at::matmul(at::matmul(members, bias.reshape({heads, rows, rows})), members.t());
  }
  const at::Tensor& shares = call.named("shares");
  if (bias.defined() && !shares.defined()) logits = logits + bias;
  at::Tensor weights = at::softmax(logits, -1);
  if (shares.defined()) {
    const at::Tensor byPart = shares.reshape({2, heads, 1, 1});
    weights = byPart[0] * weights + byPart[1] * at::softmax(bias, -1);
  }
  weights = mixed("mix_weights", weights);
  if (call.named("mix_bias").defined())
    weights = weights + call.named("mix_bias").reshape({heads, 1, 1});
  const at::Tensor result = at::matmul(weights, byHead[2]);
  return {result.transpose(0, 1).reshape({count, -1}).unsqueeze(0)};
}

/// [L x L]: 0 between rows of one window, and minus infinity between others.
at::Tensor outsideWindows(const NodeCall& call, const at::Tensor& x, const at::Tensor& map) {
  const at::Tensor members = membersOf(map, specialOf(call, x, map), x.size(0));
  const at::Tensor own =
      at::one_hot(call.named("window_of").reshape({-1}).to(at::kLong), call.integer("windows", 0));
  const at::Tensor shares = at::matmul(members, own.to(at::kDouble));
  call.require(shares.gt(1e-9).sum(1).eq(1).all().item<bool>(), "a row stands in two windows");
  return at::matmul(shares, shares.t()).gt(0.5).to(at::kDouble).log();
}

Tensors transformerBlock(const NodeCall& call) {
  ++call.run.blocks;
  at::Tensor x = tokensOf(call);
  const auto weights = [&](const std::string& name) { return call.named(name); };
  const auto scaled = [&](const at::Tensor& branch, const std::string& name) {
    return weights(name).defined() ? branch * weights(name) : branch;
  };
  const at::Tensor map = mapOf(call);
  at::Tensor keyWeights;
  if (call.integer("windows", 0) > 0) {
    keyWeights = outsideWindows(call, x, map);
  } else if (map.defined()) {
    keyWeights = countsOf(map, specialOf(call, x, map)).log();
  }
  const double eps = call.number("eps", 1e-5);

  at::Tensor rows = normalized(x, weights("norm1_scale"), weights("norm1_shift"), eps);
  rows = attention(call, linear(rows, weights("qkv_weight"), weights("qkv_bias")), keyWeights);
  x = x + scaled(linear(rows, weights("proj_weight"), weights("proj_bias")), "layer_scale1");
  rows = normalized(x, weights("norm2_scale"), weights("norm2_shift"), call.number("eps2", eps));
  rows = gelu(call, linear(rows, weights("fc1_weight"), weights("fc1_bias")));
  x = x + scaled(linear(rows, weights("fc2_weight"), weights("fc2_bias")), "layer_scale2");
  return {x.unsqueeze(0)};
}

MergeStage stageOf(const at::Tensor& image, const at::Tensor& regions) {
  const at::Tensor similarity = oracleSimilarity(image, regions);
  MergeStage stage;
  stage.best = std::get<1>(similarity.max(1));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  stage.gap = at::full({image.size(0)}, kInfinity, at::kDouble);
  if (image.size(0) > 2) {
    const at::Tensor two = std::get<0>(similarity.topk(2, 1));
    stage.gap = (two.select(1, 0) - two.select(1, 1)).nan_to_num_(kInfinity);  // of no partner
  }
  return stage;
}

/// [n]: of each live image row the label that all of its tokens have; undefined for none.
at::Tensor regionsOf(const NodeCall& call, const at::Tensor& map, std::int64_t live) {
  if (!call.named("regions").defined()) return {};
  const at::Tensor labels = call.named("regions").reshape({-1}).to(at::kLong);
  const at::Tensor regions = at::zeros({live}, at::kLong).index_put_({map}, labels);
  call.require(regions.index_select(0, map).equal(labels), "a row stands in two regions");
  return regions;
}

Tensors mutualPairMerge(const NodeCall& call) {
  call.require(call.integer("window", 0) == 0, "windows are not in the paper");
  const at::Tensor tokens = tokensOf(call);
  at::Tensor map = mapOf(call);
  const std::int64_t special = specialOf(call, tokens, map);
  const at::Tensor image = tokens.slice(0, special);
  if (!map.defined()) map = at::arange(image.size(0), at::kLong);
  if (call.integer("enabled", 1) == 0) {
    return {tokens.unsqueeze(0), liveRows(tokens), map.unsqueeze(0)};
  }
  const at::Tensor regions = regionsOf(call, map, image.size(0));
  const OracleMerge merge = oracleMerge(image, regions);
  MergeStage stage = stageOf(image, regions);
  stage.block = call.run.blocks;
  stage.map = merge.map.index_select(0, map);
  const at::Tensor merged = at::cat({tokens.slice(0, 0, special), merge.merged});
  call.run.merges.push_back(stage);
  return {merged.unsqueeze(0), liveRows(merged), stage.map.unsqueeze(0)};
}

Tensors mergeRestore(const NodeCall& call) {
  const at::Tensor tokens = tokensOf(call);
  const at::Tensor map = mapOf(call);
  const std::int64_t special = specialOf(call, tokens, map);
  const at::Tensor restored = tokens.slice(0, special).index_select(0, map);
  return {at::cat({tokens.slice(0, 0, special), restored}).unsqueeze(0)};
}

Tensors replaceSpecial(const NodeCall& call) {
  const bool keeps = call.integer("keep", 0) != 0;
  at::Tensor rows = tokensOf(call).slice(0, keeps ? 0 : call.integer("special", 0));
  if (call.named("special_rows").defined()) rows = at::cat({call.named("special_rows"), rows});
  return {rows.unsqueeze(0), liveRows(rows)};
}

Tensors maskDecoderHead(const NodeCall& call) {
  const at::Tensor tokens = tokensOf(call);
  const std::int64_t classes = call.integer("special", 0);
  const auto unit = [](const at::Tensor& rows) {
    return rows / rows.norm(2, -1, /*keepdim=*/true);
  };
  const at::Tensor patches = at::matmul(tokens.slice(0, classes), call.named("proj_patch"));
  const at::Tensor kinds = at::matmul(tokens.slice(0, 0, classes), call.named("proj_classes"));
  const at::Tensor scores = at::matmul(unit(patches), unit(kinds).t());
  return {normalized(scores, call.named("norm_scale"), call.named("norm_shift"),
                     call.number("eps", 1e-5))
              .unsqueeze(0)};
}

Tensors meanRows(const NodeCall& call) {
  const at::Tensor tokens = tokensOf(call);
  const at::Tensor map = mapOf(call);
  const std::int64_t special = specialOf(call, tokens, map);
  at::Tensor counts =
      map.defined() ? countsOf(map, special) : at::ones({tokens.size(0)}, at::kDouble);
  if (call.integer("with_special", 0) == 0) counts.slice(0, 0, special).zero_();
  return {at::matmul(counts / counts.sum(), tokens).unsqueeze(0)};
}

Tensors convolve(const NodeCall& call) {
  using Integers = std::vector<std::int64_t>;
  const Integers padding = call.integers("padding", Integers{0, 0, 0, 0});
  const at::Tensor padded =
      at::constant_pad_nd(call.input(0), {padding[1], padding[3], padding[0], padding[2]}, 0);
  const at::Tensor bias = call.inputs.size() > 2 ? call.input(2) : at::Tensor();
  const at::Tensor sums =
      at::conv2d(padded, call.input(1), bias, call.integers("stride", Integers{1, 1}),
                 Integers{0, 0}, call.integers("dilation", Integers{1, 1}), 1);
  return {call.text("activation", "") == "relu" ? at::relu(sums) : sums};
}

}  // namespace

const Operations& layerOperations() {
  static const Operations operations{
      {"PatchEmbed", patchEmbed},
      {"Normalize", normalize},
      {"Linear", linearLayer},
      {"AddRows", addRows},
      {"Attention", attentionLayer},
      {"TransformerBlock", transformerBlock},
      {"MutualPairMerge", mutualPairMerge},
      {"MergeRestore", mergeRestore},
      {"ReplaceSpecial", replaceSpecial},
      {"MaskDecoderHead", maskDecoderHead},
      {"MeanRows", meanRows},
      {"Subgraph", subgraph},
      {"Convolve", convolve},
      {"Upsample", upsample},
  };
  return operations;
}

}  // namespace mpm::test
