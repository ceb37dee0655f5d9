// SPDX-License-Identifier: Apache-2.0
#include "onnx/recognise/rotary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "onnx/graph/attribute.h"
#include "onnx/operators/table.h"
#include "onnx/recognise/parts.h"

namespace mpm::onnx {

namespace {

constexpr double kTolerance = 1e-5;

std::optional<Known> run(const Facts& facts, const RotaryRegion& region, Known input,
                         const std::string& output) {
  const LargeResults scope;
  std::unordered_map<std::string, Known> values;
  values.emplace(region.input, std::move(input));
  for (const Node* node : region.nodes) {
    Call call{*node, {}, facts.model.opset()};
    for (const std::string& name : node->input()) {
      const auto found = values.find(name);
      call.inputs.push_back(found != values.end() ? &found->second : facts.values.content(name));
    }
    Results results = compute(call);
    for (int i = 0; i < node->output_size(); ++i) {
      Result& result = results[static_cast<std::size_t>(i)];
      if (!result || !result->isFloat() || !result->isSure()) return std::nullopt;
      values.insert_or_assign(node->output(i), std::move(*result));
    }
  }
  return std::move(values.at(output));
}

using Table = std::vector<float>;
using OfFeature = std::function<float(std::size_t feature)>;

// A value of [.., rows, .., features], and what becomes of inputs that are made up for it. With a
// head axis each head's rows are told apart: those of all heads lie side by side.
class Probe {
 public:
  Probe(const Facts& facts, const RotaryRegion& region, const std::string& output,
        std::size_t rowAxis, std::optional<std::size_t> headAxis)
      : facts_(facts), region_(region), output_(output), dims_(*facts.values.dims(output)) {
    heads_ = headAxis ? static_cast<std::size_t>(dims_[*headAxis]) : 1;
    rows = static_cast<std::size_t>(dims_[rowAxis]) * heads_;
    features = static_cast<std::size_t>(dims_.back());
    elements_ = features;
    for (std::size_t i = 0; i + 1 < dims_.size(); ++i)
      elements_ *= static_cast<std::size_t>(dims_[i]);
    stride_ = strideOf(rowAxis);
    headStride_ = headAxis ? strideOf(*headAxis) : 0;
  }

  std::size_t rows = 0, features = 0;

  std::size_t rowOf(std::size_t element) const {
    const std::size_t row = element / stride_ % (rows / heads_);
    return heads_ == 1 ? row : row * heads_ + element / headStride_ % heads_;
  }

  // Of an element of the output among those of the input.
  std::size_t placeOf(std::size_t element) const {
    if (!region_.swapsAxes) return element;
    const auto d = static_cast<std::size_t>(dims_[3]), inner = static_cast<std::size_t>(dims_[2]);
    const auto outer = static_cast<std::size_t>(dims_[1]);
    const std::size_t i = element % d, y = element / d % inner, x = element / d / inner % outer;
    return ((element / d / inner / outer * inner + y) * outer + x) * d + i;
  }

  // All elements, for these inputs; nothing where it cannot be computed.
  std::vector<float> all(const std::function<float(std::size_t element)>& input) const {
    const LargeResults scope;
    std::optional<Known> known = unwritten(::onnx::TensorProto::FLOAT,
                                           region_.swapsAxes ? region_.dimsBefore(dims_) : dims_);
    if (!known) return {};
    float* const elements = known->floats.write();
    for (std::size_t i = 0; i < known->count(); ++i) elements[placeOf(i)] = input(i);
    std::optional<Known> result = run(facts_, region_, std::move(*known), output_);
    return result && result->dims == dims_ ? result->floats.copy() : std::vector<float>{};
  }

  // For inputs that differ by feature alone a table [rows x features] each; none where one cannot
  // be computed. Heads and images that are not told apart have one of the inputs each, where there
  // are as many: then it takes one run.
  std::vector<Table> byRow(const std::vector<OfFeature>& inputs) const {
    std::vector<Table> tables;
    const std::size_t beside = stride_ / features;
    const auto copyOf = [&](std::size_t element) {
      return element / (stride_ * rows) * beside + element % stride_ / features;
    };
    if (heads_ == 1 && elements_ >= inputs.size() * rows * features) {
      const std::vector<float> values = all([&](std::size_t element) {
        return inputs[std::min(copyOf(element), inputs.size() - 1)](element % features);
      });
      for (std::size_t copy = 0; copy < inputs.size() && !values.empty(); ++copy)
        tables.push_back(
            tableAt(values, copy / beside * stride_ * rows + copy % beside * features));
      return tables;
    }
    for (const OfFeature& input : inputs) {
      const std::vector<float> values = all([&](std::size_t i) { return input(i % features); });
      if (values.empty()) return {};
      tables.push_back(tableAt(values, 0));
    }
    return tables;
  }

 private:
  Table tableAt(const std::vector<float>& values, std::size_t first) const {
    Table table(rows * features);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = first + row / heads_ * stride_ + row % heads_ * headStride_;
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), features,
                  table.begin() + static_cast<std::ptrdiff_t>(row * features));
    }
    return table;
  }
  std::size_t strideOf(std::size_t axis) const {
    std::size_t stride = 1;
    for (std::size_t i = axis + 1; i < dims_.size(); ++i)
      stride *= static_cast<std::size_t>(dims_[i]);
    return stride;
  }

  const Facts& facts_;
  const RotaryRegion& region_;
  std::string output_;
  Integers dims_;
  std::size_t heads_ = 1, elements_ = 0, stride_ = 1, headStride_ = 0;
};

// From inputs 1, i and i^2 of feature i: of own x[i] + other x[p], the third less i^2 times the
// first over the second less i times the first is p + i. -1: what is left over in the end.
std::optional<Integers> pairsOf(const Probe& probe) {
  const std::vector<Table> tables = probe.byRow(
      {[](std::size_t) { return 1.0F; }, [](std::size_t i) { return static_cast<float>(i); },
       [](std::size_t i) { return static_cast<float>(i * i); }});
  if (tables.empty()) return std::nullopt;
  const Table &ones = tables[0], &firsts = tables[1], &squares = tables[2];
  const auto d = static_cast<std::int64_t>(probe.features);
  Integers pair(probe.features, -1);
  for (std::size_t i = 0; i < probe.features; ++i) {
    const auto at = static_cast<double>(i);
    double most = 1e-3, sum = -1;
    for (std::size_t n = 0; n < probe.rows; ++n) {
      const std::size_t e = n * probe.features + i;
      const double first = static_cast<double>(firsts[e]) - at * static_cast<double>(ones[e]);
      if (std::abs(first) <= most) continue;
      most = std::abs(first);
      sum = (static_cast<double>(squares[e]) - at * at * static_cast<double>(ones[e])) / first;
    }
    if (most > 1e-3) pair[i] = std::llround(sum - at);
  }
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < probe.features; ++i) {
    const std::int64_t other = pair[i];
    if (other < 0) {
      alone.push_back(i);
    } else if (other >= d || other == static_cast<std::int64_t>(i) ||
               pair[static_cast<std::size_t>(other)] != static_cast<std::int64_t>(i)) {
      return std::nullopt;
    }
  }
  if (alone.size() % 2 != 0 || alone.size() == probe.features) return std::nullopt;
  for (std::size_t i = 0; i < alone.size(); i += 2) {
    pair[alone[i]] = static_cast<std::int64_t>(alone[i + 1]);
    pair[alone[i + 1]] = static_cast<std::int64_t>(alone[i]);
  }
  return pair;
}

// The factors: an input is 1 on one side of the pairs and 0 on the other.
bool readFactors(const Probe& probe, FoundRotary& found) {
  const auto isFirst = [&](std::size_t i) { return static_cast<std::int64_t>(i) < found.pair[i]; };
  const std::vector<Table> tables =
      probe.byRow({[&](std::size_t i) { return isFirst(i) ? 1.0F : 0.0F; },
                   [&](std::size_t i) { return isFirst(i) ? 0.0F : 1.0F; }});
  if (tables.empty()) return false;
  const Table &firsts = tables[0], &seconds = tables[1];
  found.own.resize(firsts.size());
  found.other.resize(firsts.size());
  for (std::size_t e = 0; e < firsts.size(); ++e) {
    const bool first = isFirst(e % probe.features);
    found.own[e] = first ? firsts[e] : seconds[e];
    found.other[e] = first ? seconds[e] : firsts[e];
  }
  return true;
}

// Whether numbers without any order become what the factors say, in every head and image.
bool holds(const Probe& probe, const FoundRotary& found) {
  const auto noise = [](std::size_t element) {
    const std::uint32_t state = static_cast<std::uint32_t>(element) * 747796405U + 2891336453U;
    return static_cast<float>((state ^ (state >> 15)) * 2246822519U >> 8) * 0x1p-23F - 1;
  };
  const std::vector<float> values = probe.all(noise);
  if (values.empty()) return false;
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t i = e % probe.features, at = probe.rowOf(e) * probe.features + i;
    const auto other = static_cast<std::size_t>(found.pair[i]);
    const double expected =
        static_cast<double>(found.own[at]) * static_cast<double>(noise(e)) +
        static_cast<double>(found.other[at]) * static_cast<double>(noise(e - i + other));
    if (!(std::abs(static_cast<double>(values[e]) - expected) <= kTolerance)) return false;
  }
  return true;
}

std::optional<FoundRotary> factorsOf(const Probe& probe) {
  FoundRotary found;
  const std::optional<Integers> pair = pairsOf(probe);
  if (!pair) return std::nullopt;
  found.pair = *pair;
  if (!readFactors(probe, found) || !holds(probe, found)) return std::nullopt;
  return found;
}

}  // namespace

Integers RotaryRegion::dimsBefore(Integers dims) const {
  if (swapsAxes && dims.size() == 4) std::swap(dims[1], dims[2]);
  return dims;
}

std::optional<FoundRotary> rotaryFactors(const Facts& facts, const RotaryRegion& region,
                                         const std::string& output, std::size_t rowAxis,
                                         std::optional<std::size_t> headAxis) {
  std::optional<FoundRotary> found = factorsOf(Probe(facts, region, output, rowAxis, std::nullopt));
  if (found || !headAxis) return found;
  found = factorsOf(Probe(facts, region, output, rowAxis, headAxis));
  if (found) found->heads = (*facts.values.dims(output))[*headAxis];
  return found;
}

namespace {

// What a region computes, but for the elements of its constants, which are noted one by one.
std::string spell(const Facts& facts, const RotaryRegion& region, const std::string& output,
                  std::vector<const Known*>& constants) {
  std::unordered_map<std::string, std::string> names{{"", ""}, {region.input, "input"}};
  const auto nameOf = [&](const std::string& value) {
    return names.emplace(value, std::to_string(names.size())).first->second;
  };
  std::string spelling;
  for (const Node* node : region.nodes) {
    Node plain = *node;
    plain.clear_name();
    plain.clear_doc_string();
    for (std::string& input : *plain.mutable_input()) {
      const bool isNew = names.count(input) == 0;
      const Known* content = isNew ? facts.values.content(input) : nullptr;
      if (content != nullptr) constants.push_back(content);
      input = nameOf(input);
    }
    for (std::string& made : *plain.mutable_output()) made = nameOf(made);
    const std::string bytes = plain.SerializeAsString();
    spelling += std::to_string(bytes.size()) + ":" + bytes;
  }
  spelling += nameOf(output) + (region.swapsAxes ? " swapped" : "");
  for (const std::int64_t dim : *facts.values.dims(output)) spelling += " " + std::to_string(dim);
  return spelling;
}

bool areEqual(const Known& a, const Known& b) {
  return &a == &b || (a.type == b.type && a.dims == b.dims && a.integers == b.integers &&
                      a.floats == b.floats && a.sure == b.sure);
}

}  // namespace

const std::optional<FoundRotary>& RotaryMemo::factors(const Facts& facts,
                                                      const RotaryRegion& region,
                                                      const std::string& output,
                                                      std::size_t rowAxis,
                                                      std::optional<std::size_t> headAxis) {
  Entry entry;
  std::string spelling = spell(facts, region, output, entry.constants);
  spelling += " rows " + std::to_string(rowAxis);
  if (headAxis) spelling += " heads " + std::to_string(*headAxis);
  const auto [begin, end] = entries_.equal_range(spelling);
  const auto same = std::find_if(begin, end, [&](const auto& before) {
    const std::vector<const Known*>& constants = before.second.constants;
    return std::equal(constants.begin(), constants.end(), entry.constants.begin(),
                      entry.constants.end(),
                      [](const Known* a, const Known* b) { return areEqual(*a, *b); });
  });
  if (same != end) return same->second.factors;
  entry.factors = rotaryFactors(facts, region, output, rowAxis, headAxis);
  return entries_.emplace(std::move(spelling), std::move(entry))->second.factors;
}

namespace {

constexpr std::size_t kMostNodes = 64;

bool isKnown(const Facts& facts, const std::string& value) {
  const Known* known = facts.values.content(value);
  return known != nullptr && known->isSure();
}

// The region that ends at `output`, whose input is of the same dims but for the order of two of
// them.
std::optional<RotaryRegion> regionBehind(const Facts& facts, const std::string& output) {
  const Integers* dims = facts.values.dims(output);
  const std::vector<const Node*>& order = facts.model.nodes();
  std::unordered_map<const Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  RotaryRegion region;
  std::unordered_set<std::string> frontier{output};
  while (region.nodes.size() < kMostNodes) {
    const Node* last = nullptr;
    for (const std::string& value : frontier) {
      const Node* node = facts.model.producer(value);
      if (node != nullptr && (last == nullptr || place[node] > place[last])) last = node;
    }
    if (last == nullptr || !isAny(*last, {"Add", "Sub", "Mul", "Neg", "Concat", "Slice", "Split",
                                          "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Gather",
                                          "ScatterND", "Identity", "Cast", "Expand", "Flatten"}))
      return std::nullopt;
    for (const std::string& made : last->output()) frontier.erase(made);
    region.nodes.push_back(last);
    for (const std::string& input : last->input()) {
      if (!input.empty() && !isKnown(facts, input)) frontier.insert(input);
    }
    if (frontier.empty()) return std::nullopt;
    const Integers* before = facts.values.dims(*frontier.begin());
    if (frontier.size() != 1 || before == nullptr) continue;
    region.swapsAxes = *before != *dims;
    if (region.swapsAxes && *before != region.dimsBefore(*dims)) continue;
    region.input = *frontier.begin();
    std::reverse(region.nodes.begin(), region.nodes.end());
    return region;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FoundRotary> findRotary(const Facts& facts, const std::string& output,
                                      std::size_t rowAxis, std::optional<std::size_t> headAxis) {
  const Integers* dims = facts.values.dims(output);
  if (dims == nullptr || dims->size() < 3 || rowAxis + 1 >= dims->size()) return std::nullopt;
  if (std::any_of(dims->begin(), dims->end(), [](auto dim) { return dim < 1; }))
    return std::nullopt;
  const std::optional<RotaryRegion> region = regionBehind(facts, output);
  if (!region) return std::nullopt;
  if (facts.rotary == nullptr) facts.rotary = std::make_shared<RotaryMemo>();
  std::optional<FoundRotary> found =
      facts.rotary->factors(facts, *region, output, rowAxis, headAxis);
  if (!found) return std::nullopt;
  found->input = region->input;
  found->swapsAxes = region->swapsAxes;
  found->nodes.assign(region->nodes.rbegin(), region->nodes.rend());
  return found;
}

}  // namespace mpm::onnx
