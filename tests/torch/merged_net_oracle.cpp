// SPDX-License-Identifier: Apache-2.0
// The layers of mpm/layers.h that a plain ViT needs, from their contracts, and the few nodes of
// ONNX's around them.
#include "torch/merged_net_oracle.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "onnx/graph/attribute.h"
#include "onnx/graph/error.h"
#include "onnx/graph/file.h"
#include "onnx/graph/tensor.h"
#include "torch/oracle.h"

namespace mpm::test {
namespace {

using Integers = std::vector<std::int64_t>;
using Tensors = std::vector<at::Tensor>;

/// A node with the values of its inputs. One that is left out is an undefined tensor.
struct NodeCall {
  const onnx::Node& node;
  Tensors inputs;
  NetRun& run;  ///< for merges and blocks to be noted in

  const at::Tensor& input(std::size_t index) const {
    static const at::Tensor none;
    return index < inputs.size() ? inputs[index] : none;
  }
  /// An input of a layer of ours, by the name that the attribute `inputs` gives it.
  const at::Tensor& named(const std::string& name) const {
    const std::string names = text("inputs", "") + ",";
    std::size_t index = 0;
    for (std::size_t begin = 0; begin < names.size(); ++index) {
      const std::size_t end = names.find(',', begin);
      if (names.compare(begin, end - begin, name) == 0) break;
      begin = end + 1;
    }
    return input(index);
  }

  std::int64_t integer(const char* attribute, std::int64_t otherwise) const {
    return onnx::intAttribute(node, attribute).value_or(otherwise);
  }
  double number(const char* attribute, double otherwise) const {
    const auto given = onnx::floatAttribute(node, attribute);
    return given ? double{*given} : otherwise;
  }
  std::string text(const char* attribute, const std::string& otherwise) const {
    return onnx::stringAttribute(node, attribute).value_or(otherwise);
  }
  /// Integers that were an attribute once and are an input since: empty where there is neither.
  Integers integers(const char* attribute, std::size_t index) const {
    if (!input(index).defined()) return onnx::intsAttribute(node, attribute).value_or(Integers());
    const at::Tensor values = input(index).to(at::kLong).contiguous();
    const auto* first = values.data_ptr<std::int64_t>();
    return {first, first + values.numel()};
  }

  /// std::runtime_error with the node and what is wrong.
  void require(bool holds, const std::string& what) const {
    if (!holds) throw std::runtime_error(onnx::nameOf(node) + ": " + what);
  }
};

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
  call.require(call.integers("grid", 99).empty(), "a grid is not known");
  const at::Tensor qkv = tokensOf(call), map = mapOf(call);
  const std::int64_t count = qkv.size(0), heads = call.integer("heads", 1);
  const std::int64_t features = qkv.size(1) / 3 / heads, special = specialOf(call, qkv, map);
  const at::Tensor members = membersOf(map, special, count);
  const at::Tensor byHead = qkv.reshape({count, 3, heads, features}).permute({1, 2, 0, 3});
  const at::Tensor q = positioned(call, byHead[0], "q_norm", members);
  const at::Tensor k = positioned(call, byHead[1], "k_norm", members);
  double scale = call.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(features));
  at::Tensor logits = at::matmul(q, k.transpose(1, 2)) * scale;
  if (map.defined() && call.integer("counts", 0) != 0)
    logits = logits + countsOf(map, special).log();
  if (call.named("bias").defined()) {
    const at::Tensor bias = call.named("bias").reshape({heads, members.size(1), members.size(1)});
    logits = logits + at::matmul(at::matmul(members, bias), members.t());
  }
  const at::Tensor result = at::matmul(at::softmax(logits, -1), byHead[2]);
  return {result.transpose(0, 1).reshape({count, -1}).unsqueeze(0)};
}

Tensors transformerBlock(const NodeCall& call) {
  ++call.run.blocks;
  at::Tensor x = tokensOf(call);
  const auto weights = [&](const std::string& name) { return call.named(name); };
  const auto scaled = [&](const at::Tensor& branch, const std::string& name) {
    return weights(name).defined() ? branch * weights(name) : branch;
  };
  const at::Tensor map = mapOf(call);
  call.require(call.integer("windows", 0) == 0, "windows are not known");
  at::Tensor keyWeights;
  if (map.defined()) keyWeights = countsOf(map, specialOf(call, x, map)).log();
  const double eps = call.number("eps", 1e-5);

  at::Tensor rows = normalized(x, weights("norm1_scale"), weights("norm1_shift"), eps);
  rows = attention(call, linear(rows, weights("qkv_weight"), weights("qkv_bias")), keyWeights);
  x = x + scaled(linear(rows, weights("proj_weight"), weights("proj_bias")), "layer_scale1");
  rows = normalized(x, weights("norm2_scale"), weights("norm2_shift"), call.number("eps2", eps));
  rows = gelu(call, linear(rows, weights("fc1_weight"), weights("fc1_bias")));
  x = x + scaled(linear(rows, weights("fc2_weight"), weights("fc2_bias")), "layer_scale2");
  return {x.unsqueeze(0)};
}

MergeStage stageOf(const at::Tensor& image) {
  const at::Tensor similarity = oracleSimilarity(image);
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

Tensors mutualPairMerge(const NodeCall& call) {
  call.require(call.integer("window", 0) == 0 && !call.named("regions").defined(),
               "windows and regions are not in the paper");
  const at::Tensor tokens = tokensOf(call);
  at::Tensor map = mapOf(call);
  const std::int64_t special = specialOf(call, tokens, map);
  const at::Tensor image = tokens.slice(0, special);
  if (!map.defined()) map = at::arange(image.size(0), at::kLong);
  if (call.integer("enabled", 1) == 0) {
    return {tokens.unsqueeze(0), liveRows(tokens), map.unsqueeze(0)};
  }
  const OracleMerge merge = oracleMerge(image);
  MergeStage stage = stageOf(image);
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

/// The pixels along an axis at whole places, edges repeated.
at::Tensor pixelsAt(const at::Tensor& x, std::int64_t axis, const at::Tensor& places) {
  return x.index_select(axis, places.clamp(0, x.size(axis) - 1).to(at::kLong));
}

/// Bilinear, between the middles of pixels.
Tensors upsample(const NodeCall& call) {
  at::Tensor x = call.input(0);
  const Integers grid = call.integers("grid", 99), sizes = call.integers("size", 99);
  const auto scales = onnx::floatsAttribute(call.node, "scale");
  call.require(call.text("mode", "half_pixel") == "half_pixel", "other places are not known");
  if (!grid.empty()) x = x.transpose(1, 2).reshape({x.size(0), x.size(2), grid[0], grid[1]});
  for (const std::size_t i : {0U, 1U}) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const auto from = static_cast<double>(x.size(axis));
    const double size = scales ? std::floor((*scales)[i] * from) : static_cast<double>(sizes[i]);
    const double scale = scales ? static_cast<double>((*scales)[i]) : size / from;
    const at::Tensor place =
        (at::arange(static_cast<std::int64_t>(size), at::kDouble) + 0.5) / scale - 0.5;
    Integers dims(4, 1);
    dims[static_cast<std::size_t>(axis)] = place.size(0);
    const at::Tensor lower = place.floor(), weight = (place - lower).reshape(dims);
    x = pixelsAt(x, axis, lower) * (1 - weight) + pixelsAt(x, axis, lower + 1) * weight;
  }
  return {x};
}

Tensors flatten(const NodeCall& call) {
  call.require(call.integer("axis", 1) == 1, "another axis is not known");
  return {call.input(0).flatten(1)};
}

Tensors slice(const NodeCall& call) {
  at::Tensor x = call.input(0);
  const Integers starts = call.integers("starts", 1), ends = call.integers("ends", 2);
  const Integers axes = call.integers("axes", 3);
  call.require(axes.size() == starts.size() && call.integers("steps", 4).size() <= starts.size(),
               "has no axes");
  for (const std::int64_t step : call.integers("steps", 4)) call.require(step == 1, "has steps");
  for (std::size_t i = 0; i < starts.size(); ++i) x = x.slice(axes[i], starts[i], ends[i]);
  return {x};
}

Tensors add(const NodeCall& call) { return {call.input(0) + call.input(1)}; }
Tensors multiply(const NodeCall& call) { return {call.input(0) * call.input(1)}; }
Tensors sigmoid(const NodeCall& call) { return {at::sigmoid(call.input(0))}; }
Tensors relu(const NodeCall& call) { return {at::relu(call.input(0))}; }

/// Nodes of ONNX's that stand together.
Tensors subgraph(const NodeCall& call) {
  const std::string bytes = call.text("graph", "");
  const onnx::Model model = onnx::readModel(bytes.data(), bytes.size(), "graph");
  NetValues given;
  for (std::size_t i = 0; i < model.inputs().size(); ++i)
    given[model.inputs()[i].name] = call.input(i);
  const NetRun run = runNet(model, given);
  Tensors results;
  for (const onnx::Value& output : model.outputs()) results.push_back(run.outputs.at(output.name));
  return results;
}

/// What nodes of a type compute: a tensor for each output.
using Operation = Tensors (*)(const NodeCall&);

Operation operationOf(const onnx::Node& node) {
  static const std::map<std::string, Operation> operations{
      {"mpm.PatchEmbed", patchEmbed},
      {"mpm.Normalize", normalize},
      {"mpm.Linear", linearLayer},
      {"mpm.AddRows", addRows},
      {"mpm.Attention", attentionLayer},
      {"mpm.TransformerBlock", transformerBlock},
      {"mpm.MutualPairMerge", mutualPairMerge},
      {"mpm.MergeRestore", mergeRestore},
      {"mpm.ReplaceSpecial", replaceSpecial},
      {"mpm.MaskDecoderHead", maskDecoderHead},
      {"mpm.MeanRows", meanRows},
      {"mpm.Upsample", upsample},
      {"mpm.Subgraph", subgraph},
      {".Add", add},
      {".Flatten", flatten},
      {".Mul", multiply},
      {".Relu", relu},
      {".Sigmoid", sigmoid},
      {".Slice", slice},
  };
  const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();
  const auto found = operations.find(domain + "." + node.op_type());
  if (found != operations.end()) return found->second;
  throw std::runtime_error("the oracle knows no " + onnx::nameOf(node));
}

at::Tensor tensorOf(const onnx::Tensor& constant) {
  if (constant.isInteger())
    return at::tensor(constant.integers(), at::kLong).reshape(constant.dims());
  const onnx::Floats floats = constant.floats();
  return at::from_blob(const_cast<float*>(floats.data()), constant.dims(), at::kFloat)
      .to(at::kDouble);
}

at::Tensor valueOf(const onnx::Model& model, const NetValues& values, const std::string& name) {
  if (name.empty()) return {};
  const auto value = values.find(name);
  if (value != values.end()) return value->second;
  const auto constant = model.constant(name);
  if (!constant) throw std::runtime_error("the oracle was given no value '" + name + "'");
  return tensorOf(*constant);
}

}  // namespace

NetRun runNet(const onnx::Model& model, const NetValues& inputs) {
  NetRun run;
  NetValues values = inputs;
  for (const onnx::Node* node : model.nodes()) {
    NodeCall call{*node, {}, run};
    for (const std::string& name : node->input()) {
      call.inputs.push_back(valueOf(model, values, name));
    }
    const Tensors results = operationOf(*node)(call);
    for (int i = 0; i < node->output_size(); ++i) {
      if (node->output(i).empty()) continue;
      call.require(static_cast<std::size_t>(i) < results.size(), "has more outputs than are known");
      values[node->output(i)] = results[static_cast<std::size_t>(i)];
    }
  }
  for (const onnx::Value& output : model.outputs()) {
    run.outputs[output.name] = valueOf(model, values, output.name);
  }
  return run;
}

}  // namespace mpm::test
