// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/normal_form/fold.h"
#include "onnx/normal_form/rewriter.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/parts.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

namespace {

using Linears = std::vector<FoundLinear>;

const std::string& outputOf(const FoundLinear& linear) { return linear.nodes.front()->output(0); }

// All layers as one: [in x out of all], and a bias if one of them has one.
struct Joined {
  Integers dims;
  std::vector<float> weight, bias;
};

std::optional<Joined> join(const Spelling& spelling, const Linears& linears) {
  const Model& model = spelling.model();
  const std::int64_t in = inFeatures(model, linears.front());
  std::int64_t all = 0;
  for (const FoundLinear& linear : linears) {
    if (inFeatures(model, linear) != in || linear.input != linears.front().input)
      return std::nullopt;
    all += outFeatures(model, linear);
  }
  if (in < 1 || all < 1 || times(in, all) > static_cast<std::int64_t>(Spelling::kMostWeights))
    return std::nullopt;
  const auto rows = static_cast<std::size_t>(in), width = static_cast<std::size_t>(all);
  Joined joined{{in, all}, std::vector<float>(rows * width), std::vector<float>(width)};
  std::size_t first = 0;
  for (const FoundLinear& linear : linears) {
    const auto out = static_cast<std::size_t>(outFeatures(model, linear));
    const Floats weight = model.constant(linear.weight)->floats();
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t o = 0; o < out; ++o)
        joined.weight[i * width + first + o] = weight[linear.outByIn ? o * rows + i : i * out + o];
    }
    if (!linear.bias.empty()) {
      const Floats bias = model.constant(linear.bias)->floats();
      std::copy(bias.begin(), bias.end(), joined.bias.begin() + static_cast<std::ptrdiff_t>(first));
    }
    first += out;
  }
  if (std::all_of(linears.begin(), linears.end(), [](const auto& it) { return it.bias.empty(); }))
    joined.bias.clear();
  return joined;
}

std::string spellJoined(Spelling& spelling, const Joined& joined, const std::string& input,
                        const std::string& output = "") {
  const bool hasBias = !joined.bias.empty();
  const std::string product =
      spelling.add("MatMul", {input, spelling.floats(joined.dims, joined.weight)},
                   hasBias ? std::string() : output);
  if (!hasBias) return product;
  return spelling.add("Add", {product, spelling.floats({joined.dims[1]}, joined.bias)}, output);
}

bool isReadByOne(const Model& model, const std::string& value) {
  return !model.isOutput(value) && model.consumers(value).size() == 1;
}

// Tells whether a value has rows in the same dims as another one.
bool hasRowsOf(const AnalysedModel& analysed, const std::string& value, const std::string& other) {
  const Integers *dims = analysed.values.dims(value), *wanted = analysed.values.dims(other);
  return dims != nullptr && wanted != nullptr && dims->size() == wanted->size() &&
         std::equal(dims->begin(), dims->end() - 1, wanted->begin());
}

// Returns linear layers that only this node reads.
std::optional<Linears> linearsOf(const AnalysedModel& analysed, const Node& concat) {
  Linears linears;
  for (const std::string& input : concat.input()) {
    const std::string rows = behindRowViews(analysed, input);
    const auto linear = findLinear(analysed.model, rows);
    if (!linear || !isReadByOne(analysed.model, input) || !isReadByOne(analysed.model, rows))
      return std::nullopt;
    linears.push_back(*linear);
    std::string& from = linears.back().input;
    if (!hasRowsOf(analysed, from, concat.output(0))) from = behindRowViews(analysed, from);
    if (!hasRowsOf(analysed, from, concat.output(0))) return std::nullopt;
  }
  return linears;
}

bool joinResults(Spelling& spelling, const AnalysedModel& analysed, const Node& concat) {
  const auto linears = linearsOf(analysed, concat);
  const auto joined = linears ? join(spelling, *linears) : std::nullopt;
  if (!joined) return false;
  spelling.begin(concat);
  spellJoined(spelling, *joined, linears->front().input, concat.output(0));
  spelling.replaceNode();
  return true;
}

// Returns the layers of q, k and v of heads that are joined here; empty if all heads share them.
Linears linearsOfHeads(const AnalysedModel& analysed, const Node& concat) {
  const Integers* dims = analysed.values.dims(concat.output(0));
  Linears found;
  std::size_t ofFirst = 0;
  for (const std::string& input : concat.input()) {
    const auto heads =
        dims->size() == 3 ? findHeads(analysed, input, (*dims)[0]).found : std::nullopt;
    if (!heads || !heads->isPlain()) return {};
    for (const FoundProjection* each : {&heads->q, &heads->k, &heads->v}) {
      const bool isNew = std::none_of(found.begin(), found.end(), [&](const auto& other) {
        return outputOf(other) == outputOf(each->linear);
      });
      if (isNew) found.push_back(each->linear);
    }
    if (ofFirst == 0) ofFirst = found.size();
  }
  return found.size() > ofFirst ? found : Linears{};
}

// Replaces several layers by one; each becomes a slice of it.
void spellParts(Spelling& spelling, const Linears& linears, const Joined& joined) {
  spelling.begin(*linears.front().nodes.front());
  const std::string all = spellJoined(spelling, joined, linears.front().nodes.back()->input(0));
  std::int64_t first = 0;
  for (const FoundLinear& linear : linears) {
    spelling.begin(*linear.nodes.front());
    const std::int64_t end = first + outFeatures(spelling.model(), linear);
    spelling.add(
        "Slice",
        {all, spelling.integers({first}), spelling.integers({end}), spelling.integers({-1})},
        outputOf(linear));
    spelling.replaceNode();
    first = end;
  }
}

bool joinHeads(Spelling& spelling, const AnalysedModel& analysed, const Node& concat,
               std::unordered_set<std::string>& done) {
  constexpr std::int64_t kSliceHasInputs = 10;  // the opset
  if (analysed.model.opset() < kSliceHasInputs) return false;
  const Linears linears = linearsOfHeads(analysed, concat);
  if (linears.empty()) return false;
  for (const FoundLinear& linear : linears) {
    if (done.count(outputOf(linear)) != 0 ||
        linear.nodes.back()->input(0) != linears.front().nodes.back()->input(0))
      return false;
  }
  const auto joined = join(spelling, linears);
  if (!joined) return false;
  spellParts(spelling, linears, *joined);
  for (const FoundLinear& linear : linears) done.insert(outputOf(linear));
  return true;
}

}  // namespace

int joinLinears(Model& model, const Values& values) {
  const AnalysedModel analysed{model, values};
  const DimsOf dimsOf = [&](const std::string& value) { return values.dims(value); };
  Spelling spelling(model, dimsOf);
  std::unordered_set<std::string> done;
  for (const Node* node : model.nodes()) {
    if (spelling.isFull()) break;
    if (node->output_size() != 1 || featureConcat(analysed, node->output(0)) == nullptr) continue;
    if (!joinResults(spelling, analysed, *node)) joinHeads(spelling, analysed, *node, done);
  }
  return applySpelled(model, spelling);
}

}  // namespace mpm::onnx
