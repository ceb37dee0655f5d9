// SPDX-License-Identifier: Apache-2.0
#include "onnx/find.h"

#include <cmath>
#include <utility>

#include "onnx/attribute.h"
#include "onnx/operands.h"
#include "onnx/view.h"

namespace mpm::onnx {
namespace {

using Attempt = Finding<FoundAttention>;

// Behind nodes that pass their input on, and products with scalars, whose factor is collected.
std::string behindScalars(const Facts& facts, const std::string& value, float& factor,
                          std::vector<const Node*>& nodes) {
  const std::optional<View> view = viewOf(facts, value);
  if (!view || view->offset != 0 ||
      view->axes != denseView(view->base, *facts.values.dims(view->base)).axes)
    return value;
  factor *= view->factor;
  nodes.insert(nodes.end(), view->nodes.begin(), view->nodes.end());
  return view->base;
}

// PyTorch's exporter writes 0 where a row of the softmax is not a number. It never is without a
// mask, so this passes its input on.
std::string behindSafety(const Facts& facts, const std::string& value,
                         std::vector<const Node*>& nodes) {
  const Node* where = madeBy(facts.model, value, "Where", 3);
  if (where == nullptr) return value;
  const Node* test = madeBy(facts.model, where->input(0), "IsNaN", 1);
  if (test == nullptr || test->input(0) != where->input(2)) return value;
  nodes.push_back(where);
  nodes.push_back(test);
  return where->input(2);
}

// The one number that a value holds everywhere, whatever the frame.
std::optional<double> uniform(const Facts& facts, const std::string& value, int depth = 0) {
  constexpr int kDeepest = 8;
  if (const Known* known = facts.values.content(value); known != nullptr && known->isSure()) {
    std::optional<double> number;
    for (std::size_t i = 0; i < known->count(); ++i) {
      const double each =
          known->isFloat() ? known->floats[i] : static_cast<double>(known->integers[i]);
      if (number && *number != each) return std::nullopt;
      number = each;
    }
    return number;
  }
  const Node* node = facts.model.producer(value);
  if (node == nullptr || depth == kDeepest) return std::nullopt;
  if (isOp(*node, "Where") && node->input_size() == 3) {
    const auto condition = uniform(facts, node->input(0), depth + 1);
    if (!condition) return std::nullopt;
    return uniform(facts, node->input(*condition != 0 ? 1 : 2), depth + 1);
  }
  const bool spreads =
      isAny(*node, {"Expand", "Reshape", "Unsqueeze", "Transpose", "Slice", "Squeeze"});
  return spreads ? uniform(facts, node->input(0), depth + 1) : std::nullopt;
}

// Exporters write a mask of zeros where there is none.
std::string behindEmptyMask(const Facts& facts, const std::string& value,
                            std::vector<const Node*>& nodes) {
  const Node* sum = madeBy(facts.model, value, "Add", 2);
  if (sum == nullptr) return value;
  for (const int mask : {1, 0}) {
    if (uniform(facts, sum->input(mask)) != 0.0) continue;
    nodes.push_back(sum);
    return sum->input(1 - mask);
  }
  return value;
}

const Node* softmaxBehind(const Facts& facts, const std::string& value,
                          std::vector<const Node*>& nodes) {
  float factor = 1;
  std::string at = behindScalars(facts, value, factor, nodes);
  at = behindScalars(facts, behindSafety(facts, at, nodes), factor, nodes);
  const Node* softmax = madeBy(facts.model, at, "Softmax", 1);
  const Integers* dims = facts.values.dims(at);
  if (softmax == nullptr || factor != 1 || dims == nullptr) return nullptr;
  const std::int64_t otherwise = facts.model.opset() < 13 ? 1 : -1;
  const auto axis = axisOf(intAttribute(*softmax, "axis").value_or(otherwise), dims->size());
  if (!axis || *axis + 1 != dims->size()) return nullptr;
  nodes.push_back(softmax);
  return softmax;
}

// [B, H, N, d], each with its step.
struct Heads {
  Run images, heads, rows, features;
  std::int64_t offset = 0;
};

// From the four or three axes that a product of matrices has.
std::optional<Heads> byHeads(View view, std::int64_t batch, std::int64_t heads, bool turned) {
  const std::size_t rank = view.axes.size();
  if (rank < 3) return std::nullopt;
  if (turned) std::swap(view.axes[rank - 1], view.axes[rank - 2]);
  const Integers dims = view.dims();
  if (!view.reshape({batch, heads, dims[rank - 2], dims[rank - 1]})) return std::nullopt;
  Run runs[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const std::optional<Run> run = joined(view.axes[i]);
    if (!run) return std::nullopt;
    runs[i] = *run;
  }
  return Heads{runs[0], runs[1], runs[2], runs[3], view.offset};
}

// Whether (b, n) are rows of `width` elements in a dense [B, N, width] or [N, B, width].
bool areRows(const Heads& view, std::int64_t width, std::optional<bool>& rowsFirst) {
  const std::int64_t batch = view.images.size, count = view.rows.size;
  const auto isStep = [](const Run& run, std::int64_t step) {
    return run.size == 1 || run.stride == step;
  };
  if (batch == 1) return isStep(view.rows, width);
  if (isStep(view.images, count * width) && isStep(view.rows, width)) {
    if (rowsFirst.value_or(false)) return false;
    rowsFirst = false;
    return true;
  }
  if (isStep(view.images, width) && isStep(view.rows, batch * width)) {
    if (!rowsFirst.value_or(true)) return false;
    rowsFirst = true;
    return true;
  }
  return false;
}

struct Factor {
  std::string value;
  bool turned = false;   // [.., d, N]
  bool isValue = false;  // v
};

const char* whatMakes(const Facts& facts, const std::string& value) {
  const Node* node = facts.model.producer(value);
  if (node == nullptr) return "not made by a linear layer";
  if (isOp(*node, "Concat") || isOp(*node, "ScatterND")) return "rotary positions";
  if (isOp(*node, "Add")) {
    const Node* first = facts.model.producer(node->input(0));
    const Node* second = facts.model.producer(node->input(1));
    const bool products =
        first != nullptr && second != nullptr && isOp(*first, "Mul") && isOp(*second, "Mul");
    if (products) return "rotary positions";
  }
  if (isAny(*node, {"LayerNormalization", "Mul", "Div", "SimplifiedLayerNormalization",
                    "RMSNormalization"}))
    return "normalised q and k";
  return "not made by a linear layer";
}

// Fills q, k or v of `attention`; else says what is in the way.
std::string findProjection(const Facts& facts, const Factor& factor, std::int64_t batch,
                           FoundAttention& attention, FoundProjection& projection,
                           const Node** where) {
  const std::optional<View> flat = viewOf(facts, factor.value);
  if (!flat) return "its layout is not understood";
  *where = facts.model.producer(flat->base);
  const std::optional<FoundLinear> linear = findLinear(facts.model, flat->base);
  if (!linear) return whatMakes(facts, flat->base);
  const std::optional<Heads> view = byHeads(*flat, batch, attention.heads, factor.turned);
  const Integers& dims = *facts.values.dims(flat->base);
  if (!view || dims.empty()) return "attention within windows";
  const std::int64_t width = dims.back(), d = view->features.size;
  if (factor.isValue && flat->factor != 1) return "v is scaled";
  attention.scale *= flat->factor;
  if (!areRows(*view, width, attention.rowsFirst)) return "attention within windows";
  if (attention.headDim != 0 && attention.headDim != d) return "heads of different widths";
  attention.headDim = d;
  if (attention.heads > width || attention.heads * d > width) return "its layout is not understood";
  for (std::int64_t h = 0; h < attention.heads; ++h) {
    for (std::int64_t i = 0; i < d; ++i) {
      const std::int64_t feature =
          view->offset + h * view->heads.stride + i * view->features.stride;
      if (feature < 0 || feature >= width) return "its layout is not understood";
      projection.features.push_back(feature);
    }
  }
  projection.linear = *linear;
  projection.linear.input = behindRowViews(facts, linear->input, &attention.nodes);
  attention.nodes.insert(attention.nodes.end(), flat->nodes.begin(), flat->nodes.end());
  attention.nodes.insert(attention.nodes.end(), linear->nodes.begin(), linear->nodes.end());
  return {};
}

// Where heads and features went: [B, H, N, d] into rows of H d.
bool areHeadsSideBySide(const Facts& facts, const View& places, std::int64_t batch,
                        FoundAttention& attention, const std::string& value) {
  const Integers* out = facts.values.dims(value);
  const std::optional<Heads> view = byHeads(places, batch, attention.heads, false);
  if (out == nullptr || out->empty() || !view) return false;
  const std::int64_t d = view->features.size;
  return out->back() == attention.heads * d && (d == 1 || view->features.stride == 1) &&
         (attention.heads == 1 || view->heads.stride == d) &&
         areRows(*view, out->back(), attention.rowsFirst);
}

}  // namespace

Finding<FoundAttention> findAttention(const Facts& facts, const std::string& value,
                                      std::int64_t batch) {
  const std::optional<View> places = placesIn(facts, value);
  if (!places || batch < 1) return {};
  FoundAttention found;
  found.nodes = places->nodes;
  const Node* mix = madeBy(facts.model, places->base, "MatMul", 2);
  if (mix == nullptr) return {};
  found.nodes.push_back(mix);
  const Node* softmax = softmaxBehind(facts, mix->input(0), found.nodes);
  if (softmax == nullptr) return {};
  std::string similarity = behindScalars(facts, softmax->input(0), found.scale, found.nodes);
  similarity = behindEmptyMask(facts, similarity, found.nodes);
  similarity = behindScalars(facts, similarity, found.scale, found.nodes);
  const Node* product = madeBy(facts.model, similarity, "MatMul", 2);
  if (product == nullptr) {
    const Node* node = facts.model.producer(similarity);
    const bool isSum = node != nullptr && isOp(*node, "Add");
    return Attempt::blocked(isSum ? "relative position bias or an attention mask"
                                  : "its similarities are not a product of q and k",
                            node);
  }
  found.nodes.push_back(product);
  const Integers dims = places->dims();
  const std::size_t rank = dims.size();
  if (rank != 3 && rank != 4) return Attempt::blocked("attention within windows", mix);
  found.heads = rank == 4 ? dims[1] : dims[0] / batch;
  if (found.heads < 1 || dims[0] != (rank == 4 ? batch : batch * found.heads))
    return Attempt::blocked("attention within windows", mix);

  const Node* where = nullptr;
  const std::pair<Factor, FoundProjection*> factors[] = {{{product->input(0)}, &found.q},
                                                         {{product->input(1), true}, &found.k},
                                                         {{mix->input(1), false, true}, &found.v}};
  for (const auto& [factor, projection] : factors) {
    const std::string obstacle = findProjection(facts, factor, batch, found, *projection, &where);
    if (!obstacle.empty()) return Attempt::blocked(obstacle, where != nullptr ? where : product);
  }
  if (found.scale == 0 || !std::isfinite(found.scale))
    return Attempt::blocked("a scale of q k that is 0 or not finite", product);
  found.input = found.q.linear.input;
  if (found.k.linear.input != found.input || found.v.linear.input != found.input)
    return Attempt::blocked("q, k and v are made from different values", mix);
  if (!areHeadsSideBySide(facts, *places, batch, found, value))
    return Attempt::blocked("the layout of its result is not understood", mix);
  return {found, {}, nullptr};
}

}  // namespace mpm::onnx
