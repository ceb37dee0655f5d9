// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/values.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"

namespace mpm::onnx {

Values::Values(const Model& model, const std::unordered_map<std::string, Integers>& inputDims)
    : model_(&model) {
  describeInputs(inputDims);
  describeConstants();
  for (const Node* node : model.nodes()) visit(*node);
}

void Values::describeInputs(const std::unordered_map<std::string, Integers>& inputDims) {
  for (const Value& input : model_->inputs()) {
    Dims dims;
    if (input.hasShape) dims.emplace();
    for (const Dim& dim : input.dims) dims->push_back(dim.size);
    const auto given = inputDims.find(input.name);
    if (given != inputDims.end()) {
      const Integers& wanted = given->second;
      const bool isSame = dims && dims->size() == wanted.size() &&
                          std::equal(dims->begin(), dims->end(), wanted.begin(),
                                     [](auto file, auto own) { return file < 0 || file == own; });
      if (dims && !isSame) trustsFile_ = false;
      dims = wanted;
    }
    const bool hasSymbols = dims && input.hasShape && dims->size() == input.dims.size();
    for (std::size_t i = 0; hasSymbols && i < dims->size(); ++i) {
      const std::string& symbol = input.dims[i].symbol;
      if (symbol.empty() || input.dims[i].isKnown()) continue;
      const std::int64_t size = (*dims)[i] >= 0 ? (*dims)[i] : --lastName_;
      const auto [found, isNew] = symbols_.emplace(symbol, size);
      if ((*dims)[i] < 0) (*dims)[i] = found->second;
    }
    const Fact& fact = put(input.name, input.type, std::move(dims));
    isBatchOpen_ = isBatchOpen_ || (!fact.named.empty() && fact.named.front() < 0);
  }
  inputNames_ = lastName_;
}

void Values::describeConstants() {
  for (const auto& proto : model_->proto().graph().initializer()) {
    Fact& fact =
        put(proto.name(), proto.data_type(), Integers(proto.dims().begin(), proto.dims().end()));
    fact.isConstant = true;
    constants_ += smallCount(fact.dims).value_or(0);
  }
}

Values::Fact& Values::put(const std::string& value, int type, std::optional<Integers> dims) {
  Fact& fact = analysed_[value];
  fact.type = type;
  if (!dims || dims->size() > kMostRank) return fact;
  fact.hasRank = true;
  fact.dims = *dims;
  fact.named = std::move(*dims);
  for (std::size_t i = 0; i < fact.dims.size(); ++i) {
    std::int64_t& named = fact.named[i];
    if (named > kLargestSize) named = -1;
    if (named == -1) named = --lastName_;
    fact.dims[i] = std::max<std::int64_t>(named, -1);
  }
  return fact;
}

std::optional<Integers> Values::described(const std::string& value) const {
  const auto info = model_->info(value);
  if (!info || !info->hasShape) return std::nullopt;
  Integers dims;
  for (const Dim& dim : info->dims) {
    const auto symbol = symbols_.find(dim.symbol);
    if (dim.isKnown()) {
      dims.push_back(trustsFile_ ? dim.size : -1);
    } else {
      dims.push_back(symbol != symbols_.end() ? symbol->second : -1);
    }
  }
  return dims;
}

const Values::Fact* Values::find(const std::string& value) const {
  const auto source = sources_.find(value);
  const auto found = analysed_.find(source == sources_.end() ? value : source->second);
  return found == analysed_.end() ? nullptr : &found->second;
}

const Integers* Values::dims(const std::string& value) const {
  const Fact* fact = find(value);
  return fact && fact->hasRank ? &fact->dims : nullptr;
}

const Integers* Values::namedDims(const std::string& value) const {
  const Fact* fact = find(value);
  return fact && fact->hasRank ? &fact->named : nullptr;
}

int Values::type(const std::string& value) const {
  const Fact* fact = find(value);
  return fact ? fact->type : 0;
}

const KnownTensor* Values::content(const std::string& value) const {
  const KnownTensor* found = known(value);
  if (!found) return nullptr;
  const bool some = found->sure.empty() || std::any_of(found->sure.begin(), found->sure.end(),
                                                       [](char each) { return each != 0; });
  return some ? found : nullptr;
}

// Parts of Values that go through the nodes.

using ::onnx::TensorProto;

namespace {

constexpr std::size_t kMostCost = 40000000;
// Limits how often a file's constants may be read in total. Hybrids standardise all weights of
// convolutions, and each of BEiT's blocks computes distances of places.
constexpr std::size_t kMostPasses = 32;
constexpr std::size_t kLarge = 1 << 16;  // elements that are let go of as soon as they may be

}  // namespace

void Values::visit(const Node& node) {
  if (isOp(node, "Identity") && node.input_size() == 1 && node.output_size() == 1) {
    visitIdentity(node);
    return;
  }
  const Call call{node, {}, model_->opset(), this};
  Shapes shapes = inferShapes(call);
  shapes.resize(static_cast<std::size_t>(node.output_size()));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string& output = node.output(static_cast<int>(i));
    if (output.empty()) continue;
    int type = inferType(call, i);
    if (type == 0) {
      const auto info = model_->info(output);
      type = info ? info->type : 0;
    }
    const Dims told = described(output);
    Dims& dims = shapes[i];
    if (!dims) {
      dims = told;
    } else if (told && told->size() == dims->size()) {
      for (std::size_t k = 0; k < dims->size(); ++k) {
        const bool takesIt = (*told)[k] >= 0 ? takesNumber(*dims, k) : (*dims)[k] == -1;
        if ((*dims)[k] < 0 && takesIt) (*dims)[k] = (*told)[k];
      }
    }
    put(output, type, std::move(dims));
  }
  if (evaluate(node)) release(node);
}

void Values::visitIdentity(const Node& node) {
  if (!hasInput(node, 0) || node.output(0).empty()) return;
  const auto source = sources_.find(node.input(0));
  sources_[node.output(0)] = source == sources_.end() ? node.input(0) : source->second;
}

// Tells whether something is known of a value's elements, without reading them.
bool Values::isFoldable(const Fact& fact) {
  if (fact.content) return true;
  return fact.isConstant && smallCount(fact.dims) && isFolded(fact.type);
}

const KnownTensor* Values::known(const std::string& value) const {
  const auto source = sources_.find(value);
  const auto found = analysed_.find(source == sources_.end() ? value : source->second);
  if (found == analysed_.end() || !isFoldable(found->second)) return nullptr;
  Fact& fact = found->second;
  if (!fact.content) {
    const auto constant = model_->constant(found->first);
    if (!constant || constant->type() != fact.type || constant->dims() != fact.dims) return nullptr;
    fact.content = toKnownTensor(*constant);
  }
  return fact.content ? &*fact.content : nullptr;
}

// Returns the cost in float32s.
std::size_t Values::costOf(const Fact& fact) {
  const std::size_t count = smallCount(fact.dims).value_or(0);
  return fact.type == TensorProto::FLOAT ? count : 2 * count;
}

// Returns the product of the sizes of letters that an Einsum's result lacks.
std::size_t Values::summedBy(const Node& node) const {
  std::vector<std::size_t> ranks;
  for (const auto& input : node.input()) {
    const Fact* fact = find(input);
    ranks.push_back(fact ? fact->dims.size() : 0);
  }
  const auto equation = readEquation(node, ranks);
  if (!equation) return 1;  // nor is it computed
  std::unordered_map<char, std::size_t> sizes;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t axis = 0; axis < ranks[i]; ++axis) {
      const std::int64_t size = find(node.input(static_cast<int>(i)))->dims[axis];
      sizes[equation->operands[i][axis]] =
          static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    }
  }
  std::size_t depth = 1;
  for (const auto& [letter, size] : sizes) {
    if (equation->result.find(letter) == std::string::npos) depth *= std::min(size, kMostCost);
    if (depth > kMostCost) return kMostCost;
  }
  return depth;
}

// Returns how many elements a product of matrices multiplies for each result.
std::size_t Values::depthOf(const Node& node) const {
  if (isOp(node, "Einsum")) return summedBy(node);
  if (isOp(node, "Conv")) {
    const Fact* weight = node.input_size() > 1 ? find(node.input(1)) : nullptr;
    const std::size_t count = weight ? smallCount(weight->dims).value_or(0) : 0;
    return count == 0 || weight->dims[0] < 1 ? 1
                                             : count / static_cast<std::size_t>(weight->dims[0]);
  }
  if (isAny(node, {"AveragePool", "MaxPool"})) {
    const auto kernel = intsAttribute(node, "kernel_shape").value_or(Integers{});
    const auto count = smallCount(kernel);
    return count && *count < kMostCost ? std::max<std::size_t>(*count, 1) : kMostCost;
  }
  if (!isAny(node, {"MatMul", "Gemm"})) return 1;
  const Fact* fact = find(node.input(0));
  std::int64_t depth = 1;
  for (const std::int64_t dim : fact ? fact->dims : Integers{}) depth = std::max(depth, dim);
  return static_cast<std::size_t>(depth);
}

// Pays for a node by the largest count of elements: read, made, or in matrix products multiplied.
// 16 multiplications count as one move. Returns false if a count is unknown or the budget is used
// up.
bool Values::spend(const Node& node) {
  const bool selects = isOp(node, "Gather") || isOp(node, "Slice");  // reads few of its data
  std::size_t read = 0, made = 0;
  for (int i = 0; i < node.input_size(); ++i) {
    if (node.input(i).empty()) continue;
    const Fact* fact = find(node.input(i));
    if (!fact || !isFoldable(*fact)) return false;
    if (i > 0 || !selects) read += costOf(*fact);
  }
  for (const auto& output : node.output()) {
    if (output.empty()) continue;
    const Fact* fact = find(output);
    if (!fact || !fact->hasRank || !smallCount(fact->dims)) return false;
    made += costOf(*fact);
  }
  spent_ += std::max({read, made, made * depthOf(node) / 16});
  return spent_ <= kMostCost + kMostPasses * constants_;
}

bool Values::evaluate(const Node& node) {
  if (node.output_size() == 0 || !isOp(node, node.op_type().c_str())) return false;
  Results results;
  if (node.op_type() == "Shape" || node.op_type() == "Size") {
    const Integers* data = node.input_size() == 1 ? namedDims(node.input(0)) : nullptr;
    if (!data) return false;
    results.push_back(node.op_type() == "Shape" ? foldShape(node, *data) : foldSize(*data));
  } else {
    const Folder folder = findFolder(node);
    if (!folder || !spend(node)) return false;
    Call call{node, {}, model_->opset()};
    for (const auto& input : node.input()) {
      call.inputs.push_back(input.empty() ? nullptr : known(input));
    }
    results = folder(call);
  }
  const std::size_t count = std::min(results.size(), static_cast<std::size_t>(node.output_size()));
  bool isSure = count == static_cast<std::size_t>(node.output_size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto fact = analysed_.find(node.output(static_cast<int>(i)));
    const bool fits = results[i] && fact != analysed_.end() &&
                      results[i]->dims == fact->second.dims;  // they may be the file's, and err
    isSure = isSure && fits && results[i]->isSure();
    if (!fits) continue;
    fact->second.type = results[i]->type;
    fact->second.content = std::move(results[i]);
  }
  return isSure;
}

// Counts a constant node as done with its inputs. Frees a large input when all its readers are.
void Values::release(const Node& node) {
  std::set<std::string> inputs(node.input().begin(), node.input().end());
  for (const std::string& input : inputs) {
    const auto fact = analysed_.find(input);
    if (fact == analysed_.end() || !fact->second.content) continue;
    if (fact->second.content->count() < kLarge || model_->isOutput(input)) continue;
    if (++constantReaders_[input] == model_->consumers(input).size()) fact->second.content.reset();
  }
}

}  // namespace mpm::onnx
